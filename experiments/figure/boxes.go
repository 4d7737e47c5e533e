package figure

import (
	"fmt"
	"image/color"

	"math"
	"strings"
)

// BoxRow is one distribution of [Boxes].
type BoxRow struct {
	// Group, where it differs from that of the row before, heads the row.
	Group, Label, Sub string
	// Q holds the 10, 25, 50, 75 and 90 % quantiles; NaN beyond the cap.
	Q [5]float64
	// Text is written at the right.
	Text string
}

// Boxes draws the middle half of each distribution as a box, the median as a
// line, and the 10 and 90 % quantiles as whiskers; parts beyond the cap are open.
func Boxes(id, title, unit string, rows []BoxRow, cut float64) Figure {
	hi := 0.0
	open := false
	var d strings.Builder
	texts := make([]laneText, len(rows))
	for i, r := range rows {
		for _, v := range r.Q {
			if math.IsNaN(v) {
				open = true
			} else {
				hi = math.Max(hi, v)
			}
		}
		texts[i] = laneText{group: r.Group, name: r.Label, sub: r.Sub, value: r.Text}
		fmt.Fprintf(&d, "%s: %s. ", texts[i].words(), r.Text)
	}
	if open {
		hi = math.Max(hi, cut)
	}
	hi = math.Max(hi*1.04, 1)
	return Figure{ID: id, Title: title, Desc: strings.TrimSpace(d.String()), layout: func(s sheet) (float64, func(*pen)) {
		const top, bottom, marks = 10.0, 36.0, 16.0
		x0, x1 := 166.0, s.width-110
		if s.narrow {
			x0, x1 = 16, s.width-16
		}
		ls, bot := lanes(s, top, texts, x0-26, marks)
		return bot + bottom, func(p *pen) {
			px := func(v float64) float64 {
				if math.IsNaN(v) {
					v = cut
				}
				return x0 + v/hi*(x1-x0)
			}
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
			for _, t := range ticks(0, hi, 5) {
				for _, g := range ground {
					p.line(rule, 0.6, nil, [2]float64{px(t), g[0]}, [2]float64{px(t), g[1]})
				}
				p.text(px(t), bot+13, fmt.Sprintf("%.6g", t), 9, centre, false, soft)
			}
			p.text(x1, bot+27, unit, 10, right, false, ink)
			if open {
				for _, g := range ground {
					p.line(soft, 0.9, []float64{3, 3}, [2]float64{px(cut), g[0]}, [2]float64{px(cut), g[1]})
				}
			}
			for i, r := range rows {
				y := ls[i].mid
				p.lane(s, ls[i], i == 0)
				c := palette(0)
				light := color.RGBA{0xc9, 0xdb, 0xea, 0xff}
				p.line(c, 1.4, nil, [2]float64{px(r.Q[0]), y}, [2]float64{px(r.Q[4]), y})
				p.rect(px(r.Q[1]), y-8, px(r.Q[3])-px(r.Q[1]), 16, light)
				p.frame(px(r.Q[1]), y-8, px(r.Q[3])-px(r.Q[1]), 16, c, 1.1)
				p.line(c, 2.6, nil, [2]float64{px(r.Q[2]), y - 8}, [2]float64{px(r.Q[2]), y + 8})
				for _, q := range []float64{r.Q[0], r.Q[4]} {
					p.line(c, 1.2, nil, [2]float64{px(q), y - 4}, [2]float64{px(q), y + 4})
				}
			}
		}
	}}
}
