package experiments

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"latro/datasets/dirlock"
	"latro/env/engine"
	"latro/env/rules"
	"latro/mcts"
)

// Resolved identifies what a design names by its content, so that a design's
// hash is the same wherever its files lie, and another one when a file changes.
type Resolved struct {
	// Rules are the hashes of the rulesets' rules, in the order of the design.
	Rules []string `json:"rules"`
	// Networks are the content hashes of the networks of agents A and B of each cell,
	// "" for an agent without one.
	Networks [][2]string `json:"networks"`
}

// isFile reports whether a ruleset's reference is a file's path, as rules.Open
// decides it.
func isFile(ref string) bool {
	name, _, _ := strings.Cut(ref, "+")
	if at := strings.LastIndexByte(name, '@'); at > strings.LastIndexAny(name, `/\`) {
		name = name[:at]
	}
	return strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// place is where a path of the design lies: relative ones count from the
// design's directory.
func (d Design) place(path string) string {
	if d.dir == "" || d.dir == "." || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(d.dir, path)
}

// open opens a ruleset of the design.
func (d Design) open(r RulesetRef) (*rules.Ruleset, error) {
	ref := r.Ref
	if isFile(ref) && d.dir != "" && d.dir != "." && !filepath.IsAbs(ref) {
		// Not filepath.Join, which would clean slashes within overrides.
		ref = filepath.ToSlash(d.dir) + "/" + ref
	}
	return rules.Open(ref, r.Set...)
}

// refOf is the reference that files and figures name: never a path of this
// machine, but the one that the design has, or a file's name alone.
func (d Design) refOf(r *rules.Ruleset) string {
	ref := r.Ref()
	if r.File == "" {
		return ref
	}
	rest, ok := strings.CutPrefix(ref, r.File)
	if !ok {
		return ref
	}
	file := filepath.ToSlash(r.File)
	if d.dir != "" && d.dir != "." {
		file = strings.TrimPrefix(file, filepath.ToSlash(d.dir)+"/")
	}
	if filepath.IsAbs(filepath.FromSlash(file)) {
		file = filepath.Base(r.File)
	}
	return file + rest
}

// ShippedNetwork is the word for the network that comes with the program.
const ShippedNetwork = "shipped"

// fill puts a cell's network into an agent's specification: path={network} and
// run={network} may both be written, whichever the network is.
func (d Design) fill(spec, network string) (mcts.Spec, error) {
	if !strings.Contains(spec, networkHole) {
		return mcts.ParseSpec(spec)
	}
	s, err := mcts.ParseSpec(strings.ReplaceAll(spec, networkHole, "network"))
	if err != nil {
		return s, err
	}
	found := false
	for _, key := range []string{"path", "run"} {
		if s.Options[key] == "network" {
			delete(s.Options, key)
			found = true
		}
	}
	switch {
	case !found:
		return mcts.ParseSpec(strings.ReplaceAll(spec, networkHole, network))
	case network == ShippedNetwork:
	case strings.HasPrefix(network, ShippedNetwork+":"):
		s.Options["path"] = network
	default:
		where := d.place(network)
		key := "path"
		if info, err := os.Stat(where); err == nil && info.IsDir() {
			key = "run"
		} else if errors.Is(err, fs.ErrNotExist) {
			return s, fmt.Errorf("%w: the network %s does not exist", ErrInvalid, where)
		}
		s.Options[key] = where
	}
	return s, nil
}

// contentSpec names a network's agent by the network's content instead of where
// its file lies.
func contentSpec(s mcts.Spec, network string) string {
	out := mcts.Spec{Kind: s.Kind, Options: map[string]string{}}
	for k, v := range s.Options {
		out.Options[k] = v
	}
	if s.Kind == "net" {
		delete(out.Options, "path")
		delete(out.Options, "run")
		if network != "" {
			out.Options["network"] = network[:min(12, len(network))]
		}
	}
	return out.String()
}

// Resolve gives the design with its rules and networks identified by content; it
// opens both. The factory makes the agents ([Builtin] if nil).
func (d Design) Resolve(factory Factory) (Design, error) {
	if factory == nil {
		factory = Builtin
	}
	cells, rulesets, err := compile(d)
	if err != nil {
		return d, err
	}
	out := &Resolved{Networks: make([][2]string, len(cells))}
	for _, r := range rulesets {
		out.Rules = append(out.Rules, r.Hash())
	}
	type key struct{ hash, spec string }
	seen := map[key]string{}
	for i, c := range cells {
		for side, spec := range c.play {
			k := key{c.info.Hash, spec.String()}
			h, ok := seen[k]
			if !ok {
				a, err := factory(spec, c.game, c.info.Hash)
				if err != nil {
					return d, d.locate(d.agentField(c.cell, side), fmt.Errorf("agent %s in %s: %w", []AgentRef{c.cell.A, c.cell.B}[side].Spec, c.info.Name, err))
				}
				if n, ok := a.(interface{ NetworkHash() string }); ok {
					h = n.NetworkHash()
				}
				seen[k] = h
			}
			out.Networks[i][side] = h
		}
	}
	d.Resolved = out
	return d, nil
}

// Hash is the sha256 (hex) of the design's canonical JSON: the same design gives
// the same hash however its file was written. Once the design is resolved
// ([Design.Resolve]) files of rules and networks count by their content, not by
// their path.
func (d Design) Hash() string {
	if d.Resolved != nil {
		blank := func(r RulesetRef) RulesetRef {
			if isFile(r.Ref) {
				name, tail := r.Ref, ""
				if i := strings.IndexAny(r.Ref, "@+"); i >= 0 {
					name, tail = r.Ref[:i], r.Ref[i:]
				}
				r.Ref = filepath.Base(filepath.FromSlash(name)) + tail
			}
			if r.Network != "" {
				r.Network = networkHole
			}
			if r.Networks != nil {
				r.Networks = make([]string, len(r.Networks))
			}
			return r
		}
		rulesets := make([]RulesetRef, len(d.Rulesets))
		for i, r := range d.Rulesets {
			rulesets[i] = blank(r)
		}
		d.Rulesets = rulesets
		if d.Factorial != nil {
			f := *d.Factorial
			f.Base = blank(f.Base)
			if f.Networks != nil {
				networks := map[string][]string{}
				for k, v := range f.Networks {
					networks[k] = make([]string, len(v))
				}
				f.Networks = networks
			}
			d.Factorial = &f
		}
		agents := make([]AgentRef, len(d.Agents))
		for i, a := range d.Agents {
			if s, err := mcts.ParseSpec(strings.ReplaceAll(a.Spec, networkHole, "network")); err == nil && s.Kind == "net" {
				a.Name, a.Spec = a.name(), contentSpec(s, "")
			}
			agents[i] = a
		}
		d.Agents = agents
	}
	b, err := json.Marshal(d)
	if err != nil {
		panic("experiments: a design is always representable: " + err.Error())
	}
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// frozenDesign is the content of design.json: the design with its hash, by which a
// changed file is noticed.
type frozenDesign struct {
	Design
	Hash string `json:"design_hash,omitempty"`
}

// ReadDesign reads the frozen design of an experiment's directory. A file whose
// design is not the one that its hash was made of satisfies ErrInvalid.
func ReadDesign(dir string) (Design, error) {
	path := filepath.Join(dir, DesignFile)
	var f frozenDesign
	if _, err := readJSON(path, &f); err != nil {
		return Design{}, err
	}
	if f.Hash != "" && f.Hash != f.Design.Hash() {
		return Design{}, damaged("%s was changed after it was frozen (its hash is %.12s…, the frozen one %.12s…); put it back, or begin another experiment in a new directory", path, f.Design.Hash(), f.Hash)
	}
	return f.Design, nil
}

func writeDesign(dir string, d Design) error {
	return writeJSON(filepath.Join(dir, DesignFile), frozenDesign{d.placeless(), d.Hash()})
}

// placeless is a resolved design as it is kept: networks by their content and
// ruleset files by their names, since where they lie is this machine's affair and
// the hash does not depend on it.
func (d Design) placeless() Design {
	if d.Resolved == nil {
		return d
	}
	// A network's content is known from the cells that play it.
	content := map[string]string{}
	for _, c := range d.Cells() {
		if c.Network == "" || c.Index >= len(d.Resolved.Networks) {
			continue
		}
		for i, a := range []AgentRef{c.A, c.B} {
			if h := d.Resolved.Networks[c.Index][i]; a.trained() && h != "" {
				content[c.Network] = "sha256:" + h
			}
		}
	}
	name := func(network string) string {
		switch {
		case network == "" || network == ShippedNetwork:
			return network
		case content[network] != "":
			return content[network]
		}
		return "network"
	}
	names := func(list []string) []string {
		out := slices.Clone(list)
		for i := range out {
			out[i] = name(out[i])
		}
		return out
	}
	bare := func(r RulesetRef) RulesetRef {
		if isFile(r.Ref) && filepath.IsAbs(r.Ref) {
			file, tail := r.Ref, ""
			if i := strings.IndexAny(r.Ref, "@+"); i >= 0 {
				file, tail = r.Ref[:i], r.Ref[i:]
			}
			r.Ref = filepath.Base(file) + tail
		}
		r.Network, r.Networks = name(r.Network), names(r.Networks)
		return r
	}
	d.Rulesets = slices.Clone(d.Rulesets)
	for i := range d.Rulesets {
		d.Rulesets[i] = bare(d.Rulesets[i])
	}
	if d.Factorial != nil {
		f := *d.Factorial
		f.Base = bare(f.Base)
		networks := map[string][]string{}
		for k, v := range f.Networks {
			networks[k] = names(v)
		}
		if f.Networks != nil {
			f.Networks = networks
		}
		d.Factorial = &f
	}
	d.Agents = slices.Clone(d.Agents)
	for i, a := range d.Agents {
		if !a.trained() {
			if s, err := mcts.ParseSpec(a.Spec); err == nil && s.Kind == "net" {
				d.Agents[i].Spec = contentSpec(s, "")
			}
		}
	}
	return d
}

// Freeze writes the resolved design into dir, which it makes: from then on the
// directory is that experiment's, and [Run] refuses any other design there. It does
// not judge the design; see [MakePlan]. Freezing the same design again changes
// nothing.
func Freeze(dir string, d Design, factory Factory) (Design, error) {
	if err := d.Validate().err(); err != nil {
		return d, err
	}
	d, err := d.Resolve(factory)
	if err != nil {
		return d, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return d, fmt.Errorf("freeze design: %w", err)
	}
	old, err := ownDirectory(dir)
	if err == nil && !old {
		var held io.Closer
		if old, held, err = lockDirectory(dir); err == nil {
			defer held.Close()
		}
	}
	if err != nil {
		return d, err
	}
	if !old {
		return d, writeDesign(dir, d)
	}
	was, err := ReadDesign(dir)
	if err != nil {
		return d, err
	}
	return was, sameDesign(dir, was, d)
}

// sameDesign says in what a directory's frozen design differs from d.
func sameDesign(dir string, was, d Design) error {
	if was.Hash() == d.Hash() {
		return nil
	}
	if was.Resolved == nil && was.Hash() == d.unresolved().Hash() {
		// Begun before designs were resolved.
		return nil
	}
	what := "another design"
	if w, n := was.Resolved, d.Resolved; w != nil && n != nil && was.unresolved().comparable() == d.unresolved().comparable() {
		what = d.changedContent(w, n)
	}
	return unfit("%s already holds the experiment %q with %s (frozen hash %.12s…, yours %.12s…); use another directory, or the same design to go on", dir, was.ID, what, was.Hash(), d.Hash())
}

// changedContent names the first file of the design whose content has changed.
func (d Design) changedContent(was, now *Resolved) string {
	for i, h := range now.Rules {
		if i < len(was.Rules) && was.Rules[i] != h {
			return fmt.Sprintf("other rules of %s (hash %.12s…, now %.12s…)", d.ExpandRulesets()[i].Name, was.Rules[i], h)
		}
	}
	for i, h := range now.Networks {
		if i < len(was.Networks) && was.Networks[i] != h {
			c := d.Cells()[i]
			return fmt.Sprintf("another network of %s in %s (hash %.12s…, now %.12s…)", c.Agents(), c.Ruleset.Name, was.Networks[i][0]+was.Networks[i][1], h[0]+h[1])
		}
	}
	return "another design"
}

func (d Design) unresolved() Design {
	d.Resolved = nil
	return d
}

// comparable is the hash of everything but the content of rules and networks.
func (d Design) comparable() string {
	d.Resolved = &Resolved{}
	return d.Hash()
}

// CheckDirectory says why no experiment could begin in dir, before time is spent on planning one: something else lies
// there, or it cannot be a directory. It makes nothing, and a directory that is an experiment's already is no mistake.
func CheckDirectory(dir string) error {
	for at := dir; ; at = filepath.Dir(at) {
		st, err := os.Stat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist) && filepath.Dir(at) != at:
			continue
		case err != nil:
			return fmt.Errorf("start experiment: %w", err)
		case !st.IsDir():
			return unfit("%s is a file, not a directory; name another directory", at)
		case at != dir:
			return nil
		}
		_, err = ownDirectory(dir)
		return err
	}
}

// lockDirectory takes the lock of a directory that may become an experiment's, and says as [ownDirectory] whether it is one.
// It is asked before the lock, which would leave its file in a directory that is somebody else's, and again after
// it: another process may have begun an experiment there meanwhile, whose design must not be overwritten.
func lockDirectory(dir string) (old bool, held io.Closer, err error) {
	if _, err := ownDirectory(dir); err != nil {
		return false, nil, err
	}
	if held, err = dirlock.Acquire(dir); err != nil {
		return false, nil, fmt.Errorf("start experiment: %w", err)
	}
	if old, err = ownDirectory(dir); err != nil {
		held.Close()
		return false, nil, err
	}
	return old, held, nil
}

// outputs are the names that an experiment writes in its directory.
var outputs = [...]string{ManifestFile, GamesDir, GamesFile, "report.html", "results.json", "metrics.csv", "tests.csv", "figures"}

// ownDirectory reports whether dir is an experiment's already. A directory that
// is not must be empty, but for notes and designs ([harmless]): a directory with
// other things in it was most likely named by mistake, and nothing of anybody else
// is ever overwritten or mixed with.
func ownDirectory(dir string) (bool, error) {
	design, err := exists(filepath.Join(dir, DesignFile))
	if err != nil {
		return false, fmt.Errorf("start experiment: %w", err)
	}
	if design {
		return true, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false, fmt.Errorf("start experiment: %w", err)
	}
	for _, e := range entries {
		switch {
		case slices.Contains(outputs[:], e.Name()):
			return false, unfit("%s holds %s but no %s, so it is not an experiment's and would be overwritten; use a new directory, or move the file away", dir, e.Name(), DesignFile)
		case !harmless(e):
			return false, unfit("%s is not empty and not an experiment's: it holds %s; name a new directory (notes and designs, as .txt, .md and .yaml files, may lie there already)", dir, e.Name())
		}
	}
	return false, nil
}

// harmless says whether a file may lie in a directory that becomes an experiment's:
// hidden files, notes and designs, which an experiment never writes.
func harmless(e fs.DirEntry) bool {
	if !e.Type().IsRegular() {
		return false
	}
	return strings.HasPrefix(e.Name(), ".") || slices.Contains([]string{".txt", ".md", ".yaml", ".yml"}, strings.ToLower(filepath.Ext(e.Name())))
}

// gameOf compiles rules from the parameters that a manifest holds.
func gameOf(params map[string]string) (*engine.Game, error) {
	p := rules.Neutral()
	for _, name := range rules.ParamNames() {
		if v, ok := params[name]; ok {
			if err := p.Set(name, v); err != nil {
				return nil, err
			}
		}
	}
	return engine.Compile(p)
}
