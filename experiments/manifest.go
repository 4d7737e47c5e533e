package experiments

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"latro/datasets"
	"latro/datasets/atomicfile"
	"latro/env/engine"
	"latro/env/rules"
	"latro/experiments/stats"
	"latro/experiments/traffic"
)

// Names within an experiment's directory.
const (
	// DesignFile is the frozen design, as JSON.
	DesignFile = "design.json"
	// ManifestFile lists the cells, the rulesets and every finished shard with its
	// hash. It holds no time and no machine, so that it too is reproducible.
	ManifestFile = "manifest.json"
	// GamesDir holds the shards, one a work unit, and GamesFile all games in one file.
	GamesDir  = "games"
	GamesFile = "games.arrow"
	// LogFile tells when and on what machine the games were played: one JSON object a
	// line for the beginning of each session and one for its end. It is the one file that a repetition does not reproduce.
	LogFile = "log"
)

// Manifest is the content of an experiment's directory.
type Manifest struct {
	// Format is the version of this file, 1.
	Format int `json:"format"`
	// DesignHash is the design's hash.
	DesignHash string `json:"design_hash"`
	// Command is what started the experiment, for people.
	Command string `json:"command,omitempty"`
	// EngineVersion and GoVersion are the programs', and Commit the source's that the
	// program was built from, where the build knows it.
	EngineVersion string `json:"engine_version"`
	GoVersion     string `json:"go_version"`
	Commit        string `json:"commit,omitempty"`
	// Seed is the root of all chance and Cap the length cap in plies.
	Seed uint64 `json:"seed"`
	Cap  int    `json:"cap"`
	// Cells describes the cells in order.
	Cells []CellInfo `json:"cells"`
	// Networks are the hashes of the networks of each cell's agents, "" for none.
	Networks [][2]string `json:"networks"`
	// Training tells what is known of the training of each network that was played.
	Training []TrainingInfo `json:"training,omitempty"`
	// StartSets are the hashes of each cell's start positions, once it is complete.
	StartSets []string `json:"start_sets,omitempty"`
	// Rulesets describes the rulesets in the order of the design.
	Rulesets []ManifestRuleset `json:"rulesets"`
	// Units lists the finished work units by cell and number.
	Units []UnitInfo `json:"units"`
	// Complete says that every unit is there.
	Complete bool `json:"complete"`
	// Seal is the sha256 of the file with this field empty, by which a change of it is
	// noticed; a manifest of before there were seals has none.
	Seal string `json:"manifest_sha256"`
}

// ManifestRuleset is a ruleset as it was played, with all its parameters, so that
// a report needs no ruleset file.
type ManifestRuleset struct {
	RulesetInfo
	Params map[string]string `json:"params"`
}

// UnitInfo is one finished work unit.
type UnitInfo struct {
	Cell  int `json:"cell"`
	Unit  int `json:"unit"`
	Games int `json:"games"`
	// Path is the shard, relative to the experiment's directory, with slashes.
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	// Starts is the hash of the unit's start positions.
	Starts string `json:"starts,omitempty"`
	// Scores counts the unit's pairs by the first player's mean score, 0 to 1 in
	// quarters; only in a sequential experiment, which stops by it.
	Scores *stats.Pentanomial `json:"scores,omitempty"`
}

// ReadManifest reads an experiment's manifest and design.
func ReadManifest(dir string) (Manifest, Design, error) {
	var m Manifest
	d, err := ReadDesign(dir)
	if err != nil {
		return m, d, err
	}
	path := filepath.Join(dir, ManifestFile)
	text, err := readJSON(path, &m)
	if err != nil {
		return m, d, err
	}
	if m.Seal != "" && m.Seal != seal(text, m.Seal) {
		return m, d, damaged("%s is not what was written: somebody or something changed it; restore it, or delete it and run the same design again, which makes it anew from the games", path)
	}
	if m.Format != 1 {
		return m, d, unfit("%s has format %d; this program reads format 1", filepath.Join(dir, ManifestFile), m.Format)
	}
	if m.DesignHash != d.Hash() {
		return m, d, damaged("%s does not match the manifest beside it (hash %.12s…, manifest %.12s…): the design was changed after the experiment began; put it back or use a new directory", filepath.Join(dir, DesignFile), d.Hash(), m.DesignHash)
	}
	if ps := d.validateValues(); len(ps) > 0 {
		for i := range ps {
			ps[i].File = filepath.Join(dir, DesignFile)
		}
		return m, d, ps
	}
	for i, c := range m.Cells {
		if c.Rows < 1 || c.Rows > 16 || c.Cols < 1 || c.Cols > 16 || c.Pieces < 0 || c.Pieces > 256 {
			return m, d, damaged("%s gives cell %d a board of %d by %d with %d pieces; boards have 1 to 16 rows and columns; restore the file, or delete it and run the same design again", filepath.Join(dir, ManifestFile), i, c.Rows, c.Cols, c.Pieces)
		}
	}
	if err := m.follows(dir, d); err != nil {
		return m, d, err
	}
	if len(m.Cells) != len(d.Cells()) {
		return m, d, damaged("%s describes %d cells, the design has %d; restore the file, or delete it and run the same design again", filepath.Join(dir, ManifestFile), len(m.Cells), len(d.Cells()))
	}
	return m, d, nil
}

// follows checks that what the manifest says of rules, cells and networks is what the
// design was frozen with.
func (m *Manifest) follows(dir string, d Design) error {
	path := filepath.Join(dir, ManifestFile)
	for i, r := range m.Rulesets {
		p := rules.Neutral()
		for name, v := range r.Params {
			if err := p.Set(name, v); err != nil {
				return damaged("%s, ruleset %s: %v; restore the file, or delete it and run the same design again", path, r.Name, err)
			}
		}
		if len(r.Params) > 0 && p.Hash() != r.Hash || d.Resolved != nil && i < len(d.Resolved.Rules) && r.Hash != d.Resolved.Rules[i] {
			return damaged("%s gives %s other rules than the experiment was frozen with; restore the file, or delete it and run the same design again", path, r.Name)
		}
	}
	seen := map[[2]int]bool{}
	for _, u := range m.Units {
		key := [2]int{u.Cell, u.Unit}
		if u.Cell < 0 || u.Cell >= len(m.Cells) || u.Unit < 0 || u.Unit >= d.units() || seen[key] {
			return damaged("%s lists unit %d of cell %d, which the design has not, or lists it twice; restore the file, or delete it and run the same design again", path, u.Unit, u.Cell)
		}
		seen[key] = true
		// One unit's file under another's number would be counted twice.
		if _, n := d.unitSize(u.Unit); u.Path != unitPath(u.Cell, u.Unit) && filepath.IsLocal(filepath.FromSlash(u.Path)) || u.Games != 2*n {
			return damaged("%s lists the file %q with %d games as unit %d of cell %d, which is %s with %d; restore the file, or delete it and run the same design again", path, u.Path, u.Games, u.Unit, u.Cell, unitPath(u.Cell, u.Unit), 2*n)
		}
	}
	for i, c := range d.Cells() {
		if i >= len(m.Cells) {
			break
		}
		x := m.Cells[i]
		if x.Name != c.Ruleset.Name || x.A != c.A.Name || x.B != c.B.Name || x.SelfPlay != c.SelfPlay {
			return damaged("%s describes cell %d as %s, %s and %s, which is not what the design has there; restore the file, or delete it and run the same design again", path, i, x.Name, x.A, x.B)
		}
		if d.Resolved != nil && i < len(d.Resolved.Networks) && [2]string{x.NetworkA, x.NetworkB} != d.Resolved.Networks[i] {
			return damaged("%s names other networks of cell %d than the experiment was frozen with; restore the file, or delete it and run the same design again", path, i)
		}
	}
	return nil
}

// maxJSON bounds what is read into memory from a stranger's directory.
const maxJSON = 256 << 20

// readJSON reads a file and gives its text too.
func readJSON(path string, v any) ([]byte, error) {
	f, size, err := atomicfile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read experiment: %w", err)
	}
	defer f.Close()
	if size > maxJSON {
		return nil, damaged("%s has %d bytes, more than the %d that such a file may have; restore it from a copy", path, size, maxJSON)
	}
	// The length bounds what is read, even of a file that grows meanwhile, and is allocated once.
	var text bytes.Buffer
	text.Grow(int(size) + bytes.MinRead)
	if _, err := text.ReadFrom(io.LimitReader(f, size)); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	b := text.Bytes()
	if err := json.Unmarshal(b, v); err != nil {
		return nil, damaged("%s cannot be read: %v; restore it from a copy (a %s that is lost is made anew by running the same design again)", path, err, ManifestFile)
	}
	return b, nil
}

func writeJSON(path string, v any) error {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return writeText(path, b)
}

// sealField is the field of a manifest's seal with its value.
func sealField(hash string) []byte { return []byte(`"manifest_sha256": "` + hash + `"`) }

// seal is the sha256 of a manifest's text, without the one that it holds and without
// the line's end.
func seal(text []byte, held string) string {
	text = bytes.TrimSuffix(text, []byte("\n"))
	if i := bytes.LastIndex(text, sealField(held)); i >= 0 {
		text = slices.Concat(text[:i], sealField(""), text[i+len(sealField(held)):])
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// write puts a manifest into dir, with its seal.
func (m Manifest) write(dir string) error {
	path := filepath.Join(dir, ManifestFile)
	m.Seal = ""
	b, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	i := bytes.LastIndex(b, sealField(""))
	return writeText(path, slices.Concat(b[:i], sealField(seal(b, "")), b[i+len(sealField("")):]))
}

func writeText(path string, b []byte) error {
	return atomicfile.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(append(b, '\n'))
		return err
	})
}

// Strangers lists what lies in the games directory of the experiment in dir without being
// one of its finished shards, as paths relative to dir with slashes, in order. While the experiment is not complete, shards of
// its design that are not entered yet and the unfinished files of an interrupted run
// belong to it.
func (m Manifest) Strangers(dir string, d Design) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(dir, GamesDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read experiment: %w", err)
	}
	own := map[string]bool{}
	for _, u := range m.Units {
		own[u.Path] = true
	}
	if !m.Complete {
		for cell := range m.Cells {
			for unit := range d.units() {
				own[unitPath(cell, unit)] = true
			}
		}
	}
	var out []string
	for _, e := range entries {
		unfinished := !m.Complete && e.Type().IsRegular() && strings.HasPrefix(e.Name(), ".")
		if path := GamesDir + "/" + e.Name(); !own[path] && !unfinished {
			out = append(out, path)
		}
	}
	return out, nil
}

func exists(path string) (bool, error) {
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func newManifest(d Design, cells []*cellGame, rulesets []*rules.Ruleset, command string) (Manifest, error) {
	m := Manifest{Format: 1, DesignHash: d.Hash(), Command: command, EngineVersion: engine.Version, GoVersion: runtime.Version(), Commit: commit(), Seed: d.Seed, Cap: d.Cap}
	for _, c := range cells {
		m.Cells = append(m.Cells, c.info)
		m.Networks = append(m.Networks, [2]string{c.info.NetworkA, c.info.NetworkB})
	}
	m.Training = trainingOf(d, cells)
	for i, ref := range d.ExpandRulesets() {
		r := rulesets[i]
		info, err := describeRuleset(d, r, ref)
		if err != nil {
			return m, err
		}
		mr := ManifestRuleset{RulesetInfo: info, Params: map[string]string{}}
		for _, name := range rules.ParamNames() {
			if v, err := r.Params.Get(name); err == nil {
				mr.Params[name] = v
			}
		}
		m.Rulesets = append(m.Rulesets, mr)
	}
	return m, nil
}

func describeRuleset(d Design, r *rules.Ruleset, ref RulesetRef) (RulesetInfo, error) {
	info := RulesetInfo{Name: ref.Name, Title: rulesetTitle(d, r, ref), Ref: d.refOf(r), Hash: r.Hash(), Reading: r.Reading, Assumed: []AssumedParam{}}
	for _, x := range r.Readings {
		if x.Name == r.Reading {
			info.Doubts, info.ReadingNote = x.Doubts(), x.Note
		}
	}
	var b strings.Builder
	if err := r.RenderMarkdown(&b); err != nil {
		return info, fmt.Errorf("describe ruleset %s: %w", ref.Name, err)
	}
	info.Prose = b.String()
	for _, name := range rules.ParamNames() {
		p, ok := r.Provenance[name]
		if !ok || p.Certainty == rules.Attested || r.Meaningless(name) {
			continue
		}
		v, err := r.Params.Get(name)
		if err != nil {
			return info, fmt.Errorf("describe ruleset %s: %w", ref.Name, err)
		}
		info.Assumed = append(info.Assumed, AssumedParam{name, orElse(v, "(none)"), string(p.Certainty), p.Source, p.Note})
	}
	return info, nil
}

// rulesetTitle is the name that figures use: the design's own name, or that of
// the ruleset with what was changed.
func rulesetTitle(d Design, r *rules.Ruleset, ref RulesetRef) string {
	if d.Factorial != nil {
		base := d.Factorial.Base
		if base.Name != "" {
			return base.Name + " with " + ref.Name
		}
		return orElse(r.Name, r.ID) + " with " + ref.Name
	}
	plain := ref.Ref
	if len(ref.Set) > 0 {
		plain += "+" + strings.Join(ref.Set, "+")
	}
	if ref.Name != "" && ref.Name != plain {
		return ref.Name
	}
	title := orElse(r.Name, r.ID)
	if r.Reading != "" && r.Reading != "default" {
		title += " (" + r.Reading + ")"
	}
	if len(ref.Set) > 0 {
		title += ", " + strings.Join(ref.Set, ", ")
	}
	return title
}

// Entries lists the provenance of the experiment as key and value, for reports.
func (m Manifest) Entries() [][2]string {
	out := [][2]string{{"engine version", m.EngineVersion}, {"Go version", m.GoVersion}}
	if m.Command != "" {
		out = append(out, [2]string{"command", m.Command})
	}
	games := 0
	for _, u := range m.Units {
		games += u.Games
	}
	out = append(out, [2]string{"games", fmt.Sprintf("%d in %d shards, sha256 of each in %s", games, len(m.Units), ManifestFile)})
	for i, n := range m.Networks {
		for k, h := range n {
			if h != "" && (k == 0 || n[0] != h) {
				out = append(out, [2]string{fmt.Sprintf("network of %s in %s", []string{m.Cells[i].A, m.Cells[i].B}[k], m.Cells[i].Title), "sha256 " + h})
			}
		}
	}
	return out
}

// Analyse reads every finished game of an experiment's directory, checking each
// shard against its hash, and gives the analysis. It is a pure function of the
// directory's design, manifest and shards. The cells are read side by side, one unit
// of each at a time, so its memory depends on the design and not on the number of
// games.
func Analyse(dir string) (*Analysis, error) {
	m, d, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	params := map[string]map[string]string{}
	for _, r := range m.Rulesets {
		params[r.Name] = r.Params
	}
	a, err := NewAnalyser(d, m.Cells)
	if err != nil {
		return nil, err
	}
	a.training = m.Training
	for i, c := range a.cells {
		c.params = params[m.Cells[i].Name]
	}
	counters, warning, err := m.trafficCounters()
	if err != nil {
		return nil, err
	}
	measures, err := m.measurer(d)
	if err != nil {
		return nil, err
	}
	table := m.unitTable()
	for unit, more := 0, true; more; unit++ {
		more = false
		for cell := range table {
			if unit >= len(table[cell]) {
				if unit == len(table[cell]) {
					a.CloseCell(cell)
				}
				continue
			}
			more = true
			err := eachGame(dir, table[cell][unit], func(g *datasets.Game) error {
				r := recordOf(g, d)
				if r.Cell != cell {
					return damaged("a game of cell %d is in a shard of cell %d; delete the file and run the experiment again", r.Cell, cell)
				}
				var counter *traffic.Counter
				if counters != nil {
					counter = counters[cell]
				}
				if err := measures.add(cell, g, counter); err != nil {
					return damaged("%v, of pair %d of cell %d; delete the file and run the experiment again", err, r.Pair, cell)
				}
				return a.Add(r)
			})
			if err != nil {
				return nil, err
			}
		}
	}
	out := a.Finish()
	for i, c := range counters {
		out.Cells[i].Traffic = c.Table()
	}
	measures.finish(out)
	if warning != "" {
		out.Warnings = append(out.Warnings, warning)
	}
	for _, r := range m.Rulesets {
		out.Rules = append(out.Rules, r.RulesetInfo)
	}
	return out, nil
}
