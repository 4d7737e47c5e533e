package report

import (
	"fmt"
	"html"
	"regexp"
	"strings"

	"latro/experiments/figure"
)

var unitPattern = regexp.MustCompile(`(\d) (%|plies|points|pieces|Elo)`)

// esc escapes text for HTML and keeps numbers with their units.
func esc(s string) string {
	return unitPattern.ReplaceAllString(html.EscapeString(s), "$1\u00a0$2")
}

// Block is one piece of a section: text, a list, a table, a figure, or blocks
// folded under a heading. Blocks are made by the functions of this package.
type Block interface {
	render(w *strings.Builder)
}

// Section is a part of the page with a heading.
type Section struct {
	// ID is the anchor: lower-case letters, digits, '-'; unique in a report.
	ID string
	// Title is the heading.
	Title string
	// Blocks are its content.
	Blocks []Block
}

type paragraph struct{ text, class string }

// Text is a paragraph of plain text.
func Text(format string, args ...any) Block {
	s := format
	if len(args) > 0 {
		s = fmt.Sprintf(format, args...)
	}
	return paragraph{s, ""}
}

// Note is a paragraph set apart: a warning or a limit.
func Note(text string) Block { return paragraph{text, "note"} }

func (p paragraph) render(w *strings.Builder) {
	if p.class != "" {
		fmt.Fprintf(w, "<p class=%q>%s</p>\n", p.class, esc(p.text))
		return
	}
	fmt.Fprintf(w, "<p>%s</p>\n", esc(p.text))
}

type heading struct{ text string }

// Heading is a heading within a section.
func Heading(text string) Block { return heading{text} }

func (h heading) render(w *strings.Builder) {
	fmt.Fprintf(w, "<h3>%s</h3>\n", esc(h.text))
}

type items struct {
	lines []string
	class string
}

// List is a bulleted list of plain lines.
func List(lines []string) Block { return items{lines, ""} }

func (l items) render(w *strings.Builder) {
	if l.class != "" {
		fmt.Fprintf(w, "<ul class=%q>\n", l.class)
	} else {
		w.WriteString("<ul>\n")
	}
	for _, s := range l.lines {
		fmt.Fprintf(w, "<li>%s</li>\n", esc(s))
	}
	w.WriteString("</ul>\n")
}

// Table is a table of text.
type Table struct {
	// Caption says what it holds.
	Caption string
	// Head names the columns; Rows holds the cells. Numeric columns (all but those
	// listed in Words) are set flush right.
	Head []string
	Rows [][]string
	// Words is the number of leading columns that hold words.
	Words int
}

func (t Table) render(w *strings.Builder) {
	w.WriteString(`<div class="scroll"><table>`)
	if t.Caption != "" {
		fmt.Fprintf(w, "<caption>%s</caption>", esc(t.Caption))
	}
	class := func(i int) string {
		if i < t.Words {
			return ""
		}
		return ` class="n"`
	}
	w.WriteString("<thead><tr>")
	for i, h := range t.Head {
		fmt.Fprintf(w, `<th scope="col"%s>%s</th>`, class(i), esc(h))
	}
	w.WriteString("</tr></thead>\n<tbody>\n")
	for _, r := range t.Rows {
		w.WriteString("<tr>")
		for i, c := range r {
			if i == 0 && t.Words > 0 {
				fmt.Fprintf(w, `<th scope="row">%s</th>`, esc(c))
			} else {
				fmt.Fprintf(w, "<td%s>%s</td>", class(i), esc(c))
			}
		}
		w.WriteString("</tr>\n")
	}
	w.WriteString("</tbody></table></div>\n")
}

type folded struct {
	summary string
	blocks  []Block
	open    bool
}

// Folded hides blocks under a summary until the reader opens it (they are shown
// in print).
func Folded(summary string, blocks ...Block) Block { return folded{summary, blocks, false} }

func (f folded) render(w *strings.Builder) {
	open := ""
	if f.open {
		open = " open"
	}
	fmt.Fprintf(w, "<details%s><summary>%s</summary>\n", open, esc(f.summary))
	for _, b := range f.blocks {
		b.render(w)
	}
	w.WriteString("</details>\n")
}

// Picture is a figure with its sentences and its data.
type Picture struct {
	Figure figure.Figure
	// Sentences say in words what it shows, with its uncertainty.
	Sentences []string
	// Data is the table behind it.
	Data Table
}

func (p Picture) render(w *strings.Builder) {
	fmt.Fprintf(w, "<figure id=%q>\n<div class=\"scroll\">%s</div>\n<figcaption><strong>%s.</strong>",
		p.Figure.ID, p.Figure.Inline(), esc(strings.TrimSuffix(p.Figure.Title, ".")))
	for _, s := range p.Sentences {
		w.WriteString(" " + esc(s))
	}
	w.WriteString("</figcaption>\n")
	folded{"The numbers of this figure", []Block{p.Data}, false}.render(w)
	w.WriteString("</figure>\n")
}

const style = `
:root{color-scheme:light}
*{box-sizing:border-box}
body{margin:0;background:#fff;color:#1c1c1c;font:17px/1.55 Georgia,"Liberation Serif","Times New Roman",serif}
main,header,footer{max-width:50rem;margin:0 auto;padding:0 1.1rem}
header{padding-top:2.2rem}
h1{font-size:1.9rem;line-height:1.2;margin:0 0 .5rem}
h2{font-size:1.4rem;margin:2.6rem 0 .7rem;padding-bottom:.2rem;border-bottom:1px solid #d9cfbd}
h3{font-size:1.1rem;margin:1.8rem 0 .5rem}
h4{font-size:1rem;margin:1.2rem 0 .3rem}
.lead{font-size:1.1rem}
nav{font-family:Arial,Helvetica,sans-serif;font-size:.85rem;line-height:1.9;margin-top:.8rem;padding-bottom:1rem;border-bottom:3px double #b9a88a}
nav a{margin-right:1rem;color:#1f4e79}
figure{margin:1.6rem 0;padding:0}
figcaption{font-size:.95rem;margin:.4rem 0}
svg.figure{display:block;width:100%;min-width:25rem;max-width:46rem;height:auto}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font:.82rem/1.4 Arial,Helvetica,sans-serif;margin:.6rem 0;min-width:60%}
caption{text-align:left;font-weight:bold;padding:.3rem 0}
th,td{border-bottom:1px solid #ddd;padding:.25rem .7rem .25rem 0;text-align:left;vertical-align:top}
tbody th{font-weight:normal}
thead th{border-bottom:2px solid #999}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.note{border-left:4px solid #c45a11;background:#fdf6ef;padding:.5rem .8rem}
ul.findings{list-style:none;padding:0}
ul.findings li{margin:.8rem 0;padding:.6rem .8rem;border-left:4px solid #b8b8b8;background:#f7f7f5}
ul.findings li.clear{border-left-color:#1f5f99;background:#f1f6fb}
.tag{display:block;font:bold .72rem/1.3 Arial,Helvetica,sans-serif;letter-spacing:.04em;text-transform:uppercase;color:#595959;margin-bottom:.2rem}
li.clear .tag{color:#1f5f99}
details{margin:.4rem 0 1rem}
summary{cursor:pointer;font:.85rem Arial,Helvetica,sans-serif;color:#1f4e79}
pre{font:.85rem/1.3 "DejaVu Sans Mono","Liberation Mono",monospace;overflow-x:auto;background:#f7f5f0;padding:.6rem .8rem}
code{font:.85em "DejaVu Sans Mono","Liberation Mono",monospace;overflow-wrap:anywhere}
footer{margin-top:3rem;padding-bottom:3rem;font-size:.85rem;color:#555}
@media (max-width:40rem){body{font-size:16px}h1{font-size:1.5rem}}
@media print{
body{font-size:10.5pt}nav{display:none}header{border-bottom:3px double #b9a88a}main,header,footer{max-width:none}
svg.figure,figcaption,tr,li{break-inside:avoid}h2,h3{break-after:avoid}
details::details-content{content-visibility:visible;height:auto}
details:not([open])>*:not(summary){display:block}
.note,ul.findings li{-webkit-print-color-adjust:exact;print-color-adjust:exact}
}
`

// HTML is the whole page.
func (r Report) HTML() string {
	var w strings.Builder
	w.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
	fmt.Fprintf(&w, "<title>%s</title>\n<style>%s</style>\n</head>\n<body>\n", esc(r.Title), style)
	fmt.Fprintf(&w, "<header>\n<h1>%s</h1>\n", esc(r.Title))
	if r.Lead != "" {
		fmt.Fprintf(&w, "<p class=\"lead\">%s</p>\n", esc(r.Lead))
	}
	w.WriteString("<nav aria-label=\"Sections\">")
	for _, s := range r.Sections {
		// A link within the page; it fetches nothing.
		fmt.Fprintf(&w, "<a href=\"#%s\">%s</a> ", s.ID, esc(s.Title))
	}
	w.WriteString("</nav>\n</header>\n<main>\n")
	for _, s := range r.Sections {
		fmt.Fprintf(&w, "<section id=%q>\n<h2>%s</h2>\n", s.ID, esc(s.Title))
		for _, b := range s.Blocks {
			b.render(&w)
		}
		w.WriteString("</section>\n")
	}
	w.WriteString("</main>\n<footer><p>Made by latro. This page is complete in itself: it loads nothing from the network. Intervals are stated where they apply; what they leave open is open.</p></footer>\n</body>\n</html>\n")
	return w.String()
}
