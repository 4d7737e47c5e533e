package report

import (
	"fmt"

	"latro/experiments"
	"latro/experiments/figure"
)

// traffic shows where pieces arrive, on the boards of up to eight cells.
func traffic(id string, cells []*experiments.CellResult) []Block {
	const limit = 8
	var boards []figure.Board
	sums := Table{Caption: "Arrivals on the edge", Words: 2, Head: []string{"ruleset", "agent", "arrivals", "on the edge", "squares on the edge"}}
	var tables []Table
	var say []string
	left := 0
	for _, c := range cells {
		var sum, edge uint64
		edges := 0
		for i, v := range c.Arrivals {
			sum += v
			row, col := i/c.Cols, i%c.Cols
			if row == 0 || col == 0 || row == c.Rows-1 || col == c.Cols-1 {
				edge += v
				edges++
			}
		}
		if sum == 0 {
			continue
		}
		if len(boards) == limit {
			left++
			continue
		}
		l, sub := label(c)
		boards = append(boards, figure.Board{Name: l, Sub: sub, Rows: c.Rows, Cols: c.Cols, Counts: c.Arrivals})
		t := Table{Caption: "Arrivals, times the average square: " + l + ", " + sub, Words: 1, Grid: true, Head: []string{""}}
		for f := range c.Cols {
			t.Head = append(t.Head, string(rune('a'+f)))
		}
		// One row a rank, as the board lies.
		for row := c.Rows - 1; row >= 0; row-- {
			line := []string{fmt.Sprint(row + 1)}
			for f := range c.Cols {
				line = append(line, fmt.Sprintf("%.2f", float64(c.Arrivals[row*c.Cols+f])*float64(len(c.Arrivals))/float64(sum)))
			}
			t.Rows = append(t.Rows, line)
		}
		tables = append(tables, t)
		share, squares := experiments.Percent(float64(edge)/float64(sum)), experiments.Percent(float64(edges)/float64(len(c.Arrivals)))
		sums.Rows = append(sums.Rows, []string{l, sub, fmt.Sprint(sum), share, squares})
		if len(say) < 3 {
			say = append(say, fmt.Sprintf("%s (%s): %s of %d arrivals were on the edge, which is %s of the squares.", l, sub, share, sum, squares))
		}
	}
	if len(boards) == 0 {
		return []Block{Text("No arrivals were recorded.")}
	}
	say = append(say, "Arrivals within a game depend on each other, so these shares carry no interval.")
	if left > 0 {
		say = append(say, fmt.Sprintf("The counts of %d more combinations are in results.json.", left))
	}
	return []Block{Picture{Figure: figure.Boards(id+"-traffic", "Arrivals on each square, relative to the average square; the first player sits below", boards), Sentences: say, Data: sums, More: tables}}
}
