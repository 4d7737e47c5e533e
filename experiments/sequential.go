package experiments

import (
	"os"
	"path/filepath"

	"latro/datasets"
	"latro/experiments/stats"
)

// evenTest is the sequential test of a design.
func (d Design) evenTest() stats.EvenTest {
	t := stats.EvenTest{Margin: d.ScoreMargin(), Alpha: d.Stopping.Alpha, Beta: d.Stopping.Beta}
	if t.Alpha == 0 {
		t.Alpha = 0.05
	}
	if t.Beta == 0 {
		t.Beta = 0.05
	}
	return t
}

// verdictOf is the decision of a sequential test.
func verdictOf(v stats.Verdict) string {
	switch v {
	case stats.AcceptEven:
		return DecisionEven
	case stats.AcceptHigh:
		return DecisionFirst
	case stats.AcceptLow:
		return DecisionSecond
	}
	return DecisionOpen
}

// stops reports whether the cell may stop before it has all its pairs: matches
// never do, they measure the agents.
func (d Design) stops(c *CellInfo) bool { return d.Sequential() && c.SelfPlay }

// countScores counts pairs of games by their mean score.
func countScores(games []datasets.Game, d Design) (stats.Pentanomial, error) {
	var out stats.Pentanomial
	for i := 0; i+1 < len(games); i += 2 {
		s0, err := recordOf(&games[i], d).score(0.5)
		if err != nil {
			return out, err
		}
		s1, err := recordOf(&games[i+1], d).score(0.5)
		if err != nil {
			return out, err
		}
		out.Add((s0 + s1) / 2)
	}
	return out, nil
}

// lastUnit is the unit after which a cell's sequential test stops, looking at the
// units in their order, so that it does not depend on which was finished first; ok is
// false while it has not stopped, and next is the first unit that it has not seen.
func (d Design) lastUnit(score func(unit int) (stats.Pentanomial, bool)) (last, next int, ok bool) {
	var n stats.Pentanomial
	test := d.evenTest()
	for u := range d.units() {
		s, there := score(u)
		if !there {
			return 0, u, false
		}
		for i := range n {
			n[i] += s[i]
		}
		if test.Verdict(n) != stats.Undecided {
			return u, u + 1, true
		}
	}
	return d.units() - 1, d.units(), true
}

// stopOf says where a cell stopped; nil if the size was fixed.
func stopOf(d Design, r *CellResult) *Stop {
	if !d.stops(&r.CellInfo) || r.Pairs == 0 {
		return nil
	}
	var n stats.Pentanomial
	s := r.series["first-player-score"]
	for _, v := range s.values() {
		n.Add(v)
	}
	out := &Stop{Pairs: r.Pairs, Max: d.Pairs, Verdict: DecisionOpen}
	if !s.whole() {
		return out
	}
	test := d.evenTest()
	out.Verdict = verdictOf(test.Verdict(n))
	if iv, err := test.Estimate(n, d.Level); err == nil {
		out.Estimate = &iv
	}
	return out
}

// stopped finds, in a sequential experiment, the units that are no longer needed
// because their cell's test has stopped before them; mu is held, or no worker runs.
// Units beyond the stop that another worker was already playing are forgotten and
// their files removed, so that what is kept does not depend on the workers.
func (r *runner) stopped(cell int) (last int, ok bool) {
	if !r.d.stops(&r.cells[cell].info) {
		return 0, false
	}
	if u, ok := r.last[cell]; ok {
		return u, true
	}
	last, next, ok := r.d.lastUnit(func(u int) (stats.Pentanomial, bool) {
		info, ok := r.done[[2]int{cell, u}]
		if !ok || info.Scores == nil {
			return stats.Pentanomial{}, false
		}
		return *info.Scores, true
	})
	if !ok || next == r.d.units() && last == r.d.units()-1 {
		return 0, false
	}
	r.last[cell] = last
	return last, true
}

// forget drops the units of a cell beyond its stop; mu is held, or no worker runs.
func (r *runner) forget(cell int) error {
	last, ok := r.stopped(cell)
	if !ok {
		return nil
	}
	for u := last + 1; u < r.d.units(); u++ {
		path := filepath.Join(r.dir, filepath.FromSlash(unitPath(cell, u)))
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			return err
		}
		r.count -= r.done[[2]int{cell, u}].Games
		delete(r.done, [2]int{cell, u})
		delete(r.again, [2]int{cell, u})
	}
	return nil
}
