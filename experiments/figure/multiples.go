package figure

import (
	"fmt"
	"image/color"
	"math"
	"strings"
)

// Multiple is one small plot of [SurvivalMultiples].
type Multiple struct {
	// Label heads it.
	Label string
	// Series are its curves. A name has one colour and dash in all plots.
	Series []Series
}

// SurvivalMultiples draws the share of games still running as small plots side by side,
// all to one scale, with one legend. cut is the cap, the right edge of each plot. Below each
// plot stand the means with their intervals, in the order of the legend.
func SurvivalMultiples(id, title string, plots []Multiple, cut float64) Figure {
	index := map[string]int{}
	means := 0
	var d strings.Builder
	for _, m := range plots {
		means = max(means, nameSeries(index, m.Series))
		fmt.Fprintf(&d, "%s: %s ", m.Label, survivalWords(m.Series, cut))
	}
	keys := lineKeys(index, false)
	if means > 0 {
		keys = append(keys, key{"below: mean, counted up to the cap, with its interval", func(p *pen, x, y float64) {
			p.span(x-7, x, x+7, y, soft, disc)
		}})
	}
	return Figure{ID: id, Title: title, Desc: strings.TrimSpace(d.String()), layout: func(s sheet) (float64, func(*pen)) {
		columns, plot := 3, 84.0
		if len(plots) == 2 || len(plots) == 4 {
			columns, plot = 2, 100
		}
		if s.narrow {
			columns, plot = 1, 100
		}
		const gap, head, axis = 10.0, 22.0, 18.0
		strip := 7*float64(means) + 6
		slot := (s.width - 2*margin - gap*float64(columns-1)) / float64(columns)
		_, legend := keyPlaces(s, keys)
		top := legend + 6
		lines := (len(plots) + columns - 1) / columns
		each := head + plot + axis + strip + 8
		h := top + float64(lines)*each + 10
		return h, func(p *pen) {
			p.keys(s, 2, keys)
			for i, m := range plots {
				x := margin + float64(i%columns)*(slot+gap)
				y := top + float64(i/columns)*each
				p.text(x, y+12, p.fit(m.Label, 11, slot, true), 11, left, true, ink)
				g := grid{s: s, lox: 0, hix: math.Max(cut, 1), loy: 0, hiy: 1, x0: x + 34, x1: x + slot - 8, top: y + head, plot: plot}
				p.multiple(g, m, index, strip)
			}
			p.text(s.width-margin, h-3, "share of games still running, by plies played", 10, right, false, ink)
		}
	}}
}

// multiple draws one small plot and the means below it.
func (p *pen) multiple(g grid, m Multiple, index map[string]int, strip float64) {
	bottom := g.top + g.plot
	for _, t := range []float64{0, 0.5, 1} {
		p.line(rule, 0.6, nil, [2]float64{g.x0, g.py(t)}, [2]float64{g.x1, g.py(t)})
		p.text(g.x0-5, g.py(t)+3, fmt.Sprintf("%.0f %%", 100*t), 9, right, false, soft)
	}
	curves := stepped(m.Series, g.hix)
	for _, s := range curves {
		c := palette(index[s.Name])
		var band [][2]float64
		for _, v := range s.Points {
			band = append(band, [2]float64{g.px(v.X), g.py(v.High)})
		}
		for j := len(s.Points) - 1; j >= 0; j-- {
			band = append(band, [2]float64{g.px(s.Points[j].X), g.py(s.Points[j].Low)})
		}
		p.polygon(color.NRGBA{c.R, c.G, c.B, 0x30}, band...)
	}
	row := bottom + 18 + 4
	for _, s := range curves {
		k := index[s.Name]
		var pts [][2]float64
		for _, v := range s.Points {
			pts = append(pts, [2]float64{g.px(v.X), g.py(v.Y)})
		}
		p.line(palette(k), 1.5, dashes[k%len(dashes)], pts...)
		if s.Mean != nil {
			p.span(g.px(s.Mean.Low), g.px(s.Mean.Estimate), g.px(s.Mean.High), row, palette(k), shapes[k%len(shapes)])
			row += 7
		}
	}
	p.line(axisColor, 0.8, nil, [2]float64{g.x0, bottom}, [2]float64{g.x1, bottom})
	p.line(soft, 0.9, []float64{3, 3}, [2]float64{g.x1, g.top}, [2]float64{g.x1, bottom})
	for _, t := range ticks(0, g.hix, 3) {
		p.line(axisColor, 0.7, nil, [2]float64{g.px(t), bottom}, [2]float64{g.px(t), bottom + 4})
		text := fmt.Sprintf("%.6g", t)
		w := p.width(text, 9, false) / 2
		p.text(math.Min(g.px(t), g.x1+8-w), bottom+13, text, 9, centre, false, soft)
	}
}

// span draws an estimate with its interval along a line.
func (p *pen) span(low, at, high, y float64, c color.RGBA, s shape) {
	p.line(c, 1.4, nil, [2]float64{low, y}, [2]float64{high, y})
	for _, v := range []float64{low, high} {
		p.line(c, 1, nil, [2]float64{v, y - 2.5}, [2]float64{v, y + 2.5})
	}
	p.mark(s, at, y, 2.6, c, false)
}
