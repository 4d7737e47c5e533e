package difftest

import (
	"math/rand/v2"
	"slices"

	"latro/env/engine"
	"latro/env/rules"
)

// Shrinker makes a disagreement small enough to read: as few departures from the neutral parameters, as small a board
// and as short a game as it finds. What it finds depends on nothing but the disagreement and Tries.
type Shrinker struct {
	// Compile makes the fast engine's game: engine.Compile, but where the shrinker itself is tested.
	Compile func(rules.Params) (*engine.Game, error)
	// Tries bounds the number of games compared.
	Tries int
}

// Shrink looks for the smallest disagreement. The result is d itself if nothing smaller disagrees.
func (s *Shrinker) Shrink(d *Disagreement) *Disagreement {
	best := d
	for improved := true; improved && s.Tries > 0; {
		improved = false
		for _, candidate := range simpler(best.Params) {
			if candidate.Equal(best.Params) || complexity(candidate) >= complexity(best.Params) {
				continue
			}
			if smaller := s.disagreeing(candidate, 5*len(policies), best.Game); smaller != nil {
				best, improved = smaller, true
				break
			}
		}
	}
	if shorter := s.disagreeing(best.Params, 20*len(policies), best.Game); shorter != nil && len(shorter.Plies) < len(best.Plies) {
		best = shorter
	}
	return s.shorten(best)
}

// disagreeing looks for a game with these parameters in which the engines disagree: the shortest of a few.
func (s *Shrinker) disagreeing(p rules.Params, games int, like Game) *Disagreement {
	fast, err := s.Compile(p)
	if err != nil {
		return nil
	}
	var shortest *Disagreement
	maxPlies := like.MaxPlies
	for n := 0; n < games && s.Tries > 0; n++ {
		s.Tries--
		game := Game{Params: p, Policy: policies[n%len(policies)], Seed: uint64(n), MaxPlies: maxPlies, MaxWork: like.MaxWork}
		if _, d := Compare(fast, game); d != nil {
			shortest, maxPlies = d, len(d.Plies)
		}
	}
	return shortest
}

// shorten leaves out plies of the game, many at once and then one by one, as long as the rest is legal and the engines
// still disagree after it.
func (s *Shrinker) shorten(d *Disagreement) *Disagreement {
	fast, err := s.Compile(d.Params)
	if err != nil {
		return d
	}
	for size := len(d.Plies) / 2; size > 0; {
		improved := false
		for from := 0; from+size <= len(d.Plies) && s.Tries > 0; from++ {
			script := slices.Delete(slices.Clone(d.Plies), from, from+size)
			if len(script) == 0 {
				continue
			}
			s.Tries--
			game := d.Game
			game.Script = script
			if _, shorter := Compare(fast, game); shorter != nil {
				d, improved = shorter, true
				break
			}
		}
		if !improved {
			size--
		}
	}
	return d
}

func complexity(p rules.Params) int {
	return 1000*len(Departures(p)) + 10*p.Board.Rows*p.Board.Cols + p.Pieces.Men
}

// simpler lists the valid parameters that differ from p in one parameter made neutral or one number made
// smaller, and in what else Validate then asks for.
func simpler(p rules.Params) []rules.Params {
	var list []rules.Params
	neutral := rules.Neutral()
	rng := rand.New(rand.NewPCG(1, 1))
	add := func(q rules.Params) {
		if repair(&q, rng) {
			list = append(list, q)
		}
	}
	for _, name := range rules.ParamNames() {
		q := p.Clone()
		if value, err := neutral.Get(name); err == nil && q.Set(name, value) == nil {
			if name == "setup.kind" {
				q.Setup.Array = nil
			}
			add(q)
		}
	}
	smaller := func(q *rules.Params, rows, cols, men int) {
		q.Board.Rows, q.Board.Cols, q.Pieces.Men = max(3, rows), max(3, cols), max(1, men)
		q.Setup.ZoneRows = min(q.Setup.ZoneRows, q.Board.Rows/2)
		if q.Setup.AgreementMax > 0 {
			q.Setup.AgreementMax = q.Pieces.Men + 1
		}
		if q.Setup.Kind == "array" {
			q.Setup.Array = randomArray(*q, rng)
		}
	}
	rows, cols, men := p.Board.Rows, p.Board.Cols, p.Pieces.Men
	for _, change := range []func(*rules.Params){
		func(q *rules.Params) { smaller(q, rows/2, cols/2, men/4) },
		func(q *rules.Params) { smaller(q, rows/2, cols, men/2) },
		func(q *rules.Params) { smaller(q, rows, cols/2, men/2) },
		func(q *rules.Params) { smaller(q, rows-1, cols, men) },
		func(q *rules.Params) { smaller(q, rows, cols-1, men) },
		func(q *rules.Params) { smaller(q, rows, cols, men/2) },
		func(q *rules.Params) { smaller(q, rows, cols, men-1) },
		func(q *rules.Params) { q.Movement.Men.Range = "step" },
	} {
		q := p.Clone()
		change(&q)
		add(q)
	}
	return list
}
