package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"latro/datasets"
	"latro/datasets/atomicfile"
	"latro/datasets/luditrial"
	"latro/env/engine"
	"latro/mcts"
	"latro/selfplay"
)

// dataImportCmd is latro data import.
type dataImportCmd struct {
	Paths   []string `arg:"" help:"Trials, or directories with such files (.trl, .txt)."`
	Format  string   `short:"f" enum:"ludii-trial" default:"ludii-trial" help:"ludii-trial."`
	Out     string   `short:"o" required:"" placeholder:"FILE" help:"Arrow file of games to write."`
	Ruleset string   `short:"r" placeholder:"RULESET" help:"Ruleset of the games: an id, id@reading, or a file. Left out: what each trial's options say, in the reading ludii."`
	Skip    bool     `help:"Leave out trials with errors, and say which, instead of stopping at the first."`
	JSON    bool     `help:"Print the summary as JSON."`
}

// Help is shown by --help.
func (dataImportCmd) Help() string {
	return `Reads trials, the files in which the general game system Ludii keeps a game, and writes one file of games that all
other commands read. Every move is checked against the rules: a move that is not legal, or whose effects are not those
of the rules, is an error that names the file, the line, the move and what is legal. The column run_id has the name of
the trial; its players are not known.

Trials of schadler-1994, schadler-2001 and locus-ludi-seneca that Ludii played often fail, since Ludii's rules have a
bug there that no reading has; --skip takes the others. docs/ludii-trials.md tells the format.

Examples:
  latro data import game.trl -o games.arrow
  latro data import trials -o games.arrow --skip --json
  latro data import old/ -o games.arrow --ruleset bell-8x7@ludii`
}

// trialImport is what latro data import prints.
type trialImport struct {
	Out      string         `json:"out"`
	Games    int            `json:"games"`
	Plies    int            `json:"plies"`
	Capped   int            `json:"capped"` // of the games: unfinished, or stopped by a limit
	Skipped  int            `json:"skipped"`
	Rulesets map[string]int `json:"rulesets"` // games by ruleset reference
	SHA256   string         `json:"sha256"`
}

// Run does it.
func (c *dataImportCmd) Run(a *app) error {
	files, err := trialFiles(c.Paths)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := otherFile(c.Out, f); err != nil {
			return err
		}
	}
	codecs := newTrialCodecs()
	meta := map[string]string{"source": "ludii-trial", datasets.MetaEngineVersion: engine.Version}
	if c.Ruleset != "" {
		if _, err := codecs.open(c.Ruleset); err != nil {
			return err
		}
		meta[datasets.MetaRuleset], meta[datasets.MetaRulesetHash] = codecs.rules[c.Ruleset].Ref(), codecs.rules[c.Ruleset].Hash()
	}
	w, err := datasets.CreateGames(c.Out, meta)
	if err != nil {
		return err
	}
	defer w.Abort()
	sum := trialImport{Out: c.Out, Rulesets: map[string]int{}}
	for _, f := range files {
		if err := a.ctx.Err(); err != nil {
			return err
		}
		row, err := readTrial(f, c.Ruleset, codecs)
		if errors.Is(err, luditrial.ErrTrial) {
			err = fmt.Errorf("%w: %w", errInput, err)
			if c.Skip {
				sum.Skipped++
				fmt.Fprintf(a.stderr, "left out: %v\n", err)
				continue
			}
		}
		if err != nil {
			return err
		}
		row.GameID, row.PairID = uint64(sum.Games), uint64(sum.Games)
		if err := w.Append(&row); err != nil {
			return err
		}
		sum.Games++
		sum.Plies += len(row.Moves)
		sum.Rulesets[row.Ruleset]++
		if row.Outcome == datasets.Capped {
			sum.Capped++
		}
	}
	if sum.Games == 0 {
		return fmt.Errorf("%w: none of the %d trials could be read; nothing is written", errInput, len(files))
	}
	info, err := w.Commit()
	if err != nil {
		return err
	}
	sum.SHA256 = info.SHA256
	if c.JSON {
		return a.printJSON(&sum)
	}
	fmt.Fprintf(a.stdout, "%s: games %d plies %d capped %d skipped %d\n", c.Out, sum.Games, sum.Plies, sum.Capped, sum.Skipped)
	for _, ref := range slices.Sorted(maps.Keys(sum.Rulesets)) {
		fmt.Fprintf(a.stdout, "  %s: %d\n", ref, sum.Rulesets[ref])
	}
	return nil
}

// trialFiles expands directories into the trials below them, sorted.
func trialFiles(args []string) ([]string, error) {
	var out []string
	for _, arg := range args {
		n := len(out)
		err := filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && path != arg && strings.HasPrefix(d.Name(), "."):
				return fs.SkipDir // such as what a killed export leaves
			case d.IsDir():
				return nil
			case path == arg, !strings.HasPrefix(d.Name(), ".") && (strings.HasSuffix(path, ".trl") || strings.HasSuffix(path, ".txt")):
				out = append(out, path)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if len(out) == n {
			return nil, fmt.Errorf("%w: %s holds no trials (files ending in .trl or .txt)", errInput, arg)
		}
		slices.Sort(out[n:])
	}
	return out, nil
}

// readTrial reads one trial and plays it by the rules.
func readTrial(path, ref string, codecs *trialCodecs) (datasets.Game, error) {
	var row datasets.Game
	f, _, err := atomicfile.Open(path)
	if err != nil {
		return row, err
	}
	defer f.Close()
	t, err := luditrial.Parse(path, io.Reader(f))
	if err != nil {
		return row, err
	}
	if ref == "" {
		rs, err := t.RulesetOf()
		if err != nil {
			return row, err
		}
		ref = rs.Ref()
	}
	codec, err := codecs.open(ref)
	if err != nil {
		return row, err
	}
	s := codec.Game().NewState()
	rec := selfplay.NewRecorder(codec.Game())
	name := filepath.Base(path)
	rec.Reset(s, datasets.Game{
		RunID:   strings.ToValidUTF8(strings.TrimSuffix(name, filepath.Ext(name)), "?"),
		Ruleset: codecs.rules[ref].Ref(), RulesetHash: codecs.rules[ref].Hash(),
		Agent0: "unknown", Agent1: "unknown",
	})
	if _, err := codec.Replay(t, func(_ *engine.State, ply engine.Action) error {
		return rec.Play(s, mcts.Decision{Action: ply})
	}); err != nil {
		return row, err
	}
	return rec.Game(s), nil
}
