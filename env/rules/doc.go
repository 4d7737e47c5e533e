// Package rules holds board games of the ludus latrunculorum family as data.
//
// What differs between two reconstructions is a difference of named parameters (Params), never a branch in
// code that asks for a ruleset's name. The comments of the fields of Params are the definition that the
// engines are built from; Describe gives each a sentence, its values and its neutral value.
//
// # Rulesets
//
// A Ruleset is a set of parameters with its name and sources, the Provenance of every parameter (what the
// source states, what is argued, what is assumed) and its readings: named sets of other values that settle an
// ambiguity of the source otherwise. Open finds one by reference:
//
//	bell-8x7                                 a catalogue entry in its default reading
//	bell-8x7@ludii                           in a named reading
//	bell-8x7@ludii+capture.corner=neutral    with parameters changed
//	games/my-game.yaml@sixty-plies           a file
//
// The default reading follows the plainest meaning of the source's prose and neutral choices where it is
// silent; the reading ludii is what the Ludii system plays. Ruleset.Ref gives the
// reference back; Params.Hash identifies the rules themselves, whatever file or reading they came from, and is
// what games and networks are stored with.
//
// # Files
//
// A ruleset file is YAML, read strictly: Parse reports every mistake at once with file, line and column, the
// key and what would be valid. Its keys are id, name, summary, sources, the sections of Params, provenance and
// readings:
//
//	id: my-game
//	name: My game
//	sources:
//	  - {id: me, title: A letter, author: A friend, year: "1903", note: not seen in the original}
//	board: {rows: 8, cols: 8}
//	pieces: {men: 16}
//	movement:
//	  men: {range: step}
//	provenance:
//	  board: {certainty: attested, source: me, note: "…"}   # a parameter or a whole section
//	readings:
//	  edge-captures:
//	    ambiguity: A19            # optional: a doubt that other rulesets share (Doubts)
//	    note: Why one may read it so.
//	    set: {capture.edge: hostile}
//
// docs/adding-a-ruleset.md is the guide for people who do not program. Files from strangers are safe to open:
// their size, depth and line length are bounded, and anchors and aliases are refused.
//
// # Combinations
//
// Params.Validate names every impossible combination. A parameter that the others leave without meaning (the
// leader's moves where there is no leader) has one fixed value, so that rules that are played alike have one
// canonical form; overrides and readings settle such parameters by themselves.
//
// # For people
//
// Ruleset.Render tells the rules in words made from the parameters, with a diagram, the sources, what is
// argued and assumed, and the open questions. Diff compares two rulesets parameter by parameter.
package rules
