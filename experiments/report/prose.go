package report

import (
	"html"
	"strings"
)

// prose renders the small part of Markdown that rule texts use: headings,
// paragraphs, lists, fenced text, bold and code. Links stay plain text, so that
// nothing on the page reaches out.
type prose struct{ text string }

func (p prose) render(w *strings.Builder) {
	lines := strings.Split(p.text, "\n")
	var para []string
	inList := false
	flush := func() {
		if len(para) > 0 {
			w.WriteString("<p>" + inline(strings.Join(para, " ")) + "</p>\n")
			para = nil
		}
		if inList {
			w.WriteString("</ul>\n")
			inList = false
		}
	}
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		switch {
		case strings.HasPrefix(l, "```"):
			flush()
			w.WriteString("<pre>")
			for i++; i < len(lines) && !strings.HasPrefix(lines[i], "```"); i++ {
				w.WriteString(html.EscapeString(lines[i]) + "\n")
			}
			w.WriteString("</pre>\n")
		case strings.HasPrefix(l, "## "):
			flush()
			w.WriteString("<h4>" + inline(l[3:]) + "</h4>\n")
		case strings.HasPrefix(l, "- "):
			if !inList {
				flush()
				w.WriteString("<ul>\n")
				inList = true
			}
			w.WriteString("<li>" + inline(l[2:]) + "</li>\n")
		case strings.TrimSpace(l) == "":
			flush()
		default:
			if inList {
				flush()
			}
			para = append(para, strings.TrimPrefix(l, "\\"))
		}
	}
	flush()
}

// hidden takes the escapes of Markdown out; what would be a mark again waits in the private use area for shown.
var (
	hidden = strings.NewReplacer("\\`", "\ue000", `\*`, "\ue001", `\[`, "[", `\|`, "|", `\_`, "_")
	shown  = strings.NewReplacer("\ue000", "`", "\ue001", "*")
)

func inline(s string) string {
	s = html.UnescapeString(hidden.Replace(s))
	var b strings.Builder
	for {
		i := strings.IndexAny(s, "`*")
		if i < 0 {
			break
		}
		mark, tag := "`", "code"
		if s[i] == '*' {
			mark, tag = "**", "strong"
		}
		if !strings.HasPrefix(s[i:], mark) {
			b.WriteString(html.EscapeString(s[:i+1]))
			s = s[i+1:]
			continue
		}
		j := strings.Index(s[i+len(mark):], mark)
		if j < 0 {
			break
		}
		b.WriteString(html.EscapeString(s[:i]))
		b.WriteString("<" + tag + ">" + html.EscapeString(s[i+len(mark):i+len(mark)+j]) + "</" + tag + ">")
		s = s[i+2*len(mark)+j:]
	}
	b.WriteString(html.EscapeString(s))
	return shown.Replace(b.String())
}
