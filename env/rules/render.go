package rules

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// RenderOptions says how Render writes a ruleset.
type RenderOptions struct {
	Markdown   bool // Markdown instead of plain text
	Width      int  // columns of plain text; 0 means 80
	Parameters bool // add the table of all parameters with their values and certainty
}

// Render writes the ruleset so that it can be read without knowing the file format: the rules in words,
// the start as a diagram, the sources, which rules are assumed, and the open questions with their
// readings. The words are made from the parameters, with the reading and the overrides applied.
func (r *Ruleset) Render(w io.Writer, opts RenderOptions) error {
	var b bytes.Buffer
	var out writer = &plain{w: &b, width: opts.Width}
	if opts.Markdown {
		out = &markdown{w: &b}
	}
	out.title(r.Name, 1)
	line := "Ruleset " + r.ID
	if r.Reading != "default" {
		line += ", reading " + r.Reading
	}
	if len(r.Overrides) > 0 {
		line += ", changed: " + strings.Join(r.Overrides, ", ")
	}
	out.paragraph(line + ".")
	if r.Summary != "" {
		out.paragraph(r.Summary)
	}
	p := r.Params
	for _, s := range p.prose() {
		out.title(s.title, 2)
		out.paragraph(strings.Join(s.sentences, " "))
		if s.title == "Setup" {
			out.block(p.Diagram())
			if legend := p.legend(); legend != "" {
				out.paragraph("Signs: " + legend)
			}
		}
	}
	r.renderSources(out)
	r.renderCertainty(out, opts.Parameters)
	r.renderReadings(out)
	if opts.Parameters {
		r.renderParameters(out)
	}
	_, err := w.Write(append(bytes.TrimRight(b.Bytes(), "\n"), '\n'))
	return err
}

// RenderMarkdown is Render in Markdown with the table of parameters: the page of a ruleset.
func (r *Ruleset) RenderMarkdown(w io.Writer) error {
	return r.Render(w, RenderOptions{Markdown: true, Parameters: true})
}

func (r *Ruleset) renderSources(out writer) {
	out.title("Sources", 2)
	for _, s := range r.Sources {
		text := s.Title
		if s.Author != "" {
			text = s.Author + ": " + text
		}
		if s.Year != "" {
			text += ", " + s.Year
		}
		if s.Pages != "" {
			text += ", "
			if s.Pages[0] >= '0' && s.Pages[0] <= '9' {
				text += "p. "
			}
			text += s.Pages
		}
		if s.URL != "" {
			text += ", " + s.URL
		}
		if s.Note != "" {
			text += " (" + s.Note + ")"
		}
		out.item(text + " [" + s.ID + "]")
	}
	out.end()
}

// renderCertainty lists the parameters with what the file says about them, those with one note together; the
// attested ones only where the reader wants all.
func (r *Ruleset) renderCertainty(out writer, attested bool) {
	for _, c := range []struct {
		certainty Certainty
		title     string
		lead      string
	}{
		{Attested, "Attested", "What the sources say:"},
		{Argued, "Argued", "What the sources imply or scholars argue for:"},
		{Assumed, "Assumed", "Where the sources are silent this was assumed; whatever is found with these rules rests on it:"},
	} {
		if c.certainty == Attested && !attested {
			continue
		}
		type group struct {
			text  string
			names []string
		}
		var groups []group
		for _, name := range ParamNames() {
			pr := r.Provenance[name]
			if pr.Certainty != c.certainty || r.Meaningless(name) {
				continue
			}
			text := pr.Note
			if pr.Source != "" {
				text += " [" + pr.Source + "]"
			}
			value, err := r.Params.Get(name)
			if err != nil {
				continue
			}
			if value == "" {
				value = "none"
			}
			i := slices.IndexFunc(groups, func(g group) bool { return g.text == text })
			if i < 0 {
				groups = append(groups, group{text: text})
				i = len(groups) - 1
			}
			groups[i].names = append(groups[i].names, out.code(name+" = "+value))
		}
		if len(groups) == 0 {
			continue
		}
		out.title(c.title, 2)
		out.paragraph(c.lead)
		for _, g := range groups {
			out.item(strings.Join(g.names, ", ") + ": " + g.text)
		}
		out.end()
	}
}

// Meaningless reports whether the other parameters leave that one nothing to say, as those of leaders in a
// game without leaders: nothing is assumed by it.
func (r *Ruleset) Meaningless(name string) bool {
	p := r.Params
	return slices.ContainsFunc(dormant(&p), func(d dormancy) bool { return d.name == name })
}

// renderReadings lists the readings below the doubts that they settle; those that settle many at once, such as
// ludii, and those of no numbered doubt stand at the end.
func (r *Ruleset) renderReadings(out writer) {
	if len(r.Readings) == 0 {
		return
	}
	out.title("Open questions", 2)
	out.paragraph("Other readings of the sources, each played by its name after an @, as in " + out.code(r.ID+"@"+r.Readings[0].Name) + ".")
	const several, others = "Several at once", "Beside these"
	groups := map[string][]Reading{}
	for _, x := range r.Readings {
		group := others
		if ids := x.Doubts(); len(ids) > 2 {
			group = several
		} else if len(ids) > 0 {
			if _, known := LookUpDoubt(ids[0]); known {
				group = ids[0]
			}
		}
		groups[group] = append(groups[group], x)
	}
	for _, d := range doubts {
		if list := groups[d.ID]; len(list) > 0 {
			out.paragraph(out.strong(d.ID) + " " + d.Question)
			r.renderGroup(out, list)
		}
	}
	for _, title := range []string{several, others} {
		if list := groups[title]; len(list) > 0 {
			if len(groups) > 1 {
				out.paragraph(out.strong(title))
			}
			r.renderGroup(out, list)
		}
	}
}

// renderGroup lists readings.
func (r *Ruleset) renderGroup(out writer, list []Reading) {
	for _, x := range list {
		text := out.strong(x.Name)
		if ids := x.Doubts(); len(ids) > 1 {
			text += " (" + x.Ambiguity + ")"
		}
		text += ": " + x.Note
		var changes []string
		for _, name := range ParamNames() {
			if v, ok := x.Set[name]; ok {
				if v == "" {
					v = "none"
				}
				changes = append(changes, out.code(name+" = "+v))
			}
		}
		out.item(text + " Sets " + strings.Join(changes, ", ") + ".")
	}
	out.end()
}

func (r *Ruleset) renderParameters(out writer) {
	out.title("All parameters", 2)
	out.paragraph("Parameters that the others leave without meaning are marked –.")
	rows := [][]string{{"parameter", "value", "certainty", "meaning"}}
	for _, name := range ParamNames() {
		value, err := r.Params.Get(name)
		if err != nil {
			continue
		}
		if value == "" {
			value = "none"
		}
		certainty := string(r.Provenance[name].Certainty)
		if r.Meaningless(name) {
			certainty = "–"
		}
		rows = append(rows, []string{out.code(name), out.code(value), certainty, fieldByName(name).Meaning})
	}
	out.table(rows)
	out.paragraph("Content hash: " + out.code(r.Hash()))
}

// Diagram draws the board at the start, rank 1 at the bottom: the array, or for a placement game the
// squares where each player may place. See the legend that Render writes below it.
func (p Params) Diagram() string {
	var b strings.Builder
	cell := func(row, col int) rune {
		if p.Setup.Kind == "array" {
			if i := p.Board.Rows - 1 - row; i < len(p.Setup.Array) && col < len(p.Setup.Array[i]) {
				if c := p.Setup.Array[i][col]; c != '.' {
					return rune(c)
				}
			}
		}
		switch forbidden, immune := p.isSquare(p.Setup.Forbidden, row, col), p.isSquare(p.Capture.Immune, row, col); {
		case forbidden && immune:
			return '+'
		case forbidden:
			return 'x'
		case immune:
			return '*'
		}
		if p.Capture.Corner != "neutral" && (row == 0 || row == p.Board.Rows-1) && (col == 0 || col == p.Board.Cols-1) {
			return '#'
		}
		if p.Setup.Kind == "placement" && p.Setup.Zone == "own-rows" {
			switch {
			case row < p.Setup.ZoneRows:
				return '0'
			case row >= p.Board.Rows-p.Setup.ZoneRows:
				return '1'
			}
		}
		return '.'
	}
	for row := p.Board.Rows - 1; row >= 0; row-- {
		fmt.Fprintf(&b, "%2d ", row+1)
		for col := range p.Board.Cols {
			fmt.Fprintf(&b, " %c", cell(row, col))
		}
		b.WriteByte('\n')
	}
	b.WriteString("   ")
	for col := range p.Board.Cols {
		fmt.Fprintf(&b, " %c", 'a'+col)
	}
	b.WriteByte('\n')
	return b.String()
}

func (p *Params) isSquare(names []string, row, col int) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		r, c, err := ResolveSquare(n, p.Board.Rows, p.Board.Cols)
		return err == nil && r == row && c == col
	})
}

// legend explains the signs that the diagram of p uses.
func (p *Params) legend() string {
	var out []string
	if p.Setup.Kind == "array" {
		out = append(out, "a = man of player 0", "b = man of player 1")
		if p.hasLeaders() {
			out = append(out, "A = leader of player 0", "B = leader of player 1")
		}
	} else if p.Setup.Zone == "own-rows" {
		out = append(out, "0, 1 = squares where that player places")
	}
	signs := []struct{ sign, meaning string }{
		{"x", "no placement"}, {"*", "no capture"}, {"+", "no placement, and later no capture"},
	}
	for diagram, i := p.Diagram(), 0; i < len(signs); i++ {
		if strings.Contains(diagram, signs[i].sign) {
			out = append(out, signs[i].sign+" = "+signs[i].meaning)
		}
	}
	if p.Capture.Corner != "neutral" {
		out = append(out, "# = corner that captures")
	}
	if len(out) == 0 {
		return ""
	}
	return strings.Join(out, "; ") + "."
}

// writer is the difference between plain text and Markdown.
type writer interface {
	title(text string, level int)
	paragraph(text string)
	block(text string)
	item(text string)
	end() // of a list
	table(rows [][]string)
	code(text string) string
	strong(text string) string
}

type plain struct {
	w     *bytes.Buffer
	width int
}

func (o *plain) title(text string, level int) {
	under := "-"
	if level == 1 {
		under, text = "=", strings.ToUpper(text)
	}
	fmt.Fprintf(o.w, "%s\n%s\n", text, strings.Repeat(under, utf8.RuneCountInString(text)))
	if level == 1 {
		o.w.WriteByte('\n')
	}
}

// wrap breaks text into lines with an indent for all lines after the first.
func (o *plain) wrap(text, first, indent string) {
	width := o.width
	if width <= 0 {
		width = 80
	}
	line := first
	empty := true
	for word := range strings.FieldsSeq(text) {
		if !empty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			fmt.Fprintln(o.w, line)
			line, empty = indent, true
		}
		if !empty {
			line += " "
		}
		line += word
		empty = false
	}
	fmt.Fprintln(o.w, line)
}

func (o *plain) paragraph(text string) { o.wrap(text, "", ""); o.w.WriteByte('\n') }
func (o *plain) item(text string)      { o.wrap(text, "- ", "  ") }
func (o *plain) end()                  { o.w.WriteByte('\n') }
func (o *plain) code(text string) string {
	return text
}
func (o *plain) strong(text string) string { return text }
func (o *plain) block(text string) {
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		fmt.Fprintf(o.w, "  %s\n", line)
	}
	o.w.WriteByte('\n')
}

func (o *plain) table(rows [][]string) {
	widths := []int{}
	for _, r := range rows {
		for i, c := range r[:len(r)-1] {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], min(utf8.RuneCountInString(c), 40))
		}
	}
	for _, r := range rows {
		for i, c := range r[:len(r)-1] {
			fmt.Fprintf(o.w, "%s%s  ", c, strings.Repeat(" ", max(widths[i]-utf8.RuneCountInString(c), 0)))
		}
		fmt.Fprintln(o.w, r[len(r)-1])
	}
	o.w.WriteByte('\n')
}

type markdown struct{ w *bytes.Buffer }

// escape keeps a stranger's note from being taken for Markdown or HTML.
var escape = strings.NewReplacer("`", "\\`", "[", `\[`, "<", "&lt;", ">", "&gt;", "*", `\*`, "|", `\|`, "_", `\_`)

// codeMark and strongMark stand for the marks that the writer itself makes until the text around them is
// escaped. Text from a file never holds them: Parse refuses what cannot be printed.
const codeMark, strongMark = "\x01", "\x02"

// text escapes everything outside the code spans.
func (o *markdown) text(s string) string {
	parts := strings.Split(s, codeMark)
	for i := 0; i < len(parts); i += 2 {
		bold := strings.Split(parts[i], strongMark)
		for j := range bold {
			bold[j] = escape.Replace(bold[j])
		}
		parts[i] = strings.Join(bold, "**")
	}
	return strings.Join(parts, "`")
}

func (o *markdown) title(text string, level int) {
	fmt.Fprintf(o.w, "%s %s\n\n", strings.Repeat("#", level), o.text(text))
}
func (o *markdown) paragraph(text string) { fmt.Fprintf(o.w, "%s\n\n", o.text(text)) }
func (o *markdown) block(text string)     { fmt.Fprintf(o.w, "```text\n%s```\n\n", text) }
func (o *markdown) item(text string)      { fmt.Fprintf(o.w, "- %s\n", o.text(text)) }
func (o *markdown) end()                  { o.w.WriteByte('\n') }
func (o *markdown) code(text string) string {
	return codeMark + strings.ReplaceAll(text, "`", "'") + codeMark
}
func (o *markdown) strong(text string) string { return strongMark + text + strongMark }
func (o *markdown) table(rows [][]string) {
	for i, r := range rows {
		cells := make([]string, len(r))
		for j, c := range r {
			cells[j] = o.text(c)
		}
		fmt.Fprintf(o.w, "| %s |\n", strings.Join(cells, " | "))
		if i == 0 {
			fmt.Fprintf(o.w, "|%s\n", strings.Repeat(" --- |", len(r)))
		}
	}
	o.w.WriteByte('\n')
}
