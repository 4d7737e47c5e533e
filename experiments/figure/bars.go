package figure

import (
	"fmt"
	"image/color"
	"strings"
)

// OutcomeRow is one bar of [Outcomes]: shares that sum to 1.
type OutcomeRow struct {
	// Label names the row and Sub says under which agent, in smaller letters.
	Label, Sub string
	// Win, Draw, Loss and Capped are the first player's shares; N the games.
	Win, Draw, Loss, Capped float64
	N                       int
}

var outcomeColors = [4]color.RGBA{
	{0x1f, 0x5f, 0x99, 0xff}, // first player wins: blue
	{0xd5, 0xd5, 0xd5, 0xff}, // draw: light grey
	{0xd9, 0x7b, 0x29, 0xff}, // second player wins: orange
	{0x5e, 0x5e, 0x5e, 0xff}, // capped: dark grey
}

// Outcomes draws stacked bars of wins, draws, losses and capped games.
func Outcomes(id, title string, rows []OutcomeRow, names [4]string) Figure {
	const top, bottom, x0 = 30.0, 24.0, 160.0
	const x1 = Width - 24.0
	var d strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&d, "%s, %s: %s %.1f %%, %s %.1f %%, %s %.1f %%, %s %.1f %% of %d games. ", r.Label, r.Sub,
			names[0], 100*r.Win, names[1], 100*r.Draw, names[2], 100*r.Loss, names[3], 100*r.Capped, r.N)
	}
	labels := make([]rowLabel, len(rows))
	bot := top
	for i, r := range rows {
		labels[i] = labelOf(r.Label, r.Sub, x0-18, 34)
		bot += labels[i].height
	}
	h := bot + bottom
	return Figure{ID: id, Title: title, Desc: strings.TrimSpace(d.String()), Height: h, draw: func(p *pen) {
		x := 8.0
		for i, n := range names {
			p.rect(x, 7, 10, 10, outcomeColors[i])
			p.text(x+14, 16, n, 10, left, false, ink)
			x += 14 + p.width(n, 10, false) + 16
		}
		next := top
		for i, r := range rows {
			mid := next + labels[i].height/2
			next += labels[i].height
			y := mid - 16
			p.label(8, mid, labels[i])
			at := x0
			for k, v := range [4]float64{r.Win, r.Draw, r.Loss, r.Capped} {
				w := v * (x1 - x0)
				if w <= 0 {
					continue
				}
				p.rect(at, y+5, w, 22, outcomeColors[k])
				s := fmt.Sprintf("%.0f %%", 100*v)
				if p.width(s, 10, true) < w-4 {
					clr := white
					if k == 1 {
						clr = ink
					}
					if k == 2 {
						clr = ink
					}
					p.text(at+w/2, y+20, s, 10, centre, true, clr)
				}
				at += w
			}
			// White gaps keep neighbours apart without relying on colour.
			at = x0
			for _, v := range [3]float64{r.Win, r.Draw, r.Loss} {
				at += v * (x1 - x0)
				if at > x0+1 && at < x1-1 {
					p.line(white, 1, nil, [2]float64{at, y + 5}, [2]float64{at, y + 27})
				}
			}
		}
		y := bot
		for _, t := range ticks(0, 1, 4) {
			tx := x0 + t*(x1-x0)
			p.line(axisColor, 0.7, nil, [2]float64{tx, y}, [2]float64{tx, y + 4})
			p.text(tx, y+15, fmt.Sprintf("%.0f %%", 100*t), 9, centre, false, soft)
		}
	}}
}
