package report

import (
	"fmt"

	"latro/experiments/figure"
)

// Curve is one figure of the learning section.
type Curve struct {
	// ID is unique in the report, as "loss-bell".
	ID, Title string
	// X and Y name the axes; Series are the curves.
	X, Y   string
	Series []figure.Series
	// YMin and YMax are the least range shown; Percent formats Y as a share.
	YMin, YMax float64
	Percent    bool
	// Ref, if RefLabel is not empty, is a horizontal line.
	Ref      float64
	RefLabel string
	// Sentences say what it shows, with its uncertainty.
	Sentences []string
}

// Learning shows learning curves of runs.
func Learning(words string, curves ...Curve) Section {
	s := Section{ID: "learning", Title: "How the networks learned"}
	if words != "" {
		s.Blocks = append(s.Blocks, quote(words))
	}
	for _, c := range curves {
		format := func(v float64) string { return fmt.Sprintf("%.4g", v) }
		if c.Percent {
			format = percent
		}
		t := Table{Caption: c.Title, Words: 1, Head: []string{"series", c.X, c.Y, "low", "high"}}
		for _, q := range c.Series {
			for _, p := range q.Points {
				t.Rows = append(t.Rows, []string{q.Name, fmt.Sprintf("%.6g", p.X), fmt.Sprintf("%.4g", p.Y), fmt.Sprintf("%.4g", p.Low), fmt.Sprintf("%.4g", p.High)})
			}
		}
		s.Blocks = append(s.Blocks, picture("", figure.Curves("learning-"+anchor(c.ID), c.Title, c.Series, figure.Axes{
			X: c.X, Y: c.Y, YMin: c.YMin, YMax: c.YMax, YFormat: format, RefY: c.Ref, RefLabel: c.RefLabel}, nil), c.Sentences, t))
	}
	return s
}
