package figure

import (
	"fmt"
	"image/color"
	"math"
	"strings"
)

// Board is the traffic of one ruleset's board.
type Board struct {
	// Name and Sub are the heading and its detail.
	Name, Sub  string
	Rows, Cols int
	// Counts holds a count a square, row 0 (the first player's side, drawn at the
	// bottom) first, row by row.
	Counts []uint64
}

// Boards draws heat maps: each square's share of the arrivals relative to an
// even spread over the board (1 = the average square).
func Boards(id, title string, boards []Board) Figure {
	relative := func(b Board) []float64 {
		var sum uint64
		for _, v := range b.Counts {
			sum += v
		}
		out := make([]float64, len(b.Counts))
		for i, v := range b.Counts {
			if sum > 0 {
				out[i] = float64(v) * float64(len(b.Counts)) / float64(sum)
			}
		}
		return out
	}
	// One scale for all boards, so that they can be compared.
	peak := 1.2
	var d strings.Builder
	for _, b := range boards {
		r := relative(b)
		hi, lo := 0, 0
		for i, v := range r {
			peak = math.Max(peak, v)
			if v > r[hi] {
				hi = i
			}
			if v < r[lo] {
				lo = i
			}
		}
		if len(r) > 0 {
			fmt.Fprintf(&d, "%s, %s: most arrivals on %s (%.2f times the average square), fewest on %s (%.2f). ", b.Name, b.Sub,
				square(hi, b.Cols), r[hi], square(lo, b.Cols), r[lo])
		}
	}
	shade := func(v float64) color.RGBA {
		// White at none, over sand, to a dark brown at the peak: monotone in lightness.
		t := clampTo(v/peak, 0, 1)
		mix := func(a, b uint8, t float64) uint8 { return uint8(math.Round(float64(a) + (float64(b)-float64(a))*t)) }
		return color.RGBA{mix(0xff, 0x5a, t), mix(0xfb, 0x24, t), mix(0xf2, 0x0c, t), 0xff}
	}
	return Figure{ID: id, Title: title, Desc: strings.TrimSpace(d.String()), layout: func(s sheet) (float64, func(*pen)) {
		const gap, headH = 18.0, 34.0
		perRow := 2
		if s.narrow {
			perRow = 1
		}
		slot := (s.width - 16 - gap*float64(perRow-1)) / float64(perRow)
		cell := 28.0
		for _, b := range boards {
			cell = math.Min(cell, (slot-16)/float64(max(1, b.Cols)))
		}
		var heights []float64
		total := 8.0
		for i := 0; i < len(boards); i += perRow {
			h := 0.0
			for _, b := range boards[i:min(i+perRow, len(boards))] {
				h = math.Max(h, headH+float64(b.Rows)*cell+30)
			}
			heights = append(heights, h)
			total += h
		}
		total += 34
		if s.narrow {
			total += 14
		}
		return total, func(p *pen) {
			y := 8.0
			for i, b := range boards {
				col := i % perRow
				if i > 0 && col == 0 {
					y += heights[i/perRow-1]
				}
				x := 8 + float64(col)*(slot+gap)
				p.text(x, y+11, p.fit(b.Name, 11, slot, true), 11, left, true, ink)
				p.text(x, y+23, p.fit(b.Sub, 9, slot, false), 9, left, false, soft)
				bx, by := x+16, y+headH
				r := relative(b)
				for k, v := range r {
					row, c := k/b.Cols, k%b.Cols
					sx, sy := bx+float64(c)*cell, by+float64(b.Rows-1-row)*cell
					bg := shade(v)
					p.rect(sx, sy, cell, cell, bg)
					p.frame(sx, sy, cell, cell, white, 0.8)
					// Where the letters would be too small the table has the numbers.
					if cell >= 15 {
						p.text(sx+cell/2, sy+cell/2+3, fmt.Sprintf("%.1f", v), 9, centre, false, legible(bg))
					}
				}
				for c := range b.Cols {
					p.text(bx+(float64(c)+0.5)*cell, by+float64(b.Rows)*cell+11, string(rune('a'+c)), 9, centre, false, soft)
				}
				for row := range b.Rows {
					p.text(bx-4, by+(float64(b.Rows-1-row)+0.5)*cell+3, fmt.Sprint(row+1), 9, right, false, soft)
				}
			}
			const words = "arrivals, times the average square:"
			ky := total - 26
			kx, wy, step := 14+p.width(words, 9, false), ky+10, 30.0
			if s.narrow {
				kx, wy, step = 8, ky-4, (s.width-16)/9
			}
			p.text(8, wy, words, 9, left, false, soft)
			for k := 0; k <= 8; k++ {
				v := peak * float64(k) / 8
				p.rect(kx+float64(k)*step, ky, step, 15, shade(v))
				p.text(kx+float64(k)*step+step/2, ky+11, fmt.Sprintf("%.1f", v), 9, centre, false, legible(shade(v)))
			}
			p.frame(kx, ky, 9*step, 15, axisColor, 0.6)
		}
	}}
}

// legible is ink or white, whichever has the greater contrast on the background
// (ratio of relative luminances, WCAG 2).
func legible(bg color.RGBA) color.RGBA {
	lum := func(c color.RGBA) float64 {
		lin := func(v uint8) float64 {
			x := float64(v) / 255
			if x <= 0.04045 {
				return x / 12.92
			}
			return math.Pow((x+0.055)/1.055, 2.4)
		}
		return 0.2126*lin(c.R) + 0.7152*lin(c.G) + 0.0722*lin(c.B) + 0.05
	}
	if lum(bg)/lum(ink) >= lum(white)/lum(bg) {
		return ink
	}
	return white
}

func square(i, cols int) string { return fmt.Sprintf("%c%d", 'a'+i%cols, i/cols+1) }

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
		const top, bottom, marks = 10.0, 36.0, 20.0
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
