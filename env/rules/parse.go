package rules

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Bounds on a ruleset file. They are far above what a real file needs and keep a hostile one from costing
// more than a moment: the YAML parser recurses once a level of nesting, looks at long lines more than once, and takes time
// that grows with the square of the keys of a group.
const (
	MaxFileSize  = 256 << 10 // bytes
	maxLines     = 8000
	maxLine      = 4 << 10 // bytes in a line
	maxIndent    = 64      // columns of white space at the start of a line
	maxFlowDepth = 32      // unclosed [ and {
	maxDepth     = 16      // levels of mappings and lists
)

var (
	idPattern        = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$`)
	ambiguityPattern = regexp.MustCompile(`^A([1-9]|1[0-9]|2[0-8])[a-d]?(, A([1-9]|1[0-9]|2[0-8])[a-d]?)*$`)
)

// byteOrderMark is what some editors put in front of UTF-8 text; it says nothing, and the YAML parser takes it
// for a part of the first key.
var byteOrderMark = []byte("\ufeff")

// CheckYAML returns what of data can be given to the YAML parser: without a byte-order mark, and refused with a
// *Problem where it is nested so deeply, or has lines so long, that the parser would take all memory over it.
// Other packages that read YAML of strangers go through it too.
func CheckYAML(filename string, data []byte) ([]byte, error) {
	data = bytes.TrimPrefix(data, byteOrderMark)
	c := &collector{file: filename}
	if !checkBounds(c, data) {
		return nil, &c.problems[0]
	}
	return data, nil
}

func readFull(r io.Reader, buf []byte) (int, error) {
	n, err := io.ReadFull(r, buf)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return n, err
}

// Parse reads a ruleset file. filename only serves messages. All mistakes are found at once: the error is
// an *Errors whose problems name file, line, column, the parameter and what would be valid. Anything
// unknown, doubled or impossible is a mistake; so are YAML anchors, aliases and tags, which a ruleset has
// no use for. A parameter that the file does not state has its neutral value (see Neutral), and one
// without provenance counts as assumed.
func Parse(filename string, data []byte) (*Ruleset, error) {
	c := &collector{file: filename}
	root := load(c, data)
	if root == nil {
		return nil, c.err()
	}
	d := &decoder{c: c, at: map[string]*node{}, misshapen: map[string]bool{}, refused: len(c.problems) > 0}
	r := d.ruleset(root)
	if err := c.err(); err != nil {
		return nil, err
	}
	return r, nil
}

// node is a YAML value reduced to what a ruleset file may hold.
type node struct {
	kind      nodeKind
	text      string // of a scalar
	line, col int
	entries   []entry // of a mapping, in the order of the file
	items     []*node // of a list
}

type nodeKind uint8

const (
	scalar nodeKind = iota
	empty
	mapping
	list
)

func (k nodeKind) String() string {
	return [...]string{"a single value", "empty", "a group of keys", "a list"}[k]
}

type entry struct {
	key   *node
	value *node
}

// load checks the bounds, parses the YAML and reduces it. It returns nil when there is nothing to go on
// with; the problems are in c.
func load(c *collector, data []byte) (root *node) {
	if len(data) > MaxFileSize {
		c.add(Problem{Message: "the file is too large", Hint: fmt.Sprintf("at most %d KiB", MaxFileSize>>10)})
		return nil
	}
	data = bytes.TrimPrefix(data, byteOrderMark)
	if !checkBounds(c, data) {
		return nil
	}
	defer func() {
		// The parser is a library that strangers' bytes reach: a panic of it is a file that cannot be read.
		if r := recover(); r != nil {
			c.add(Problem{Message: "the file is not readable YAML"})
			root = nil
		}
	}()
	file := parseSome(c, data)
	if file == nil {
		return nil
	}
	var bodies []ast.Node
	for _, doc := range file.Docs {
		if doc != nil && doc.Body != nil {
			bodies = append(bodies, doc.Body)
		}
	}
	if len(bodies) != 1 {
		p := Problem{Line: 1, Column: 1, Message: "the file holds no ruleset", Hint: "start from `latro rules show` or docs/adding-a-ruleset.md"}
		if len(bodies) > 1 {
			p = Problem{Message: "the file holds several documents", Hint: "one ruleset a file, without --- between parts"}
			p.Line, p.Column = position(bodies[1].GetToken())
		}
		c.add(p)
		return nil
	}
	root = reduce(c, bodies[0], 0)
	if root != nil && root.kind != mapping {
		c.add(Problem{Line: root.line, Column: root.col, Message: "the file must be a group of keys, but is " + root.kind.String(), Hint: "id:, name:, board:, …"})
		return nil
	}
	return root
}

// maxSyntax bounds how many places of a file that are no YAML are looked for.
const maxSyntax = 10

// parseSome parses data. Where it is no YAML it notes the place, takes the line and what is indented below it away,
// and tries the rest, so that all such places and the mistakes of the rest are found at once. It returns nil when
// nothing is left or the places do not end.
func parseSome(c *collector, data []byte) *ast.File {
	lines := bytes.Split(data, []byte("\n"))
	indent := func(i int) int { return len(lines[i]) - len(bytes.TrimLeft(lines[i], " \t")) }
	blank := func(i int) bool {
		text := bytes.TrimSpace(lines[i])
		return len(text) == 0 || text[0] == '#'
	}
	for range maxSyntax {
		file, err := parser.ParseBytes(bytes.Join(lines, []byte("\n")), 0, parser.AllowDuplicateMapKey())
		if err == nil {
			return file
		}
		p := Problem{Line: 1, Column: 1, Message: "the file is not readable YAML: " + clip(err.Error())}
		var ye yaml.Error
		if errors.As(err, &ye) {
			p.Message = "the file is not readable YAML: " + clip(ye.GetMessage())
			if t := ye.GetToken(); t != nil && t.Position != nil {
				p.Line, p.Column = t.Position.Line, t.Position.Column
			}
		}
		at := min(max(p.Line, 1), len(lines)) - 1
		for at > 0 && blank(at) {
			at--
		}
		if from := unclosed(lines, at); from >= 0 {
			at, p.Line, p.Column = from, from+1, 1
			p.Message = "the file is not readable YAML: a bracket is opened here and not closed"
		}
		p.Hint = syntaxHint(string(lines[at]))
		if p.Hint == tabHint {
			p.Message = "the file is not readable YAML: a tab stands in the indentation"
		}
		c.add(p)
		if blank(at) {
			return nil
		}
		deep := indent(at)
		lines[at] = nil
		for i := at + 1; i < len(lines) && (blank(i) || indent(i) > deep); i++ {
			lines[i] = nil
		}
	}
	return nil
}

// unclosed returns the line on which a bracket was opened that is still open where line at begins, although that line
// is indented no deeper; -1 if there is none. Brackets in quotes and comments do not count.
func unclosed(lines [][]byte, at int) int {
	var open []int // the lines of the open brackets
	for i := range at {
		quote := byte(0)
		for j, ch := range lines[i] {
			switch {
			case quote != 0:
				if ch == quote {
					quote = 0
				}
			case ch == '"' || ch == '\'' && (j == 0 || strings.IndexByte(" [{,", lines[i][j-1]) >= 0):
				quote = ch
			case ch == '#' && (j == 0 || lines[i][j-1] == ' '):
				quote = '\n' // the rest of the line
			case ch == '{' || ch == '[':
				open = append(open, i)
			case (ch == '}' || ch == ']') && len(open) > 0:
				open = open[:len(open)-1]
			}
		}
	}
	if len(open) == 0 {
		return -1
	}
	from := open[len(open)-1]
	deep := func(i int) int { return len(lines[i]) - len(bytes.TrimLeft(lines[i], " ")) }
	if deep(at) > deep(from) {
		return -1
	}
	return from
}

// keyWithoutBlank finds a key whose value begins right after the colon.
var keyWithoutBlank = regexp.MustCompile(`^\s*(- )?[a-z_.0-9]+:[^\s:/]`)

const tabHint = "indent with blanks, never with tabs"

// syntaxHint guesses what is wrong with a line that is no YAML.
func syntaxHint(line string) string {
	text := strings.TrimSpace(line)
	count := func(s string) int { return strings.Count(line, s) }
	switch {
	case strings.Contains(line[:len(line)-len(strings.TrimLeft(line, " \t"))], "\t"):
		return tabHint
	case keyWithoutBlank.MatchString(line):
		return "put a blank after the colon"
	case count("{") != count("}"):
		return "every { needs its }"
	case count("[") != count("]"):
		return "every [ needs its ]"
	case count(`"`)%2 == 1:
		return `every " needs its partner`
	case !strings.Contains(text, ":") && !strings.HasPrefix(text, "-") && text != "":
		return "a key ends with a colon: " + clip(strings.Fields(text)[0]) + ": …"
	case strings.Count(text, ": ") > 1 && !strings.Contains(text, "{"):
		return "put text that holds a colon in quotes"
	}
	return "look at the indentation of this line, and put text with special signs in quotes"
}

// checkBounds refuses what would make the YAML parser slow or recurse deeply.
func checkBounds(c *collector, data []byte) bool {
	line, start, flow := 1, 0, 0
	for i := 0; i <= len(data); i++ {
		if i < len(data) && data[i] != '\n' {
			switch data[i] {
			case '[', '{':
				if flow++; flow > maxFlowDepth {
					c.add(Problem{Line: line, Column: i - start + 1, Message: "too many nested brackets"})
					return false
				}
			case ']', '}':
				flow = max(flow-1, 0)
			case 0:
				c.add(Problem{Line: line, Column: i - start + 1, Message: "the file holds a zero byte", Hint: "plain UTF-8 text"})
				return false
			}
			continue
		}
		text := data[start:i]
		if !utf8.Valid(text) {
			c.add(Problem{Line: line, Column: 1, Message: "the line is not UTF-8 text", Hint: "save the file as UTF-8"})
			return false
		}
		indent := 0
		for indent < len(text) && (text[indent] == ' ' || text[indent] == '\t') {
			indent++
		}
		// "- - - -" nests once a dash.
		dashes := 0
		for j := indent; j+1 < len(text) && (text[j] == '-' || text[j] == '?') && text[j+1] == ' '; j += 2 {
			dashes++
		}
		switch {
		case line > maxLines && len(text) > 0:
			c.add(Problem{Line: line, Column: 1, Message: "the file has too many lines", Hint: fmt.Sprintf("at most %d", maxLines)})
			return false
		case len(text) > maxLine:
			c.add(Problem{Line: line, Column: 1, Message: "the line is too long", Hint: fmt.Sprintf("at most %d characters; break long notes over several lines after >-", maxLine)})
			return false
		case indent > maxIndent, dashes > maxDepth:
			c.add(Problem{Line: line, Column: 1, Message: "the line is indented too deeply"})
			return false
		}
		line, start = line+1, i+1
	}
	return true
}

func position(t *token.Token) (line, col int) {
	if t == nil || t.Position == nil {
		return 1, 1
	}
	return t.Position.Line, t.Position.Column
}

// reduce turns the parser's tree into nodes, refusing what no ruleset needs. It returns nil for a refused
// node.
func reduce(c *collector, n ast.Node, depth int) *node {
	line, col := position(n.GetToken())
	refuse := func(what, hint string) *node {
		c.add(Problem{Line: line, Column: col, Message: what, Hint: hint})
		return nil
	}
	if depth > maxDepth {
		return refuse("too many levels", "")
	}
	out := &node{line: line, col: col}
	switch n := n.(type) {
	case *ast.StringNode:
		out.text = n.Value
	case *ast.LiteralNode:
		out.text = strings.TrimSpace(n.Value.Value)
	case *ast.IntegerNode:
		out.text = n.Token.Value
	case *ast.FloatNode:
		out.text = n.Token.Value
	case *ast.InfinityNode, *ast.NanNode:
		out.text = n.GetToken().Value
	case *ast.BoolNode:
		out.text = n.Token.Value
	case *ast.NullNode:
		out.kind = empty
	case *ast.MappingNode:
		out.kind = mapping
		out.addAll(c, n.Values, depth)
	case *ast.MappingValueNode:
		out.kind = mapping
		out.addAll(c, []*ast.MappingValueNode{n}, depth)
	case *ast.SequenceNode:
		out.kind = list
		for _, v := range n.Values {
			if item := reduce(c, v, depth+1); item != nil {
				out.items = append(out.items, item)
			}
		}
	case *ast.AnchorNode, *ast.AliasNode, *ast.MergeKeyNode:
		return refuse("anchors and aliases (& * <<) are not used in ruleset files", "write the value out")
	case *ast.TagNode:
		return refuse("tags (!) are not used in ruleset files", "put text with a ! in quotes")
	default:
		return refuse("this is not used in ruleset files", "keys, values and lists only")
	}
	return out
}

func (n *node) addAll(c *collector, values []*ast.MappingValueNode, depth int) {
	if len(values) > 0 {
		n.line, n.col = position(values[0].Key.GetToken())
	}
	seen := map[string]int{}
	for _, v := range values {
		key := reduce(c, v.Key, depth+1)
		if key == nil {
			continue
		}
		if key.kind != scalar {
			c.add(Problem{Line: key.line, Column: key.col, Message: "a key must be a plain word"})
			continue
		}
		if first, ok := seen[key.text]; ok {
			c.add(Problem{Line: key.line, Column: key.col, Param: clip(key.text), Message: fmt.Sprintf("is given twice, first on line %d", first), Hint: "keep one"})
			continue
		}
		seen[key.text] = key.line
		if value := reduce(c, v.Value, depth+1); value != nil {
			if value.kind == empty {
				value.line, value.col = key.line, key.col
			}
			n.entries = append(n.entries, entry{key, value})
		}
	}
}

// decoder turns nodes into a Ruleset.
type decoder struct {
	c  *collector
	at map[string]*node // where a parameter, section or key was stated

	misshapen map[string]bool // sections that are no groups of keys

	// refused: something in the file could not be read at all, so that what is missing may just not have
	// been seen.
	refused bool
}

func (d *decoder) problem(n *node, param, message, hint string) {
	d.c.add(Problem{Line: n.line, Column: n.col, Param: param, Message: message, Hint: hint})
}

// topKeys are the keys of a ruleset file besides the sections of parameters.
var topKeys = []string{"id", "name", "summary", "sources", "provenance", "readings"}

// sections returns the names directly below a dotted prefix ("" for the top).
func sections(prefix string) []string {
	var out []string
	for i := range fields {
		if rest, ok := strings.CutPrefix(fields[i].Name, prefix); ok {
			head, _, _ := strings.Cut(rest, ".")
			if !slices.Contains(out, head) {
				out = append(out, head)
			}
		}
	}
	return out
}

func (d *decoder) ruleset(root *node) *Ruleset {
	r := &Ruleset{Reading: "default", Params: Neutral()}
	var provenance, readings *node
	names := sections("")
	for _, e := range root.entries {
		key := e.key.text
		d.at[key] = e.key
		switch {
		case key == "id":
			r.ID = d.text(e, true)
			if r.ID != "" && !idPattern.MatchString(r.ID) {
				d.problem(e.value, "id", quote(r.ID)+" is not a valid id", "small letters, digits and hyphens, at most 64, such as bell-8x7")
			}
		case key == "name":
			r.Name = d.text(e, true)
		case key == "summary":
			r.Summary = d.text(e, true)
		case key == "sources":
			r.Sources = d.sources(e)
		case key == "provenance":
			provenance = e.value
		case key == "readings":
			readings = e.value
		case slices.Contains(names, key):
			d.section(&r.Params, key, e)
		default:
			d.unknownKey(e.key, key, slices.Concat(topKeys, names))
		}
	}
	start := &node{line: 1, col: 1}
	for _, key := range []string{"id", "name"} {
		if d.at[key] == nil && !d.refused {
			d.problem(start, key, "is missing", "every ruleset file states it")
		}
	}
	if d.at["sources"] == nil && !d.refused {
		d.problem(start, "sources", "is missing", "a list with at least one source: - {id: …, title: …}")
	}
	complete := true
	for i := range fields {
		if fields[i].Required && d.at[fields[i].Name] == nil {
			complete = false
			if section, _, _ := strings.Cut(fields[i].Name, "."); d.refused || d.misshapen[section] {
				continue
			}
			d.problem(d.where(fields[i].Name), fields[i].Name, "is missing", fields[i].Valid())
		}
	}
	settle(&r.Params, func(name string) bool { return d.at[name] != nil })
	clean := complete && !d.hasValueErrors()
	if clean {
		for _, p := range r.Params.Validate() {
			n := d.where(p.Param)
			p.Line, p.Column = n.line, n.col
			d.c.add(p)
		}
	}
	r.base = r.Params.Clone()
	r.Provenance = d.provenance(provenance, r.Sources)
	r.baseProvenance = r.Provenance
	r.Readings = d.readings(readings, r.Params, clean && len(d.c.problems) == 0)
	return r
}

// hasValueErrors reports whether any problem so far concerns a parameter, in which case the combinations
// are not worth judging.
func (d *decoder) hasValueErrors() bool {
	return slices.ContainsFunc(d.c.problems, func(p Problem) bool { return fieldByName(p.Param) != nil })
}

// where returns the best place to point to for a parameter: its own, its section's or the file's start.
func (d *decoder) where(name string) *node {
	for {
		if n := d.at[name]; n != nil {
			return n
		}
		i := strings.LastIndexByte(name, '.')
		if i < 0 {
			return &node{line: 1, col: 1}
		}
		name = name[:i]
	}
}

func (d *decoder) unknownKey(n *node, path string, valid []string) {
	if d.c.full() {
		d.problem(n, "", "unknown key", "")
		return
	}
	last := path[strings.LastIndexByte(path, '.')+1:]
	hint := "valid here: " + strings.Join(valid, ", ")
	if strings.Contains(last, ":") {
		hint = "put a blank after the colon; " + hint
	} else if near := nearest(last, valid); near != "" {
		hint = fmt.Sprintf("did you mean %s? %s", near, hint)
	} else {
		for i := range fields {
			if strings.HasSuffix(fields[i].Name, "."+last) {
				hint = fmt.Sprintf("did you mean %s? %s", fields[i].Name, hint)
				break
			}
		}
	}
	d.problem(n, clip(path), "unknown key", hint)
}

// section reads a group of parameters; prefix is its dotted name.
func (d *decoder) section(p *Params, prefix string, e entry) {
	d.misshapen[prefix] = e.value.kind != mapping
	if e.value.kind == empty {
		if d.refused {
			return // what stood there may be what could not be read
		}
		d.problem(e.value, prefix, "is empty", "remove the key, or give: "+strings.Join(sections(prefix+"."), ", "))
		return
	}
	if e.value.kind != mapping {
		d.problem(e.value, prefix, "must be a group of keys, but is "+e.value.kind.String(), "its keys: "+strings.Join(sections(prefix+"."), ", "))
		return
	}
	for _, sub := range e.value.entries {
		name := prefix + "." + sub.key.text
		f := fieldByName(name)
		switch {
		case f != nil:
			d.at[name] = sub.key
			d.param(p, f, sub)
		case slices.Contains(sections(prefix+"."), sub.key.text):
			d.at[name] = sub.key
			d.section(p, name, sub)
		default:
			d.unknownKey(sub.key, name, sections(prefix+"."))
		}
	}
}

// param reads the value of one parameter.
func (d *decoder) param(p *Params, f *field, e entry) {
	if err := setNode(p, f, e.value); err != nil {
		pr := asProblem(err)
		pr.Line, pr.Column = e.value.line, e.value.col
		d.c.add(pr)
	}
}

// setNode gives a parameter the value of a node.
func setNode(p *Params, f *field, n *node) error {
	isList := f.Kind == KindChoices || f.Kind == KindSquares || f.Kind == KindArray
	switch {
	case n.kind == empty:
		return &Problem{Param: f.Name, Message: "has no value", Hint: f.Valid()}
	case isList && n.kind == scalar:
		return &Problem{Param: f.Name, Message: "must be a list, but is a single value", Hint: "in brackets: [" + clip(n.text) + "]; " + f.Valid()}
	case isList && n.kind == list:
		items := make([]string, len(n.items))
		for i, item := range n.items {
			if item.kind != scalar {
				return &Problem{Param: f.Name, Message: fmt.Sprintf("item %d is %s", i+1, item.kind), Hint: f.Valid()}
			}
			items[i] = item.text
		}
		return f.setList(f.ptr(p).(*[]string), items)
	case n.kind != scalar:
		return &Problem{Param: f.Name, Message: "must be a single value, but is " + n.kind.String(), Hint: f.Valid()}
	}
	return f.set(p, n.text)
}

// text reads a piece of prose; breaks of a folded text become single blanks.
func (d *decoder) text(e entry, required bool) string {
	if e.value.kind != scalar {
		d.problem(e.value, e.key.text, "must be text, but is "+e.value.kind.String(), "")
		return ""
	}
	s := strings.Join(strings.Fields(e.value.text), " ")
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		d.problem(e.value, e.key.text, "holds characters that cannot be printed", "plain text")
		return ""
	}
	if s == "" && required {
		d.problem(e.value, e.key.text, "is empty", "write a few words")
	}
	return s
}

func (d *decoder) sources(e entry) []Source {
	if e.value.kind != list || len(e.value.items) == 0 {
		d.problem(e.value, "sources", "must be a list with at least one source", "- {id: bell-1979, title: …, author: …, year: …, pages: …, url: …}")
		return nil
	}
	var out []Source
	keys := []string{"id", "title", "author", "year", "pages", "url", "note"}
	for _, item := range e.value.items {
		if item.kind != mapping {
			d.problem(item, "sources", "each source must be a group of keys, but is "+item.kind.String(), "its keys: "+strings.Join(keys, ", "))
			continue
		}
		var s Source
		fields := []*string{&s.ID, &s.Title, &s.Author, &s.Year, &s.Pages, &s.URL, &s.Note}
		for _, sub := range item.entries {
			i := slices.Index(keys, sub.key.text)
			if i < 0 {
				d.unknownKey(sub.key, "sources."+sub.key.text, keys)
				continue
			}
			*fields[i] = d.text(sub, true)
		}
		if !idPattern.MatchString(s.ID) {
			d.problem(item, "sources.id", quote(s.ID)+" is not a valid id", "small letters, digits and hyphens, such as bell-1979")
		}
		if s.Title == "" {
			d.problem(item, "sources.title", "is missing", "the title of the source")
		}
		if slices.ContainsFunc(out, func(o Source) bool { return o.ID == s.ID }) {
			d.problem(item, "sources.id", quote(s.ID)+" is used twice", "each source has its own id")
		}
		out = append(out, s)
	}
	return out
}

// provenance reads the provenance of parameters and of whole sections; the narrowest statement counts.
func (d *decoder) provenance(n *node, sources []Source) map[string]Provenance {
	stated := map[string]Provenance{}
	if n != nil && n.kind != mapping {
		d.problem(n, "provenance", "must be a group of keys, but is "+n.kind.String(), "board: {certainty: attested, source: …, note: …}")
		n = nil
	}
	if n != nil {
		for _, e := range n.entries {
			name := e.key.text
			if fieldByName(name) == nil && len(sections(name+".")) == 0 {
				if d.c.full() {
					d.problem(e.key, "", "no such parameter or section", "")
					continue
				}
				hint := unknownParam(name).(*Problem).Hint
				if near := nearest(name, sections("")); near != "" {
					hint = "did you mean " + near + "?"
				}
				d.problem(e.key, "provenance."+clip(name), "no such parameter or section", hint)
				continue
			}
			stated[name] = d.oneProvenance(e, sources)
		}
	}
	out := make(map[string]Provenance, len(fields))
	for i := range fields {
		name := fields[i].Name
		out[name] = Provenance{Certainty: Assumed, Note: unstated}
		for prefix := name; prefix != ""; {
			if p, ok := stated[prefix]; ok {
				out[name] = p
				break
			}
			prefix = prefix[:max(strings.LastIndexByte(prefix, '.'), 0)]
		}
	}
	return out
}

func (d *decoder) oneProvenance(e entry, sources []Source) Provenance {
	path := "provenance." + clip(e.key.text)
	keys := []string{"certainty", "source", "note"}
	var p Provenance
	if e.value.kind != mapping {
		d.problem(e.value, path, "must be a group of keys, but is "+e.value.kind.String(), "{certainty: attested, source: …, note: …}")
		return p
	}
	for _, sub := range e.value.entries {
		switch sub.key.text {
		case "certainty":
			p.Certainty = Certainty(d.text(sub, true))
			words := []string{string(Attested), string(Argued), string(Assumed)}
			if p.Certainty != "" && !slices.Contains(words, string(p.Certainty)) {
				hint := "one of: " + strings.Join(words, ", ")
				if near := nearest(string(p.Certainty), words); near != "" {
					hint = fmt.Sprintf("did you mean %q? valid is %s", near, hint)
				}
				d.problem(sub.value, path+".certainty", quote(string(p.Certainty))+" is not a valid value", hint)
			}
		case "source":
			p.Source = d.text(sub, true)
			if p.Source != "" && len(sources) > 0 && !slices.ContainsFunc(sources, func(s Source) bool { return s.ID == p.Source }) {
				ids := make([]string, min(len(sources), 20))
				for i := range ids {
					ids[i] = sources[i].ID
				}
				if len(ids) < len(sources) {
					ids = append(ids, "…")
				}
				d.problem(sub.value, path+".source", quote(p.Source)+" is none of the sources of this file", "one of: "+strings.Join(ids, ", "))
			}
		case "note":
			p.Note = d.text(sub, true)
		default:
			d.unknownKey(sub.key, path+"."+clip(sub.key.text), keys)
		}
	}
	switch {
	case p.Certainty == "":
		d.problem(e.key, path+".certainty", "is missing", "one of: attested, argued, assumed")
	case p.Certainty != Assumed && p.Source == "":
		d.problem(e.key, path+".source", "is missing", "what is "+string(p.Certainty)+" names its source; without one it is assumed")
	}
	return p
}

// readings reads the named overrides; each must give possible rules over the default.
func (d *decoder) readings(n *node, base Params, validate bool) []Reading {
	if n == nil {
		return nil
	}
	if n.kind != mapping {
		d.problem(n, "readings", "must be a group of keys, but is "+n.kind.String(), "sixty-plies: {ambiguity: A20, note: …, set: {end.no_capture_limit: 60}}")
		return nil
	}
	var out []Reading
	for _, e := range n.entries {
		r, at := d.reading(e)
		if validate && at != nil {
			p := base.Clone()
			for _, pr := range applySets(&p, r.Set) {
				where := at[pr.Param]
				if where == nil {
					where = e.key
				}
				pr.Line, pr.Column = where.line, where.col
				pr.Param = "readings." + clip(r.Name) + ": " + pr.Param
				d.c.add(pr)
			}
		}
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b Reading) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// reading reads one reading; at says where each parameter was set and is nil when something is wrong.
func (d *decoder) reading(e entry) (r Reading, at map[string]*node) {
	path := "readings." + clip(e.key.text)
	r = Reading{Name: e.key.text, Set: map[string]string{}}
	before := len(d.c.problems) + d.c.more
	if !idPattern.MatchString(r.Name) || r.Name == "default" {
		d.problem(e.key, path, "is not a valid name of a reading", `small letters, digits and hyphens; "default" is the ruleset itself`)
	}
	if e.value.kind != mapping {
		d.problem(e.value, path, "must be a group of keys, but is "+e.value.kind.String(), "{ambiguity: A20, note: …, set: {end.no_capture_limit: 60}}")
		return r, nil
	}
	at = map[string]*node{}
	for _, sub := range e.value.entries {
		switch sub.key.text {
		case "ambiguity":
			r.Ambiguity = d.text(sub, true)
			if r.Ambiguity != "" && !ambiguityPattern.MatchString(r.Ambiguity) {
				d.problem(sub.value, path+".ambiguity", quote(r.Ambiguity)+" is not a list of ambiguities", "A1 to A28, such as: A1, A2; leave the key out for a doubt of your own")
			}
		case "note":
			r.Note = d.text(sub, true)
		case "set":
			if sub.value.kind != mapping || len(sub.value.entries) == 0 {
				d.problem(sub.value, path+".set", "must be a group of parameters with their values", "{end.no_capture_limit: 60}")
				continue
			}
			for _, s := range sub.value.entries {
				f := fieldByName(s.key.text)
				if f == nil {
					pr := unknownParam(s.key.text).(*Problem)
					d.problem(s.key, path+".set: "+pr.Param, pr.Message, pr.Hint)
					continue
				}
				var p Params
				if err := setNode(&p, f, s.value); err != nil {
					pr := asProblem(err)
					d.problem(s.value, path+".set: "+pr.Param, pr.Message, pr.Hint)
					continue
				}
				r.Set[f.Name] = f.get(&p)
				at[f.Name] = s.key
			}
		default:
			d.unknownKey(sub.key, path+"."+clip(sub.key.text), []string{"ambiguity", "note", "set"})
		}
	}
	if r.Note == "" {
		d.problem(e.key, path+".note", "is missing", "say what the reading means and why one may hold it")
	}
	if len(r.Set) == 0 && before == len(d.c.problems)+d.c.more {
		d.problem(e.key, path+".set", "is missing", "{end.no_capture_limit: 60}")
	}
	if before != len(d.c.problems)+d.c.more {
		at = nil
	}
	return r, at
}
