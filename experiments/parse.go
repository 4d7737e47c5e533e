package experiments

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"latro/datasets/atomicfile"
	"latro/env/rules"
)

// maxDesignBytes bounds a design file; a real one has a page or two.
const maxDesignBytes = 1 << 20

// LoadDesign reads and validates a design file. A mistake in it gives an error
// that satisfies ErrInvalid and names every mistake with file, line and field.
func LoadDesign(path string) (Design, error) {
	f, _, err := atomicfile.Open(path)
	if err != nil {
		return Design{}, fmt.Errorf("read design: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxDesignBytes+1))
	if err != nil {
		return Design{}, fmt.Errorf("read design %s: %w", path, err)
	}
	return ParseDesign(path, b)
}

// ParseDesign is [LoadDesign] on bytes; filename is for messages.
func ParseDesign(filename string, data []byte) (d Design, err error) {
	if len(data) > maxDesignBytes {
		return Design{}, Problems{{File: filename, Message: fmt.Sprintf("is larger than %d bytes", maxDesignBytes), Hint: "a design is a page of text"}}
	}
	// The YAML parser is not ours; a panic on a broken file must stay an error
	// about that file.
	defer func() {
		if r := recover(); r != nil {
			d, err = Design{}, Problems{{File: filename, Message: "is not readable as YAML"}}
		}
	}()
	if data, err = rules.CheckYAML(filename, data); err != nil {
		return Design{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	file, perr := parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
	if perr != nil {
		return Design{}, Problems{syntaxProblem(filename, perr)}
	}
	d = DefaultDesign()
	d.dir = filepath.Dir(filename)
	dec := decoder{file: filename, at: map[string]position{}}
	var body ast.Node
	if len(file.Docs) > 0 {
		body = file.Docs[0].Body
	}
	if body == nil {
		return Design{}, Problems{{File: filename, Message: "is empty", Hint: "a design has at least id, question and rulesets"}}
	}
	if len(file.Docs) > 1 {
		dec.problem(file.Docs[1].Body, "", "holds a second document", "one design a file")
	}
	// The defaults of starts belong to kind random.
	dec.decode(body, "", reflect.ValueOf(&d).Elem())
	if _, given := dec.at["starts.plies"]; !given && d.Starts.Kind == "initial" {
		d.Starts.Plies = 0
	}
	// A result is a curve over strength unless the design says otherwise.
	_, given := dec.at["agents"]
	dec.strength = dec.strength || !given
	sound := dec.budgets("uct_budgets", d.UCTBudgets) && dec.budgets("trained_budgets", d.TrainedBudgets)
	switch {
	case dec.strength && sound:
		d.takeLadder()
	case dec.strength:
		dec.bad = append(dec.bad, "agents") // they are not known
	}
	if _, given := dec.at["unit_pairs"]; !given && d.searchless() {
		d.UnitPairs = searchlessUnitPairs
	}
	// The usual margin is one of scores, five points; as a number of plies or pieces it would be nonsense.
	if m, ok := metricByName(d.Metric); ok && m.Unit != "points" {
		if _, given := dec.at["margin"]; !given {
			dec.report(Problem{Field: "margin", Message: "is missing, and the metric " + d.Metric + " has no usual one", Hint: "give the smallest difference that matters, in " + m.Unit})
		}
	}
	// In the design zero stands for "not given"; who writes it means zero, and must not get the usual value instead.
	for _, x := range []struct {
		field string
		value float64
	}{{"stopping.alpha", d.Stopping.Alpha}, {"stopping.beta", d.Stopping.Beta}, {"power", d.Power}} {
		if _, given := dec.at[x.field]; given && x.value == 0 {
			dec.report(Problem{Field: x.field, Message: "is 0", Hint: rangeHint(x.field)})
		}
	}
	for _, p := range d.Validate() {
		dec.report(p)
	}
	if err := dec.problems.err(); err != nil {
		return Design{}, err
	}
	d.places = &places{filename, dec.find}
	return d, nil
}

var syntaxPosition = regexp.MustCompile(`^\[(\d+):(\d+)\] (.*)`)

// syntaxProblem takes the position out of the YAML parser's message, which comes
// with an excerpt of the file.
func syntaxProblem(filename string, err error) Problem {
	first, _, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n")
	p := Problem{File: filename, Message: "is not valid YAML: " + first}
	if m := syntaxPosition.FindStringSubmatch(first); m != nil {
		p.Line, _ = strconv.Atoi(m[1])
		p.Column, _ = strconv.Atoi(m[2])
		p.Message = "is not valid YAML: " + m[3]
	}
	return p
}

type position struct{ line, column int }

// decoder fills structs from a YAML tree: strictly, with every mistake, and
// remembering where each field stood.
type decoder struct {
	file     string
	problems Problems
	at       map[string]position
	bad      []string
	// strength says that the agents are the word for a whole ladder.
	strength bool
}

func (d *decoder) problem(n ast.Node, field, message, hint string) {
	p := Problem{File: d.file, Field: field, Message: message, Hint: hint}
	if n != nil && n.GetToken() != nil && n.GetToken().Position != nil {
		p.Line, p.Column = n.GetToken().Position.Line, n.GetToken().Position.Column
	}
	d.bad = append(d.bad, field)
	d.problems = append(d.problems, p)
}

// report adds a problem of a field, with the place where the field stands. One of a field that could not be read was
// reported before.
func (d *decoder) report(p Problem) {
	if d.failed(p.Field) {
		return
	}
	pos := d.find(p.Field)
	p.File, p.Line, p.Column = d.file, pos.line, pos.column
	d.problems = append(d.problems, p)
}

// budgets checks a list of the ladder's budgets, which only a design that plays the ladder has.
func (d *decoder) budgets(field string, list []int) bool {
	before := len(d.problems)
	_, given := d.at[field]
	if given && !d.strength {
		d.report(Problem{Field: field, Message: "belongs to agents: strength", Hint: "write the budgets into the agents"})
		return false
	}
	if given && len(list) == 0 {
		d.report(Problem{Field: field, Message: "names no budget", Hint: "simulations, as [25, 100, 400], or leave the key out for the usual ones"})
	}
	for i, n := range list {
		if n < 1 || i > 0 && n <= list[i-1] {
			d.report(Problem{Field: fmt.Sprintf("%s[%d]", field, i), Message: fmt.Sprintf("is %d", n), Hint: rangeHint(field)})
		}
	}
	return len(d.problems) == before
}

// find is the position of a field, or of the closest enclosing one that the file
// has; line 1 at least.
func (d *decoder) find(field string) position {
	for {
		if p, ok := d.at[field]; ok {
			return p
		}
		cut := strings.LastIndexAny(field, ".[")
		if cut < 0 {
			return position{1, 1}
		}
		field = field[:cut]
	}
}

func (d *decoder) failed(field string) bool {
	for _, b := range d.bad {
		if b != "" && (field == b || strings.HasPrefix(field, b+".") || strings.HasPrefix(field, b+"[")) {
			return true
		}
	}
	return false
}

func kindName(n ast.Node) string {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.NullNode:
		return "nothing"
	}
	return strconv.Quote(clip(n.String()))
}

func (d *decoder) decode(n ast.Node, path string, v reflect.Value) {
	if t := n.GetToken(); t != nil && t.Position != nil {
		if _, ok := d.at[path]; !ok {
			d.at[path] = position{t.Position.Line, t.Position.Column}
		}
	}
	switch n.(type) {
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode, *ast.MergeKeyNode:
		d.problem(n, path, "uses a YAML anchor, alias or tag", "write the value out")
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		p := reflect.New(v.Type().Elem())
		d.decode(n, path, p.Elem())
		v.Set(p)
	case reflect.Struct:
		d.decodeStruct(n, path, v)
	case reflect.Slice:
		seq, ok := n.(*ast.SequenceNode)
		if text, word := plain(n); word && path == "agents" && text == StrengthWord {
			d.strength = true
			return
		}
		if !ok {
			d.problem(n, path, "is "+kindName(n), "a list is needed")
			return
		}
		out := reflect.MakeSlice(v.Type(), len(seq.Values), len(seq.Values))
		for i, item := range seq.Values {
			d.decode(item, fmt.Sprintf("%s[%d]", path, i), out.Index(i))
		}
		v.Set(out)
	case reflect.Map:
		m := entries(n)
		if m == nil {
			d.problem(n, path, "is "+kindName(n), "a mapping is needed")
			return
		}
		v.Set(reflect.MakeMap(v.Type()))
		for _, e := range m {
			item := reflect.New(v.Type().Elem()).Elem()
			d.decode(e.Value, path+"."+scalar(e.Key), item)
			v.SetMapIndex(reflect.ValueOf(scalar(e.Key)), item)
		}
	default:
		d.decodeScalar(n, path, v)
	}
}

func (d *decoder) decodeStruct(n ast.Node, path string, v reflect.Value) {
	m := entries(n)
	if m == nil {
		// The short form of a ruleset or agent: a plain string.
		if text, ok := plain(n); ok {
			switch x := v.Addr().Interface().(type) {
			case *RulesetRef:
				x.Ref = text
				return
			case *AgentRef:
				x.Spec = text
				return
			case *Stopping:
				x.Rule = text
				return
			}
		}
		d.problem(n, path, "is "+kindName(n), "a mapping is needed")
		return
	}
	fields := map[string]int{}
	var names []string
	for i := range v.NumField() {
		name := v.Type().Field(i).Tag.Get("yaml")
		if name == "" || name == "-" {
			continue
		}
		fields[name] = i
		names = append(names, name)
	}
	seen := map[string]bool{}
	for _, e := range m {
		key := scalar(e.Key)
		sub := key
		if path != "" {
			sub = path + "." + key
		}
		i, ok := fields[key]
		if !ok {
			d.problem(e.Key, sub, "unknown key", "valid here: "+strings.Join(names, ", "))
			continue
		}
		if seen[key] {
			d.problem(e.Key, sub, "is given twice", "keep one")
			continue
		}
		seen[key] = true
		if t := e.Key.GetToken(); t != nil && t.Position != nil {
			d.at[sub] = position{t.Position.Line, t.Position.Column}
		}
		if _, null := e.Value.(*ast.NullNode); null {
			d.problem(e.Key, sub, "has no value", "give one or leave the key out")
			continue
		}
		d.decode(e.Value, sub, v.Field(i))
	}
}

func (d *decoder) decodeScalar(n ast.Node, path string, v reflect.Value) {
	text, ok := plain(n)
	if !ok {
		hint := "a single value is needed"
		if r := rangeHint(path); r != "" {
			hint += ": " + r
		}
		d.problem(n, path, "is "+kindName(n), hint)
		return
	}
	number := strings.ReplaceAll(text, "_", "")
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Int:
		i, err := strconv.Atoi(number)
		if err != nil {
			d.problem(n, path, fmt.Sprintf("%q is no whole number", clip(text)), wholeHint(path, number))
			return
		}
		v.SetInt(int64(i))
	case reflect.Uint64:
		u, err := strconv.ParseUint(number, 0, 64)
		if err != nil {
			message := fmt.Sprintf("%q is no whole number", clip(text))
			if whole, ok := new(big.Int).SetString(number, 0); ok && whole.Sign() < 0 {
				message = fmt.Sprintf("is %s, below 0", clip(text))
			} else if ok && !whole.IsUint64() {
				message = fmt.Sprintf("is %s, too large", clip(text))
			}
			d.problem(n, path, message, wholeHint(path, number))
			return
		}
		v.SetUint(u)
	case reflect.Float64:
		f, err := strconv.ParseFloat(number, 64)
		switch {
		case err != nil && !errors.Is(err, strconv.ErrRange) && !notFinite(n):
			hint := "write it with a point, as 0.05"
			if r := rangeHint(path); r != "" {
				hint = r
			}
			d.problem(n, path, fmt.Sprintf("%q is no number", clip(text)), hint)
			return
		case err != nil || math.IsNaN(f) || math.IsInf(f, 0):
			d.problem(n, path, fmt.Sprintf("%q is no finite number", clip(text)), rangeHint(path))
			return
		}
		v.SetFloat(f)
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			d.problem(n, path, fmt.Sprintf("%q is neither true nor false", clip(text)), "write true or false")
			return
		}
		v.SetBool(b)
	default:
		panic("experiments: design field of kind " + v.Kind().String())
	}
}

// wholeHint says how to write what was meant as the whole number of a field, or what the field may be where writing it
// otherwise would not help.
func wholeHint(field, text string) string {
	u, err := strconv.ParseUint(strings.TrimPrefix(text, "+"), 0, 64)
	if f, ferr := strconv.ParseFloat(text, 64); err != nil && ferr == nil && f == math.Trunc(f) && f >= 0 && f < 1e15 {
		u, err = uint64(f), nil
	}
	switch r := rangeHint(field); {
	case err == nil:
		return fmt.Sprintf("write it in decimal digits: %d", u)
	case r != "":
		return r
	}
	return "write it in digits, as 100"
}

// notFinite is true of the words that YAML has for infinity and for what is no number.
func notFinite(n ast.Node) bool {
	switch n.(type) {
	case *ast.InfinityNode, *ast.NanNode:
		return true
	}
	return false
}

// plain is the text of a scalar node.
func plain(n ast.Node) (string, bool) {
	switch x := n.(type) {
	case *ast.StringNode:
		return x.Value, true
	case *ast.LiteralNode:
		return strings.TrimSpace(x.Value.Value), true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return x.GetToken().Value, true
	}
	return "", false
}

func scalar(n ast.Node) string {
	if s, ok := plain(n); ok {
		return s
	}
	return n.String()
}

func entries(n ast.Node) []*ast.MappingValueNode {
	switch x := n.(type) {
	case *ast.MappingNode:
		return append([]*ast.MappingValueNode{}, x.Values...)
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{x}
	}
	return nil
}
