package mcts

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"strings"
	"sync"

	"latro/env/engine"
)

//go:generate go run ./internal/fit -out weights.json

// The features of an evaluation. Each is a difference, player 0's less player 1's, or is turned so that more of it should
// be good for player 0; all are small whole numbers.
const (
	featureMen             = iota // free men, on the board and in hand
	featureLeader                 // leaders, on the board and in hand
	featureBound                  // bound men
	featureShare                  // MaterialUtility in thousandths
	featureLiberties              // empty squares orthogonally next to own free men, a square as often as it has such a neighbour
	featureAttacks                // men that the player to move can capture at once
	featureHanging                // men of the player to move that the opponent could capture if it were his ply: theirs less his
	featurePins                   // men with an enemy captor on one side and nothing behind them, out of reach or not: theirs less own
	featureOpen                   // lines through men along which both neighbours could become captors: theirs less own
	featureSupport                // pairs of own pieces next to each other
	featureCentre                 // distance from the edges along row and column, added up over men
	featureEdge                   // men on the edge
	featureLeaderLiberties        // empty squares orthogonally next to the leader
	featureLeaderAttack           // enemy pieces orthogonally next to the leader: theirs less own
	featureLeaderHanging          // leaders that could be captured at once: theirs less own
	featureTempo                  // 1 if player 0 is to move, else -1
	featureClock                  // where a limit of plies without capture counts pieces: who is ahead, times the share of the limit in thousandths
	numFeatures
)

// featureNames are the features' names in the table of weights.
var featureNames = [numFeatures]string{"men", "leader", "bound", "share", "liberties", "attacks", "hanging", "pins", "open", "support",
	"centre", "edge", "leader-liberties", "leader-attack", "leader-hanging", "tempo", "clock"}

// FeatureNames lists the features of an Evaluation, in the order of Evaluation.Features.
func FeatureNames() []string { return append([]string(nil), featureNames[:]...) }

// weightTable is the file of fitted weights.
type weightTable struct {
	// Provenance says how the table was made.
	Provenance string `json:"provenance"`
	// Families has the weights of each family of rulesets, and "generic" those for all others.
	Families map[string]weightSet `json:"families"`
}

// weightSet is the weights of one family: thousandths of a logit for each unit of a feature.
type weightSet struct {
	// Provenance says from which games the weights were fitted.
	Provenance string `json:"provenance,omitempty"`
	// Placement and Movement are for the two phases.
	Placement map[string]float64 `json:"placement"`
	Movement  map[string]float64 `json:"movement"`
}

//go:embed weights.json
var weightsFile []byte

// readWeights reads the embedded table; what is wrong in it is a programmer's error.
var readWeights = sync.OnceValue(func() weightTable {
	var t weightTable
	if err := json.Unmarshal(weightsFile, &t); err != nil {
		panic("mcts: weights.json: " + err.Error())
	}
	for name, f := range t.Families {
		for _, phase := range []map[string]float64{f.Placement, f.Movement} {
			for feature, w := range phase {
				if !isFeature(feature) || math.Abs(w) > maxWeight {
					panic(fmt.Sprintf("mcts: weights.json: family %s: weight %v of %q", name, w, feature))
				}
			}
		}
	}
	if _, ok := t.Families[genericFamily]; !ok {
		panic("mcts: weights.json has no generic weights")
	}
	return t
})

func isFeature(feature string) bool {
	for _, n := range featureNames {
		if n == feature {
			return true
		}
	}
	return false
}

// maxWeight bounds a weight, so that an evaluation stays far from the values of results.
const maxWeight = 20000

const genericFamily = "generic"

// Family names the family of rulesets that share an evaluation's weights: how men move, what capture does and along which
// lines, whether it gains another ply, and what the leader is. Sizes of board and armies do not count.
func Family(g *engine.Game) string {
	p := g.Params()
	words := []string{p.Movement.Men.Range, p.Capture.Effect, p.Capture.Line}
	if len(p.Movement.Men.HopOver) > 0 {
		words = append(words, "hop")
	}
	if p.Bonus.After != "none" {
		words = append(words, "bonus")
	}
	if p.Pieces.Leaders > 0 {
		words = append(words, "leader-"+p.Capture.Leader)
	}
	return strings.Join(words, "-")
}

// Evaluation estimates positions of one game without search: a sum of features by fitted weights. It works in whole
// numbers, so that it gives the same on every machine. An Evaluation keeps working memory and is not for concurrent use.
type Evaluation struct {
	l        *layout
	weights  [2][numFeatures]int32 // placement, movement
	family   string
	counting bool // a limit of plies without capture counts pieces
	limit    int

	scratch board
	f       [numFeatures]int32
	calm    bool // the player to move has nothing to capture, as far as features can tell
}

// NewEvaluation returns the evaluation of a game: the weights of its family, or the generic ones if the table has none
// for it.
func NewEvaluation(g *engine.Game) *Evaluation {
	e := &Evaluation{l: newLayout(g), family: Family(g)}
	end := g.Params().End
	e.limit = end.NoCaptureLimit
	e.counting = e.limit > 0 && end.NoCaptureResult == "count"
	t := readWeights()
	f, ok := t.Families[e.family]
	if !ok {
		e.family = genericFamily
		f = t.Families[genericFamily]
	}
	for i, name := range featureNames {
		e.weights[0][i] = int32(math.RoundToEven(f.Placement[name] * weightUnit))
		e.weights[1][i] = int32(math.RoundToEven(f.Movement[name] * weightUnit))
	}
	return e
}

// weightUnit is the resolution of weights: sixteenths of a thousandth of a logit.
const weightUnit = 16

// maxEstimate bounds what an evaluation says, in thousandths of a logit.
const maxEstimate = 100_000

// Family is the family whose weights are used, "generic" if the game's own has none.
func (e *Evaluation) Family() string { return e.family }

// Features appends the features of s, in the order of FeatureNames, to dst and returns it: what weights are fitted to.
func (e *Evaluation) Features(s *engine.State, dst []int32) []int32 {
	e.scratch.read(e.l, s)
	e.features(&e.scratch, s)
	return append(dst, e.f[:]...)
}

// Value is the estimate of s for player 0, P(win) - P(loss), in [-1, 1].
func (e *Evaluation) Value(s *engine.State) float64 {
	e.scratch.read(e.l, s)
	return valueOf(e.estimate(&e.scratch, s))
}

// valueOf turns thousandths of a logit into a value in [-1, 1].
func valueOf(score int32) float64 { return math.Tanh(float64(score) / 2000) }

// estimate is the logit of player 0's chance in thousandths. b is the board of s.
func (e *Evaluation) estimate(b *board, s *engine.State) int32 {
	w := &e.weights[1]
	if s.Phase() != engine.Movement {
		w = &e.weights[0]
	}
	e.features(b, s)
	sum := int64(0)
	for i, f := range e.f {
		sum += int64(f) * int64(w[i])
	}
	return int32(max(-maxEstimate, min(maxEstimate, sum/weightUnit)))
}

func (e *Evaluation) features(b *board, s *engine.State) {
	l := e.l
	mover := s.ToMove()
	var men, leaders, bound, liberties, hanging, pins, open, support, centre, edge, leadLib, leadNear, leadHang [2]int32
	orthogonal := [4]int{1, l.step, -1, -l.step}
	for side := range 2 {
		foe := uint8(1 - side)
		for w := range l.words {
			for x := b.pieces[side][w]; x != 0; x &= x - 1 {
				sq := w<<6 | bits.TrailingZeros64(x)
				at := int(l.cell[sq&255])
				c := b.cells[at]
				if isBound(c) {
					bound[side]++
					continue
				}
				lead := isLeader(c)
				for i, o := range orthogonal {
					switch owner[b.cells[at+o]] {
					case uint8(side):
						if i < 2 {
							support[side]++
						}
					case foe:
						if lead {
							leadNear[side]++
						}
					default:
						if b.cells[at+o] == uint8(engine.Empty) {
							if lead {
								leadLib[side]++
							} else {
								liberties[side]++
							}
						}
					}
				}
				if lead {
					leaders[side]++
					if !l.leaderAsMan {
						continue
					}
				} else {
					men[side]++
					centre[side] += int32(l.ring[sq&255])
					if l.edge[sq&255] {
						edge[side]++
					}
				}
				if l.immune[at] {
					continue
				}
				pinned, caught := false, false
				for _, o := range l.axes {
					front, back := b.cells[at+o], b.cells[at-o]
					if owner[front] == uint8(side) || owner[back] == uint8(side) {
						continue
					}
					if front != outside && back != outside {
						open[side]++
					}
					hold := 0
					switch {
					case front == uint8(engine.Empty) && l.standing(b, at-o, -o, uint8(side)):
						hold = at + o
					case back == uint8(engine.Empty) && l.standing(b, at+o, o, uint8(side)):
						hold = at - o
					default:
						continue
					}
					pinned = true
					caught = caught || l.reached(b, hold, foe)
				}
				switch {
				case lead && caught:
					leadHang[side]++
				case lead:
				case caught:
					hanging[side]++
					pins[side]++
				case pinned:
					pins[side]++
				}
			}
		}
	}
	if s.Phase() != engine.Movement {
		for side := range 2 {
			m, d := s.Hand(side)
			men[side] += int32(m)
			leaders[side] += int32(d)
		}
	}
	e.calm = s.Phase() != engine.Movement ||
		!l.row && !l.bind && !l.leaderSurrounded && hanging[1-mover] == 0 && leadHang[1-mover] == 0
	f := &e.f
	f[featureMen] = men[0] - men[1]
	f[featureLeader] = leaders[0] - leaders[1]
	f[featureBound] = bound[0] - bound[1]
	// Twice the material, so that bound men, which count one half, stay whole.
	m0 := 2*men[0] + 2*LeaderWeight*leaders[0] + bound[0]
	m1 := 2*men[1] + 2*LeaderWeight*leaders[1] + bound[1]
	f[featureShare] = 0
	if m0+m1 > 0 {
		f[featureShare] = 1000 * (m0 - m1) / (m0 + m1)
	}
	f[featureLiberties] = liberties[0] - liberties[1]
	turned := int32(1 - 2*mover)
	f[featureAttacks] = turned * hanging[1-mover]
	f[featureHanging] = -turned * hanging[mover]
	f[featurePins] = pins[1] - pins[0]
	f[featureOpen] = open[1] - open[0]
	f[featureSupport] = support[0] - support[1]
	f[featureCentre] = centre[0] - centre[1]
	f[featureEdge] = edge[0] - edge[1]
	f[featureLeaderLiberties] = leadLib[0] - leadLib[1]
	f[featureLeaderAttack] = leadNear[1] - leadNear[0]
	f[featureLeaderHanging] = leadHang[1] - leadHang[0]
	f[featureTempo] = turned
	f[featureClock] = 0
	if e.counting {
		n0, n1 := men[0]+leaders[0]+bound[0], men[1]+leaders[1]+bound[1]
		quiet := int32(1000 * min(s.Quiet(), e.limit) / e.limit)
		if n0 > n1 {
			f[featureClock] = quiet
		} else if n0 < n1 {
			f[featureClock] = -quiet
		}
	}
}
