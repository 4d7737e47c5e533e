package rules

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Certainty says how well a parameter's value is founded.
type Certainty string

const (
	Attested Certainty = "attested" // the source states it
	Argued   Certainty = "argued"   // a scholar argues for it, or the source implies it
	Assumed  Certainty = "assumed"  // the source is silent: a neutral choice
)

// Provenance says where a parameter's value comes from.
type Provenance struct {
	Certainty Certainty
	Source    string // id of one of the ruleset's sources; may be "" where assumed
	Note      string // for a historian; may be ""
}

// Source is a text that a ruleset rests on.
type Source struct {
	ID     string // short name by which provenance refers to it
	Title  string
	Author string
	Year   string
	Pages  string
	URL    string
	Note   string // what a reader must know of it, such as "not seen in the original"; may be ""
}

// Reading is a named set of parameter values that settles an ambiguity of the source in another way than
// the default does.
type Reading struct {
	Name      string
	Ambiguity string            // "A18" or "A1, A2": the numbers of doubts (LookUpDoubt); may be ""
	Note      string            // what the reading means and why one may hold it
	Set       map[string]string // parameter name to value, in the text form of Params.Set
}

// Ruleset is a set of rules with its name, sources and readings. Params are the rules as they are played:
// with the reading and the overrides applied. Treat it as read-only; its methods are then safe for
// concurrent use.
type Ruleset struct {
	ID         string
	Name       string
	Summary    string
	Sources    []Source
	Params     Params
	Provenance map[string]Provenance // by parameter name, complete
	Readings   []Reading             // sorted by name
	Reading    string                // name of the reading applied, "default" for none
	Overrides  []string              // "name=value" in the order of the file format, only what differs from the reading
	File       string                // path of the file it was read from; "" for the catalogue

	base           Params                // of the default reading
	baseProvenance map[string]Provenance // of the default reading
}

//go:embed catalogue
var catalogueFS embed.FS

// Catalogue returns the ids of the embedded rulesets, sorted.
func Catalogue() []string {
	entries, err := fs.ReadDir(catalogueFS, "catalogue")
	if err != nil {
		panic("rules: the embedded catalogue is unreadable: " + err.Error())
	}
	var ids []string
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), ".yaml"); ok {
			ids = append(ids, id)
		}
	}
	for _, t := range templates() {
		ids = append(ids, t.ID)
	}
	slices.Sort(ids)
	return ids
}

// overrideStart finds the first "+name=" of a reference: only something that looks like a parameter is an
// override, so that a file's name may hold a plus sign.
var overrideStart = regexp.MustCompile(`\+[a-z_]+\.[a-z_.]+=`)

// Open returns the ruleset that ref names, with the sets ("capture.corner=neutral") applied over it. A
// ref is a catalogue id or a path of a ruleset file, then optionally @ and a reading, then optionally
// overrides, each "+name=value": "bell-8x7", "bell-8x7@ludii", "my/game.yaml@superko+end.tie=player-1". A
// reference with a slash or ending in .yaml or .yml is a path.
//
// Overrides are applied together. Parameters that they make meaningless take their neutral values by
// themselves (with bonus.after=none there is no bonus.piece any more), unless they are set too.
//
// Every error that the input causes satisfies errors.Is(err, ErrInvalid) and names all mistakes at once;
// a missing file also satisfies errors.Is(err, fs.ErrNotExist).
func Open(ref string, sets ...string) (*Ruleset, error) {
	rest := ref
	var all []string
	if at := overrideStart.FindStringIndex(rest); at != nil {
		tail := rest[at[0]:]
		rest = rest[:at[0]]
		starts := overrideStart.FindAllStringIndex(tail, -1)
		for i, s := range starts {
			end := len(tail)
			if i+1 < len(starts) {
				end = starts[i+1][0]
			}
			all = append(all, tail[s[0]+1:end])
		}
	}
	all = append(all, sets...)
	name, reading := rest, ""
	if at := strings.LastIndexByte(rest, '@'); at > strings.LastIndexAny(rest, `/\`) && !isYAML(rest) {
		name, reading = rest[:at], rest[at+1:]
		if reading == "" {
			return nil, &Problem{Message: fmt.Sprintf("%s names no reading after @", quote(ref)), Hint: "for example bell-8x7@ludii"}
		}
	}
	r, err := openBase(name)
	if err != nil {
		return nil, err
	}
	if reading != "" {
		if r, err = r.WithReading(reading); err != nil {
			return nil, err
		}
	}
	if len(all) > 0 {
		return r.With(all...)
	}
	return r, nil
}

// isYAML reports whether a name is that of a ruleset file.
func isYAML(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

func openBase(name string) (*Ruleset, error) {
	if strings.ContainsAny(name, `/\`) || isYAML(name) {
		return openFile(name)
	}
	if slices.Contains(Catalogue(), name) {
		data, err := catalogueSource(name)
		if err != nil {
			return nil, err
		}
		r, err := Parse("catalogue/"+name+".yaml", data)
		if err != nil {
			return nil, err
		}
		if r.ID != name {
			return nil, &Problem{File: "catalogue/" + name + ".yaml", Param: "id", Message: fmt.Sprintf("is %q in the file of %q", r.ID, name)}
		}
		r.File = ""
		return r, nil
	}
	pr := &Problem{Message: fmt.Sprintf("no ruleset is called %s", quote(name)),
		Hint: "the catalogue has " + strings.Join(Catalogue(), ", ") + "; or give the path of a file ending in .yaml"}
	if near := suggest(name, Catalogue()); near != "" {
		pr.Hint = fmt.Sprintf("did you mean %s? `latro rules list` shows all; or give the path of a file ending in .yaml", near)
	}
	return nil, pr
}

func openFile(name string) (*Ruleset, error) {
	data, err := readBounded(name)
	if err != nil {
		return nil, err
	}
	r, err := Parse(name, data)
	if err != nil {
		return nil, err
	}
	r.File = name
	return r, nil
}

// readBounded reads a ruleset file but never more than MaxFileSize, whatever the file is.
func readBounded(name string) ([]byte, error) {
	// Asked before opening as well: opening a pipe waits for whoever writes to it.
	if st, err := os.Stat(name); err == nil && !st.Mode().IsRegular() {
		return nil, &Problem{File: name, Message: "is not a regular file"}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, inputError{err, fmt.Sprintf("cannot read the ruleset file: %v", err)}
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return nil, &Problem{File: name, Message: "is not a regular file"}
	}
	data := make([]byte, MaxFileSize+1)
	n, err := readFull(f, data)
	if err != nil {
		return nil, inputError{err, fmt.Sprintf("cannot read the ruleset file: %v", err)}
	}
	return data[:n], nil
}

// inputError wraps an error of the operating system so that it counts as wrong input.
type inputError struct {
	err  error
	text string
}

func (e inputError) Error() string        { return e.text }
func (e inputError) Unwrap() error        { return e.err }
func (e inputError) Is(target error) bool { return target == ErrInvalid }

// catalogueSource returns the text of a catalogue entry: its file, or what a template makes of it.
func catalogueSource(id string) ([]byte, error) {
	for _, t := range templates() {
		if t.ID == id {
			return t.source()
		}
	}
	return catalogueFS.ReadFile(path.Join("catalogue", id+".yaml"))
}

// WithReading returns the ruleset in that reading; "default" is the ruleset's own. The reading replaces
// one that r has; overrides are dropped. The values that a reading changes count as assumed: whoever chooses
// it takes them on. The error names the readings there are.
func (r *Ruleset) WithReading(name string) (*Ruleset, error) {
	out := *r
	out.Params, out.Provenance, out.Reading, out.Overrides = r.base.Clone(), r.baseProvenance, "default", nil
	if name == "default" {
		return &out, nil
	}
	i := slices.IndexFunc(r.Readings, func(x Reading) bool { return x.Name == name })
	if i < 0 {
		names := []string{"default"}
		for _, x := range r.Readings {
			names = append(names, x.Name)
		}
		return nil, &Problem{File: r.File, Message: fmt.Sprintf("%s has no reading %s", r.ID, quote(name)), Hint: "it has " + strings.Join(names, ", ")}
	}
	reading := r.Readings[i]
	if problems := applySets(&out.Params, reading.Set); len(problems) > 0 {
		return nil, &Errors{problems}
	}
	out.Reading = name
	out.Provenance = provenanceAfter(r.baseProvenance, r.base, out.Params, Provenance{Certainty: Assumed, Note: "As the reading " + name + " has it."})
	return &out, nil
}

// With returns the ruleset with the overrides ("name=value") applied over those it has.
func (r *Ruleset) With(sets ...string) (*Ruleset, error) {
	start, err := r.WithReading(r.Reading)
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	var problems []Problem
	for _, set := range slices.Concat(r.Overrides, sets) {
		name, value, ok := strings.Cut(set, "=")
		if !ok || strings.TrimSpace(name) == "" {
			problems = append(problems, Problem{Message: fmt.Sprintf("%s is not an override", quote(set)), Hint: "name=value, for example end.no_capture_limit=60"})
			continue
		}
		values[strings.TrimSpace(name)] = value
	}
	out := *start
	out.Params = start.Params.Clone()
	problems = append(problems, applySets(&out.Params, values)...)
	if len(problems) > 0 {
		return nil, &Errors{problems}
	}
	for i := range fields {
		f := &fields[i]
		if _, ok := values[f.Name]; ok && f.get(&out.Params) != f.get(&start.Params) {
			out.Overrides = append(out.Overrides, f.Name+"="+f.get(&out.Params))
		}
	}
	out.Provenance = provenanceAfter(start.Provenance, start.Params, out.Params, Provenance{Certainty: Assumed, Note: "Changed by an override."})
	return &out, nil
}

// applySets sets the named parameters, settles those that became meaningless and validates the whole.
func applySets(p *Params, sets map[string]string) []Problem {
	var problems []Problem
	names := make([]string, 0, len(sets))
	for name := range sets {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if err := p.Set(name, sets[name]); err != nil {
			problems = append(problems, asProblem(err))
		}
	}
	if len(problems) > 0 {
		return problems
	}
	settle(p, func(name string) bool { _, ok := sets[name]; return ok })
	return p.Validate()
}

// asProblem returns the Problem that err is, or one with its text.
func asProblem(err error) Problem {
	var pr *Problem
	if errors.As(err, &pr) {
		return *pr
	}
	return Problem{Message: err.Error()}
}

// provenanceAfter returns prov with the parameters that differ between a and b marked as now says.
func provenanceAfter(prov map[string]Provenance, a, b Params, now Provenance) map[string]Provenance {
	out := make(map[string]Provenance, len(prov))
	for i := range fields {
		f := &fields[i]
		out[f.Name] = prov[f.Name]
		if f.get(&a) != f.get(&b) {
			out[f.Name] = now
		}
	}
	return out
}

// Ref returns a reference that Open turns into the same rules again: the id (or the file's path), the
// reading unless default, and the overrides.
func (r *Ruleset) Ref() string {
	ref := r.ID
	if r.File != "" {
		ref = r.File
		if !strings.ContainsAny(ref, `/\`) && !isYAML(ref) {
			ref = "./" + ref
		}
	}
	if r.Reading != "" && r.Reading != "default" {
		ref += "@" + r.Reading
	}
	for _, o := range r.Overrides {
		ref += "+" + o
	}
	return ref
}
