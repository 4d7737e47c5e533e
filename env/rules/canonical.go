package rules

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
)

// SchemaVersion is the version of the set of parameters and their meanings. It is the first line of the
// canonical form, so that a hash never matches across a change of meaning.
const SchemaVersion = 1

// Canonical returns the rules as text in one fixed form: a line with the schema's version, then one line
// "name = value" for every parameter, sorted by name; a parameter that was added after the first rules were
// hashed has its line only where it is not neutral. Equal rules have equal canonical forms, whatever
// files, readings or overrides they came from.
func (p Params) Canonical() []byte {
	lines := make([]string, 0, len(fields))
	for i := range fields {
		if fields[i].added && fields[i].get(&p) == fields[i].Neutral {
			continue
		}
		lines = append(lines, fields[i].Name+" = "+fields[i].get(&p)+"\n")
	}
	slices.Sort(lines)
	var b bytes.Buffer
	fmt.Fprintf(&b, "latro-rules %d\n", SchemaVersion)
	for _, l := range lines {
		b.WriteString(l)
	}
	return b.Bytes()
}

// Hash returns the SHA-256 of the canonical form, 64 hexadecimal digits.
func (p Params) Hash() string {
	sum := sha256.Sum256(p.Canonical())
	return hex.EncodeToString(sum[:])
}

// Canonical returns Params.Canonical of the rules as played.
func (r *Ruleset) Canonical() []byte { return r.Params.Canonical() }

// Hash returns Params.Hash of the rules as played: names, sources and notes do not enter it.
func (r *Ruleset) Hash() string { return r.Params.Hash() }
