package report

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"latro/experiments"
)

// TestTrafficTables: squares.csv and edges.csv add up to what the games record by
// themselves: arrivals by square, and as many crossings as squares were moved over.
func TestTrafficTables(t *testing.T) {
	d := experiments.DefaultDesign()
	d.ID, d.Question = "traffic", "Where do pieces travel?"
	d.Rulesets = []experiments.RulesetRef{{Name: "slides", Ref: "museum-quintana"}, {Name: "steps", Ref: "bell-8x7"}}
	d.Agents = []experiments.AgentRef{{Spec: "random"}}
	d.Starts = experiments.Starts{Kind: "initial"}
	d.Pairs, d.Cap, d.Exploratory = 3, 80, true
	dir := filepath.Join(t.TempDir(), "x")
	a := run(t, dir, d)
	files, err := Write(dir, Standard(a, nil))
	if err != nil {
		t.Fatal(err)
	}
	read := func(path string) []map[string]string {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var out []map[string]string
		for _, r := range all[1:] {
			row := map[string]string{}
			for i, h := range all[0] {
				row[h] = r[i]
			}
			out = append(out, row)
		}
		return out
	}
	n := func(s string) int {
		v, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	reached, placed, between := map[string]map[int]int{"slides": {}, "steps": {}}, map[string]int{}, map[string]int{}
	for _, r := range read(files.Squares) {
		cols := map[string]int{"slides": 8, "steps": 7}[r["ruleset"]]
		reached[r["ruleset"]][(n(r["row"])-1)*cols+n(r["col"])-1] += n(r["reached"])
		placed[r["ruleset"]] += n(r["placed"])
		between[r["ruleset"]] += n(r["crossed"])
		if r["square"][1:] != r["row"] || n(r["class_size"]) < 1 || n(r["games"]) != 6 {
			t.Errorf("%v", r)
		}
		if r["phase"] == "placement" && n(r["reached"]) > 0 || r["phase"] == "movement" && n(r["placed"]) > 0 {
			t.Errorf("%v", r)
		}
	}
	slid, hopped := map[string]int{}, map[string]int{}
	for _, r := range read(files.Edges) {
		slid[r["ruleset"]] += n(r["slid"])
		hopped[r["ruleset"]] += n(r["hopped"])
	}
	for i := range a.Cells {
		c := &a.Cells[i]
		moves := 0
		for sq, v := range c.Arrivals {
			if reached[c.Name][sq] != int(v) {
				t.Errorf("%s square %d: squares.csv has %d arrivals, the games %d", c.Name, sq, reached[c.Name][sq], v)
			}
			moves += int(v)
		}
		// A slide crosses one edge more than it passes squares; a hop over one piece crosses two.
		if slid[c.Name]+hopped[c.Name]/2 != moves+between[c.Name] {
			t.Errorf("%s: %d edges slid and %d hopped over in %d moves that passed %d squares", c.Name, slid[c.Name], hopped[c.Name], moves, between[c.Name])
		}
	}
	// Sixteen men and a dux a side are placed in each of six games of Bell's; none in the other.
	if placed["steps"] != 6*34 || placed["slides"] != 0 || between["slides"] == 0 || between["steps"] != 0 {
		t.Errorf("placed %v, passed %v", placed, between)
	}
}
