package figure

import (
	"fmt"
	"image/color"
	"math"
	"strings"
)

// ForestRow is one interval of a [Forest].
type ForestRow struct {
	// Label names the row and Sub details it, in smaller letters.
	Label, Sub string
	// Estimate, Low and High are the interval; infinite ends run off with an arrow.
	Estimate, Low, High float64
	// Outer, if not nil, are wider bounds drawn as a thin dashed line (what the score
	// would be if every capped game were lost, or won).
	Outer *[2]float64
	// Muted draws the row in grey with an open mark: no claim is made from it.
	Muted bool
	// Text is written at the right, as "52.3 % [49.1, 55.5]".
	Text string
}

// ForestAxis describes the axis of a [Forest].
type ForestAxis struct {
	// Ref is the value of "no effect", drawn as a vertical line.
	Ref float64
	// Band, if not nil, is the range that counts as no effect, shaded.
	Band *[2]float64
	// Min and Max are the least range shown; it grows to hold the rows.
	Min, Max float64
	// Format writes a tick.
	Format func(float64) string
	// Less and More say what left and right of Ref mean.
	Less, More string
}

// Forest draws intervals under each other.
func Forest(id, title string, rows []ForestRow, axis ForestAxis) Figure {
	const top, bottom, x0 = 22.0, 24.0, 166.0
	const x1 = Width - 132.0
	lo, hi := axis.Min, axis.Max
	var d strings.Builder
	for _, r := range rows {
		for _, v := range []float64{r.Estimate, r.Low, r.High} {
			if !math.IsInf(v, 0) && !math.IsNaN(v) {
				lo, hi = math.Min(lo, v), math.Max(hi, v)
			}
		}
		if r.Outer != nil {
			lo, hi = math.Min(lo, r.Outer[0]), math.Max(hi, r.Outer[1])
		}
		fmt.Fprintf(&d, "%s, %s: %s. ", r.Label, r.Sub, r.Text)
	}
	pad := (hi - lo) * 0.03
	lo, hi = lo-pad, hi+pad
	labels := make([]rowLabel, len(rows))
	bot := top
	for i, r := range rows {
		labels[i] = labelOf(r.Label, r.Sub, x0-26, 32)
		bot += labels[i].height
	}
	h := bot + bottom
	return Figure{ID: id, Title: title, Desc: strings.TrimSpace(d.String()), Height: h, draw: func(p *pen) {
		px := func(v float64) float64 { return x0 + (clampTo(v, lo, hi)-lo)/(hi-lo)*(x1-x0) }
		if axis.Band != nil {
			p.rect(px(axis.Band[0]), top, px(axis.Band[1])-px(axis.Band[0]), bot-top, bandColor)
		}
		for _, t := range ticks(lo, hi, 5) {
			p.line(rule, 0.6, nil, [2]float64{px(t), top}, [2]float64{px(t), bot})
			p.text(px(t), bot+13, axis.Format(t), 9, centre, false, soft)
		}
		p.line(ink, 1.1, nil, [2]float64{px(axis.Ref), top}, [2]float64{px(axis.Ref), bot})
		p.text(px(axis.Ref)-6, 14, p.fit(axis.Less, 9, px(axis.Ref)-14, false), 9, right, false, soft)
		p.text(px(axis.Ref)+6, 14, p.fit(axis.More, 9, Width-px(axis.Ref)-14, false), 9, left, false, soft)
		next := top
		for i, r := range rows {
			y := next + labels[i].height/2
			if i > 0 {
				p.line(rule, 0.5, nil, [2]float64{8, next}, [2]float64{Width - 8, next})
			}
			next += labels[i].height
			var clr color.Color = palette(0)
			if r.Muted {
				clr = axisColor
			}
			p.label(8, y, labels[i])
			p.text(Width-8, y+4, r.Text, 9, right, false, ink)
			if math.IsNaN(r.Estimate) {
				p.text((x0+x1)/2, y+4, "no data", 9, centre, false, soft)
				continue
			}
			if r.Outer != nil {
				p.line(soft, 0.8, []float64{2, 2}, [2]float64{px(r.Outer[0]), y}, [2]float64{px(r.Outer[1]), y})
			}
			p.line(clr, 2.2, nil, [2]float64{px(r.Low), y}, [2]float64{px(r.High), y})
			for _, end := range []float64{r.Low, r.High} {
				if math.IsInf(end, 0) {
					s := math.Copysign(5, end)
					x := px(end)
					p.polygon(clr, [2]float64{x + s, y}, [2]float64{x, y - 4}, [2]float64{x, y + 4})
				} else {
					p.line(clr, 1.4, nil, [2]float64{px(end), y - 4}, [2]float64{px(end), y + 4})
				}
			}
			if !math.IsInf(r.Estimate, 0) {
				p.circle(px(r.Estimate), y, 4.2, clr)
				if r.Muted {
					p.circle(px(r.Estimate), y, 2.6, white)
				}
			}
		}
	}}
}

func clampTo(v, lo, hi float64) float64 { return math.Max(lo, math.Min(hi, v)) }
