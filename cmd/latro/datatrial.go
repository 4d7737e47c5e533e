package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"latro/datasets"
	"latro/datasets/atomicfile"
	"latro/datasets/luditrial"
	"latro/env/engine"
	"latro/env/oracle"
	"latro/env/rules"
)

// trialExport is what latro data export --format ludii-trial prints.
type trialExport struct {
	Dir        string         `json:"dir"`
	Games      int            `json:"games"`
	Unfinished int            `json:"unfinished"` // of them without an end by the rules
	Resigned   int            `json:"resigned"`   // of the unfinished
	Plies      int            `json:"plies"`
	Rulesets   map[string]int `json:"rulesets"` // games by ruleset
}

// trialWriter writes games as trials into a directory.
type trialWriter struct {
	dir    string
	codecs *trialCodecs
	sum    trialExport
}

// exportTrials writes the games of c.Path as one trial each. The directory appears whole or not at all.
func (c *dataExportCmd) exportTrials(a *app) (err error) {
	switch {
	case c.Out == "":
		return fmt.Errorf("%w: each game becomes a file; name a directory with --out", errInput)
	case len(c.Columns) > 0:
		return fmt.Errorf("%w: --columns is for csv and json", errInput)
	}
	out := filepath.Clean(c.Out)
	if real, err := filepath.EvalSymlinks(out); err == nil {
		out = real // the directory that a link points to, not the link, is replaced
	} else if _, err := os.Lstat(out); err == nil {
		return fmt.Errorf("%w: %s is a link to nothing; name a new directory with --out", errInput, c.Out)
	}
	if err := emptyOrAbsent(out); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(out), "."+filepath.Base(out)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	w := &trialWriter{dir: dir, codecs: newTrialCodecs(), sum: trialExport{Dir: filepath.Clean(c.Out), Rulesets: map[string]int{}}}
	if strings.HasSuffix(c.Path, ".jsonl") || strings.HasSuffix(c.Path, ".jsonl.gz") {
		err = w.recorded(a, c.Path)
	} else {
		err = w.shards(a, c.Path)
	}
	if err != nil {
		return err
	}
	if w.sum.Games == 0 {
		return fmt.Errorf("%w: %s holds no games", errInput, c.Path)
	}
	if err := settleDir(dir, out); err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(&w.sum)
	}
	fmt.Fprintf(a.stderr, "%s: %d games, %d of them unfinished\n", w.sum.Dir, w.sum.Games, w.sum.Unfinished)
	for _, id := range slices.Sorted(maps.Keys(w.sum.Rulesets)) {
		fmt.Fprintf(a.stderr, "  %s: %d\n", id, w.sum.Rulesets[id])
	}
	return nil
}

// emptyOrAbsent refuses a place that is taken, so that trials of two exports are never mixed.
func emptyOrAbsent(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) > 0:
		return fmt.Errorf("%w: %s is not empty; name a new directory with --out", errInput, dir)
	}
	return nil
}

// settleDir gives a finished directory its name and makes that durable.
func settleDir(from, to string) error {
	if err := os.Chmod(from, 0o755); err != nil {
		return err
	}
	if err := atomicfile.SyncDir(from); err != nil {
		return err
	}
	if err := os.Remove(to); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err // only an empty directory can be removed
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return atomicfile.SyncDir(filepath.Dir(to))
}

// shards writes the games of an Arrow file, or of all that a directory has.
func (w *trialWriter) shards(a *app, path string) error {
	files, err := dataFiles([]string{path})
	if err != nil {
		return err
	}
	for _, f := range files {
		if kind, err := datasets.KindOf(f); err != nil {
			return err
		} else if kind != datasets.Games {
			if len(files) == 1 {
				return fmt.Errorf("%w: %s holds %s, not games", errInput, f, kind)
			}
			continue
		}
		if err := w.shard(a, f); err != nil {
			return err
		}
	}
	return nil
}

func (w *trialWriter) shard(a *app, path string) error {
	r, err := datasets.OpenGames(path, datasets.Options{})
	if err != nil {
		return err
	}
	defer r.Close()
	var row datasets.Game
	for n := 0; r.Next(&row); n++ {
		if err := a.ctx.Err(); err != nil {
			return err
		}
		if err := w.row(&row); err != nil {
			return blame(err, "%s: row %d (game %d)", path, n, row.GameID)
		}
	}
	return r.Err()
}

// blame says where in the input an error is, unless it is the disk's.
func blame(err error, where string, args ...any) error {
	var disk *fs.PathError
	if errors.As(err, &disk) {
		return err
	}
	return fmt.Errorf("%w: %s: %w", errInput, fmt.Sprintf(where, args...), err)
}

func (w *trialWriter) row(row *datasets.Game) error {
	rs, codec, err := w.codecs.ofGame(row.Ruleset, row.RulesetHash)
	if err != nil {
		return err
	}
	if row.Start != "" {
		return errors.New("the game does not begin at the ruleset's start; Ludii replays a trial from there")
	}
	outcome, err := w.write(rs, codec, row.Moves)
	if err != nil {
		return err
	}
	got := outcome.String()
	if outcome == engine.Ongoing {
		got = datasets.Capped
	}
	switch {
	case row.Resigned:
		w.sum.Resigned++
	case got != row.Outcome:
		return fmt.Errorf("the moves lead to the outcome %s, recorded is %s", got, row.Outcome)
	}
	return nil
}

// write writes one game.
func (w *trialWriter) write(rs luditrial.Ruleset, codec *luditrial.Codec, moves []uint16) (outcome engine.Outcome, err error) {
	f, err := os.OpenFile(filepath.Join(w.dir, fmt.Sprintf("%s-%06d.trl", rs.ID, w.sum.Games)), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return 0, err
	}
	outcome, err = codec.Write(f, rs.Options(), moves)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return 0, err
	}
	w.sum.Games++
	w.sum.Plies += len(moves)
	w.sum.Rulesets[rs.ID]++
	if outcome == engine.Ongoing {
		w.sum.Unfinished++
	}
	return outcome, nil
}

// recorded writes the games of a recorded-games file (see package env/oracle).
func (w *trialWriter) recorded(a *app, path string) error {
	r, err := oracle.OpenGames(path)
	if err != nil {
		return err
	}
	defer r.Close()
	name := r.Head().Ruleset
	rs, known := luditrial.ByID(oracle.Subject(name))
	switch {
	case !known:
		return fmt.Errorf("%w: %s: Ludii has no ruleset %s", errInput, path, name)
	case oracle.Reading(name) != "ludii" || r.Head().Reading != "":
		return fmt.Errorf("%w: %s: the games are of the default reading of %s; Ludii plays the reading ludii", errInput, path, rs.ID)
	case oracle.KnownBugs(name):
		return fmt.Errorf("%w: %s: the games of %s show bugs of Ludii's rules that no reading has; export those of %s-fixed", errInput, path, name, name)
	}
	codec, err := w.codecs.open(rs.Ref())
	if err != nil {
		return err
	}
	s := codec.Game().NewState()
	var moves []uint16
	for {
		if err := a.ctx.Err(); err != nil {
			return err
		}
		rec, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		switch rec.Type {
		case "game":
			s.Reset()
			moves = moves[:0]
		case "ply":
			ply, err := oracle.ParsePly(s, rec.Move)
			if err != nil {
				return fmt.Errorf("%w: %s:%d: %w", errInput, path, r.Line(), err)
			}
			s.Play(ply)
			moves = append(moves, uint16(ply))
		case "end":
			if _, err := w.write(rs, codec, moves); err != nil {
				return blame(err, "%s:%d", path, r.Line())
			}
		}
	}
}

// trialCodecs opens each ruleset once.
type trialCodecs struct {
	byRef  map[string]*luditrial.Codec
	rules  map[string]*rules.Ruleset // by reference
	byHash map[string]luditrial.Ruleset
}

func newTrialCodecs() *trialCodecs {
	return &trialCodecs{byRef: map[string]*luditrial.Codec{}, rules: map[string]*rules.Ruleset{}}
}

// open is the codec of a ruleset reference.
func (t *trialCodecs) open(ref string) (*luditrial.Codec, error) {
	if c, ok := t.byRef[ref]; ok {
		return c, nil
	}
	r, err := rules.Open(ref)
	if err != nil {
		return nil, err
	}
	g, err := engine.Compile(r.Params)
	if err != nil {
		return nil, err
	}
	t.rules[ref], t.byRef[ref] = r, luditrial.NewCodec(g)
	return t.byRef[ref], nil
}

// ofGame is the codec for a game that was recorded under a reference and a hash. The hash decides, since that is
// what the game was played by; the reference tells what is wrong with it.
func (t *trialCodecs) ofGame(ref, hash string) (luditrial.Ruleset, *luditrial.Codec, error) {
	if t.byHash == nil {
		t.byHash = map[string]luditrial.Ruleset{}
		for _, rs := range luditrial.Rulesets() {
			r, err := rules.Open(rs.Ref())
			if err != nil {
				return rs, nil, err
			}
			t.byHash[r.Hash()] = rs
		}
	}
	if rs, ok := t.byHash[hash]; ok {
		c, err := t.open(rs.Ref())
		return rs, c, err
	}
	base, _, _ := strings.Cut(ref, "@")
	rs, known := luditrial.ByID(base)
	if !known {
		return rs, nil, fmt.Errorf("the ruleset is %s, which Ludii does not have; it has %s and others: see docs/ludii-trials.md", ref, luditrial.Rulesets()[0].ID)
	}
	return rs, nil, fmt.Errorf("the game is of %s (rules %.12s); Ludii plays %s, whose games alone can be written", ref, hash, rs.Ref())
}
