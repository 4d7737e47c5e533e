package selfplay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"latro/datasets"
	"latro/datasets/atomicfile"
	"latro/datasets/dirlock"
	"latro/env"
	"latro/env/engine"
	"latro/env/rules"
)

// A run is a directory:
//
//	run.yaml       the frozen configuration
//	manifest.json  what is finished: shards, checkpoints, each with its SHA-256
//	shards/        gen-0003-002.games.arrow, gen-0003-002.samples.arrow: games of generation 3, written whole
//	checkpoints/   gen-0003.latro: the network that plays generation 3; gen-0003.optimiser beside the newest, and
//	               gen-0003.candidate if a gate refused the newly trained network
//	metrics.arrow  one row a generation
//	log            what happened and when (the only file that holds times)
//
// A file counts only once the manifest names it, and the manifest is replaced in one step, so that a kill at
// any moment leaves a run that goes on from what it had.

// Manifest is manifest.json.
type Manifest struct {
	Version     int                  `json:"version"`
	Ruleset     string               `json:"ruleset"`
	RulesetHash string               `json:"ruleset_hash"`
	Encoding    int                  `json:"encoding_version"`
	Rulesets    []RulesetRef         `json:"rulesets,omitempty"` // all, if there are several
	Generation  int                  `json:"generation"`         // the one being played
	Shards      []Shard              `json:"shards"`
	Checkpoints []datasets.ShardInfo `json:"checkpoints"` // in order; index = generation
	Optimiser   *datasets.ShardInfo  `json:"optimiser,omitempty"`
	// Candidate is the newest trained network where the gate refused it: training goes on from it, and the checkpoint is
	// that of the network which plays on. Gates are all matches of the gate, in order.
	Candidate *datasets.ShardInfo `json:"candidate,omitempty"`
	Gates     []Gate              `json:"gates,omitempty"`
	// ResignThresholds are those that resign.max_false_rate chose, by generation; 0 where nobody resigned.
	ResignThresholds []float64 `json:"resign_thresholds,omitempty"`
}

// RulesetRef names a ruleset and its content.
type RulesetRef struct {
	Ruleset string `json:"ruleset"`
	Hash    string `json:"hash"`
}

// rulesets are the manifest's entries for several games; nil for one.
func rulesets(variants []Variant) []RulesetRef {
	if len(variants) == 1 {
		return nil
	}
	refs := make([]RulesetRef, len(variants))
	for i, v := range variants {
		refs[i] = RulesetRef{v.Ruleset.Ref(), v.Ruleset.Hash()}
	}
	return refs
}

// Shard is one finished unit of self-play.
type Shard struct {
	Generation int `json:"generation"`
	Unit       int `json:"unit"`
	// Kernel is nn.Inference.KernelID on the machine that played: the same seed gives the same bytes where it is the same.
	Kernel  string             `json:"kernel,omitempty"`
	Games   datasets.ShardInfo `json:"games"`
	Samples datasets.ShardInfo `json:"samples"`
}

const manifestVersion = 1

// Run is an open run directory. One process at a time: opening takes a lock that dies with the process.
type Run struct {
	Dir    string
	Config Config
	// Ruleset, Game and Encoder are those of the first of the Variants.
	Ruleset  *rules.Ruleset
	Game     *engine.Game
	Encoder  *env.Encoder
	Variants []Variant
	manifest Manifest
	lock     io.Closer
}

// ErrExists is returned by Create for a directory that holds a run already.
var ErrExists = errors.New("a run is there already")

// Create makes a run directory and freezes the configuration in it.
func Create(dir string, c Config) (*Run, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, "run.yaml")); err == nil {
		return nil, fmt.Errorf("%s: %w", dir, ErrExists)
	}
	variants, err := c.Variants()
	if err != nil {
		return nil, err
	}
	rs := variants[0].Ruleset
	// A parent that cannot be carried over is told before a directory is there whose frozen configuration names it.
	if c.InitFrom != "" {
		preset, err := c.architecture()
		if err != nil {
			return nil, err
		}
		if _, _, err := c.carried(preset, variants[0].Encoder, 0); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	data, err := c.marshal()
	if err != nil {
		return nil, err
	}
	lock, err := dirlock.Acquire(dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if lock != nil {
			lock.Close()
		}
	}()
	// Asked again under the lock: another process may have made the run meanwhile.
	if _, err := os.Stat(filepath.Join(dir, "run.yaml")); err == nil {
		return nil, fmt.Errorf("%s: %w", dir, ErrExists)
	}
	// A manifest without a run.yaml is left by a kill right here, and then it names nothing. Any other belongs to
	// an experiment, or to a run that lost its run.yaml: a new one in its place would cost all of its files.
	old, err := readManifest(dir)
	switch _, statErr := os.Stat(filepath.Join(dir, "manifest.json")); {
	case errors.Is(statErr, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("%s is not empty, and not a run: name another directory: %w", dir, err)
	case len(old.Shards)+len(old.Checkpoints) > 0:
		return nil, fmt.Errorf("%w: %s holds the data of a run of %s, but its run.yaml is gone: restore it from a copy, or name another directory",
			ErrInput, dir, old.Ruleset)
	}
	for _, d := range []string{"shards", "checkpoints"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			return nil, err
		}
	}
	m := Manifest{
		Version: manifestVersion, Ruleset: rs.Ref(), RulesetHash: rs.Hash(), Rulesets: rulesets(variants), Encoding: env.EncodingVersion,
		Shards: []Shard{}, Checkpoints: []datasets.ShardInfo{},
	}
	if err := writeManifest(dir, m); err != nil {
		return nil, err
	}
	// run.yaml comes last: a directory without it is not yet a run and can be created again.
	err = atomicfile.WriteFile(filepath.Join(dir, "run.yaml"), func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	if err != nil {
		return nil, err
	}
	lock.Close()
	lock = nil
	return Open(dir)
}

// Open opens a run directory to go on with it. Leftovers of a kill, temporary files and files that the
// manifest does not name, are removed.
func Open(dir string) (*Run, error) {
	path := filepath.Join(dir, "run.yaml")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s is not a run directory: it has no run.yaml", ErrInput, dir)
	}
	c, err := ReadConfig(path) // a ruleset's file may be missing too: its path counts from the working directory
	if err != nil {
		return nil, err
	}
	m, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	variants, err := c.Variants()
	if err != nil {
		return nil, err
	}
	rs := variants[0].Ruleset
	now := rulesets(variants)
	if len(now) != len(m.Rulesets) {
		return nil, fmt.Errorf("%w: %s was made with %d rulesets, its run.yaml names %d; undo the change to run.yaml, or start a new run",
			ErrInput, dir, max(1, len(m.Rulesets)), len(variants))
	}
	for i, was := range m.Rulesets {
		if was.Hash != now[i].Hash {
			return nil, fmt.Errorf("%w: %s was made with other rules: %s had hash %.12s, now it has %.12s; start a new run",
				ErrInput, dir, was.Ruleset, was.Hash, now[i].Hash)
		}
	}
	if rs.Hash() != m.RulesetHash {
		return nil, fmt.Errorf("%w: %s was made with other rules: %s had hash %.12s, now it has %.12s; start a new run",
			ErrInput, dir, m.Ruleset, m.RulesetHash, rs.Hash())
	}
	if m.Encoding != env.EncodingVersion {
		return nil, fmt.Errorf("%w: %s was made with encoding version %d, this program has %d; start a new run",
			ErrInput, dir, m.Encoding, env.EncodingVersion)
	}
	lock, err := dirlock.Acquire(dir)
	if err != nil {
		return nil, err
	}
	r := &Run{
		Dir: dir, Config: c, Ruleset: rs, Game: variants[0].Game, Encoder: variants[0].Encoder, Variants: variants, manifest: m, lock: lock,
	}
	if err := r.clean(); err != nil {
		lock.Close()
		return nil, err
	}
	return r, nil
}

// Close releases the run's lock.
func (r *Run) Close() error { return r.lock.Close() }

// Manifest is what is finished so far.
func (r *Run) Manifest() Manifest {
	m := r.manifest
	m.Shards = slices.Clone(m.Shards)
	m.Checkpoints = slices.Clone(m.Checkpoints)
	m.ResignThresholds = slices.Clone(m.ResignThresholds)
	m.Gates = slices.Clone(m.Gates)
	return m
}

// ownName matches the names of a run's shards and checkpoints, and of their temporary files.
var ownName = regexp.MustCompile(`^gen-\d{4,}(-\d{3,}\.(games|samples)\.arrow|\.latro|\.optimiser|\.candidate)$|` + regexp.QuoteMeta(atomicfile.Suffix) + `$`)

// clean removes what a kill left behind.
func (r *Run) clean() error {
	// Halves of the manifest and of the curves.
	if _, err := atomicfile.RemoveStale(r.Dir); err != nil {
		return err
	}
	keep := map[string]bool{}
	for _, s := range r.manifest.Shards {
		keep[s.Games.Path], keep[s.Samples.Path] = true, true
	}
	for _, c := range r.manifest.Checkpoints {
		keep[c.Path] = true
	}
	for _, f := range []*datasets.ShardInfo{r.manifest.Optimiser, r.manifest.Candidate} {
		if f != nil {
			keep[f.Path] = true
		}
	}
	for _, sub := range []string{"shards", "checkpoints"} {
		entries, err := os.ReadDir(filepath.Join(r.Dir, sub))
		if err != nil {
			return err
		}
		for _, e := range entries {
			name := sub + "/" + e.Name()
			// Only what this program may have written: a copy that someone keeps here is not ours to remove.
			if !keep[name] && e.Type().IsRegular() && ownName.MatchString(e.Name()) {
				if err := os.Remove(filepath.Join(r.Dir, name)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// update changes the manifest on disk and, if that succeeds, in memory.
func (r *Run) update(change func(*Manifest)) error {
	m := r.Manifest()
	change(&m)
	if err := writeManifest(r.Dir, m); err != nil {
		return err
	}
	r.manifest = m
	return nil
}

func writeManifest(dir string, m Manifest) error {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.WriteFile(filepath.Join(dir, "manifest.json"), func(w io.Writer) error {
		_, err := w.Write(append(data, '\n'))
		return err
	})
}

// readManifest reads and checks a run's manifest. Paths in it stay inside the run.
func readManifest(dir string) (Manifest, error) {
	path := filepath.Join(dir, "manifest.json")
	data, err := ReadText(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return Manifest{}, fmt.Errorf("%w: %s is not a run directory: it has no manifest.json", ErrInput, dir)
		}
		return Manifest{}, err
	}
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return Manifest{}, fmt.Errorf("%w: %s: %w", ErrInput, path, err)
	}
	if m.Version != manifestVersion {
		return Manifest{}, fmt.Errorf("%w: %s has version %d; this program reads %d", ErrInput, path, m.Version, manifestVersion)
	}
	files := slices.Clone(m.Checkpoints)
	for _, s := range m.Shards {
		files = append(files, s.Games, s.Samples)
	}
	for _, f := range []*datasets.ShardInfo{m.Optimiser, m.Candidate} {
		if f != nil {
			files = append(files, *f)
		}
	}
	for _, f := range files {
		if !filepath.IsLocal(f.Path) {
			return Manifest{}, fmt.Errorf("%w: %s names %q, which is outside the run", ErrInput, path, f.Path)
		}
	}
	if err := m.check(); err != nil {
		return Manifest{}, fmt.Errorf("%w: %s was changed by hand or is damaged: %w (restore it from a copy)", ErrInput, path, err)
	}
	return m, nil
}

// check says whether the parts of a manifest agree: each generation has one checkpoint, made once the one before
// was trained, and each unit of games is there once. A run that goes on from anything else would count games
// twice or lose them.
func (m Manifest) check() error {
	switch n := len(m.Checkpoints); {
	case m.Generation < 0:
		return fmt.Errorf("generation is %d; it must be 0 or more", m.Generation)
	case n != m.Generation+1 && (n > 0 || m.Generation > 0 || len(m.Shards) > 0):
		return fmt.Errorf("generation is %d, which has %d checkpoints before it and its own, but %d are listed", m.Generation, m.Generation, n)
	}
	if n := len(m.ResignThresholds); n > m.Generation+1 {
		return fmt.Errorf("resign_thresholds has %d entries; the run is in generation %d", n, m.Generation)
	}
	for i, g := range m.Gates {
		if g.Generation < 0 || g.Generation >= m.Generation || i > 0 && g.Generation <= m.Gates[i-1].Generation {
			return fmt.Errorf("gates[%d].generation is %d, out of order or not trained yet", i, g.Generation)
		}
	}
	for i, t := range m.ResignThresholds {
		if !(t >= 0 && t <= 1) {
			return fmt.Errorf("resign_thresholds[%d] is %v; it must be 0 to 1", i, t)
		}
	}
	type unit struct{ generation, unit int }
	seen := map[unit]bool{}
	for i, s := range m.Shards {
		u := unit{s.Generation, s.Unit}
		switch {
		case s.Generation < 0 || s.Generation > m.Generation:
			return fmt.Errorf("shards[%d].generation is %d; it must be 0 to %d", i, s.Generation, m.Generation)
		case s.Unit < 0:
			return fmt.Errorf("shards[%d].unit is %d; it must be 0 or more", i, s.Unit)
		case seen[u]:
			return fmt.Errorf("shards[%d]: unit %d of generation %d is listed twice", i, s.Unit, s.Generation)
		}
		seen[u] = true
	}
	return nil
}

// metadata is what every Arrow file of the run says of itself.
func (r *Run) metadata() map[string]string {
	m := map[string]string{datasets.MetaRuleset: r.Ruleset.Ref(), datasets.MetaRulesetHash: r.Ruleset.Hash()}
	if len(r.Variants) > 1 {
		m[metaRulesets] = r.references()
	}
	return m
}

// fileInfo describes a finished file for the manifest.
func (r *Run) fileInfo(rel string) (datasets.ShardInfo, error) {
	size, sum, err := datasets.HashFile(filepath.Join(r.Dir, rel))
	return datasets.ShardInfo{Path: rel, Bytes: size, SHA256: sum}, err
}

// verify says whether a file of the run is still what the manifest says.
func (r *Run) verify(info datasets.ShardInfo) (path string, err error) {
	path = filepath.Join(r.Dir, info.Path)
	size, sum, err := datasets.HashFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, fmt.Errorf("%w: %s is gone, but the manifest lists it; restore it from a copy", ErrInput, path)
	}
	if err != nil {
		return path, err
	}
	if size != info.Bytes || sum != info.SHA256 {
		return path, fmt.Errorf("%w: %s is damaged: it has %d bytes with SHA-256 %.12s, the manifest says %d and %.12s",
			ErrInput, path, size, sum, info.Bytes, info.SHA256)
	}
	return path, nil
}
