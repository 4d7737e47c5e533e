package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"

	"latro/experiments"
	"latro/experiments/figure"
	"latro/experiments/traffic"
	"latro/mcts"
)

// maxTraffic bounds the cells whose boards are drawn; the tables have all.
const maxTraffic = 6

// trafficCells chooses the cells to draw: all with any traffic if they are few, else each
// ruleset's agent with the most simulations (the last one, if none has any).
func trafficCells(cells []*experiments.CellResult) (shown []*experiments.CellResult, left int) {
	var with []*experiments.CellResult
	for _, c := range cells {
		if c.Traffic != nil || total(c.Arrivals) > 0 {
			with = append(with, c)
		}
	}
	shown = with
	if len(with) > maxTraffic {
		shown = nil
		at := map[string]int{}
		budget := func(c *experiments.CellResult) int {
			if spec, err := mcts.ParseSpec(c.SpecA); err == nil {
				if n, err := strconv.Atoi(spec.Options["simulations"]); err == nil {
					return n
				}
			}
			return 0
		}
		for _, c := range with {
			if i, ok := at[c.Name]; !ok {
				at[c.Name] = len(shown)
				shown = append(shown, c)
			} else if budget(c) >= budget(shown[i]) {
				shown[i] = c
			}
		}
		shown = shown[:min(len(shown), maxTraffic)]
	}
	return shown, len(with) - len(shown)
}

func total(v []uint64) (sum uint64) {
	for _, x := range v {
		sum += x
	}
	return sum
}

// relative gives counts as multiples of the average cell; nil if there are none.
func relative(v []uint64) []float64 {
	sum := total(v)
	if sum == 0 {
		return nil
	}
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x) * float64(len(v)) / float64(sum)
	}
	return out
}

// mapOf is the heat map of counts by square.
func mapOf(title string, rows, cols int, v []uint64, empty string) figure.HeatMap {
	m := figure.HeatMap{Title: title, Rows: rows, Cols: cols, Squares: relative(v)}
	if m.Squares == nil {
		m.Empty = empty
	}
	return m
}

// TrafficMaps are the four boards of a ruleset's traffic: placements, arrivals and
// captures by square, crossings by edge.
func TrafficMaps(t *traffic.Table) []figure.HeatMap {
	nothing := "none in these games"
	if !t.Places() {
		nothing = "none: the rules begin from an array"
	}
	lines := figure.HeatMap{Title: "moves between squares", Rows: t.Rows, Cols: t.Cols}
	if v := relative(t.Crossings(traffic.All)); v != nil {
		for i, e := range t.Edges {
			lines.Lines = append(lines.Lines, figure.HeatLine{A: e.A, B: e.B, V: v[i]})
		}
	} else {
		lines.Empty = "no moves"
	}
	return []figure.HeatMap{
		mapOf("placements", t.Rows, t.Cols, t.Squares(traffic.Placed, traffic.All), nothing),
		mapOf("arrivals", t.Rows, t.Cols, t.Squares(traffic.Reached, traffic.All), "no moves"),
		mapOf("captures", t.Rows, t.Cols, t.Squares(traffic.Captured, traffic.All), "no captures"),
		lines,
	}
}

// squareGrid is a table of numbers that lies as the board does.
func squareGrid(caption string, rows, cols int, v []float64) Table {
	t := Table{Caption: caption, Words: 1, Grid: true, Head: []string{""}}
	for f := range cols {
		t.Head = append(t.Head, string(rune('a'+f)))
	}
	for row := rows - 1; row >= 0; row-- {
		line := []string{strconv.Itoa(row + 1)}
		for f := range cols {
			line = append(line, fmt.Sprintf("%.2f", v[row*cols+f]))
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// edgeGrids are the tables of edges by direction: each number stands where the edge's
// lower or left square lies.
func edgeGrids(caption string, t *traffic.Table, v []float64) []Table {
	var out []Table
	for _, way := range []struct {
		words  string
		dr, dc int
	}{{"to the right", 0, 1}, {"upwards", 1, 0}, {"up and right", 1, 1}, {"up and left", 1, -1}} {
		at := map[int]string{}
		for i, e := range t.Edges {
			if e.B/t.Cols-e.A/t.Cols == way.dr && e.B%t.Cols-e.A%t.Cols == way.dc {
				at[e.A] = fmt.Sprintf("%.2f", v[i])
			}
		}
		if len(at) == 0 {
			continue
		}
		g := Table{Caption: caption + ", from each square " + way.words, Words: 1, Grid: true, Head: []string{""}}
		for f := range t.Cols {
			g.Head = append(g.Head, string(rune('a'+f)))
		}
		for row := t.Rows - 1; row >= 0; row-- {
			line := []string{strconv.Itoa(row + 1)}
			for f := range t.Cols {
				line = append(line, at[row*t.Cols+f])
			}
			g.Rows = append(g.Rows, line)
		}
		out = append(out, g)
	}
	return out
}

// travels shows where pieces are placed, move and are captured.
func travels(id string, cells []*experiments.CellResult) []Block {
	shown, left := trafficCells(cells)
	if len(shown) == 0 {
		return []Block{Text("No arrivals were recorded.")}
	}
	var out []Block
	parts(shown, 3, func(cells []*experiments.CellResult, n, title string) {
		var groups []figure.HeatGroup
		var say []string
		var tables []Table
		sums := Table{Caption: "Traffic in numbers", Words: 2, Head: []string{"ruleset", "agent", "placements", "arrivals", "captures", "arrivals on the rim", "squares on the rim", "crossings between squares"}}
		for _, c := range cells {
			l, sub := label(c)
			group := figure.HeatGroup{Name: l, Sub: sub}
			rim, rimSquares := uint64(0), 0
			for i, v := range c.Arrivals {
				if row, col := i/c.Cols, i%c.Cols; row == 0 || col == 0 || row == c.Rows-1 || col == c.Cols-1 {
					rim += v
					rimSquares++
				}
			}
			arrivals := total(c.Arrivals)
			share, squares := "–", experiments.Percent(float64(rimSquares)/float64(len(c.Arrivals)))
			if arrivals > 0 {
				share = experiments.Percent(float64(rim) / float64(arrivals))
			}
			sentence := fmt.Sprintf("%s (%s): %s of %d arrivals were on the squares of the rim, which are %s of the board", l, sub, share, arrivals, squares)
			row := []string{l, sub, "–", fmt.Sprint(arrivals), "–", share, squares, "–"}
			if t := c.Traffic; t != nil {
				group.Panels = TrafficMaps(t)
				placed, captured, crossed := t.Squares(traffic.Placed, traffic.All), t.Squares(traffic.Captured, traffic.All), t.Crossings(traffic.All)
				row[2], row[4], row[7] = fmt.Sprint(total(placed)), fmt.Sprint(total(captured)), fmt.Sprint(total(crossed))
				for _, x := range []struct {
					what string
					v    []uint64
				}{{"Placements", placed}, {"Arrivals", c.Arrivals}, {"Captures", captured}} {
					if v := relative(x.v); v != nil {
						tables = append(tables, squareGrid(x.what+", times the average square: "+l+", "+sub, c.Rows, c.Cols, v))
					}
				}
				if v := relative(captured); v != nil {
					hi := busiest(v)
					sentence += fmt.Sprintf("; most captures were on %s, %.1f times the average square", t.SquareName(hi), v[hi])
				}
				if v := relative(crossed); v != nil {
					hi := busiest(v)
					sentence += fmt.Sprintf("; the busiest way was between %s and %s, %.1f times the average", t.SquareName(t.Edges[hi].A), t.SquareName(t.Edges[hi].B), v[hi])
					tables = append(tables, edgeGrids("Moves between squares, times the average edge: "+l+", "+sub, t, v)...)
				}
			} else {
				group.Panels = []figure.HeatMap{mapOf("arrivals", c.Rows, c.Cols, c.Arrivals, "no moves")}
				if v := relative(c.Arrivals); v != nil {
					tables = append(tables, squareGrid("Arrivals, times the average square: "+l+", "+sub, c.Rows, c.Cols, v))
				}
			}
			groups = append(groups, group)
			sums.Rows = append(sums.Rows, row)
			say = append(say, sentence+".")
		}
		say = append(say, "The first player sits below. What happens within a game hangs together, so these numbers carry no interval.")
		out = append(out, Picture{Figure: figure.HeatMaps(id+"-traffic"+n, "Where pieces are placed, come to rest, are captured, and between which squares they move"+title,
			"times the average square, or way between squares:", groups), Sentences: say, Data: sums, More: tables, Where: "squares.csv, edges.csv", Whole: true})
	})
	if left > 0 {
		out = append(out, Text("The boards of %s are not shown; squares.csv and edges.csv have every combination, by phase, player and kind of piece.", experiments.Plural(left, "other combination")))
	}
	return out
}

// busiest is the index of the largest value.
func busiest(v []float64) int {
	hi := 0
	for i, x := range v {
		if x > v[hi] {
			hi = i
		}
	}
	return hi
}

// squaresCSV is the table of squares: one row for each combination, square, phase, player
// and kind of piece, zeros too.
func (r Report) squaresCSV() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write([]string{"experiment", "ruleset", "agent_a", "agent_b", "square", "row", "col", "class", "class_size", "phase", "player", "piece", "placed", "left", "crossed", "reached", "captured", "games"})
	for _, a := range r.Analyses {
		for i := range a.Cells {
			c := &a.Cells[i]
			t := c.Traffic
			if t == nil {
				continue
			}
			sizes := traffic.ClassSizes(t.SquareClass)
			for _, f := range t.Groups() {
				var counts [5][]uint64
				for e := range counts {
					counts[e] = t.Squares(traffic.Event(e), f)
				}
				for sq := range t.Rows * t.Cols {
					row := []string{a.Design.ID, c.Name, c.A, c.B, t.SquareName(sq), strconv.Itoa(sq/t.Cols + 1), strconv.Itoa(sq%t.Cols + 1),
						strconv.Itoa(t.SquareClass[sq]), strconv.Itoa(sizes[t.SquareClass[sq]]), f.PhaseName(), f.PlayerName(), f.PieceName()}
					for e := range counts {
						row = append(row, strconv.FormatUint(counts[e][sq], 10))
					}
					w.Write(append(row, strconv.FormatUint(t.Games, 10)))
				}
			}
		}
	}
	w.Flush()
	return b.Bytes()
}

// edgesCSV is the table of edges, as squaresCSV.
func (r Report) edgesCSV() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write([]string{"experiment", "ruleset", "agent_a", "agent_b", "edge", "row1", "col1", "row2", "col2", "class", "class_size", "phase", "player", "piece", "slid", "hopped", "games"})
	for _, a := range r.Analyses {
		for i := range a.Cells {
			c := &a.Cells[i]
			t := c.Traffic
			if t == nil {
				continue
			}
			sizes := traffic.ClassSizes(t.EdgeClass)
			for _, f := range t.Groups() {
				if f.Phase == 0 {
					continue // nothing crosses an edge while pieces are placed
				}
				slid, hopped := t.EdgeCounts(traffic.Slid, f), t.EdgeCounts(traffic.Hopped, f)
				for k, e := range t.Edges {
					w.Write([]string{a.Design.ID, c.Name, c.A, c.B, t.SquareName(e.A) + "-" + t.SquareName(e.B),
						strconv.Itoa(e.A/t.Cols + 1), strconv.Itoa(e.A%t.Cols + 1), strconv.Itoa(e.B/t.Cols + 1), strconv.Itoa(e.B%t.Cols + 1),
						strconv.Itoa(t.EdgeClass[k]), strconv.Itoa(sizes[t.EdgeClass[k]]), f.PhaseName(), f.PlayerName(), f.PieceName(),
						strconv.FormatUint(slid[k], 10), strconv.FormatUint(hopped[k], 10), strconv.FormatUint(t.Games, 10)})
				}
			}
		}
	}
	w.Flush()
	return b.Bytes()
}
