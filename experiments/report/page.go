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
	// NewPage begins the section on a new page in print.
	NewPage bool
	// Appendix sets it in smaller letters in print, and Columns in two columns, with the
	// figures' drawings for narrow pages.
	Appendix, Columns bool
}

type paragraph struct {
	text, class string
	foreign     bool // not the report's own words
}

// Text is a paragraph of plain text.
func Text(format string, args ...any) Block {
	s := format
	if len(args) > 0 {
		s = fmt.Sprintf(format, args...)
	}
	return paragraph{text: s}
}

// quote is a paragraph of words that a design brings along.
func quote(text string) Block { return paragraph{text: text, foreign: true} }

// Note is a paragraph set apart: a warning or a limit.
func Note(text string) Block { return paragraph{text: text, class: "note"} }

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

// Table is a table of text. On a narrow page each row becomes a card with the
// columns' heads beside its cells.
type Table struct {
	// Caption says what it holds.
	Caption string
	// Head names the columns; Rows holds the cells. Numeric columns (all but those
	// listed in Words) are set flush right.
	Head []string
	Rows [][]string
	// Words is the number of leading columns that hold words.
	Words int
	// Grid keeps the rows and columns of a table of short numbers on a narrow page:
	// the squares of a board.
	Grid bool

	// foreign says that the words are a ruleset's own, not the report's.
	foreign bool
}

func (t Table) render(w *strings.Builder) {
	class := "cards"
	if t.Grid {
		class = "grid"
	}
	fmt.Fprintf(w, `<div class="scroll"><table class=%q>`, class)
	if t.Caption != "" {
		fmt.Fprintf(w, "<caption>%s</caption>", esc(t.Caption))
	}
	flush := func(i int) string {
		if i < t.Words {
			return ""
		}
		return ` class="n"`
	}
	w.WriteString("<thead><tr>")
	for i, h := range t.Head {
		fmt.Fprintf(w, `<th scope="col"%s>%s</th>`, flush(i), esc(h))
	}
	w.WriteString("</tr></thead>\n<tbody>\n")
	for _, r := range t.Rows {
		w.WriteString("<tr>")
		for i, c := range r {
			if i == 0 && t.Words > 0 {
				fmt.Fprintf(w, `<th scope="row">%s</th>`, esc(c))
				continue
			}
			data := ""
			if !t.Grid && i < len(t.Head) && t.Head[i] != "" {
				data = fmt.Sprintf(` data-label="%s"`, esc(t.Head[i]))
			}
			fmt.Fprintf(w, "<td%s%s>%s</td>", flush(i), data, esc(c))
		}
		w.WriteString("</tr>\n")
	}
	w.WriteString("</tbody></table></div>\n")
}

type folded struct {
	summary string
	blocks  []Block
	open    bool
	// where names the files that hold what it holds, for the line that stands in its
	// place in print; printed says that it is printed even if it is closed.
	where   string
	printed bool
}

// Folded hides blocks under a summary until the reader opens it. In print a line stands
// in its place unless it is open, or the box "show and print all tables" is ticked.
func Folded(summary string, blocks ...Block) Block { return folded{summary: summary, blocks: blocks} }

// foldedIn is Folded with the names of the files that hold the same.
func foldedIn(where, summary string, blocks ...Block) Block {
	return folded{summary: summary, blocks: blocks, where: where}
}

// foldedPrinted is Folded, but printed always.
func foldedPrinted(summary string, blocks ...Block) Block {
	return folded{summary: summary, blocks: blocks, printed: true}
}

// render puts the content beside the details element, not into it: style hides it
// while the element is closed, so that every browser prints it, or leaves it out, without
// a script.
func (f folded) render(w *strings.Builder) {
	open, class := "", "folded"
	if f.open {
		open = " open"
	}
	if f.printed {
		class += " always"
	}
	fmt.Fprintf(w, "<details%s><summary>%s</summary></details>\n<div class=%q>\n<p class=\"printed\">%s</p>\n", open, esc(f.summary), class, esc(f.summary))
	for _, b := range f.blocks {
		b.render(w)
	}
	w.WriteString("</div>\n")
	if !f.printed {
		fmt.Fprintf(w, "<p class=\"leftout\">%s</p>\n", esc(leftOut(f.summary, f.where)))
	}
}

// figureNumbers is the summary of the tables below a figure.
const figureNumbers = "The numbers of this figure"

// leftOut is the line in print in place of something that is not printed.
func leftOut(what, where string) string {
	if what == figureNumbers && where != "" {
		return "Its numbers: " + where + "."
	}
	if where == "" {
		return "Not printed: " + lowerFirst(what) + "."
	}
	return "Not printed: " + lowerFirst(what) + " (" + where + ")."
}

// lowerFirst begins a phrase in small letters; a word in capitals, or a letter by itself,
// stays.
func lowerFirst(s string) string {
	if len(s) > 1 && s[1] >= 'a' && s[1] <= 'z' {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}

type screenOnly struct {
	what, where string
	blocks      []Block
}

// onScreen shows blocks on a screen; in print a line says what is left out and where it
// stands, unless the box "show and print all tables" is ticked.
func onScreen(what, where string, blocks ...Block) Block { return screenOnly{what, where, blocks} }

func (x screenOnly) render(w *strings.Builder) {
	w.WriteString("<div class=\"onscreen\">\n")
	for _, b := range x.blocks {
		b.render(w)
	}
	fmt.Fprintf(w, "</div>\n<p class=\"leftout\">%s</p>\n", esc(leftOut(x.what, x.where)))
}

type box struct {
	class, title string
	blocks       []Block
}

// Box sets blocks apart in a frame with a heading.
func Box(title string, blocks ...Block) Block { return box{"box", title, blocks} }

func (x box) render(w *strings.Builder) {
	fmt.Fprintf(w, "<aside class=%q>\n<h3>%s</h3>\n", x.class, esc(x.title))
	for _, b := range x.blocks {
		b.render(w)
	}
	w.WriteString("</aside>\n")
}

// Term is a word with its meaning.
type Term struct{ Word, Meaning string }

type terms []Term

// Terms is a list of words with their meanings.
func Terms(ts []Term) Block { return terms(ts) }

func (t terms) render(w *strings.Builder) {
	w.WriteString("<dl>\n")
	for _, x := range t {
		fmt.Fprintf(w, "<dt>%s</dt><dd>%s</dd>\n", esc(x.Word), esc(x.Meaning))
	}
	w.WriteString("</dl>\n")
}

// Picture is a figure with its sentences and its data.
type Picture struct {
	Figure figure.Figure
	// Sentences say in words what it shows, with its uncertainty.
	Sentences []string
	// Data is the table behind it, and More are further ones.
	Data Table
	More []Table
	// Where names the files beside the page that hold these numbers.
	Where string
	// Whole gives it the width of a page in print where the section has columns.
	Whole bool
}

func picture(where string, f figure.Figure, sentences []string, data Table) Picture {
	return Picture{Figure: f, Sentences: sentences, Data: data, Where: where}
}

func (p Picture) render(w *strings.Builder) {
	class := ""
	if p.Whole {
		class = ` class="whole"`
	}
	fmt.Fprintf(w, "<figure id=%q%s>\n<div class=\"drawing\">%s</div>\n<figcaption><strong>%s.</strong>",
		p.Figure.ID, class, p.Figure.Inline(), esc(strings.TrimSuffix(p.Figure.Title, ".")))
	for _, s := range p.Sentences {
		w.WriteString(" " + esc(s))
	}
	w.WriteString("</figcaption>\n")
	tables := []Block{p.Data}
	for _, t := range p.More {
		tables = append(tables, t)
	}
	folded{summary: figureNumbers, blocks: tables, where: p.Where}.render(w)
	w.WriteString("</figure>\n")
}

const style = `
:root{color-scheme:light}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:#fff;color:#1c1c1c;font:17px/1.55 Georgia,"Liberation Serif","Times New Roman",serif;overflow-wrap:anywhere}
main,header,footer{max-width:50rem;margin:0 auto;padding:0 1.1rem}
header{padding-top:2.2rem}
h1{font-size:1.9rem;line-height:1.2;margin:0 0 .5rem}
h2{font-size:1.4rem;margin:2.6rem 0 .7rem;padding-bottom:.2rem;border-bottom:1px solid #d9cfbd}
h3{font-size:1.1rem;margin:1.8rem 0 .5rem}
h4{font-size:1rem;margin:1.2rem 0 .3rem}
.lead{font-size:1.1rem}
nav{font-family:Arial,Helvetica,sans-serif;font-size:.85rem;line-height:1.9;margin-top:.8rem;padding-bottom:1rem;border-bottom:3px double #b9a88a}
nav a{margin-right:1rem;color:#1f4e79;display:inline-block;min-height:24px}
figure{margin:1.6rem 0;padding:0}
figcaption{font-size:.95rem;margin:.4rem 0}
svg.figure{display:block;width:100%;height:auto}
svg.wide{max-width:46rem}
svg.narrow{display:none;max-width:26rem}
.scroll{overflow-x:auto;max-width:100%}
table{border-collapse:collapse;font:.82rem/1.4 Arial,Helvetica,sans-serif;margin:.6rem 0;min-width:60%}
caption{text-align:left;font-weight:bold;padding:.3rem 0}
th,td{border-bottom:1px solid #ddd;padding:.25rem .7rem .25rem 0;text-align:left;vertical-align:top;overflow-wrap:normal}
tbody th{font-weight:normal}
thead th{border-bottom:2px solid #999;vertical-align:bottom}
.n{text-align:right;font-variant-numeric:tabular-nums}
td.n{white-space:nowrap}
table.grid{min-width:0}
table.grid th,table.grid td{padding:.15rem .3rem}
.note,.box{border-left:4px solid #c45a11;background:#fdf6ef;padding:.5rem .8rem;margin:1rem 0}
.box{border:1px solid #cdbf9f;background:#fbf8f1;padding:.2rem 1rem .6rem}
.box.answer{border:1px solid #8fb0cc;background:#f3f7fb}
.box h3{margin:.7rem 0 .3rem}
ul.findings{list-style:none;padding:0}
ul.findings li{margin:.8rem 0;padding:.6rem .8rem;border-left:4px solid #b8b8b8;background:#f7f7f5}
ul.findings li.clear{border-left:4px double #1f5f99;background:#f1f6fb}
.tag{display:block;font:bold .72rem/1.3 Arial,Helvetica,sans-serif;letter-spacing:.04em;text-transform:uppercase;color:#595959;margin-bottom:.2rem}
li.clear .tag{color:#1f5f99}
details{margin:.4rem 0 1rem}
summary{cursor:pointer;font:.85rem/1.6 Arial,Helvetica,sans-serif;color:#1f4e79;min-height:24px}
.printed,.leftout{display:none}
details:not([open])+.folded{display:none}
#everything:checked~main details+.folded{display:block}
.everything{font:.85rem/1.6 Arial,Helvetica,sans-serif;color:#1f4e79;cursor:pointer}
#everything{position:absolute;opacity:0}
.everything::before{content:"";display:inline-block;width:.8rem;height:.8rem;border:2px solid #1f4e79;vertical-align:-.12rem;margin-right:.4rem}
#everything:checked~header .everything::before{background:#1f4e79;box-shadow:inset 0 0 0 2px #fff}
#everything:focus-visible~header .everything{outline:2px solid #1f4e79}
.headline{font-weight:bold}
.rests,.list{font-size:.9rem;line-height:1.45}
dl{margin:.6rem 0}
dt{font-weight:bold;margin-top:.6rem}
dd{margin:0 0 0 1.2rem}
pre{font:.85rem/1.3 "DejaVu Sans Mono","Liberation Mono",monospace;overflow-x:auto;background:#f7f5f0;padding:.6rem .8rem}
code{font:.85em "DejaVu Sans Mono","Liberation Mono",monospace;overflow-wrap:anywhere}
footer{margin-top:3rem;padding-bottom:3rem;font-size:.85rem;color:#555}
@media screen and (max-width:34rem){
body{font-size:16px}h1{font-size:1.5rem}h2{font-size:1.25rem}
svg.wide{display:none}svg.narrow{display:block}
table.cards,table.cards tbody,table.cards tr,table.cards th,table.cards td,table.cards caption{display:block}
table.cards thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
table.cards tr{border-bottom:2px solid #999;padding:.4rem 0}
table.cards tbody th{border:0;font-weight:bold;padding:.1rem 0;overflow-wrap:anywhere}
table.cards td{display:grid;grid-template-columns:minmax(0,2fr) minmax(0,3fr);gap:.8rem;border:0;padding:.1rem 0;white-space:normal;text-align:right;overflow-wrap:anywhere}
table.cards td:not([data-label]){display:block;text-align:left}
table.cards td::before{content:attr(data-label);color:#595959;text-align:left}
table.cards td:empty{display:none}
table.grid{font-size:.7rem}table.grid th,table.grid td{padding:.1rem .15rem}
dd{margin-left:.6rem}
}
@page{size:A4;margin:15mm 15mm 16mm;@bottom-right{content:counter(page) " / " counter(pages);font:9pt Arial,Helvetica,sans-serif;color:#555}}
@media print{
html{font-size:10pt}
body{font-size:10pt;line-height:1.35}
nav,details,.everything,#everything{display:none}
header{border-bottom:3px double #b9a88a;padding-top:0}
main,header,footer{max-width:none;padding:0}
h1{font-size:17pt}h2{font-size:14pt;margin:1.4rem 0 .5rem}h3{font-size:11pt;margin:1rem 0 .3rem}
p,ul{margin:.45rem 0}
.lead{font-size:11pt}
figure{margin:.7rem 0 .9rem}
figcaption{font-size:9pt}
ul.findings li{margin:.3rem 0;padding:.2rem .6rem;font-size:8.8pt;line-height:1.3}
.note,.box{margin:.6rem 0;padding:.3rem .8rem}
.appendix{font-size:8.6pt}
.appendix figcaption{font-size:8.6pt}
.appendix table{font-size:7.4pt;line-height:1.2}
.appendix dl{columns:2;column-gap:1.6rem;font-size:8.2pt;line-height:1.28}
.appendix dt{float:left;clear:left;margin:0 .5em 0 0}
.appendix dd{margin:0 0 .25rem}
.tag{display:inline;font-size:6.8pt;margin-right:.6em}
.rests{font-size:8.6pt;line-height:1.3}
.printed{display:block;font:bold 9pt Arial,Helvetica,sans-serif;break-after:avoid;margin:.6rem 0 0}
details:not([open])+.folded.always{display:block}
.onscreen{display:none}
details:not([open])+.folded+.leftout,.onscreen+.leftout,p.leftout{display:block;font:8pt/1.3 Arial,Helvetica,sans-serif;color:#595959;margin:.15rem 0 .3rem}
details[open]+.folded+.leftout{display:none}
#everything:checked~main .onscreen{display:block}
#everything:checked~main p.leftout{display:none}
section.page{break-before:page}
h2,h3,h4,caption{break-after:avoid}
p,li,dd{orphans:3;widows:3}
.drawing,figcaption,tr,ul.findings li,.answer,.note,dt{break-inside:avoid}
.drawing{break-after:avoid}
svg.wide{max-height:190mm;max-width:145mm}
.columns{columns:2;column-gap:8mm;font-size:9pt}
.columns .folded,.columns .onscreen,.columns .whole,.columns h2,.columns h2+p{column-span:all}
.columns h2+h3,.columns h3:has(+.whole){column-span:all}
.columns svg.wide{display:none}
.columns svg.narrow{display:block;max-height:225mm;max-width:100%}
.columns .whole svg.wide,.columns .folded svg.wide{display:block}
.columns .whole svg.narrow,.columns .folded svg.narrow{display:none}
.appendix table.cards td:not(.n){overflow-wrap:anywhere;min-width:5em}
.answer{font-size:9.3pt}
thead{display:table-header-group}
footer{margin-top:.6rem;padding:0;font-size:8pt}
table{font-size:8pt;line-height:1.25;min-width:0;margin:.3rem 0}
th,td{padding:.12rem .6rem .12rem 0}
td.n{white-space:normal}
.scroll,pre{overflow:visible}
pre{white-space:pre-wrap}
.note,.box,ul.findings li{-webkit-print-color-adjust:exact;print-color-adjust:exact}
}
`

// HTML is the whole page.
func (r Report) HTML() string {
	var w strings.Builder
	w.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" + generatorTag() + "\n")
	fmt.Fprintf(&w, "<title>%s</title>\n<style>%s</style>\n</head>\n<body>\n<input type=\"checkbox\" id=\"everything\"/>\n", esc(r.Title), style)
	fmt.Fprintf(&w, "<header>\n<h1>%s</h1>\n", esc(r.Title))
	if r.Lead != "" {
		fmt.Fprintf(&w, "<p class=\"lead\">%s</p>\n", esc(r.Lead))
	}
	w.WriteString("<nav aria-label=\"Sections\">")
	for _, s := range r.Sections {
		// A link within the page; it fetches nothing.
		fmt.Fprintf(&w, "<a href=\"#%s\">%s</a> ", s.ID, esc(s.Title))
	}
	w.WriteString("</nav>\n<p><label class=\"everything\" for=\"everything\">Show and print all tables</label></p>\n</header>\n<main>\n")
	for _, s := range r.Sections {
		var classes []string
		if s.NewPage {
			classes = append(classes, "page")
		}
		if s.Appendix {
			classes = append(classes, "appendix")
		}
		if s.Columns {
			classes = append(classes, "columns")
		}
		class := ""
		if len(classes) > 0 {
			class = fmt.Sprintf(" class=%q", strings.Join(classes, " "))
		}
		fmt.Fprintf(&w, "<section id=%q%s>\n<h2>%s</h2>\n", s.ID, class, esc(s.Title))
		for _, b := range s.Blocks {
			b.render(&w)
		}
		w.WriteString("</section>\n")
	}
	fmt.Fprintf(&w, "</main>\n<footer><p>Made by latro, report version %d. This page is complete in itself: it loads nothing from the network. Intervals are stated where they apply; what they leave open is open.</p></footer>\n</body>\n</html>\n", Version)
	return w.String()
}
