package figure

import (
	"fmt"
	"image/color"
	"math"
	"strings"
)

// HeatMap is one small board: its squares, or the lines between them, shaded by how much
// happens there.
type HeatMap struct {
	// Title heads the panel.
	Title      string
	Rows, Cols int
	// Squares holds a value a square, row 0 (drawn at the bottom) first, row by row, as
	// multiples of the average square; NaN for a square of which nothing is known. Empty
	// in a panel of lines.
	Squares []float64
	// Lines are the lines between squares, in multiples of the average line.
	Lines []HeatLine
	// Empty is written in place of a board without any count, as "no placements".
	Empty string
}

// HeatLine is a line between the centres of two squares (row·Cols+col).
type HeatLine struct {
	A, B int
	V    float64
}

// HeatGroup is a row of panels with a heading: those of one ruleset.
type HeatGroup struct {
	Name, Sub string
	Panels    []HeatMap
}

// heatPeak is the multiple of the average at which the shade is darkest: a common scale
// for all panels that a single crowded square does not wash out.
const heatPeak = 3.0

// heat is white at none, over sand, to a dark brown at t = 1: monotone in lightness.
func heat(t float64) color.RGBA {
	t = clampTo(t, 0, 1)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + (float64(b)-float64(a))*t)) }
	return color.RGBA{mix(0xff, 0x5a), mix(0xfb, 0x24), mix(0xf2, 0x0c), 0xff}
}

// HeatMaps draws groups of small boards side by side, up to four a row on a wide page and two on
// a narrow one. All share one scale: white is none, the darkest shade three times the
// average of the panel, or more. words say what the numbers of the scale mean.
func HeatMaps(id, title, words string, groups []HeatGroup) Figure {
	var d strings.Builder
	for _, g := range groups {
		for _, p := range g.Panels {
			d.WriteString(joinWords(g.Name, g.Sub, p.Title) + ": " + p.words() + " ")
		}
	}
	return Figure{ID: id, Title: title, Desc: strings.TrimSpace(d.String()), layout: func(s sheet) (float64, func(*pen)) {
		const gap, headH, titleH, footH = 14.0, 32.0, 14.0, 20.0
		perRow := 2
		for _, g := range groups {
			perRow = min(4, max(perRow, len(g.Panels)))
		}
		if s.narrow {
			perRow = 2
		}
		slot := (s.width - 16 - gap*float64(perRow-1)) / float64(perRow)
		size := func(p HeatMap) float64 { return math.Min(24, (slot-12)/float64(max(1, p.Cols))) }
		line := func(ps []HeatMap) float64 {
			h := 0.0
			for _, p := range ps {
				h = math.Max(h, titleH+float64(p.Rows)*size(p)+footH)
			}
			return h
		}
		total := 6.0
		for _, g := range groups {
			total += headH
			for i := 0; i < len(g.Panels); i += perRow {
				total += line(g.Panels[i:min(i+perRow, len(g.Panels))])
			}
		}
		total += 36
		if s.narrow {
			total += 14
		}
		return total, func(p *pen) {
			y := 6.0
			for _, g := range groups {
				p.text(8, y+11, p.fit(g.Name, 11, s.width-16, true), 11, left, true, ink)
				p.text(8, y+23, p.fit(g.Sub, 9, s.width-16, false), 9, left, false, soft)
				y += headH
				for i := 0; i < len(g.Panels); i += perRow {
					ps := g.Panels[i:min(i+perRow, len(g.Panels))]
					for k, b := range ps {
						p.board(8+float64(k)*(slot+gap), y, slot, titleH, size(b), b)
					}
					y += line(ps)
				}
			}
			ky := total - 26
			const steps = 7
			kx, wy, step := 14+p.width(words, 9, false), ky+10, 30.0
			if s.narrow || kx+steps*step > s.width-8 {
				kx, wy, step = 8, ky-4, (s.width-16)/steps
			}
			p.text(8, wy, p.fit(words, 9, s.width-16, false), 9, left, false, soft)
			for k := range steps {
				t := float64(k) / (steps - 1)
				p.rect(kx+float64(k)*step, ky, step, 15, heat(t))
				label := fmt.Sprintf("%.1f", heatPeak*t)
				if k == steps-1 {
					label += "+"
				}
				p.text(kx+float64(k)*step+step/2, ky+11, label, 9, centre, false, legible(heat(t)))
			}
			p.frame(kx, ky, steps*step, 15, axisColor, 0.6)
		}
	}}
}

func joinWords(parts ...string) string {
	var out []string
	for _, s := range parts {
		if s != "" {
			out = append(out, s)
		}
	}
	return strings.Join(out, ", ")
}

// words say what stands out in the panel, for readers who cannot see it.
func (b HeatMap) words() string {
	if b.Empty != "" {
		return b.Empty + "."
	}
	if len(b.Lines) > 0 {
		hi := 0
		for i, l := range b.Lines {
			if l.V > b.Lines[hi].V {
				hi = i
			}
		}
		l := b.Lines[hi]
		return fmt.Sprintf("most between %s and %s (%.2f times the average line).", square(l.A, b.Cols), square(l.B, b.Cols), l.V)
	}
	hi := -1
	for i, v := range b.Squares {
		if !math.IsNaN(v) && (hi < 0 || v > b.Squares[hi]) {
			hi = i
		}
	}
	if hi < 0 {
		return "nothing."
	}
	return fmt.Sprintf("most on %s (%.2f times the average square).", square(hi, b.Cols), b.Squares[hi])
}

// board draws one panel into a slot that begins at (x, y).
func (p *pen) board(x, y, slot, titleH, cell float64, b HeatMap) {
	p.text(x+12, y+9, p.fit(b.Title, 9, slot-12, false), 9, left, false, ink)
	bx, by := x+12, y+titleH
	w, h := cell*float64(b.Cols), cell*float64(b.Rows)
	at := func(sq int) (float64, float64) {
		return bx + (float64(sq%b.Cols)+0.5)*cell, by + (float64(b.Rows-1-sq/b.Cols)+0.5)*cell
	}
	if b.Empty != "" {
		p.frame(bx, by, w, h, axisColor, 0.6)
		for i, l := range p.wrap(b.Empty, 9, w-6, false, 3) {
			p.text(bx+w/2, by+h/2+float64(i)*11, l, 9, centre, false, soft)
		}
		return
	}
	for k, v := range b.Squares {
		cx, cy := at(k)
		if math.IsNaN(v) {
			p.line(axisColor, 0.8, nil, [2]float64{cx - cell/5, cy - cell/5}, [2]float64{cx + cell/5, cy + cell/5})
			p.line(axisColor, 0.8, nil, [2]float64{cx - cell/5, cy + cell/5}, [2]float64{cx + cell/5, cy - cell/5})
			continue
		}
		p.rect(cx-cell/2+0.3, cy-cell/2+0.3, cell-0.6, cell-0.6, heat(v/heatPeak))
	}
	for _, l := range b.Lines {
		x0, y0 := at(l.A)
		x1, y1 := at(l.B)
		if math.IsNaN(l.V) {
			p.line(axisColor, 0.6, []float64{1.5, 2}, [2]float64{x0, y0}, [2]float64{x1, y1})
			continue
		}
		t := clampTo(l.V/heatPeak, 0, 1)
		p.line(heat(0.15+0.85*t), 0.5+t*math.Min(6, cell*0.4), nil, [2]float64{x0, y0}, [2]float64{x1, y1})
	}
	p.frame(bx, by, w, h, axisColor, 0.6)
	every := 1
	for float64(every)*cell < 10 {
		every++
	}
	for c := 0; c < b.Cols; c += every {
		p.text(bx+(float64(c)+0.5)*cell, by+h+10, string(rune('a'+c)), 9, centre, false, soft)
	}
	for r := 0; r < b.Rows; r += every {
		p.text(bx-2, by+(float64(b.Rows-1-r)+0.5)*cell+3, fmt.Sprint(r+1), 9, right, false, soft)
	}
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
