package figure

import (
	"fmt"
	"image/color"
	"strings"
)

// OutcomeRow is one bar of [Outcomes]: shares that sum to 1.
type OutcomeRow struct {
	// Group, where it differs from that of the row before, heads the row; Label names
	// it and Sub details it, in smaller letters.
	Group, Label, Sub string
	// Win, Draw, Loss and Capped are the first player's shares; N the games.
	Win, Draw, Loss, Capped float64
	N                       int
	// WinInterval and LossInterval, if not nil, are the intervals of these two
	// shares, drawn where the shares end.
	WinInterval, LossInterval *[2]float64
}

// outcomeColors are those of wins, draws, losses and capped games, in every figure
// that shows them. They differ in lightness too, and capped games are hatched.
var outcomeColors = [4]color.RGBA{
	{0x1f, 0x5f, 0x99, 0xff}, // first player wins: dark blue
	{0xdc, 0xdc, 0xdc, 0xff}, // draw: light grey
	{0xe0, 0x8a, 0x3c, 0xff}, // second player wins: orange
	{0x7d, 0x7d, 0x7d, 0xff}, // capped: grey, hatched
}

// outcome fills a rectangle with the look of the k-th outcome.
func (p *pen) outcome(k int, x, y, w, h float64) {
	p.rect(x, y, w, h, outcomeColors[k])
	if k == 3 {
		p.hatch(x, y, w, h, white, 5)
	}
}

func outcomeKeys(names [4]string, order [4]int) []key {
	var out []key
	for _, k := range order {
		out = append(out, key{names[k], func(p *pen, x, y float64) { p.outcome(k, x-6, y-5, 12, 10) }})
	}
	return out
}

// Outcomes draws stacked bars of wins, draws, capped games and losses, in this
// order from the left, so that the two players' shares each have an end of the bar
// to be measured from. names are those of wins, draws, losses and capped games.
func Outcomes(id, title string, rows []OutcomeRow, names [4]string) Figure {
	var d strings.Builder
	texts := make([]laneText, len(rows))
	bars := false
	for i, r := range rows {
		texts[i] = laneText{group: r.Group, name: r.Label, sub: r.Sub}
		fmt.Fprintf(&d, "%s: %s %.1f %%, %s %.1f %%, %s %.1f %%, %s %.1f %% of %d games. ", texts[i].words(),
			names[0], 100*r.Win, names[1], 100*r.Draw, names[2], 100*r.Loss, names[3], 100*r.Capped, r.N)
		bars = bars || r.WinInterval != nil || r.LossInterval != nil
	}
	order := [4]int{0, 1, 3, 2}
	keys := outcomeKeys(names, order)
	if bars {
		keys = append(keys, key{"interval", func(p *pen, x, y float64) { p.whisker(x-6, x+6, y, 4) }})
	}
	return Figure{ID: id, Title: title, Desc: strings.TrimSpace(d.String()), layout: func(s sheet) (float64, func(*pen)) {
		const marks = 24.0
		_, top := keyPlaces(s, keys)
		top += 10
		x0, x1 := 160.0, s.width-24
		if s.narrow {
			x0, x1 = 16, s.width-16
		}
		ls, bot := lanes(s, top, texts, x0-18, marks)
		return bot + 24, func(p *pen) {
			p.keys(s, 3, keys)
			for i, r := range rows {
				l := ls[i]
				p.lane(s, l, i == 0)
				y := l.mid - marks/2
				share := [4]float64{r.Win, r.Draw, r.Loss, r.Capped}
				at := x0
				for _, k := range order {
					w := share[k] * (x1 - x0)
					if !(w > 0) {
						continue
					}
					p.outcome(k, at, y, w, marks)
					if at > x0+0.5 {
						// White gaps keep neighbours apart without relying on colour.
						p.line(white, 1.2, nil, [2]float64{at, y}, [2]float64{at, y + marks})
					}
					at += w
				}
				at = x0
				for _, k := range order {
					w := share[k] * (x1 - x0)
					if t := fmt.Sprintf("%.0f %%", 100*share[k]); w > 0 && p.width(t, 10, true) < w-6 {
						clr := ink
						if k == 0 {
							clr = white
						}
						tw, tx := p.width(t, 10, true), at+w/2
						if k == 3 {
							p.rect(tx-tw/2-2, y+7, tw+4, marks-14, outcomeColors[1])
						}
						p.text(tx, y+marks/2+3.5, t, 10, centre, true, clr)
					}
					at += w
				}
				if iv := r.WinInterval; iv != nil {
					p.whisker(x0+clampTo(iv[0], 0, 1)*(x1-x0), x0+clampTo(iv[1], 0, 1)*(x1-x0), y+marks-4.5, 3)
				}
				if iv := r.LossInterval; iv != nil {
					p.whisker(x1-clampTo(iv[1], 0, 1)*(x1-x0), x1-clampTo(iv[0], 0, 1)*(x1-x0), y+4.5, 3)
				}
			}
			for _, t := range ticks(0, 1, 4) {
				tx := x0 + t*(x1-x0)
				p.line(axisColor, 0.7, nil, [2]float64{tx, bot}, [2]float64{tx, bot + 4})
				p.text(tx, bot+15, fmt.Sprintf("%.0f %%", 100*t), 9, centre, false, soft)
			}
		}
	}}
}

// whisker draws an interval in black on a white ground, so that it shows on any
// colour.
func (p *pen) whisker(x0, x1, y, r float64) {
	for _, look := range []struct {
		clr   color.RGBA
		width float64
	}{{white, 3.4}, {ink, 1.3}} {
		p.line(look.clr, look.width, nil, [2]float64{x0, y}, [2]float64{x1, y})
		p.line(look.clr, look.width, nil, [2]float64{x0, y - r}, [2]float64{x0, y + r})
		p.line(look.clr, look.width, nil, [2]float64{x1, y - r}, [2]float64{x1, y + r})
	}
}
