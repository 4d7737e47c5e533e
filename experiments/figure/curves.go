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
	// Mean, if not nil, is a value on the x axis with its interval, drawn below the
	// axis: the restricted mean of a survival curve.
	Mean *Span
	// Loose says that the points are not to be joined by a line.
	Loose bool
}

// Span is an estimate with its interval along the x axis.
type Span struct{ Estimate, Low, High float64 }

// Axes describes the axes of [Curves] and [Survival].
type Axes struct {
	X, Y string
	// YMin and YMax are the range shown (grows to hold the curves).
	YMin, YMax float64
	// XMin and XMax, if they differ, are the least range of X shown.
	XMin, XMax float64
	// XFormat and YFormat write ticks; a nil XFormat writes the number.
	XFormat, YFormat func(float64) string
	// XTicks are the ticks of X; round numbers if empty.
	XTicks []float64
	// RefY draws a horizontal line with its label, if RefLabel is not empty.
	RefY     float64
	RefLabel string
	// Band, if not nil, is a range of Y that is shaded: the margin around even.
	Band *[2]float64

	step bool // the points are corners of a step curve
}

// Panel is one plot of [Panels].
type Panel struct {
	// Axes are its axes; the range of X is common to all panels.
	Axes Axes
	// Series are its curves. A name has one colour, dash and mark in all panels.
	Series []Series
}

// Survival draws step curves of the share of games still running, with bands.
// cut is the cap, drawn as a dashed line. A series with a Mean has it drawn below
// the axis.
func Survival(id, title string, series []Series, cut float64) Figure {
	ax := Axes{step: true, X: "plies played", Y: "share of games still running", YMin: 0, YMax: 1, XMin: 0, XMax: cut,
		YFormat: func(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) }}
	f := Curves(id, title, stepped(series, cut), ax, &cut)
	f.Desc = survivalWords(series, cut)
	return f
}

// stepped are the corners of survival curves, from all games at the start to the cap.
func stepped(series []Series, cut float64) []Series {
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
		steps = append(steps, Series{Name: s.Name, Points: out, Mean: s.Mean})
	}
	return steps
}

// survivalWords describes survival curves to who cannot see them.
func survivalWords(series []Series, cut float64) string {
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
		if s.Mean != nil {
			fmt.Fprintf(&d, "mean up to the cap %.0f plies [%.0f, %.0f]; ", s.Mean.Estimate, s.Mean.Low, s.Mean.High)
		}
		fmt.Fprintf(&d, "cap at %.0f plies. ", cut)
	}
	return strings.TrimSpace(d.String())
}

// Curves draws lines with interval bands over a common axis. cut, if not nil, is
// marked by a dashed vertical line.
func Curves(id, title string, series []Series, ax Axes, cut *float64) Figure {
	return Panels(id, title, []Panel{{ax, series}}, cut)
}

var (
	dashes = [][]float64{nil, {6, 3}, {2, 2}, {8, 2, 2, 2}, {12, 3}, {4, 2, 1, 2}}
	shapes = []shape{disc, block, triangle, diamond, down, cross}
)

// few is the number of points up to which they are drawn as measured ones, each
// with its interval; the line between them is only a guide.
const few = 16

// nameSeries numbers series by their names, which have one colour and dash in all plots of a figure, and counts those with a mean.
func nameSeries(index map[string]int, series []Series) (means int) {
	for _, s := range series {
		if _, ok := index[s.Name]; !ok {
			index[s.Name] = len(index)
		}
		if s.Mean != nil {
			means++
		}
	}
	return means
}

// lineKeys are the keys of named curves; marked ones show their marks too.
func lineKeys(index map[string]int, marked bool) []key {
	keys := make([]key, len(index))
	for name, i := range index {
		keys[i] = key{name, func(p *pen, x, y float64) {
			p.line(palette(i), 2.2, dashes[i%len(dashes)], [2]float64{x - 8, y}, [2]float64{x + 8, y})
			if marked {
				p.mark(shapes[i%len(shapes)], x, y, 3, palette(i), false)
			}
		}}
	}
	return keys
}

// Panels draws plots under each other with one legend and one range of X.
func Panels(id, title string, panels []Panel, cut *float64) Figure {
	lox, hix := math.Inf(1), math.Inf(-1)
	index := map[string]int{}
	var d strings.Builder
	means := 0
	for _, q := range panels {
		if q.Axes.XMin != q.Axes.XMax {
			lox, hix = math.Min(lox, q.Axes.XMin), math.Max(hix, q.Axes.XMax)
		}
		if len(panels) > 1 {
			fmt.Fprintf(&d, "%s. ", q.Axes.Y)
		}
		format := func(v float64) string { return fmt.Sprintf("%.4g", v) }
		if q.Axes.XFormat != nil {
			format = q.Axes.XFormat
		}
		for _, s := range q.Series {
			for _, v := range s.Points {
				lox, hix = math.Min(lox, v.X), math.Max(hix, v.X)
			}
			if n := len(s.Points); n > 0 {
				fmt.Fprintf(&d, "%s: from %s at %s to %s at %s. ", s.Name, q.Axes.YFormat(s.Points[0].Y), format(s.Points[0].X), q.Axes.YFormat(s.Points[n-1].Y), format(s.Points[n-1].X))
			}
		}
		means = max(means, nameSeries(index, q.Series))
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
	stepped := len(panels) > 0 && panels[0].Axes.step
	keys := lineKeys(index, !stepped)
	return Figure{ID: id, Title: title, Desc: strings.TrimSpace(d.String()), layout: func(s sheet) (float64, func(*pen)) {
		x0, x1 := 58.0, s.width-14
		plot := 160.0
		if s.narrow {
			x0, x1, plot = 40, s.width-10, 150
		}
		if len(panels) > 1 {
			plot = 88
		}
		_, legend := keyPlaces(s, keys)
		strip := 0.0
		if means > 0 {
			strip = 14 + 9*float64(means)
		}
		const title, below = 20.0, 22.0
		top := legend + 6
		h := top + float64(len(panels))*(title+plot+below) + strip + 14
		return h, func(p *pen) {
			p.keys(s, 2, keys)
			y := top
			for i, q := range panels {
				y += title
				g := grid{s: s, lox: lox, hix: hix, x0: x0, x1: x1, top: y, plot: plot}
				p.panel(g, q, index, cut)
				y += plot
				if i == len(panels)-1 {
					p.text(x1, y+below+strip+7, q.Axes.X, 10, right, false, ink)
				}
				if i == 0 && strip > 0 {
					p.text(x0, y+below+9, "mean, counted up to the cap:", 9, left, false, soft)
					row := y + below + 17
					for _, e := range q.Series {
						if e.Mean == nil {
							continue
						}
						k := index[e.Name]
						c := palette(k)
						p.line(c, 1.6, nil, [2]float64{g.px(e.Mean.Low), row}, [2]float64{g.px(e.Mean.High), row})
						for _, v := range []float64{e.Mean.Low, e.Mean.High} {
							p.line(c, 1.2, nil, [2]float64{g.px(v), row - 3}, [2]float64{g.px(v), row + 3})
						}
						p.mark(shapes[k%len(shapes)], g.px(e.Mean.Estimate), row, 3, c, false)
						row += 9
					}
					y += strip
				}
				y += below
			}
		}
	}}
}

// grid places one plot.
type grid struct {
	s         sheet
	lox, hix  float64
	loy, hiy  float64
	x0, x1    float64
	top, plot float64
}

func (g grid) px(v float64) float64 {
	return g.x0 + (clampTo(v, g.lox, g.hix)-g.lox)/(g.hix-g.lox)*(g.x1-g.x0)
}

func (g grid) py(v float64) float64 { return g.top + g.plot - (v-g.loy)/(g.hiy-g.loy)*g.plot }

func (p *pen) panel(g grid, q Panel, index map[string]int, cut *float64) {
	ax := q.Axes
	g.loy, g.hiy = ax.YMin, ax.YMax
	for _, s := range q.Series {
		for _, v := range s.Points {
			g.loy, g.hiy = math.Min(g.loy, v.Low), math.Max(g.hiy, v.High)
		}
	}
	if g.hiy <= g.loy {
		g.hiy = g.loy + 1
	}
	bottom := g.top + g.plot
	if ax.Band != nil {
		p.rect(g.x0, g.py(ax.Band[1]), g.x1-g.x0, g.py(ax.Band[0])-g.py(ax.Band[1]), bandColor)
	}
	for _, t := range ticks(g.loy, g.hiy, 5) {
		p.line(rule, 0.6, nil, [2]float64{g.x0, g.py(t)}, [2]float64{g.x1, g.py(t)})
		p.text(g.x0-6, g.py(t)+3, ax.YFormat(t), 9, right, false, soft)
	}
	xs := ax.XTicks
	if len(xs) == 0 {
		n := 6
		if g.s.narrow {
			n = 4
		}
		xs = ticks(g.lox, g.hix, n)
	}
	last := math.Inf(-1)
	for _, t := range xs {
		text := fmt.Sprintf("%.6g", t)
		if ax.XFormat != nil {
			text = ax.XFormat(t)
		}
		p.line(axisColor, 0.7, nil, [2]float64{g.px(t), bottom}, [2]float64{g.px(t), bottom + 4})
		w := p.width(text, 9, false) / 2
		at := clampTo(g.px(t), w+1, g.s.width-w-1)
		// A label that would run into the one before is left out; its tick stays.
		if at-w < last+3 {
			continue
		}
		last = at + w
		p.text(at, bottom+14, text, 9, centre, false, soft)
	}
	p.line(axisColor, 0.8, nil, [2]float64{g.x0, bottom}, [2]float64{g.x1, bottom})
	p.text(margin, g.top-7, p.fit(ax.Y, 10, g.s.width-2*margin, false), 10, left, false, ink)
	if cut != nil {
		p.line(soft, 0.9, []float64{3, 3}, [2]float64{g.px(*cut), g.top}, [2]float64{g.px(*cut), bottom})
		p.text(g.px(*cut)-4, g.top+10, "cap", 9, right, false, soft)
	}
	if ax.RefLabel != "" {
		p.line(ink, 0.9, []float64{4, 2}, [2]float64{g.x0, g.py(ax.RefY)}, [2]float64{g.x1, g.py(ax.RefY)})
		p.text(g.x1-2, g.py(ax.RefY)-4, ax.RefLabel, 9, right, false, soft)
	}
	measured := !ax.step
	for _, s := range q.Series {
		measured = measured && len(s.Points) <= few
	}
	if !measured {
		for _, s := range q.Series {
			c := palette(index[s.Name])
			light := color.NRGBA{c.R, c.G, c.B, 0x30}
			var band [][2]float64
			for _, v := range s.Points {
				band = append(band, [2]float64{g.px(v.X), g.py(v.High)})
			}
			for j := len(s.Points) - 1; j >= 0; j-- {
				band = append(band, [2]float64{g.px(s.Points[j].X), g.py(s.Points[j].Low)})
			}
			if len(band) > 2 {
				p.polygon(light, band...)
			}
		}
	}
	// Measured points of several series at one place are set a little apart.
	apart := 0.0
	if measured && len(index) > 1 {
		apart = math.Min(5, 22/float64(len(index)))
	}
	for _, s := range q.Series {
		k := index[s.Name]
		c := palette(k)
		shift := (float64(k) - float64(len(index)-1)/2) * apart
		x := func(v float64) float64 { return clampTo(g.px(v)+shift, g.x0, g.x1) }
		var pts [][2]float64
		for _, v := range s.Points {
			pts = append(pts, [2]float64{x(v.X), g.py(v.Y)})
		}
		if len(pts) > 1 && !s.Loose {
			p.line(c, 1.6, dashes[k%len(dashes)], pts...)
		}
		if !measured {
			continue
		}
		for i, v := range s.Points {
			if v.Low < v.High {
				p.line(c, 1.1, nil, [2]float64{x(v.X), g.py(v.Low)}, [2]float64{x(v.X), g.py(v.High)})
			}
			p.mark(shapes[k%len(shapes)], pts[i][0], pts[i][1], 3, c, false)
		}
	}
}
