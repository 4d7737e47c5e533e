package figure

import (
	"fmt"
	"image/color"
	"math"
	"strings"
)

// ForestRow is one interval of a [Forest].
type ForestRow struct {
	// Group, where it differs from that of the row before, heads the row: "main
	// effects".
	Group string
	// Label names the row and Sub details it, in smaller letters.
	Label, Sub string
	// Estimate, Low and High are the interval; infinite ends run off with an arrow.
	Estimate, Low, High float64
	// Outer, if not nil, are wider bounds drawn as a thin dashed line (what the score
	// would be if every capped game were lost, or won).
	Outer *[2]float64
	// Raw, if not nil, is a second estimate, drawn as a cross (the value before
	// shrinkage).
	Raw *float64
	// Muted draws the row in grey with an open mark: no claim is made from it.
	Muted bool
	// Within draws a square: the value is shown to lie within the band.
	Within bool
	// Text is written at the right, as "52.3 % [49.1, 55.5]".
	Text string
}

// ForestAxis describes the axis of a [Forest].
type ForestAxis struct {
	// Ref is the value of "no effect", drawn as a vertical line.
	Ref float64
	// Band, if not nil, is the range that counts as no effect, shaded, and
	// BandLabel what the legend calls it ("margin" if empty).
	Band      *[2]float64
	BandLabel string
	// Min and Max are the least range shown; it grows to hold the rows.
	Min, Max float64
	// Format writes a tick.
	Format func(float64) string
	// Ticks are the ticks; round numbers if empty.
	Ticks []float64
	// Less and More say what left and right of Ref mean.
	Less, More string
	// RawLabel names the crosses of [ForestRow.Raw]; OuterLabel the dashed lines.
	RawLabel, OuterLabel string
}

// Forest draws intervals under each other.
func Forest(id, title string, rows []ForestRow, axis ForestAxis) Figure {
	lo, hi := axis.Min, axis.Max
	var d strings.Builder
	texts := make([]laneText, len(rows))
	var muted, within, raw, outer bool
	for i, r := range rows {
		for _, v := range []float64{r.Estimate, r.Low, r.High} {
			if !math.IsInf(v, 0) && !math.IsNaN(v) {
				lo, hi = math.Min(lo, v), math.Max(hi, v)
			}
		}
		if r.Outer != nil {
			lo, hi = math.Min(lo, r.Outer[0]), math.Max(hi, r.Outer[1])
			outer = true
		}
		if r.Raw != nil && !math.IsNaN(*r.Raw) && !math.IsInf(*r.Raw, 0) {
			lo, hi = math.Min(lo, *r.Raw), math.Max(hi, *r.Raw)
			raw = true
		}
		muted = muted || r.Muted
		within = within || r.Within && !r.Muted
		texts[i] = laneText{group: r.Group, name: r.Label, sub: r.Sub, value: r.Text}
		state := ""
		switch {
		case r.Muted:
			state = " (no claim)"
		case r.Within:
			state = " (shown to lie within the band)"
		}
		fmt.Fprintf(&d, "%s: %s%s. ", texts[i].words(), r.Text, state)
	}
	pad := (hi - lo) * 0.03
	lo, hi = lo-pad, hi+pad
	blue := palette(0)
	var keys []key
	if axis.Band != nil {
		keys = append(keys, key{orElse(axis.BandLabel, "margin"), func(p *pen, x, y float64) {
			p.rect(x-6, y-6, 12, 12, bandColor)
			p.frame(x-6, y-6, 12, 12, axisColor, 0.5)
		}})
	}
	if within {
		keys = append(keys, key{"shown to lie within it", func(p *pen, x, y float64) { p.mark(block, x, y, 3.8, blue, false) }})
	}
	if muted {
		keys = append(keys, key{"no claim", func(p *pen, x, y float64) { p.mark(disc, x, y, 4.2, axisColor, true) }})
	}
	if raw {
		keys = append(keys, key{orElse(axis.RawLabel, "as measured"), func(p *pen, x, y float64) { p.mark(cross, x, y, 3, soft, false) }})
	}
	if outer {
		keys = append(keys, key{orElse(axis.OuterLabel, "bounds"), func(p *pen, x, y float64) {
			p.line(soft, 1, []float64{2, 2}, [2]float64{x - 7, y}, [2]float64{x + 7, y})
		}})
	}
	return Figure{ID: id, Title: title, Desc: strings.TrimSpace(d.String()), layout: func(s sheet) (float64, func(*pen)) {
		_, legend := keyPlaces(s, keys)
		x0, x1 := 166.0, s.width-132
		marks, bottom := 15.0, 24.0
		if s.narrow {
			x0, x1, marks = 16, s.width-16, 14
			bottom = 24
		}
		top := 22.0
		if s.narrow {
			top = 34 // the words on both sides of the reference take a line each
		}
		ls, bot := lanes(s, top, texts, x0-26, marks)
		px := func(v float64) float64 { return x0 + (clampTo(v, lo, hi)-lo)/(hi-lo)*(x1-x0) }
		return bot + bottom + legend, func(p *pen) {
			// On a narrow sheet the ground is drawn behind the marks of each row only,
			// so that labels stay on white.
			ground := [][2]float64{{top, bot}}
			if len(ls) > 0 && len(ls[0].head) > 0 {
				ground[0][0] = ls[0].headEnd - 4
			}
			if s.narrow {
				ground = nil
				for _, l := range ls {
					ground = append(ground, [2]float64{l.mid - marks/2 - 2, l.bottom})
				}
			}
			at := axis.Ticks
			if len(at) == 0 {
				at = ticks(lo, hi, 5)
			}
			for _, g := range ground {
				if axis.Band != nil {
					p.rect(px(axis.Band[0]), g[0], px(axis.Band[1])-px(axis.Band[0]), g[1]-g[0], bandColor)
				}
				for _, t := range at {
					if t >= lo && t <= hi {
						p.line(rule, 0.6, nil, [2]float64{px(t), g[0]}, [2]float64{px(t), g[1]})
					}
				}
				p.line(ink, 1.1, nil, [2]float64{px(axis.Ref), g[0]}, [2]float64{px(axis.Ref), g[1]})
			}
			last := math.Inf(-1)
			for _, t := range at {
				text := axis.Format(t)
				w := p.width(text, 9, false) / 2
				if t < lo || t > hi || px(t)-w < last+4 {
					continue
				}
				last = px(t) + w
				p.text(px(t), bot+13, text, 9, centre, false, soft)
			}
			if s.narrow {
				p.text(margin, 12, p.fit("← "+axis.Less, 9, s.width-2*margin, false), 9, left, false, soft)
				p.text(s.width-margin, 24, p.fit(axis.More+" →", 9, s.width-2*margin, false), 9, right, false, soft)
			} else {
				p.text(px(axis.Ref)-6, 14, p.fit("← "+axis.Less, 9, px(axis.Ref)-14, false), 9, right, false, soft)
				p.text(px(axis.Ref)+6, 14, p.fit(axis.More+" →", 9, s.width-px(axis.Ref)-14, false), 9, left, false, soft)
			}
			for i, r := range rows {
				y := ls[i].mid
				p.lane(s, ls[i], i == 0)
				var clr color.Color = blue
				if r.Muted {
					clr = axisColor
				}
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
						d := math.Copysign(5, end)
						x := px(end)
						p.polygon(clr, [2]float64{x + d, y}, [2]float64{x, y - 4}, [2]float64{x, y + 4})
					} else {
						p.line(clr, 1.4, nil, [2]float64{px(end), y - 4}, [2]float64{px(end), y + 4})
					}
				}
				if r.Raw != nil && !math.IsNaN(*r.Raw) {
					p.mark(cross, px(*r.Raw), y, 3, soft, false)
				}
				if !math.IsInf(r.Estimate, 0) {
					switch {
					case r.Muted:
						p.mark(disc, px(r.Estimate), y, 4.2, clr, true)
					case r.Within:
						p.mark(block, px(r.Estimate), y, 3.8, clr, false)
					default:
						p.mark(disc, px(r.Estimate), y, 4.2, clr, false)
					}
				}
			}
			p.keys(s, bot+bottom-4, keys)
		}
	}}
}

func orElse(s, def string) string {
	if s == "" {
		return def
	}
	return s
}

func clampTo(v, lo, hi float64) float64 { return math.Max(lo, math.Min(hi, v)) }
