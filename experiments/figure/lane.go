package figure

import (
	"image/color"
	"math"
	"strings"
)

// laneText is what is written beside one row of a figure.
type laneText struct {
	// group, where it is not empty and not that of the row before, heads the row.
	group string
	// name and sub are the label and its detail; value stands at the right.
	name, sub, value string
}

// words names the row for readers who cannot see the figure.
func (t laneText) words() string {
	var parts []string
	for _, s := range []string{t.group, t.name, t.sub} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ", ")
}

// lane is the place of one row: on a wide sheet its label is left of the marks
// and its value right of them, on a narrow one both are above.
type lane struct {
	laneText
	head             []string
	names, subs      []string
	top, mid, bottom float64
	headY, headEnd   float64
	labelTop         float64
	valueY           float64
}

const (
	nameHeight = 13.0
	subHeight  = 11.0
	headHeight = 15.0
	margin     = 8.0
)

// lanes places rows under each other from top on; column is the width of the
// labels on a wide sheet, marks the height that the marks need. It returns the
// lower end.
func lanes(s sheet, top float64, texts []laneText, column, marks float64) ([]lane, float64) {
	p := newPen(nil, 0)
	out := make([]lane, len(texts))
	y := top
	group := ""
	for i, t := range texts {
		l := lane{laneText: t}
		width := column
		if s.narrow {
			width = s.width - 2*margin
		}
		if t.group != "" && t.group != group {
			l.head = p.wrap(t.group, 10, s.width-2*margin, true, 2)
			l.headY = y + 2
			y += headHeight*float64(len(l.head)) + 6
			l.headEnd = y
		}
		group = t.group
		l.names = p.wrap(t.name, 11, width, true, 3)
		if t.sub != "" {
			l.subs = p.wrap(t.sub, 9, width, false, 3)
		}
		text := nameHeight*float64(len(l.names)) + subHeight*float64(len(l.subs))
		l.top = y
		if len(l.head) > 0 {
			l.top = l.headY - 2
		}
		if s.narrow {
			l.labelTop = y + 3
			end := l.labelTop + text
			if t.value != "" {
				last := 0.0
				switch {
				case len(l.subs) > 0:
					last = p.width(l.subs[len(l.subs)-1], 9, false)
				default:
					last = p.width(l.names[len(l.names)-1], 11, true)
				}
				if last+p.width(t.value, 9, false)+10 > width {
					end += subHeight
				}
				l.valueY = end - 2
			}
			l.mid = end + 4 + marks/2
			l.bottom = end + 4 + marks + 5
		} else {
			h := math.Max(marks+10, text+8)
			l.mid = y + h/2
			l.bottom = y + h
			l.labelTop = l.mid - text/2
			l.valueY = l.mid + 4
		}
		y = l.bottom
		out[i] = l
	}
	return out, y
}

// lane writes a row's texts, and a line between it and the row before.
func (p *pen) lane(s sheet, l lane, first bool) {
	if len(l.head) > 0 {
		y := l.headY
		// Nothing of the figure's ground shows through the heading.
		p.rect(0, l.top, s.width, l.headEnd-l.top-4, white)
		for _, t := range l.head {
			y += headHeight
			p.text(margin, y-3, t, 10, left, true, palette(0))
		}
		p.line(axisColor, 0.8, nil, [2]float64{margin, y + 1}, [2]float64{s.width - margin, y + 1})
	} else if !first {
		p.line(rule, 0.5, nil, [2]float64{margin, l.top}, [2]float64{s.width - margin, l.top})
	}
	y := l.labelTop
	for _, t := range l.names {
		y += nameHeight
		p.text(margin, y-2.5, t, 11, left, true, ink)
	}
	for _, t := range l.subs {
		y += subHeight
		p.text(margin, y-1.5, t, 9, left, false, soft)
	}
	if l.value != "" {
		p.text(s.width-margin, l.valueY, l.value, 9, right, false, ink)
	}
}

// key is a legend: marks with words, flowing over lines.
type key struct {
	words string
	// draw draws the mark in a box 14 wide around (x, y).
	draw func(p *pen, x, y float64)
}

const keyHeight = 15.0

// keyPlaces lays a legend out from the left margin on: the place of each item
// relative to the legend's top, and the legend's height.
func keyPlaces(s sheet, keys []key) ([][2]float64, float64) {
	if len(keys) == 0 {
		return nil, 0
	}
	p := newPen(nil, 0)
	x, y := margin, 0.0
	var at [][2]float64
	for _, k := range keys {
		w := 20 + math.Min(p.width(k.words, 10, false), s.width-2*margin-20)
		if x > margin && x+w > s.width-margin {
			x, y = margin, y+keyHeight
		}
		at = append(at, [2]float64{x, y})
		x += w + 14
	}
	return at, y + keyHeight
}

func (p *pen) keys(s sheet, top float64, keys []key) {
	at, _ := keyPlaces(s, keys)
	for i, k := range keys {
		x, y := at[i][0], top+at[i][1]
		k.draw(p, x+7, y+7)
		p.text(x+20, y+10.5, p.fit(k.words, 10, s.width-margin-20-x, false), 10, left, false, ink)
	}
}

// shape is the form of a mark, so that series differ by more than colour.
type shape int

const (
	disc shape = iota // a disc
	block
	triangle
	diamond
	cross
	down
)

// mark draws a filled shape, or only its outline.
func (p *pen) mark(s shape, x, y, r float64, clr color.Color, hollow bool) {
	switch s {
	case disc:
		p.circle(x, y, r, clr)
		if hollow {
			p.circle(x, y, r-1.5, white)
		}
		return
	case cross:
		p.line(clr, 1.8, nil, [2]float64{x - r, y - r}, [2]float64{x + r, y + r})
		p.line(clr, 1.8, nil, [2]float64{x - r, y + r}, [2]float64{x + r, y - r})
		return
	}
	var pts [][2]float64
	switch s {
	case block:
		pts = [][2]float64{{x - r, y - r}, {x + r, y - r}, {x + r, y + r}, {x - r, y + r}}
	case triangle:
		pts = [][2]float64{{x, y - 1.2*r}, {x + 1.1*r, y + 0.9*r}, {x - 1.1*r, y + 0.9*r}}
	case down:
		pts = [][2]float64{{x, y + 1.2*r}, {x + 1.1*r, y - 0.9*r}, {x - 1.1*r, y - 0.9*r}}
	case diamond:
		pts = [][2]float64{{x, y - 1.3*r}, {x + 1.3*r, y}, {x, y + 1.3*r}, {x - 1.3*r, y}}
	}
	if hollow {
		p.polygon(white, pts...)
		p.line(clr, 1.5, nil, append(pts, pts[0])...)
		return
	}
	p.polygon(clr, pts...)
}

// hatch draws slanted lines over a rectangle.
func (p *pen) hatch(x, y, w, h float64, clr color.Color, step float64) {
	for c := step / 2; c < w+h; c += step {
		// The line from (x, y+c) to (x+c, y), cut to the rectangle.
		x0, y0 := x, y+c
		if c > h {
			x0, y0 = x+c-h, y+h
		}
		x1, y1 := x+c, y
		if c > w {
			x1, y1 = x+w, y+c-w
		}
		p.line(clr, 0.9, nil, [2]float64{x0, y0}, [2]float64{x1, y1})
	}
}
