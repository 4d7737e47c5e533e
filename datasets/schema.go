package datasets

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
)

// Kind names what the rows of a file are.
type Kind string

// The kinds of files.
const (
	Samples    Kind = "sample"  // one row a searched ply, [Sample]
	Games      Kind = "game"    // one row a game, [Game]
	MetricRows Kind = "metrics" // one row a point of the learning curves
)

// Keys of the schema metadata. The first two are written by this package. The
// others are for callers, who should set all that apply; [Inspect] shows them.
const (
	metaPrefix  = "latro."
	MetaKind    = metaPrefix + "schema"         // the [Kind]
	MetaVersion = metaPrefix + "schema.version" // decimal version of the columns

	MetaRuleset             = "ruleset"              // reference that reopens the ruleset
	MetaRulesetHash         = "ruleset_hash"         // content hash of the ruleset
	MetaActionEncoding      = "action_encoding"      // version of the action numbering
	MetaObservationEncoding = "observation_encoding" // version of the observation planes
	MetaStateEncoding       = "state_encoding"       // version of the bytes in Sample.State
	MetaEngineVersion       = "engine_version"       // program version
	MetaRun                 = "run"                  // name of the run
	MetaGeneration          = "generation"           // decimal generation of the run
)

// maxMetadata bounds the keys and values of one file.
const maxMetadata = 1 << 20

// schemaOf is the description of one row type.
type schemaOf[R any] struct {
	kind    Kind
	version int
	columns func() []column[R]            // fresh columns for one reader or writer
	check   func(*R) (field, what string) // "" if the row is sound
	game    func(*R) uint64
	// since has the columns that came after version 1, with the version that brought
	// them; columns are only ever added, at the end. absent fills in what a row of a
	// version without them has instead.
	since  map[string]int
	absent func(*R)
}

// fixed returns the columns of a file of a kind whose columns depend on its schema
// version only.
func (s *schemaOf[R]) fixed(got *arrow.Schema) []column[R] {
	cols := s.columns()
	if v, ok := s.versionOf(got); ok {
		cols = slices.DeleteFunc(cols, func(c column[R]) bool { return s.since[c.field().Name] > v })
	}
	return cols
}

// versionOf returns the version of a file's columns, if this program reads it.
func (s *schemaOf[R]) versionOf(got *arrow.Schema) (version int, ok bool) {
	oldest := s.version
	if s.since != nil {
		oldest = 1
	}
	text := metadataOf(got)[MetaVersion]
	for v := oldest; v <= s.version; v++ {
		if text == strconv.Itoa(v) {
			return v, true
		}
	}
	return 0, false
}

// arrowSchema returns the Arrow schema with metadata in sorted order, so that
// the same metadata always gives the same bytes.
func (s *schemaOf[R]) arrowSchema(cols []column[R], meta map[string]string) (*arrow.Schema, error) {
	all := map[string]string{MetaKind: string(s.kind), MetaVersion: strconv.Itoa(s.version)}
	size := 0
	for k, v := range meta {
		if strings.HasPrefix(k, metaPrefix) {
			return nil, fmt.Errorf("metadata key %q: the prefix %q is reserved", k, metaPrefix)
		}
		size += len(k) + len(v)
		all[k] = v
	}
	if size > maxMetadata {
		return nil, fmt.Errorf("metadata of %d bytes, the limit is %d: %w", size, maxMetadata, ErrTooLarge)
	}
	keys := sortedKeys(all)
	values := make([]string, len(keys))
	for i, k := range keys {
		values[i] = all[k]
	}
	md := arrow.NewMetadata(keys, values)
	fields := make([]arrow.Field, len(cols))
	for i, c := range cols {
		fields[i] = c.field()
	}
	return arrow.NewSchema(fields, &md), nil
}

// metadataOf returns the metadata of a schema, the keys of this package included.
func metadataOf(s *arrow.Schema) map[string]string {
	m := make(map[string]string)
	md := s.Metadata()
	for i, k := range md.Keys() {
		m[k] = md.Values()[i]
	}
	return m
}

// match says what distinguishes a file's schema from this one, "" if nothing.
func (s *schemaOf[R]) match(cols []column[R], got *arrow.Schema) (what, fix string) {
	meta := metadataOf(got)
	kind, version := meta[MetaKind], meta[MetaVersion]
	switch {
	case kind == "":
		return fmt.Sprintf("an Arrow stream without latro's schema name; %s rows were expected", s.kind), ""
	case kind != string(s.kind):
		return fmt.Sprintf("holds %s rows where %s rows were expected", kind, s.kind), ""
	}
	if _, ok := s.versionOf(got); !ok {
		return fmt.Sprintf("%s rows of schema version %s; this program reads version %d", kind, version, s.version),
			"use the version of latro that wrote it"
	}
	want := make(map[string]arrow.Field)
	for _, c := range cols {
		want[c.field().Name] = c.field()
	}
	var diff []string
	for _, f := range got.Fields() {
		w, ok := want[f.Name]
		switch {
		case !ok:
			diff = append(diff, "unknown column "+strconv.Quote(f.Name))
		case f.Nullable || !arrow.TypeEqual(w.Type, f.Type):
			diff = append(diff, fmt.Sprintf("column %q is %s, nullable %t, instead of %s", f.Name, f.Type, f.Nullable, w.Type))
		}
		delete(want, f.Name)
	}
	for _, name := range sortedKeys(want) {
		diff = append(diff, "no column "+strconv.Quote(name))
	}
	if len(diff) == 0 {
		for i, c := range cols {
			if got.NumFields() != len(cols) || got.Field(i).Name != c.field().Name {
				return "the columns are in another order", ""
			}
		}
		return "", ""
	}
	const most = 5
	if len(diff) > most {
		diff = append(slices.Clip(diff[:most]), fmt.Sprintf("and %d more", len(diff)-most))
	}
	return fmt.Sprintf("%s schema version %s with other columns: %s", kind, version, strings.Join(diff, "; ")), ""
}
