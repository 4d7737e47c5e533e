package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Kind is the type of a parameter's value.
type Kind string

// The kinds of parameter. Each states how a value is written for Set, in --set and in the canonical form;
// in a ruleset file lists are YAML lists.
const (
	KindInt     Kind = "number"  // a whole number: "30"
	KindBool    Kind = "yes/no"  // "true" or "false"
	KindChoice  Kind = "choice"  // one word of ParamInfo.Allowed
	KindChoices Kind = "choices" // any words of ParamInfo.Allowed, comma separated; empty for none
	KindSquares Kind = "squares" // square names or "centre", comma separated; empty for none
	KindArray   Kind = "array"   // the rows of a start position, top row first, separated by "/"
)

// ParamInfo describes one parameter: what help texts, the guide and the generated pages print.
type ParamInfo struct {
	Name     string   // dotted name, as in a ruleset file: "capture.effect"
	Kind     Kind     // how its value is written
	Allowed  []string // every valid word, for KindChoice and KindChoices; a copy
	Min, Max int      // inclusive range, for KindInt
	Neutral  string   // the value an omitted parameter has; "" where Required
	Required bool     // a ruleset file must state it
	Meaning  string   // one sentence
}

// Valid says in words which values the parameter accepts.
func (i ParamInfo) Valid() string {
	switch i.Kind {
	case KindInt:
		return fmt.Sprintf("a whole number from %d to %d", i.Min, i.Max)
	case KindBool:
		return "true or false"
	case KindChoice:
		return "one of: " + strings.Join(i.Allowed, ", ")
	case KindChoices:
		return "a list of any of: " + strings.Join(i.Allowed, ", ")
	case KindSquares:
		return `a list of squares such as "c3", or "centre"`
	default:
		return "one string a row, top row first, of the characters . a b A B"
	}
}

// field ties a parameter's description to its place in Params. The table below is the one list of
// parameters: parsing, overrides, the canonical form, comparison and help all walk it.
type field struct {
	ParamInfo
	ptr func(*Params) any // *int, *bool, *string or *[]string

	// added: the parameter came after rules had been stored by their hash. The canonical form leaves it out where
	// it is neutral, so that the rules that could be said without it keep their hashes.
	added bool
}

// later marks a parameter as added.
func (f field) later() field { f.added = true; return f }

func intField(name string, min, max int, neutral, meaning string, ptr func(*Params) any) field {
	return field{ParamInfo: ParamInfo{Name: name, Kind: KindInt, Min: min, Max: max, Neutral: neutral, Required: neutral == "", Meaning: meaning}, ptr: ptr}
}

func boolField(name, meaning string, ptr func(*Params) any) field {
	return field{ParamInfo: ParamInfo{Name: name, Kind: KindBool, Neutral: "false", Meaning: meaning}, ptr: ptr}
}

// choiceField takes the allowed words separated by spaces; the neutral value is named apart.
func choiceField(name, allowed, neutral, meaning string, ptr func(*Params) any) field {
	return field{ParamInfo: ParamInfo{Name: name, Kind: KindChoice, Allowed: strings.Fields(allowed), Neutral: neutral, Required: neutral == "", Meaning: meaning}, ptr: ptr}
}

func listField(name string, kind Kind, allowed, meaning string, ptr func(*Params) any) field {
	return field{ParamInfo: ParamInfo{Name: name, Kind: kind, Allowed: strings.Fields(allowed), Meaning: meaning}, ptr: ptr}
}

const hopTargets = "own-free own-bound enemy-free enemy-bound own-men"

func moverFields(prefix, who string, neutralRange, neutralDirections string, at func(*Params) *Mover) []field {
	return []field{
		choiceField(prefix+".range", "none step slide", neutralRange, "How far "+who+" moves without hopping: one square (step), any number of empty squares (slide), or not at all.", func(p *Params) any { return &at(p).Range }),
		choiceField(prefix+".directions", "none orthogonal diagonal all", neutralDirections, "The directions of that step or slide; none with range none.", func(p *Params) any { return &at(p).Directions }),
		listField(prefix+".hop_over", KindChoices, hopTargets, "The pieces "+who+" may hop over to the empty square directly behind; empty: no hop.", func(p *Params) any { return &at(p).HopOver }),
		choiceField(prefix+".hop_directions", "none orthogonal diagonal all", "none", "The directions of hops; none without hops.", func(p *Params) any { return &at(p).HopDirections }),
		choiceField(prefix+".hop_length", "one row", "one", "Whether a hop crosses exactly one piece or a whole unbroken row of them.", func(p *Params) any { return &at(p).HopLength }),
		boolField(prefix+".hop_chain", "Whether the same piece may hop on after a hop, to squares not used in this turn.", func(p *Params) any { return &at(p).HopChain }),
	}
}

// fields is the table of all parameters in the order in which files and pages show them. It is never
// written to.
var fields = slices.Concat(
	[]field{
		intField("board.rows", 3, 16, "", "The number of rows (ranks) of the board; row 1 is player 0's side.", func(p *Params) any { return &p.Board.Rows }),
		intField("board.cols", 3, 16, "", "The number of columns (files) of the board.", func(p *Params) any { return &p.Board.Cols }),
		intField("pieces.men", 1, 127, "", "The number of men of each side.", func(p *Params) any { return &p.Pieces.Men }),
		intField("pieces.leaders", 0, 1, "0", "The number of leaders (dux, praetorian) of each side.", func(p *Params) any { return &p.Pieces.Leaders }),
		choiceField("setup.kind", "placement array", "placement", "Whether the players place their pieces one by one or start from a fixed array.", func(p *Params) any { return &p.Setup.Kind }),
		listField("setup.array", KindArray, "", "The fixed start position, top row first: '.' empty, a and A man and leader of player 0, b and B of player 1.", func(p *Params) any { return &p.Setup.Array }),
		intField("setup.per_turn", 1, 2, "1", "How many pieces a player places in a turn of the placement phase.", func(p *Params) any { return &p.Setup.PerTurn }),
		choiceField("setup.zone", "anywhere own-rows", "anywhere", "Where pieces may be placed: on any empty square or on the rows nearest the player.", func(p *Params) any { return &p.Setup.Zone }),
		intField("setup.zone_rows", 0, 16, "0", "The number of rows of zone own-rows; 0 with zone anywhere.", func(p *Params) any { return &p.Setup.ZoneRows }),
		listField("setup.forbidden", KindSquares, "", "Squares on which nothing may be placed; this holds for placing only.", func(p *Params) any { return &p.Setup.Forbidden }),
		choiceField("setup.leader", "none after-all-men last first first-or-last any", "none", "When the leader is placed; none without leaders or with a fixed array.", func(p *Params) any { return &p.Setup.Leader }),
		choiceField("setup.first_mover", "first-placer last-placer", "first-placer", "Who makes the first ply of the movement phase: the player who placed first or the one who placed last.", func(p *Params) any { return &p.Setup.FirstMover }),
		intField("setup.agreement_max", 0, 127, "0", "The number of men a side up to which the players may raise the count before placing; 0: no such phase.", func(p *Params) any { return &p.Setup.AgreementMax }),
	},
	moverFields("movement.men", "a man", "", "orthogonal", func(p *Params) *Mover { return &p.Movement.Men }),
	moverFields("movement.leaders", "the leader", "none", "none", func(p *Params) *Mover { return &p.Movement.Leaders }),
	[]field{
		choiceField("movement.between_enemies", "allowed only-if-it-captures", "allowed", "Whether a piece may move to a square between two enemies when the move captures nobody.", func(p *Params) any { return &p.Movement.BetweenEnemies }),
		choiceField("movement.between_bound", "count ignored", "count", "Whether bound enemies count among the two between which a piece may not move (movement.between_enemies).", func(p *Params) any { return &p.Movement.BetweenBound }).later(),
		choiceField("movement.undo", "allowed forbidden", "allowed", "Whether the piece that moved in its owner's previous turn may return to where it stood before.", func(p *Params) any { return &p.Movement.Undo }),
		choiceField("movement.chain_offer", "after-effects before-effects", "after-effects", "Whether a further hop of a chain is looked for on the board after the last hop's effects or (Ludii) before them.", func(p *Params) any { return &p.Movement.ChainOffer }),
		choiceField("movement.removal_square", "allowed barred", "allowed", "Whether a hop may land on a square from which a prisoner was removed in the same turn.", func(p *Params) any { return &p.Movement.RemovalSquare }),
		choiceField("capture.effect", "remove bind", "remove", "Whether an enclosed piece leaves the board at once or is bound (immobilised) first.", func(p *Params) any { return &p.Capture.Effect }),
		choiceField("capture.axes", "orthogonal diagonal all", "orthogonal", "The lines along which two pieces enclose an enemy.", func(p *Params) any { return &p.Capture.Axes }),
		choiceField("capture.line", "single row", "single", "Whether only one enemy between two captors is taken or a whole unbroken line of them.", func(p *Params) any { return &p.Capture.Line }),
		choiceField("capture.line_axes", "same horizontal", "same", "With line row: whether whole lines are taken in every direction of capture or along rows only.", func(p *Params) any { return &p.Capture.LineAxes }),
		choiceField("capture.leader", "none as-man immune surrounded", "none", "How a leader is captured: like a man, never, or when enemies stand on all its orthogonal neighbours; none without leaders.", func(p *Params) any { return &p.Capture.Leader }),
		choiceField("capture.leader_in_row", "none shields spans", "none", "With line row: whether an enemy leader in the line saves the whole line or the line goes on through it.", func(p *Params) any { return &p.Capture.LeaderInRow }),
		choiceField("capture.leader_as_captor", "none arriving standing both", "both", "In which role a leader may be one of the two captors; both without leaders.", func(p *Params) any { return &p.Capture.LeaderAsCaptor }),
		choiceField("capture.edge", "neutral hostile", "neutral", "Whether the edge of the board serves as a captor.", func(p *Params) any { return &p.Capture.Edge }),
		choiceField("capture.corner", "neutral hostile hostile-unless-own", "neutral", "Whether the four corner squares serve as a captor for both sides, always or unless a piece of the victim's side stands there.", func(p *Params) any { return &p.Capture.Corner }),
		boolField("capture.corner_pair", "Whether a piece on a corner is captured by two enemies on the corner's two neighbours.", func(p *Params) any { return &p.Capture.CornerPair }),
		listField("capture.immune", KindSquares, "", "Squares on which no piece can be captured.", func(p *Params) any { return &p.Capture.Immune }),
		choiceField("capture.moving_between", "safe taken", "safe", "Whether a piece that moves between two enemies of its own accord is safe or taken.", func(p *Params) any { return &p.Capture.MovingBetween }),
		choiceField("binding.removal", "none instead-of-move before-move", "none", "When bound enemies may be taken off the board; none unless captures bind.", func(p *Params) any { return &p.Binding.Removal }),
		choiceField("binding.removal_number", "none one any all", "none", "How many bound enemies are taken off in a turn.", func(p *Params) any { return &p.Binding.RemovalNumber }),
		boolField("binding.removal_compulsory", "Whether a player must take a bound enemy off while there is one at the start of the turn.", func(p *Params) any { return &p.Binding.RemovalCompulsory }),
		boolField("binding.corner_rescue", "Whether binding one of its two guards also frees a man bound in a corner.", func(p *Params) any { return &p.Binding.CornerRescue }),
		boolField("binding.release_by_landing", "Whether a man that hops over an enemy bound on the other axis frees it (as in Ludii).", func(p *Params) any { return &p.Binding.ReleaseByLanding }),
		choiceField("binding.guard_leaves", "freed stays", "freed", "Whether a bound man is freed when one of the two enemies that hold it moves away, or stays bound.", func(p *Params) any { return &p.Binding.GuardLeaves }).later(),
		choiceField("binding.held_twice", "freed stays", "freed", "Whether a man between enemies on two lines is freed as soon as one of the two pairs is broken, or stays bound while the other stands.", func(p *Params) any { return &p.Binding.HeldTwice }).later(),
		choiceField("bonus.after", "none capture", "none", "Whether a ply that captured is followed by a bonus ply of the same player.", func(p *Params) any { return &p.Bonus.After }),
		choiceField("bonus.piece", "none same any", "none", "Which piece may make the bonus ply; none without bonus.", func(p *Params) any { return &p.Bonus.Piece }),
		boolField("bonus.compulsory", "Whether a possible bonus ply must be made.", func(p *Params) any { return &p.Bonus.Compulsory }),
		boolField("bonus.must_capture", "Whether only plies that capture again are bonus plies.", func(p *Params) any { return &p.Bonus.MustCapture }),
		choiceField("repetition.rule", "none threefold-draw positional-superko situational-superko", "threefold-draw", "What happens when a position recurs: nothing, a draw at the third time, or the ply that repeats is illegal.", func(p *Params) any { return &p.Repetition.Rule }),
		choiceField("end.checked", "every-ply next-player", "every-ply", "Whether too few pieces lose after every ply for both sides, or (Ludii) only for the player who is next to act.", func(p *Params) any { return &p.End.Checked }),
		choiceField("end.annihilation", "none pieces men", "pieces", "What is counted when a side has too few left to go on: all pieces, men only, or nothing.", func(p *Params) any { return &p.End.Annihilation }),
		intField("end.annihilation_at", 0, 1, "0", "The number of pieces at which a side has lost.", func(p *Params) any { return &p.End.AnnihilationAt }),
		boolField("end.annihilation_exact", "Whether only exactly that number loses (Ludii) and not also fewer.", func(p *Params) any { return &p.End.AnnihilationExact }),
		choiceField("end.leader_captured", "none loses count", "none", "What the capture of a leader means: nothing, its owner loses, or the side with more pieces left wins.", func(p *Params) any { return &p.End.LeaderCaptured }),
		choiceField("end.leader_immobilised", "none loses", "none", "Whether a side whose leader cannot move loses.", func(p *Params) any { return &p.End.LeaderImmobilised }),
		choiceField("end.blocked", "pass loses count opponent-opens", "pass", "What happens to a player who has no legal ply.", func(p *Params) any { return &p.End.Blocked }),
		intField("end.no_capture_limit", 0, 10000, "0", "The number of plies in a row without capture that ends the game; 0: no such limit.", func(p *Params) any { return &p.End.NoCaptureLimit }),
		choiceField("end.no_capture_result", "none count draw", "none", "How a game ended by that limit is decided; none without limit.", func(p *Params) any { return &p.End.NoCaptureResult }),
		choiceField("end.tie", "draw player-0 player-1", "draw", "Who wins when pieces are counted and are equal.", func(p *Params) any { return &p.End.Tie }),
		choiceField("end.two_passes", "draw ignored", "draw", "Whether the game is drawn when both players pass one after the other.", func(p *Params) any { return &p.End.TwoPasses }),
		intField("end.turn_limit", 0, 1000000, "0", "The turn at which Ludii stops a game without result; 0: no such limit.", func(p *Params) any { return &p.End.TurnLimit }),
	},
)

// fieldByName returns the table entry of a dotted name, or nil.
func fieldByName(name string) *field {
	for i := range fields {
		if fields[i].Name == name {
			return &fields[i]
		}
	}
	return nil
}

// ParamNames returns the dotted names of all parameters in the order of the file format.
func ParamNames() []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return names
}

// Describe returns the description of the parameter with that dotted name. The error satisfies
// errors.Is(err, ErrInvalid) and names the nearest parameter.
func Describe(name string) (ParamInfo, error) {
	f := fieldByName(name)
	if f == nil {
		return ParamInfo{}, unknownParam(name)
	}
	info := f.ParamInfo
	info.Allowed = slices.Clone(info.Allowed)
	return info, nil
}

// Neutral returns the parameters that a ruleset file gets for what it does not state. The required ones
// (board.rows, board.cols, pieces.men, movement.men.range) are zero, so the value is not playable as it is.
func Neutral() Params {
	var p Params
	for i := range fields {
		f := &fields[i]
		if f.Required {
			continue
		}
		if err := f.set(&p, f.Neutral); err != nil {
			panic("rules: the neutral value of " + f.Name + " is invalid: " + err.Error())
		}
	}
	return p
}

// Clone returns a copy that shares no list with p.
func (p Params) Clone() Params {
	for i := range fields {
		if l, ok := fields[i].ptr(&p).(*[]string); ok {
			*l = slices.Clone(*l)
		}
	}
	return p
}

// Equal reports whether p and q are the same rules, value by value.
func (p Params) Equal(q Params) bool {
	for i := range fields {
		if fields[i].get(&p) != fields[i].get(&q) {
			return false
		}
	}
	return true
}

// Set gives the parameter with that dotted name a value written as text: numbers and words as they are,
// lists comma separated ("own-free,own-bound"; "" for none), the rows of setup.array separated by "/". It
// checks the value by itself; Validate checks it against the others. The error satisfies
// errors.Is(err, ErrInvalid).
func (p *Params) Set(name, value string) error {
	f := fieldByName(name)
	if f == nil {
		return unknownParam(name)
	}
	if err := f.set(p, value); err != nil {
		return err
	}
	return nil
}

// Get returns the value of the parameter with that dotted name in the text form that Set reads.
func (p Params) Get(name string) (string, error) {
	f := fieldByName(name)
	if f == nil {
		return "", unknownParam(name)
	}
	return f.get(&p), nil
}

func (f *field) get(p *Params) string {
	switch v := f.ptr(p).(type) {
	case *int:
		return strconv.Itoa(*v)
	case *bool:
		return strconv.FormatBool(*v)
	case *string:
		return *v
	case *[]string:
		if f.Kind == KindArray {
			return strings.Join(*v, "/")
		}
		return strings.Join(*v, ",")
	}
	panic("rules: parameter of an unknown type")
}

func (f *field) set(p *Params, value string) error {
	value = strings.TrimSpace(value)
	switch v := f.ptr(p).(type) {
	case *int:
		n, err := strconv.Atoi(value)
		if err != nil || n < f.Min || n > f.Max {
			return f.bad(value)
		}
		*v = n
	case *bool:
		switch value {
		case "true":
			*v = true
		case "false":
			*v = false
		default:
			return f.bad(value)
		}
	case *string:
		if !slices.Contains(f.Allowed, value) {
			return f.bad(value)
		}
		*v = value
	case *[]string:
		var items []string
		if value != "" {
			sep := ","
			if f.Kind == KindArray {
				sep = "/"
			}
			for item := range strings.SplitSeq(value, sep) {
				items = append(items, strings.TrimSpace(item))
			}
		}
		return f.setList(v, items)
	}
	return nil
}

// setList checks and stores a list; words and squares are put in a fixed order so that equal sets have
// equal canonical forms.
func (f *field) setList(to *[]string, items []string) error {
	if len(items) > 256 {
		return &Problem{Param: f.Name, Message: fmt.Sprintf("has %d items", len(items)), Hint: "at most 256"}
	}
	for i, item := range items {
		switch f.Kind {
		case KindChoices:
			if !slices.Contains(f.Allowed, item) {
				return f.bad(item)
			}
		case KindSquares:
			if item != "centre" {
				if _, _, err := ParseSquare(item, 16, 16); err != nil {
					return f.bad(item)
				}
			}
		case KindArray:
			if len(item) > 16 || strings.Trim(item, ".abAB") != "" {
				return f.bad(item)
			}
			continue
		}
		if slices.Contains(items[:i], item) {
			return &Problem{Param: f.Name, Message: fmt.Sprintf("names %q twice", item), Hint: "each at most once"}
		}
	}
	if len(items) == 0 {
		*to = nil
		return nil
	}
	items = slices.Clone(items)
	switch f.Kind {
	case KindChoices:
		slices.SortFunc(items, func(a, b string) int { return slices.Index(f.Allowed, a) - slices.Index(f.Allowed, b) })
	case KindSquares:
		slices.Sort(items)
	}
	*to = items
	return nil
}

// bad is the error for a value that the parameter does not accept.
func (f *field) bad(value string) error {
	pr := &Problem{Param: f.Name, Message: fmt.Sprintf("%s is not a valid value", quote(value)), Hint: f.Valid()}
	if near := nearest(value, f.Allowed); near != "" {
		pr.Hint = fmt.Sprintf("did you mean %q? valid is %s", near, f.Valid())
	}
	return pr
}

func unknownParam(name string) error {
	pr := &Problem{Param: clip(name), Message: "no such parameter", Hint: "docs/adding-a-ruleset.md lists them"}
	if near := suggest(name, ParamNames()); near != "" {
		pr.Hint = "did you mean " + near + "?"
		return pr
	}
	// A right word in a wrong place is a frequent slip: a field under another section ("capture.after") or
	// a section taken for a field ("capture.bonus").
	head, last := name[:max(strings.LastIndexByte(name, '.'), 0)], name[strings.LastIndexByte(name, '.')+1:]
	for _, prefix := range []string{last + ".", head + "."} {
		if below := sections(prefix); prefix != "." && len(below) > 0 {
			pr.Hint = fmt.Sprintf("%s has: %s", strings.TrimSuffix(prefix, "."), strings.Join(below, ", "))
			return pr
		}
	}
	for i := range fields {
		if strings.HasSuffix(fields[i].Name, "."+last) {
			pr.Hint = "did you mean " + fields[i].Name + "?"
			break
		}
	}
	return pr
}
