package literal_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"latro/env/internal/difftest"
	"latro/env/internal/literal"
	"latro/env/oracle"
)

func start(ruleset, reading string) (oracle.Player, error) {
	p, ok := difftest.FromText(ruleset, reading)
	if !ok {
		return nil, fmt.Errorf("no parameters for %s in the reading %s", ruleset, reading)
	}
	return literal.New(p), nil
}

// TestRecordedGames replays recorded games and counts: of testdata beside env/oracle, and of every file of the
// folder that LATRO_ORACLE names.
func TestRecordedGames(t *testing.T) {
	folders := []string{"../../oracle/testdata"}
	if more := os.Getenv("LATRO_ORACLE"); more != "" {
		folders = append(folders, more)
	}
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*.jsonl.gz"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s holds no recorded files (%v)", folder, err)
		}
		for _, path := range files {
			if oracle.KnownBugs(oracle.NameOf(path)) {
				continue
			}
			t.Run(filepath.Base(folder)+"/"+filepath.Base(path), func(t *testing.T) {
				t.Parallel()
				var res oracle.Result
				var err error
				if strings.Contains(path, ".perft.") {
					res, err = oracle.Perft(path, start, oracle.Options{MaxCount: 6000})
				} else {
					res, err = oracle.Replay(path, start, oracle.Options{})
				}
				if err != nil {
					t.Fatal(err)
				}
				if res.Games == 0 || res.Mismatches > 0 {
					t.Errorf("games %d plies %d mismatches %d\n%v", res.Games, res.Plies, res.Mismatches, res.First)
				}
				t.Logf("%s@%s games %d plies %d", res.Ruleset, res.Reading, res.Games, res.Plies)
			})
		}
	}
}
