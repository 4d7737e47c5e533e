package figure

import (
	"fmt"
	"image/color"
	"math"
	"strings"
)

// Point is a point of a curve with its interval; Low = High = Y where there is
// none.
type Point struct{ X, Y, Low, High float64 }

// Series is one curve.
type Series struct {
	Name   string
	Points []Point
}

// Axes describes the axes of [Curves] and [Survival].
type Axes struct {
	X, Y string
	// YMin and YMax are the range shown (grows to hold the curves).
	YMin, YMax float64
	// XFormat and YFormat write ticks; a nil XFormat writes the number.
	XFormat, YFormat func(float64) string
	// XTicks are the ticks of X; round numbers if empty.
	XTicks []float64
	// RefY draws a horizontal line with its label, if RefLabel is not empty.
	RefY     float64
	RefLabel string

	step bool // the points are corners of a step curve
}

// Survival draws step curves of the share of games still running, with bands.
// cut is the cap, drawn as a dashed line.
func Survival(id, title string, series []Series, cut float64) Figure {
	ax := Axes{step: true, X: "plies played", Y: "share of games still running", YMin: 0, YMax: 1,
		YFormat: func(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) }}
	var steps []Series
	for _, s := range series {
		out := []Point{{0, 1, 1, 1}}
		last := Point{0, 1, 1, 1}
		for _, q := range s.Points {
			out = append(out, Point{q.X, last.Y, last.Low, last.High}, q)
			last = q
		}
		if last.Y > 0 {
			out = append(out, Point{cut, last.Y, last.Low, last.High})
		}
		steps = append(steps, Series{s.Name, out})
	}
	f := Curves(id, title, steps, ax, &cut)
	var d strings.Builder
	for _, s := range series {
		fmt.Fprintf(&d, "%s: ", s.Name)
		for _, level := range []float64{0.75, 0.5, 0.25} {
			for _, q := range s.Points {
				if q.Y <= level {
					fmt.Fprintf(&d, "%.0f %% still running after %.0f plies; ", 100*level, q.X)
					break
				}
			}
		}
		fmt.Fprintf(&d, "cap at %.0f plies. ", cut)
	}
	f.Desc = strings.TrimSpace(d.String())
	return f
}

// Curves draws lines with interval bands over a common axis. cut, if not nil, is
// marked by a dashed vertical line.
func Curves(id, title string, series []Series, ax Axes, cut *float64) Figure {
	const x0, x1, plot = 58.0, Width - 14.0, 190.0
	legend := 16.0 * float64(len(series))
	top := 12.0 + legend
	h := top + plot + 40
	lox, hix := math.Inf(1), math.Inf(-1)
	loy, hiy := ax.YMin, ax.YMax
	var d strings.Builder
	for _, s := range series {
		for _, q := range s.Points {
			lox, hix = math.Min(lox, q.X), math.Max(hix, q.X)
			loy, hiy = math.Min(loy, q.Low), math.Max(hiy, q.High)
		}
		if n := len(s.Points); n > 0 {
			fmt.Fprintf(&d, "%s: from %s at %.4g to %s at %.4g. ", s.Name, ax.YFormat(s.Points[0].Y), s.Points[0].X, ax.YFormat(s.Points[n-1].Y), s.Points[n-1].X)
		}
	}
	if cut != nil {
		hix = math.Max(hix, *cut)
	}
	if math.IsInf(lox, 0) {
		lox, hix = 0, 1
	}
	if hix <= lox {
		hix = lox + 1
	}
	if hiy <= loy {
		hiy = loy + 1
	}
	return Figure{ID: id, Title: title, Desc: strings.TrimSpace(d.String()), Height: h, draw: func(p *pen) {
		px := func(v float64) float64 { return x0 + (v-lox)/(hix-lox)*(x1-x0) }
		py := func(v float64) float64 { return top + plot - (v-loy)/(hiy-loy)*plot }
		for _, t := range ticks(loy, hiy, 5) {
			p.line(rule, 0.6, nil, [2]float64{x0, py(t)}, [2]float64{x1, py(t)})
			p.text(x0-6, py(t)+3, ax.YFormat(t), 9, right, false, soft)
		}
		xs := ax.XTicks
		if len(xs) == 0 {
			xs = ticks(lox, hix, 6)
		}
		for _, t := range xs {
			p.line(axisColor, 0.7, nil, [2]float64{px(t), top + plot}, [2]float64{px(t), top + plot + 4})
			s := fmt.Sprintf("%.6g", t)
			if ax.XFormat != nil {
				s = ax.XFormat(t)
			}
			p.text(px(t), top+plot+14, s, 9, centre, false, soft)
		}
		p.line(axisColor, 0.8, nil, [2]float64{x0, top + plot}, [2]float64{x1, top + plot})
		p.text(x1, top+plot+30, ax.X, 10, right, false, ink)
		p.text(x0+2, top-4, ax.Y, 10, left, false, ink)
		if cut != nil {
			p.line(soft, 0.9, []float64{3, 3}, [2]float64{px(*cut), top}, [2]float64{px(*cut), top + plot})
			p.text(px(*cut)-4, top+10, "cap", 9, right, false, soft)
		}
		if ax.RefLabel != "" {
			p.line(ink, 0.9, []float64{4, 2}, [2]float64{x0, py(ax.RefY)}, [2]float64{x1, py(ax.RefY)})
			p.text(x1-2, py(ax.RefY)-4, ax.RefLabel, 9, right, false, soft)
		}
		for i, s := range series {
			c := palette(i)
			light := color.NRGBA{c.R, c.G, c.B, 0x30}
			var band [][2]float64
			for _, q := range s.Points {
				band = append(band, [2]float64{px(q.X), py(q.High)})
			}
			for j := len(s.Points) - 1; j >= 0; j-- {
				band = append(band, [2]float64{px(s.Points[j].X), py(s.Points[j].Low)})
			}
			if len(band) > 2 {
				p.polygon(light, band...)
			}
		}
		dashes := [][]float64{nil, {6, 3}, {2, 2}, {8, 2, 2, 2}}
		for i, s := range series {
			c := palette(i)
			var pts [][2]float64
			for _, q := range s.Points {
				pts = append(pts, [2]float64{px(q.X), py(q.Y)})
			}
			dash := dashes[i%len(dashes)]
			if len(pts) > 1 {
				p.line(c, 1.8, dash, pts...)
			}
			// Few points are measured ones, and the line between them is only a guide.
			if !ax.step && len(pts) <= 16 {
				for _, q := range pts {
					p.circle(q[0], q[1], 3, c)
				}
			}
			ly := 14 + 16*float64(i)
			p.line(c, 2.2, dash, [2]float64{x1 - 34, ly - 4}, [2]float64{x1 - 4, ly - 4})
			p.text(x1-40, ly, p.fit(s.Name, 10, 330, false), 10, right, false, ink)
		}
	}}
}
