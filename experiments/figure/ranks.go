package figure

import (
	"fmt"
	"math"
	"strings"
)

// RankRow is one line of [Ranks]: the rank of one ruleset under each agent.
type RankRow struct {
	Label string
	// Rank is its rank in each column, 1 the highest; NaN where it has none. Low and
	// High, if they have the same length, bound it.
	Rank, Low, High []float64
}

// Ranks draws how an order changes from column to column (agent to agent); between,
// if not empty, is written between neighbours (their rank correlation).
func Ranks(id, title string, columns []string, rows []RankRow, between []string) Figure {
	var d strings.Builder
	most := 1.0
	for _, r := range rows {
		fmt.Fprintf(&d, "%s:", r.Label)
		for i, v := range r.Rank {
			if i < len(columns) && !math.IsNaN(v) {
				most = math.Max(most, v)
				fmt.Fprintf(&d, " rank %g under %s;", v, columns[i])
			}
		}
		d.WriteString(" ")
	}
	for i, t := range between {
		if i+1 < len(columns) {
			fmt.Fprintf(&d, "Between %s and %s: %s. ", columns[i], columns[i+1], t)
		}
	}
	return Figure{ID: id, Title: title, Desc: strings.TrimSpace(d.String()), layout: func(s sheet) (float64, func(*pen)) {
		x0, x1, step := 34.0, s.width-190, 26.0
		if s.narrow {
			x1 = s.width - 34
		}
		const top = 46.0
		h := top + most*step + 8
		names := 0.0
		if s.narrow {
			names = 15 * float64(len(rows))
			h += names + 6
		}
		return h, func(p *pen) {
			px := func(i int) float64 {
				if len(columns) < 2 {
					return (x0 + x1) / 2
				}
				return x0 + float64(i)/float64(len(columns)-1)*(x1-x0)
			}
			py := func(v float64) float64 { return top + (v-0.5)*step }
			room := (x1 - x0) / math.Max(1, float64(len(columns)-1))
			for i, c := range columns {
				p.line(rule, 0.8, nil, [2]float64{px(i), top}, [2]float64{px(i), top + most*step})
				t := p.fit(c, 9, room-4, false)
				w := p.width(t, 9, false) / 2
				p.text(clampTo(px(i), w+2, s.width-w-2), 14, t, 9, centre, true, ink)
			}
			for i, t := range between {
				if i+1 < len(columns) {
					p.text((px(i)+px(i+1))/2, 32, p.fit(t, 9, room, false), 9, centre, false, soft)
				}
			}
			for k, r := range rows {
				c := palette(k)
				var line [][2]float64
				for i := range columns {
					if i < len(r.Rank) && !math.IsNaN(r.Rank[i]) {
						line = append(line, [2]float64{px(i), py(r.Rank[i])})
					}
				}
				if len(line) > 1 {
					p.line(c, 1.8, dashes[(k/6+k)%len(dashes)], line...)
				}
				for i := range columns {
					if i < len(r.Low) && i < len(r.High) && r.Low[i] < r.High[i] {
						x := px(i) + (float64(k%5)-2)*2.2
						p.line(c, 0.9, nil, [2]float64{x, py(r.Low[i])}, [2]float64{x, py(r.High[i])})
					}
				}
				for i, q := range line {
					p.circle(q[0], q[1], 8, c)
					p.circle(q[0], q[1], 6.8, white)
					text := fmt.Sprintf("%g", math.Round((q[1]-top)/step+0.5))
					if s.narrow {
						// Letters stand for the names, which follow below.
						text = letter(k)
					}
					p.text(q[0], q[1]+3.2, text, 9, centre, true, c)
					if i == len(line)-1 && !s.narrow {
						lines := p.wrap(r.Label, 9, s.width-q[0]-17, false, 2)
						for j, t := range lines {
							p.text(q[0]+13, q[1]+3.5+10*(float64(j)-float64(len(lines)-1)/2), t, 9, left, false, ink)
						}
					}
				}
			}
			if s.narrow {
				for v := 1.0; v <= most; v++ {
					p.text(margin+6, py(v)+3, fmt.Sprintf("%g", v), 9, right, false, soft)
				}
				for k, r := range rows {
					y := h - names + 15*float64(k)
					p.text(margin, y+8, letter(k), 9, left, true, palette(k))
					p.text(margin+16, y+8, p.fit(r.Label, 10, s.width-2*margin-16, false), 10, left, false, ink)
				}
			}
		}
	}}
}

// letter names the k-th row: A to Z, then AA and so on.
func letter(k int) string {
	if k >= 26 {
		return letter(k/26-1) + letter(k%26)
	}
	return string(rune('A' + k))
}
