package wear

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"latro/datasets/atomicfile"
	"latro/experiments/figure"
	"latro/experiments/report"
	"latro/experiments/traffic"
)

// Files names what Write wrote.
type Files struct {
	// Page is the page for people, Results everything as JSON, Rows and Cells the tables.
	Page, Results, Rows, Cells string
	// Figures are the SVG and PNG files.
	Figures []string
}

// Write writes the page, the tables and the figures into dir, which must exist. Nothing in
// them depends on the clock or the machine.
func (a *Analysis) Write(dir string, entries []report.Entry) (Files, error) {
	var out Files
	put := func(name string, data []byte) (string, error) {
		path := filepath.Join(dir, name)
		return path, atomicfile.WriteBytes(path, data)
	}
	js, err := json.MarshalIndent(a, "", " ")
	if err != nil {
		return out, fmt.Errorf("write the comparison: %w", err)
	}
	if out.Results, err = put(ResultsFile, append(js, '\n')); err != nil {
		return out, err
	}
	if out.Rows, err = put(RowsFile, a.rowsCSV()); err != nil {
		return out, err
	}
	if out.Cells, err = put(CellsFile, a.cellsCSV()); err != nil {
		return out, err
	}
	if err := os.MkdirAll(filepath.Join(dir, "figures"), 0o777); err != nil {
		return out, fmt.Errorf("write the comparison: %w", err)
	}
	page, figures := a.page(entries)
	for _, f := range figures {
		png, err := f.PNG()
		if err != nil {
			return out, err
		}
		for _, x := range []struct {
			ext  string
			data []byte
		}{{".svg", f.SVG()}, {".png", png}} {
			path, err := put(filepath.Join("figures", f.ID+x.ext), x.data)
			if err != nil {
				return out, err
			}
			out.Figures = append(out.Figures, path)
		}
	}
	// The page comes last: when it is there, all it belongs with is there.
	out.Page, err = put(PageFile, []byte(page.HTML()))
	return out, err
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', 8, 64) }

func optional(x *float64) string {
	if x == nil {
		return ""
	}
	return number(*x)
}

// rowsCSV has one row for each prediction and null.
func (a *Analysis) rowsCSV() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write([]string{"kind", "ruleset", "title", "agent", "games", "capped_share", "distance", "lo", "hi", "distance_name", "orientation", "ways", "different_ways", "covered_share",
		"null", "decides", "draws", "p_nearer", "p_farther", "null_q05", "null_median", "null_q95", "p_nearer_holm", "p_farther_holm", "than_random", "than_random_p", "as_near", "verdict"})
	for _, r := range a.Predictions {
		for _, t := range r.Tests {
			decides := t.Null == a.Plan.Null
			row := []string{r.Kind, r.Ruleset, r.Title, r.Agent, strconv.FormatUint(r.Games, 10), number(r.Capped), number(r.Distance.Estimate), number(r.Distance.Low), number(r.Distance.High),
				string(a.Plan.Distance), r.Orientation, strconv.Itoa(r.Ways), strconv.Itoa(r.Different), number(r.Covered),
				string(t.Null), strconv.FormatBool(decides), strconv.Itoa(a.Plan.Draws), number(t.P), number(t.PFarther), number(t.Low), number(t.Median), number(t.High)}
			if decides && r.Kind == Tested {
				row = append(row, number(r.Adjusted), number(r.FartherAdjusted), optional(r.ThanRandom), optional(r.ThanRandomP), strings.Join(r.AsNear, "; "), r.Verdict)
			} else {
				row = append(row, "", "", "", "", "", "")
			}
			w.Write(row)
		}
	}
	w.Flush()
	return b.Bytes()
}

// shown is the image of a row that lies nearest.
func (r *Row) shown() image {
	for _, img := range r.images {
		if img.name == r.Orientation {
			return img
		}
	}
	return image{}
}

// cellsCSV has one row for each place of the map, with the shares of the map and of every
// prediction as it lies nearest.
func (a *Analysis) cellsCSV() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	head := []string{"row", "col"}
	if a.Kind == Edges {
		head = []string{"row1", "col1", "row2", "col2"}
	}
	head = append(head, "weight", "map_share")
	var shares []prepared
	for i := range a.Predictions {
		r := &a.Predictions[i]
		name := r.Ruleset
		if name == "" {
			name = r.Title
		}
		head = append(head, fmt.Sprintf("%s/%s", r.Kind, name))
		shares = append(shares, JensenShannon.prepare(r.shown().values))
	}
	w.Write(head)
	own := JensenShannon.prepare(a.m.Weights())
	for i, c := range a.m.Cells {
		row := []string{strconv.Itoa(c.A/a.Cols + 1), strconv.Itoa(c.A%a.Cols + 1)}
		if a.Kind == Edges {
			row = append(row, strconv.Itoa(c.B/a.Cols+1), strconv.Itoa(c.B%a.Cols+1))
		}
		row = append(row, number(c.Weight), number(own[i]))
		for _, s := range shares {
			if s == nil {
				row = append(row, "0")
			} else {
				row = append(row, number(s[i]))
			}
		}
		w.Write(row)
	}
	w.Flush()
	return b.Bytes()
}

// heat is the heat map of a weight a place of the map.
func (a *Analysis) heat(title string, v []float64) figure.HeatMap {
	h := figure.HeatMap{Title: title, Rows: a.Rows, Cols: a.Cols}
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	if sum == 0 {
		h.Empty = "no traffic on these " + a.places()
		return h
	}
	scale := float64(len(v)) / sum
	if a.Kind == Edges {
		for i, c := range a.m.Cells {
			h.Lines = append(h.Lines, figure.HeatLine{A: c.A, B: c.B, V: v[i] * scale})
		}
		return h
	}
	h.Squares = make([]float64, a.Rows*a.Cols)
	for i := range h.Squares {
		h.Squares[i] = math.NaN()
	}
	for i, c := range a.m.Cells {
		h.Squares[c.A] = v[i] * scale
	}
	return h
}

// mostDrawn bounds the rulesets whose boards are drawn in one figure.
const mostDrawn = 3

// page composes the page.
func (a *Analysis) page(entries []report.Entry) (report.Report, []figure.Figure) {
	var figures []figure.Figure
	keep := func(f figure.Figure) figure.Figure { figures = append(figures, f); return f }
	name := strings.TrimSuffix(a.Plan.Map, filepath.Ext(a.Plan.Map))
	r := report.Report{Title: "Wear and traffic: " + name,
		Lead: fmt.Sprintf("A map of wear with %d scored %s of a board of %d by %d, held against the traffic of pieces in games played by %s.", a.Scored, a.places(), a.Rows, a.Cols, a.Plan.Agent)}

	answer := report.Section{ID: "answer", Title: "What the map can and cannot tell apart"}
	if a.Invented {
		answer.Blocks = append(answer.Blocks, report.Note("This map is invented. It shows what the program does and is no evidence of anything."))
	}
	answer.Blocks = append(answer.Blocks, report.List(a.Sentences))
	if len(a.Limits) > 0 {
		answer.Blocks = append(answer.Blocks, report.Box("Limits", report.List(a.Limits)))
	}
	var rows []figure.ForestRow
	reach, beyond := 0.0, ""
	for _, x := range a.Predictions {
		if x.Kind != Impossible {
			reach = max(reach, x.Distance.Estimate)
		}
	}
	table := report.Table{Caption: "Distances from the map", Words: 3, Head: []string{"what", "ruleset", "agent", "games", "distance, with its interval over games", "nearest way to lay it", "p nearer, " + string(a.Plan.Null), "p nearer, Holm", "p farther, Holm", "p nearer, classes", "p nearer, places", "verdict"}}
	groups := map[string]string{Tested: "Rulesets", Random: "Control: the same rules, played by chance", Impossible: "Control: rules that cannot be right", NoGame: "Control: no game"}
	for _, x := range a.Predictions {
		t := x.Test(a.Plan.Null)
		text := fmt.Sprintf("%.3f, p = %s", x.Distance.Estimate, pValue(t.P))
		if x.Kind == Impossible && x.Distance.Estimate > 2.5*reach {
			// It would squeeze the others into a corner of the figure.
			beyond = fmt.Sprintf(" The rules that cannot be right lie far outside the figure, at %.3f.", x.Distance.Estimate)
		} else {
			rows = append(rows, figure.ForestRow{Group: groups[x.Kind], Label: x.Title, Sub: x.Agent, Estimate: x.Distance.Estimate, Low: x.Distance.Low, High: x.Distance.High,
				Outer: &[2]float64{t.Low, t.High}, Muted: x.Kind != Tested, Text: text})
		}
		adjusted, farther := "–", "–"
		if x.Kind == Tested {
			adjusted, farther = pValue(x.Adjusted), pValue(x.FartherAdjusted)
		}
		interval := fmt.Sprintf("%.3f [%.3f, %.3f]", x.Distance.Estimate, x.Distance.Low, x.Distance.High)
		if x.Games == 0 {
			interval = fmt.Sprintf("%.3f", x.Distance.Estimate)
		}
		table.Rows = append(table.Rows, []string{x.Kind, x.Title, x.Agent, strconv.FormatUint(x.Games, 10), interval, x.Orientation, pValue(t.P), adjusted, farther,
			pValue(x.Test(Classes).P), pValue(x.Test(Shuffled).P), x.Verdict})
	}
	answer.Blocks = append(answer.Blocks, report.Picture{
		Figure: keep(figure.Forest("wear-distances", "How far each prediction lies from the map, and how far maps of chance lie", rows, figure.ForestAxis{
			Ref: even(a.Predictions), Min: 0, Max: 0.1, Format: func(v float64) string { return fmt.Sprintf("%.2g", v) },
			Less: "nearer than even traffic", More: "farther than even traffic", OuterLabel: "nine in ten of " + a.Plan.Null.words(),
		})),
		Sentences: []string{
			"Marks are distances: " + a.Plan.Distance.words() + "; bars are their 95 % intervals over games, and say only whether enough games were played.",
			fmt.Sprintf("A mark to the left of its dashed line is nearer than nearly all of %s. Chance maps were laid over the prediction in every way that the board's shape allows, just as the map was.", a.Plan.Null.words()),
			"Grey rows are controls, from which no claim is made." + beyond,
		}, Data: table})
	r.Sections = append(r.Sections, answer)

	boards := report.Section{ID: "boards", Title: "The map and the traffic", NewPage: true}
	tested := a.rows(Tested)
	for from := 0; from < len(tested); from += mostDrawn {
		var hs []figure.HeatGroup
		for _, x := range tested[from:min(from+mostDrawn, len(tested))] {
			g := figure.HeatGroup{Name: x.Title, Sub: x.Agent + ", " + x.Orientation, Panels: []figure.HeatMap{a.heat("the map", a.m.Weights()), a.heat("predicted", x.shown().values)}}
			if c := a.random(x.Ruleset); c != nil {
				g.Panels = append(g.Panels, a.heat("random play", c.shown().values))
			}
			hs = append(hs, g)
		}
		id := "wear-boards"
		if from > 0 {
			id = fmt.Sprintf("wear-boards-%d", from/mostDrawn+1)
		}
		boards.Blocks = append(boards.Blocks, report.Picture{
			Figure: keep(figure.HeatMaps(id, "The map of wear beside what each ruleset predicts", "times the average place that is scored:", hs)),
			Sentences: []string{"The predictions count " + a.countWords() + ", folded by the symmetries of the rules and laid the way that is nearest to the map; row 1 of the map is at the bottom, column 1 at the left.",
				"Crosses and dotted lines are not scored. All numbers are in " + CellsFile + "."},
			Data: report.Table{Caption: "Figures of the map", Words: 1, Head: []string{"what", "value"}, Rows: [][]string{
				{"scored " + a.places(), strconv.Itoa(a.Scored)}, {"not scored", strconv.Itoa(a.Missing)}, {"sum of weights", number(sumOf(a.m.Weights()))}}},
		})
	}
	for i, x := range tested {
		t := a.tables[Tested+"/"+x.Ruleset]
		if t == nil || i >= 2*mostDrawn {
			break
		}
		boards.Blocks = append(boards.Blocks, report.Folded("All traffic of "+x.Title, report.Picture{
			Figure: keep(figure.HeatMaps(fmt.Sprintf("wear-traffic-%d", i+1), "Where pieces are placed, come to rest, are captured, and between which squares they move: "+x.Title,
				"times the average square, or way between squares:", []figure.HeatGroup{{Name: x.Title, Sub: x.Agent, Panels: report.TrafficMaps(t)}})),
			Sentences: []string{fmt.Sprintf("%d games, %d plies, as the rules' own board lies. squares.csv and edges.csv have every number by phase, player and kind of piece.", t.Games, t.Plies)},
			Data: report.Table{Caption: "Sums", Words: 1, Head: []string{"what", "number"}, Rows: [][]string{
				{"placements", total(t.Squares(traffic.Placed, traffic.All))}, {"arrivals", total(t.Squares(traffic.Reached, traffic.All))},
				{"captures", total(t.Squares(traffic.Captured, traffic.All))}, {"crossings", total(t.Crossings(traffic.All))}}},
		}))
	}
	if len(a.Remarks) > 0 {
		boards.Blocks = append(boards.Blocks, report.Folded("What the map's file says about itself", report.List(a.Remarks)))
	}
	r.Sections = append(r.Sections, boards, a.method())

	check := report.Section{ID: "provenance", Title: "How to check and repeat this"}
	list := report.Table{Words: 2, Head: []string{"what", "value"}, Rows: [][]string{
		{"map", a.Plan.Map}, {"map's file", "sha256 " + a.Plan.MapSHA256}, {"agent", a.Plan.Agent}, {"control", a.Plan.Control}, {"distance", string(a.Plan.Distance)},
		{"count", string(a.Plan.Count)}, {"chance that decides", string(a.Plan.Null)}, {"maps of chance of each kind", strconv.Itoa(a.Plan.Draws)}, {"seed", strconv.FormatUint(a.Plan.Seed, 10)}}}
	for _, e := range entries {
		list.Rows = append(list.Rows, []string{e.Key, e.Value})
	}
	check.Blocks = append(check.Blocks, report.Text("latro experiment repro builds this page again from the games and the map and names every byte that differs; report.html tells who won the games and by which rules they were played."), list)
	r.Sections = append(r.Sections, check)
	return r, figures
}

func (a *Analysis) method() report.Section {
	return report.Section{ID: "method", Title: "How the comparison works", Blocks: []report.Block{
		report.List([]string{
			"Traffic: games from the rules' own start, placement included, each counted ply by ply; longer games count for more, as they would wear more.",
			"Fold: squares (or lines) that a symmetry of the rules exchanges get their mean. The map is not folded.",
			fmt.Sprintf("Lay over: how the board lay is unknown, so the prediction is laid over the map in all %d ways of the board's shape, and the nearest counts. Every chance map is treated alike, so that the search costs nothing in honesty.", a.ways()),
			"Distance: " + a.Plan.Distance.words() + ", over the places that are scored (Lin 1991; Endres and Schindelin 2003; Hellinger 1909; Spearman 1904).",
		}),
		report.Terms([]report.Term{
			{Word: "chance: smooth", Meaning: "Maps of chance with the same weights, drawn from Gaussian random fields whose reach and noise are weighed by how well they explain the map's own smoothness. Wear is smooth: neighbours wear alike, whatever was played. This is the chance to believe."},
			{Word: "chance: classes", Meaning: "The symmetry classes of the board's shape change places, each with all its weights. It breaks smoothness between classes and so calls too many smooth maps nearer than chance."},
			{Word: "chance: places", Meaning: "All places are shuffled. It breaks smoothness altogether and calls too many smooth maps nearer than chance."},
			{Word: "p-value", Meaning: "The share of chance maps that lie as near, the map itself counted among them. Holm's correction makes up for testing several rulesets."},
			{Word: "compatible", Meaning: "Nearer than chance after Holm's correction (below 0.05), and nearer than every control that knows no rules of the kind: the rules that cannot be right, even traffic, and an even slope from rim to centre fitted to the map. Where the rules that cannot be right lie nearer than chance too, a ruleset must be nearer than them by more than chance."},
			{Word: "not distinguishable", Meaning: "From shuffled wear, or from a control. It does not speak against the ruleset."},
			{Word: "worse than shuffled wear", Meaning: "Farther away than chance after Holm's correction."},
		}),
	}}
}

func (a *Analysis) ways() int {
	n := 0
	for _, r := range a.Predictions {
		n = max(n, r.Ways)
	}
	return n
}

func sumOf(v []float64) (s float64) {
	for _, x := range v {
		s += x
	}
	return s
}

func total(v []uint64) string {
	var s uint64
	for _, x := range v {
		s += x
	}
	return strconv.FormatUint(s, 10)
}
