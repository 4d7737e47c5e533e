package figure

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"math"
	"regexp"
	"strconv"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Width is the width of a figure's file and of its drawing for wide pages, in
// points. NarrowWidth is that of the second drawing, for a phone: a page of 360
// pixels shows it about 1.2 times enlarged, so that its smallest letters are
// between nine and ten pixels high.
const (
	Width       = 520
	NarrowWidth = 270
)

// Figure is one drawing.
type Figure struct {
	// ID names the figure's files and anchors: lower-case letters, digits, '-'.
	ID string
	// Title and Desc are for readers who cannot see it, and for the page.
	Title, Desc string

	layout layout
}

// layout places a figure on a sheet: its height, and what draws it.
type layout func(s sheet) (height float64, draw func(*pen))

// sheet is what a figure is laid out for.
type sheet struct {
	width  float64
	narrow bool
}

var (
	wide  = sheet{Width, false}
	small = sheet{NarrowWidth, true}
)

const fontFamily = "'Liberation Sans',Arial,Helvetica,sans-serif"

// Colours of the figures; text is nearly black on white.
var (
	ink       = color.RGBA{0x1c, 0x1c, 0x1c, 0xff}
	soft      = color.RGBA{0x59, 0x59, 0x59, 0xff}
	rule      = color.RGBA{0xdd, 0xdd, 0xdd, 0xff}
	axisColor = color.RGBA{0x99, 0x99, 0x99, 0xff}
	bandColor = color.RGBA{0xe9, 0xef, 0xe4, 0xff}
	white     = color.RGBA{0xff, 0xff, 0xff, 0xff}
)

// palette tells series apart: blue, orange, green, pink, brown, teal. It follows
// the Okabe–Ito set, darkened for contrast on white.
func palette(i int) color.RGBA {
	p := [...]color.RGBA{
		{0x1f, 0x5f, 0x99, 0xff}, {0xc4, 0x5a, 0x11, 0xff}, {0x1b, 0x7f, 0x5c, 0xff},
		{0xc0, 0x6a, 0x9c, 0xff}, {0x7a, 0x5c, 0x2e, 0xff}, {0x2a, 0x8a, 0x9e, 0xff},
	}
	return p[i%len(p)]
}

// SVG is the figure as an SVG file.
func (f Figure) SVG() []byte {
	var b bytes.Buffer
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n")
	b.WriteString(f.svg(wide, func(h float64) string {
		return fmt.Sprintf(`xmlns="http://www.w3.org/2000/svg" width="%dpt" height="%gpt"`, Width, round(h))
	}))
	return b.Bytes()
}

// Inline is the figure as two <svg> elements for an HTML page, of the classes
// "figure wide" and "figure narrow". The page shows one of them, by its width;
// both hold the same data.
func (f Figure) Inline() string {
	class := func(name string) func(float64) string {
		return func(float64) string { return `class="figure ` + name + `"` }
	}
	return f.svg(wide, class("wide")) + f.svg(small, class("narrow"))
}

func (f Figure) svg(sh sheet, attributes func(height float64) string) string {
	h, draw := f.layout(sh)
	c := vgsvg.NewWith(vgsvg.UseWH(vg.Points(sh.width), vg.Points(h)))
	draw(newPen(c, h))
	var raw bytes.Buffer
	if _, err := c.WriteTo(&raw); err != nil {
		panic("figure: writing to memory failed: " + err.Error())
	}
	// vgsvg's prelude fixes the size in points and names a font that few readers
	// have; the drawing between the outer tags is kept.
	s := raw.String()
	s = s[strings.Index(s, "<svg"):]
	s = s[strings.Index(s, ">")+1:]
	s = strings.ReplaceAll(s, "font-family:Liberation Sans;", "font-family:"+fontFamily+";")
	s = strings.ReplaceAll(s, "font-variant:normal;", "")
	s = strings.ReplaceAll(s, "font-style:normal;", "")
	s = fitText(s)
	// What all texts share stands once, at the root.
	s = strings.ReplaceAll(s, "\n\tstyle=\"font-family:"+fontFamily+";", " style=\"")
	s = strings.ReplaceAll(s, "font-weight:normal;", "")
	id := f.ID
	if sh.narrow {
		id += "-n"
	}
	head := fmt.Sprintf(`<svg %s viewBox="0 0 %g %g" style="font-family:%s" role="img" aria-labelledby="%s-t %s-d"><title id="%s-t">%s</title><desc id="%s-d">%s</desc>`,
		attributes(h), sh.width, round(h), fontFamily, id, id, id, html.EscapeString(f.Title), id, html.EscapeString(f.Desc))
	return head + s
}

var textPattern = regexp.MustCompile(`<text ([^>]*font-weight:(\w+);[^>]*font-size:([\d.]+)px[^>]*)>([^<]*)</text>`)

// fitText gives every text the length it was laid out with, so that a reader's
// font of other widths changes its look but not the figure's arrangement.
func fitText(svg string) string {
	p := newPen(nil, 0)
	return textPattern.ReplaceAllStringFunc(svg, func(t string) string {
		m := textPattern.FindStringSubmatch(t)
		size, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			return t
		}
		w := p.width(html.UnescapeString(m[4]), size, m[2] == "bold")
		return fmt.Sprintf(`<text %s textLength="%g" lengthAdjust="spacingAndGlyphs">%s</text>`, m[1], round(w), m[4])
	})
}

// pen draws with the origin at the top left and y growing downwards.
type pen struct {
	c     vg.Canvas
	h     float64
	cache *font.Cache
}

func newPen(c vg.Canvas, h float64) *pen {
	return &pen{c, h, font.NewCache(liberation.Collection())}
}

func (p *pen) at(x, y float64) vg.Point {
	return vg.Point{X: vg.Points(round(x)), Y: vg.Points(round(p.h - y))}
}

// round keeps two decimals, so that files stay small and do not depend on the
// last bits of a machine's arithmetic.
func round(x float64) float64 { return math.Round(x*100) / 100 }

func (p *pen) polygon(fill color.Color, pts ...[2]float64) {
	var path vg.Path
	for i, q := range pts {
		if i == 0 {
			path.Move(p.at(q[0], q[1]))
		} else {
			path.Line(p.at(q[0], q[1]))
		}
	}
	path.Close()
	p.c.SetColor(fill)
	p.c.Fill(path)
}

func (p *pen) rect(x, y, w, h float64, fill color.Color) {
	p.polygon(fill, [2]float64{x, y}, [2]float64{x + w, y}, [2]float64{x + w, y + h}, [2]float64{x, y + h})
}

func (p *pen) line(clr color.Color, width float64, dash []float64, pts ...[2]float64) {
	var path vg.Path
	for i, q := range pts {
		if i == 0 {
			path.Move(p.at(q[0], q[1]))
		} else {
			path.Line(p.at(q[0], q[1]))
		}
	}
	var d []vg.Length
	for _, v := range dash {
		d = append(d, vg.Points(v))
	}
	p.c.SetColor(clr)
	p.c.SetLineWidth(vg.Points(width))
	p.c.SetLineDash(d, 0)
	p.c.Stroke(path)
	p.c.SetLineDash(nil, 0)
}

func (p *pen) frame(x, y, w, h float64, clr color.Color, width float64) {
	p.line(clr, width, nil, [2]float64{x, y}, [2]float64{x + w, y}, [2]float64{x + w, y + h}, [2]float64{x, y + h}, [2]float64{x, y})
}

func (p *pen) circle(x, y, r float64, fill color.Color) {
	var path vg.Path
	path.Move(p.at(x+r, y))
	path.Arc(p.at(x, y), vg.Points(r), 0, 2*math.Pi)
	path.Close()
	p.c.SetColor(fill)
	p.c.Fill(path)
}

type align int

const (
	left align = iota
	centre
	right
)

func (p *pen) face(size float64, bold bool) font.Face {
	f := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if bold {
		f.Weight = xfont.WeightBold
	}
	return p.cache.Lookup(f, vg.Points(size))
}

func (p *pen) width(s string, size float64, bold bool) float64 {
	f := p.face(size, bold)
	return f.Width(s).Points()
}

// text writes s with its baseline at y.
func (p *pen) text(x, y float64, s string, size float64, a align, bold bool, clr color.Color) {
	face := p.face(size, bold)
	w := face.Width(s).Points()
	switch a {
	case centre:
		x -= w / 2
	case right:
		x -= w
	}
	p.c.SetColor(clr)
	p.c.FillString(face, p.at(x, y), s)
}

// fit shortens s to the width with an ellipsis.
func (p *pen) fit(s string, size, width float64, bold bool) string {
	if p.width(s, size, bold) <= width {
		return s
	}
	r := []rune(s)
	for len(r) > 1 && p.width(string(r)+"…", size, bold) > width {
		r = r[:len(r)-1]
	}
	return string(r) + "…"
}

// wrap breaks s at spaces into at most n lines of the width; the last is shortened
// if it must be.
func (p *pen) wrap(s string, size, width float64, bold bool, n int) []string {
	var out []string
	line := ""
	words := strings.Fields(s)
	for i, w := range words {
		next := w
		if line != "" {
			next = line + " " + w
		}
		if line == "" || p.width(next, size, bold) <= width {
			line = next
			continue
		}
		if len(out) == n-1 {
			line = strings.Join(append([]string{line}, words[i:]...), " ")
			break
		}
		out = append(out, p.fit(line, size, width, bold))
		line = w
	}
	return append(out, p.fit(line, size, width, bold))
}

// ticks gives about n round numbers in [lo, hi].
func ticks(lo, hi float64, n int) []float64 {
	if !(hi > lo) {
		return []float64{lo}
	}
	raw := (hi - lo) / float64(n)
	mag := math.Pow(10, math.Floor(math.Log10(raw)))
	step := mag
	for _, m := range []float64{1, 2, 2.5, 5, 10} {
		step = m * mag
		if step >= raw {
			break
		}
	}
	var out []float64
	for v := math.Ceil(lo/step-1e-9) * step; v <= hi+step*1e-9; v += step {
		if math.Abs(v) < step*1e-9 {
			v = 0
		}
		out = append(out, v)
	}
	return out
}
