package figure

import (
	"fmt"
	"math"
	"strings"
)

// IncidencePoint says how games had ended after X plies: the shares that the first
// player had won, that were drawn and that the second player had won.
type IncidencePoint struct{ X, Win, Draw, Loss float64 }

// IncidenceRow is one plot of [Incidence].
type IncidenceRow struct {
	Label, Sub string
	// Points ascend in X; the shares hold from each point to the next.
	Points []IncidencePoint
}

// Incidence draws, for each row, how the games had ended up to each length: stacked
// cumulative shares of wins, losses and draws, the rest still running. cut is the
// cap, which stops what still runs there. names are those of wins, draws, losses
// and capped games.
func Incidence(id, title string, rows []IncidenceRow, names [4]string, cut float64) Figure {
	var d strings.Builder
	for _, r := range rows {
		last := IncidencePoint{}
		if n := len(r.Points); n > 0 {
			last = r.Points[n-1]
		}
		fmt.Fprintf(&d, "%s, %s: by the cap of %.0f plies %s %.1f %%, %s %.1f %%, %s %.1f %%, %s %.1f %%. ", r.Label, r.Sub, cut,
			names[0], 100*last.Win, names[1], 100*last.Draw, names[2], 100*last.Loss, names[3], 100*math.Max(0, 1-last.Win-last.Draw-last.Loss))
	}
	keys := outcomeKeys(names, [4]int{0, 2, 1, 3})[:3]
	keys = append(keys, key{"still running; at the cap: " + names[3], func(p *pen, x, y float64) {
		p.rect(x-6, y-5, 12, 10, white)
		p.frame(x-6, y-5, 12, 10, axisColor, 0.7)
	}})
	return Figure{ID: id, Title: title, Desc: strings.TrimSpace(d.String()), layout: func(s sheet) (float64, func(*pen)) {
		columns, plot := 2, 96.0
		if len(rows) > 4 {
			columns, plot = 3, 72
		}
		if s.narrow {
			columns, plot = 1, 100
		}
		const gap, head, below = 16.0, 30.0, 26.0
		slot := (s.width - 2*margin - gap*float64(columns-1)) / float64(columns)
		_, legend := keyPlaces(s, keys)
		top := legend + 6
		lines := (len(rows) + columns - 1) / columns
		h := top + float64(lines)*(head+plot+below) + 14
		return h, func(p *pen) {
			p.keys(s, 2, keys)
			for i, r := range rows {
				x := margin + float64(i%columns)*(slot+gap)
				y := top + float64(i/columns)*(head+plot+below)
				p.text(x, y+11, p.fit(r.Label, 11, slot, true), 11, left, true, ink)
				p.text(x, y+23, p.fit(r.Sub, 9, slot, false), 9, left, false, soft)
				const axis, ends = 32.0, 34.0
				g := grid{s: s, lox: 0, hix: math.Max(cut, 1), loy: 0, hiy: 1, x0: x + axis, x1: x + slot - ends, top: y + head, plot: plot}
				p.incidence(g, r)
				n := 3
				if s.narrow {
					n = 4
				}
				for _, t := range ticks(0, g.hix, n) {
					p.line(axisColor, 0.7, nil, [2]float64{g.px(t), g.top + plot}, [2]float64{g.px(t), g.top + plot + 4})
					p.text(g.px(t), g.top+plot+13, fmt.Sprintf("%.6g", t), 9, centre, false, soft)
				}
			}
			p.text(s.width-margin, h-4, "plies played", 10, right, false, ink)
		}
	}}
}

func (p *pen) incidence(g grid, r IncidenceRow) {
	for _, t := range []float64{0, 0.5, 1} {
		p.line(rule, 0.6, nil, [2]float64{g.x0, g.py(t)}, [2]float64{g.x1, g.py(t)})
		p.text(g.x0-5, g.py(t)+3, fmt.Sprintf("%.0f %%", 100*t), 9, right, false, soft)
	}
	// Stacked from below: wins, losses, draws.
	level := func(k int, q IncidencePoint) float64 {
		switch k {
		case 0:
			return q.Win
		case 1:
			return q.Win + q.Loss
		}
		return q.Win + q.Loss + q.Draw
	}
	outline := func(k int) [][2]float64 {
		last := 0.0
		out := [][2]float64{{g.x0, g.py(0)}}
		for _, q := range r.Points {
			v := level(k, q)
			if q.X > g.hix {
				break
			}
			out = append(out, [2]float64{g.px(q.X), g.py(last)}, [2]float64{g.px(q.X), g.py(v)})
			last = v
		}
		return append(out, [2]float64{g.x1, g.py(last)})
	}
	clr := [3]int{0, 2, 1}
	for k := 2; k >= 0; k-- {
		line := outline(k)
		p.polygon(outcomeColors[clr[k]], append([][2]float64{{g.x0, g.py(0)}}, append(line, [2]float64{g.x1, g.py(0)})...)...)
		p.line(white, 0.8, nil, line...)
	}
	p.frame(g.x0, g.top, g.x1-g.x0, g.plot, axisColor, 0.7)
	if len(r.Points) == 0 {
		return
	}
	// The shares at the end, beside what they are shares of, from below.
	q := r.Points[len(r.Points)-1]
	type share struct {
		y, v float64
		k    int
	}
	var shares []share
	under := 0.0
	for k := range 4 {
		v := 1.0 // the rest is what still runs
		if k < 3 {
			v = level(k, q)
		}
		if v-under >= 0.005 {
			shares = append(shares, share{g.py((v+under)/2) + 3, v - under, k})
		}
		under = math.Max(under, v)
	}
	// Those of thin layers are kept apart, and below the upper edge.
	const apart = 9.0
	for i := 1; i < len(shares); i++ {
		shares[i].y = math.Min(shares[i].y, shares[i-1].y-apart)
	}
	lowest := g.top + 4
	for i := len(shares) - 1; i >= 0; i-- {
		shares[i].y = math.Max(shares[i].y, lowest)
		lowest = shares[i].y + apart
	}
	for _, x := range shares {
		p.text(g.x1+4, x.y, fmt.Sprintf("%.0f %%", 100*x.v), 9, left, x.k == 0, ink)
	}
}
