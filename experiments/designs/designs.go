// Package designs holds the designs that are part of the program: ready questions to run, and examples to start from. E0 to E11
// ask what is disputed about the games; the others show the format. Each states its cost in hours.
package designs

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

//go:embed *.yaml
var files embed.FS

// Names are the designs' names, which are their ids and the names of their files without .yaml: e0-calibration to e11 by
// their numbers, then the examples.
func Names() []string {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		panic("designs: " + err.Error()) // an embedded directory can always be read
	}
	var out []string
	for _, e := range entries {
		out = append(out, strings.TrimSuffix(e.Name(), path.Ext(e.Name())))
	}
	slices.SortStableFunc(out, func(a, b string) int { return number(a) - number(b) })
	return out
}

// number is 7 for e7-repetition, and beyond them all for a name without a number.
func number(name string) int {
	short, _, _ := strings.Cut(name, "-")
	if n, err := strconv.Atoi(strings.TrimPrefix(short, "e")); err == nil && strings.HasPrefix(short, "e") {
		return n
	}
	return 1 << 20
}

// Find is the full name that a name or its first part, as e7, stands for.
func Find(name string) (string, bool) {
	for _, n := range Names() {
		if short, _, _ := strings.Cut(n, "-"); n == name || short == name && number(n) < 1<<20 {
			return n, true
		}
	}
	return "", false
}

// Read is the text of a design by a name that Find knows.
func Read(name string) ([]byte, error) {
	full, ok := Find(name)
	if !ok {
		return nil, fmt.Errorf("no design %q is part of the program; they are %s", name, strings.Join(Names(), ", "))
	}
	return files.ReadFile(full + ".yaml")
}

// Hours is the cost that a design states in a comment, "# cost: 0.7 hours on two cores", in hours; ok is false if it
// states none.
func Hours(text []byte) (hours float64, ok bool) {
	for line := range strings.Lines(string(text)) {
		rest, found := strings.CutPrefix(line, "# cost: ")
		if !found {
			continue
		}
		value, unit, _ := strings.Cut(rest, " ")
		hours, err := strconv.ParseFloat(value, 64)
		return hours, err == nil && strings.HasPrefix(unit, "hours on two cores")
	}
	return 0, false
}
