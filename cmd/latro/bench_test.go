package main

import "testing"

func TestBench(t *testing.T) {
	var p struct{ Rulesets []map[string]any }
	latroJSON(t, &p, "bench", "playouts", "bell-8x7", "luductus@default", "--time", "1ms", "--max-plies", "200")
	// Bell's game has the reading ludii, which is measured too.
	if len(p.Rulesets) < 3 {
		t.Errorf("playouts %v", p.Rulesets)
	}
	positive(t, p.Rulesets, "plies_per_second", "playouts_per_second", "mean_plies")
	if p.Rulesets[0]["id"] != "bell-8x7" || p.Rulesets[0]["reading"] != "default" || p.Rulesets[1]["reading"] != "ludii" {
		t.Errorf("playouts %v", p.Rulesets)
	}

	var s struct{ Search []map[string]any }
	latroJSON(t, &s, "bench", "search", "bell-8x7", "--net", "1x16", "--simulations", "4", "--games", "2", "--plies", "2")
	if len(s.Search) != 2 || s.Search[0]["evaluator"] != "1x16" || s.Search[1]["evaluator"] != "none" {
		t.Errorf("search %v", s.Search)
	}
	positive(t, s.Search, "simulations_per_second", "microseconds_per_simulation")

	wantIn(t, latro(t, exitDone, "bench", "playouts", "webdux", "--time", "1ms").out, "webdux", "plies/s")
	for _, args := range [][]string{
		{"playouts", "nosuch"}, {"playouts", "bell-8x7", "--time=0s"},
		{"playouts", "bell-8x7", "--max-plies", "0"},
		{"search", "nosuch"}, {"search", "--games", "0"}, {"search", "--net", "big"}, {"search", "--simulations", "0"},
	} {
		latro(t, exitInput, append([]string{"bench"}, args...)...)
	}
}

func positive(t *testing.T, rows []map[string]any, fields ...string) {
	t.Helper()
	for _, r := range rows {
		for _, f := range fields {
			if x, ok := r[f].(float64); !ok || x <= 0 {
				t.Errorf("%s is %v in %v", f, r[f], r)
			}
		}
	}
}
