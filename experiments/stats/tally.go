package stats

import "math"

// Tally counts the outcomes of games from one player's side. A capped game was
// stopped by the length cap: it has no result and is never a draw.
type Tally struct {
	Win    int `json:"win"`
	Draw   int `json:"draw"`
	Loss   int `json:"loss"`
	Capped int `json:"capped"`
}

// N is the number of games.
func (t Tally) N() int { return t.Win + t.Draw + t.Loss + t.Capped }

// Add returns the sum of two tallies.
func (t Tally) Add(o Tally) Tally {
	return Tally{t.Win + o.Win, t.Draw + o.Draw, t.Loss + o.Loss, t.Capped + o.Capped}
}

// Score is (W + D/2 + capped/2)/N, in [0, 1]; NaN without games. It must be
// shown with [Tally.Bounds].
func (t Tally) Score() float64 {
	if t.N() == 0 {
		return math.NaN()
	}
	return (float64(t.Win) + float64(t.Draw)/2 + float64(t.Capped)/2) / float64(t.N())
}

// Bounds are the scores if every capped game had been lost, and won.
func (t Tally) Bounds() (low, high float64) {
	if t.N() == 0 {
		return 0, 1
	}
	n := float64(t.N())
	low = (float64(t.Win) + float64(t.Draw)/2) / n
	return low, low + float64(t.Capped)/n
}

// CappedShare is the share of games that were stopped by the cap.
func (t Tally) CappedShare() float64 {
	if t.N() == 0 {
		return math.NaN()
	}
	return float64(t.Capped) / float64(t.N())
}

// DecisiveShare is the share of the games with a winner that this side won, with
// its Wilson interval. A game that is mostly drawn can have a score near one half
// and still a lopsided decisive share, so both are reported.
func (t Tally) DecisiveShare(level float64) Interval {
	return Wilson(t.Win, t.Win+t.Loss, level)
}

// MaxCappedShare is the share of capped games above which no claim about balance
// is made (a convention of the method, not a result).
const MaxCappedShare = 0.05

// AllowsClaim reports whether the tally has games and at most [MaxCappedShare]
// of them were capped.
func (t Tally) AllowsClaim() bool {
	return t.N() > 0 && t.CappedShare() <= MaxCappedShare
}
