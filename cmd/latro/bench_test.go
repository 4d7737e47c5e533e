package main

import "testing"

func TestBench(t *testing.T) {
	var s struct{ Search []map[string]any }
	latroJSON(t, &s, "bench", "search", "bell-8x7", "--net", "1x16", "--simulations", "4", "--games", "2", "--plies", "2")
	if len(s.Search) != 2 || s.Search[0]["evaluator"] != "1x16" || s.Search[1]["evaluator"] != "none" {
		t.Errorf("search %v", s.Search)
	}
	positive(t, s.Search, "simulations_per_second", "microseconds_per_simulation")

	for _, args := range [][]string{
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
