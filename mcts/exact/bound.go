package exact

import (
	"math/big"

	"latro/env/rules"
)

// Bound is an upper bound of the number of positions of a game, all that decides how it goes on told apart, without
// regard to whether they can be reached: the ways to put pieces on the board, free or bound, for every number of pieces
// that may be left, times the movers, the quiet counter, the marks of the undo ban, of a single pass and of a piece in the
// middle of its turn. (Marks that only chains and bonus plies have are counted as one piece of the mover each, not with the
// sets of squares that a chain has used.)
func Bound(p rules.Params) *big.Int {
	n := p.Board.Rows * p.Board.Cols
	men, leaders := p.Pieces.Men, p.Pieces.Leaders
	total := new(big.Int)
	boards := func(a, b, la, lb int) *big.Int {
		x := new(big.Int).Binomial(int64(n), int64(a))
		for _, k := range [][2]int{{n - a, b}, {n - a - b, la}, {n - a - b - la, lb}} {
			x.Mul(x, new(big.Int).Binomial(int64(k[0]), int64(k[1])))
		}
		if p.Capture.Effect == "bind" {
			x.Lsh(x, uint(a+b))
		}
		return x
	}
	perBoard := int64(2)
	if p.End.NoCaptureLimit > 0 {
		perBoard *= int64(p.End.NoCaptureLimit)
	}
	if p.Movement.Undo == "forbidden" {
		perBoard *= int64((1 + 4*men) * (1 + 4*men)) // the neighbour each side's man came from
	}
	if p.End.TwoPasses == "draw" && (p.End.Blocked == "pass" || p.End.Blocked == "opponent-opens") {
		perBoard *= 2
	}
	if p.Movement.Men.HopChain || p.Movement.Leaders.HopChain || p.Bonus.After == "capture" {
		perBoard *= int64(1 + men + leaders)
	}
	for a := 0; a <= men; a++ {
		for b := 0; b <= men; b++ {
			for la := 0; la <= leaders; la++ {
				for lb := 0; lb <= leaders; lb++ {
					total.Add(total, boards(a, b, la, lb))
				}
			}
		}
	}
	total.Mul(total, big.NewInt(perBoard))
	if p.Setup.Kind == "placement" {
		// The players place in turn, so their numbers differ by no more than a turn's.
		per := max(1, p.Setup.PerTurn)
		for k := 0; k <= 2*(men+leaders); k++ {
			for a := max(0, (k-per)/2); a <= min(men, (k+per+1)/2); a++ {
				for la := 0; la <= leaders; la++ {
					for lb := 0; lb <= leaders; lb++ {
						if b := k - a - la - lb; b >= 0 && b <= men && k < 2*(men+leaders) {
							total.Add(total, boards(a, b, la, lb))
						}
					}
				}
			}
		}
	}
	return total
}
