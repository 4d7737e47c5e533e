package main

import (
	"testing"

	"latro/env/rules"
)

func TestBenchPlayouts(t *testing.T) {
	var p struct{ Rulesets []map[string]any }
	latroJSON(t, &p, "bench", "playouts", "bell-8x7", "--ruleset", "luductus@default", "--seconds", "0.001", "--max-plies", "200")
	// Bell's game has the reading ludii, which is measured too.
	if len(p.Rulesets) != 3 || len(p.Rulesets[0]) != 5 || p.Rulesets[0]["id"] != "bell-8x7" || p.Rulesets[0]["reading"] != "default" ||
		p.Rulesets[1]["reading"] != "ludii" || p.Rulesets[2]["id"] != "luductus" || p.Rulesets[2]["reading"] != "default" {
		t.Errorf("playouts %v", p.Rulesets)
	}
	positive(t, p.Rulesets, "plies_per_second", "playouts_per_second", "mean_plies")

	wantIn(t, latro(t, exitDone, "bench", "playouts", "-r", "webdux", "--seconds", "0.001").out, "webdux", "plies/s", "× Ludii")
	for _, args := range [][]string{
		{"nosuch"}, {"-r", "nosuch"}, {"bell-8x7", "--seconds=0"}, {"bell-8x7", "--seconds=NaN"}, {"bell-8x7", "--max-plies", "0"},
	} {
		latro(t, exitInput, append([]string{"bench", "playouts"}, args...)...)
	}
}

// TestTimesLudii: the ratio is given for what Ludii was measured by, and for nothing else.
func TestTimesLudii(t *testing.T) {
	known := 0
	for _, id := range rules.Catalogue() {
		rs, err := rules.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		_, err = rs.WithReading("ludii")
		ludii := err == nil
		own := id == "luductus" || id == "webdux"
		plies, ok := ludiiPlies()[id]
		if ok != (ludii || own) {
			t.Errorf("%s: known %v, has the reading ludii %v", id, ok, ludii)
		}
		if ok {
			known++
		}
		for reading, want := range map[string]bool{"ludii": ludii, "default": own} {
			f := playoutFigure{ID: id, Reading: reading, Plies: 2 * plies}
			if x, ok := f.timesLudii(); ok != want || ok && x != 2 {
				t.Errorf("%s, %s: %v %v", id, reading, x, ok)
			}
		}
	}
	if known != len(ludiiPlies()) {
		t.Errorf("%d of %d rulesets are in the catalogue", known, len(ludiiPlies()))
	}
}
