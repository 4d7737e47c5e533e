package engine

import "fmt"

// Outcome is how a game stands or ended. Capped is no result: the game was stopped by a length cap.
type Outcome uint8

// The outcomes.
const (
	Ongoing Outcome = iota
	Win0
	Win1
	Draw
	Capped
)

var outcomeNames = [...]string{"ongoing", "win0", "win1", "draw", "capped"}

// String gives the outcome's name: "ongoing", "win0", "win1", "draw", "capped".
func (o Outcome) String() string {
	if int(o) < len(outcomeNames) {
		return outcomeNames[o]
	}
	return fmt.Sprintf("Outcome(%d)", uint8(o))
}

// ParseOutcome is the inverse of Outcome.String. It fails on any other text.
func ParseOutcome(text string) (Outcome, error) {
	for i, n := range outcomeNames {
		if n == text {
			return Outcome(i), nil
		}
	}
	return Ongoing, fmt.Errorf("engine: %q is no outcome; use ongoing, win0, win1, draw or capped", text)
}

// EndReason is the end rule that fired.
type EndReason uint8

// The end reasons, in the order in which the rules are asked after a ply.
const (
	NotEnded EndReason = iota
	OneLeft
	NoneLeft
	LeaderCaptured
	LeaderImmobilised
	Blocked
	NoCaptureLimit
	TwoPasses
	Repetition
	TurnLimit
)

var endReasonNames = [...]string{"", "one-left", "none-left", "leader-captured", "leader-immobilised", "blocked",
	"no-capture-limit", "two-passes", "repetition", "turn-limit"}

// String gives the reason's name, "" while the game goes on.
func (r EndReason) String() string {
	if int(r) < len(endReasonNames) {
		return endReasonNames[r]
	}
	return fmt.Sprintf("EndReason(%d)", uint8(r))
}

// ParseEndReason is the inverse of EndReason.String. It fails on any other text.
func ParseEndReason(text string) (EndReason, error) {
	for i, n := range endReasonNames {
		if n == text {
			return EndReason(i), nil
		}
	}
	return NotEnded, fmt.Errorf("engine: %q is no end reason", text)
}
