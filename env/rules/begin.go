package rules

import (
	"fmt"
	"io"
)

// Begin writes a ruleset file to start from: the rules as they are played under another id and name, with every
// parameter explained and a head that says what to do with it. Parse reads the file back with the same hash. name "" is
// made from the id.
//
// The error of an id that no file could have satisfies errors.Is(err, ErrInvalid).
func (r *Ruleset) Begin(w io.Writer, id, name string) error {
	if !idPattern.MatchString(id) {
		return &Problem{Param: "id", Message: quote(id) + " is not a valid id", Hint: "small letters, digits and hyphens, at most 64, such as my-game"}
	}
	if name == "" {
		name = fmt.Sprintf("%s (begun from %s)", id, r.Name)
	}
	head := fmt.Sprintf(`# %s, begun from %s.
#
# What begins with # is for you alone; the program does not read it. Indent with blanks, never with tabs.
#
#  1. Give the game its name and summary, and list your own sources.
#  2. Go through the parameters from top to bottom and change what your text says otherwise. Above each stand its
#     meaning, the values that it can have, and where the value of the original comes from. A line such as
#     "# zone_rows: 0" is a parameter that says nothing beside the others; take its # away when it shall.
#  3. In the part called provenance say of each parameter what it rests on: attested (the source says so), argued (it
#     implies so) or assumed (nobody says anything), with the id of a source and a note. A line for a whole section,
#     such as capture, holds for all of its parameters that have no line of their own.
#  4. Keep the readings that make sense for your game, and add those that your text leaves open.
#
# "latro rules check" finds every mistake in the file, "latro rules show" tells the rules back in words.

`, id, printable(r.Ref()))
	out := *r
	out.ID, out.Name, out.File = id, name, ""
	return out.writeYAML(w, head, true)
}
