package rules

import (
	"slices"
	"strings"
)

// Doubt is a question that the sources leave open, under the number by which notes, readings and pages refer to
// it. Several rulesets share a doubt.
type Doubt struct {
	ID       string // "A18", or "A24a" for one part of a doubt
	Question string
	Default  string // how the default readings answer it
	Without  string // why an answer has no reading; "" where each has one
}

// doubts is the list of all doubts in the order of their numbers. There is no A23. It is never written to.
var doubts = []Doubt{
	{"A1", "Must a bound enemy be taken off the board?", "It must: the source says that he is removed before the player moves.", ""},
	{"A2", "How many bound enemies are taken off in a turn?", "One, of the player's choice; a move follows.", ""},
	{"A3", "A man is held on its row and on its column: is it free when one of the two pairs is broken?", "It is.", ""},
	{"A4", "Is a bound man free when one of the two that hold it walks away?", "It is.", ""},
	{"A5", "Over whom may a counter hop?", "Over counters of its own side and over bound enemies.", ""},
	{"A6", "When do the hops of a chain bind: at every landing, or only where the chain ends?", "At every landing.", "That a chain binds only where it ends cannot be said in a ruleset file, and no source asks for it."},
	{"A7", "What does it mean that a counter may not go back and forth?", "It may not return to the square that it left in its owner's previous turn.", ""},
	{"A8", "Who wins when both sides have captured equally?", "Nobody: a draw.", ""},
	{"A9", "What becomes of a player who cannot move?", "He passes.", ""},
	{"A10", "How is the number of men agreed on?", "Before the game; 16 unless something else is said.", ""},
	{"A11", "Does a bound enemy count as one of the two between whom one may not go?", "It does.", ""},
	{"A12", "Must a bound enemy be taken off before anything else is done?", "No: the player can do so instead of moving.", ""},
	{"A13", "Is a man in a corner enclosed by two enemies on the corner's two neighbours?", "Only where the text says so, as in the Locus Ludi games.", ""},
	{"A14", "Does a side that is hopelessly beaten lose?", "It may resign, which is no rule of the game.", "Hopelessness cannot be asked of a position."},
	{"A15", "What becomes of a dux that cannot move, and of a game that has stalled?", "The dux is stuck and the game goes on; who cannot move any piece loses.", ""},
	{"A16", "Is a whole line of men between two captors taken?", "No, one man.", ""},
	{"A17", "Which board has the smaller of Kowalski's games?", "Ten rows and eleven columns.", ""},
	{"A18", "What move does a capture gain: with which piece, as a duty, and must it capture?", "A move of the same piece, which may be declined and need not capture.", ""},
	{"A19", "Does a corner capture while a piece of the victim's side stands on it?", "It does.", ""},
	{"A20", "Are thirty moves without capture thirty plies or thirty of each player?", "Thirty plies, those of both players counted together.", ""},
	{"A21", "When is the dux added last?", "After all men of both sides.", ""},
	{"A22", "Is the game lost with the dux?", "No, only with all pieces.", ""},
	{"A24a", "Must every enemy be captured, although a single man can capture nobody?", "On the tables of the Roman game the last man is spared, as in Ludii; in classic Seega all must go.", ""},
	{"A24b", "On which squares do the first men stand?", "On any but the centre; the texts speak of prescribed squares.", "The tables' text does not name the squares, and a ruleset file cannot prescribe single ones."},
	{"A24c", "Does the game have the further rules of traditional Seega: the way that must be opened, captures that go on, the safe centre, the first move of who placed last?", "The tables of the Roman game have none of them, classic Seega all.", "That who blocks takes away a stone of his own, or the blocked player one of his enemy's, cannot be said in a ruleset file."},
	{"A25", "Does a position that recurs draw the game, or is the move that brings it back illegal, and does it matter who is to move?", "A draw at the third time, with the same player to move.", "That only the third occurrence is forbidden, as summaries of Kowalski's own page have it, cannot be said in a ruleset file; superko forbids the second."},
	{"A26", "What ends a game that goes on for ever?", "Only the repetition of positions, unless the source has a limit.", ""},
	{"A27", "Luductus: what is a turn, a jump, a row, an own piece?", "A turn is one player's; the praetorian jumps one man once a turn; a row is a line in any direction; the praetorian is an own piece.", ""},
	{"A28", "The web game: what do trapping, threats, captures that decide and a sandwiched piece mean, and how do the pieces stand at first?", "Trapping is capturing; a side without soldiers makes no threats; the dux's capture wins; moving in between is safe; soldiers stand one row in.", ""},
}

// Doubts returns every doubt, in the order of the numbers. The slice is the caller's.
func Doubts() []Doubt { return slices.Clone(doubts) }

// LookUpDoubt returns the doubt of that number, such as "A18".
func LookUpDoubt(id string) (Doubt, bool) {
	i := slices.IndexFunc(doubts, func(d Doubt) bool { return d.ID == id })
	if i < 0 {
		return Doubt{}, false
	}
	return doubts[i], true
}

// Doubts returns the numbers of the doubts that the reading settles, in their order; none where its file names none.
func (r Reading) Doubts() []string {
	if r.Ambiguity == "" {
		return nil
	}
	return strings.Split(r.Ambiguity, ", ")
}
