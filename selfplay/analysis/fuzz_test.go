package analysis

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// FuzzAnalysisQuery: whatever a line holds, reading it neither crashes nor takes for ever, an error names the id that is
// there, and a question that is taken can be answered.
func FuzzAnalysisQuery(f *testing.F) {
	for _, file := range []string{"testdata/analyse.jsonl", "testdata/play.jsonl"} {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			f.Add([]byte(strings.TrimSpace(line)))
		}
	}
	f.Add([]byte(`{"id":"x","ruleset":"seega-classic-5x5+pieces.men=3","set":["end.turn_limit=3"],"moves":["@a1"],"analyse_turns":[1,0],"simulations":3,"priority":-1,"pv_length":2}`))
	f.Add([]byte(`{"id":"x","seconds":1e308,"seed":18446744073709551615,"report_every":1e-9}`))
	f.Add([]byte(`{"id":"x","seconds":0.001,"action":null,"moves":null,"id":"y"}`))
	f.Add([]byte("{\"a\x80tion\":null,\"id\":\"y\"}"))
	cfg := config("uniform:simulations=2", "bell-8x7")
	cfg.Threads, cfg.MaxSimulations = 1, 50
	analyse, err := New(cfg)
	if err != nil {
		f.Fatal(err)
	}
	cfg.Mode = Play
	play, err := New(cfg)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, s := range []*Server{analyse, play} {
			q, err := s.parse(line, 1, time.Time{})
			if err != nil {
				if err.Error() == "" || len(err.Error()) > 20_000 || !utf8.ValidString(err.Error()) {
					t.Errorf("the error is %q", err)
				}
				var object map[string]any
				if json.Unmarshal(line, &object) == nil {
					if id, ok := object["id"].(string); ok && len(id) <= MaxID && q.id != id {
						t.Errorf("the id is %q, not %q", q.id, id)
					}
				}
				continue
			}
			if q.action != actionAnalyse || bytes.ContainsAny(line, "\n\r") {
				continue
			}
			if q.simulations < 0 || q.simulations > 50 || math.IsNaN(q.seconds) || len(q.legal) != len(q.turns) {
				t.Fatalf("taken as %+v", q)
			}
			if len(q.turns) > 20 || q.binding.game.Squares() > 100 {
				continue
			}
			var out bytes.Buffer
			if err := s.Serve(t.Context(), bytes.NewReader(line), &out); err != nil {
				t.Fatal(err)
			}
			n := 0
			for line := range strings.Lines(out.String()) {
				r := decode(t, line)
				if r.Error != "" {
					t.Errorf("taken, and then refused: %s", line)
				}
				if !r.DuringSearch {
					n++
				}
			}
			if n != len(q.turns) {
				t.Errorf("%d answers to %d positions", n, len(q.turns))
			}
		}
	})
}
