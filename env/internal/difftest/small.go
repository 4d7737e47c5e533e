package difftest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"latro/env/rules"
)

// Small is the same rules with few pieces on a small board, so that random games meet the rules that only come up near
// the end of a game: board, men, start, zone, agreement, limits and squares are drawn by the seed; everything else, what
// the rules say, is as in p. It panics if p is not valid.
func Small(p rules.Params, seed uint64) rules.Params {
	for n := uint64(0); ; n++ {
		rng := rand.New(rand.NewPCG(seed, n))
		q := small(p, rng)
		if len(q.Validate()) == 0 {
			return q
		}
		if n == 1000 {
			panic(fmt.Sprintf("difftest: no small form: %v of %v", q.Validate(), Departures(p)))
		}
	}
}

func small(p rules.Params, rng *rand.Rand) rules.Params {
	q := p.Clone()
	q.Board = rules.Board{Rows: min(p.Board.Rows, 3+rng.IntN(4)), Cols: min(p.Board.Cols, 3+rng.IntN(4))}
	squares := q.Board.Rows * q.Board.Cols
	room := (squares-1)/2 - p.Pieces.Leaders // leaves one square empty, or two
	q.Pieces.Men = min(p.Pieces.Men, 1+rng.IntN(room))
	switch rng.IntN(3) {
	case 0: // packed: blocked players, forced passes
		q.Pieces.Men = min(p.Pieces.Men, room)
	case 1:
		q.Pieces.Men = min(q.Pieces.Men, 2+rng.IntN(3))
	}
	if p.Setup.Kind == "array" {
		q.Setup.Array = randomArray(q, rng)
	}
	if p.Setup.ZoneRows > 0 {
		q.Setup.ZoneRows = 1 + rng.IntN(q.Board.Rows/2)
	}
	if p.Setup.AgreementMax > 0 {
		q.Setup.AgreementMax = q.Pieces.Men + rng.IntN(3)
	}
	for _, list := range []*[]string{&q.Setup.Forbidden, &q.Capture.Immune} {
		*list = slices.DeleteFunc(*list, func(name string) bool {
			_, _, err := rules.ResolveSquare(name, q.Board.Rows, q.Board.Cols)
			return err != nil
		})
	}
	if p.End.NoCaptureLimit > 0 {
		q.End.NoCaptureLimit = min(p.End.NoCaptureLimit, 6+rng.IntN(40))
	}
	if p.End.TurnLimit > 0 {
		q.End.TurnLimit = min(p.End.TurnLimit, 20+rng.IntN(100))
	}
	return q
}
