package mcts

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"

	"slices"
	"strings"
	"sync"

	"latro/env/engine"
)

// weights.json is made by internal/fit, which plays thousands of games; it is not generated anew with the rest.

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
	featureSupport                // pairs of own pieces next to each other, none of them bound
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

// Weights is a table of fitted weights.
type Weights struct {
	// Provenance says how the table was made.
	Provenance string `json:"provenance"`
	// Families has the weights of each family of rulesets (see Family), and "generic" those for all others.
	Families map[string]FamilyWeights `json:"families"`
}

// FamilyWeights is the weights of one family by feature: thousandths of a logit of player 0's chance for each unit of the
// feature. A feature that is not named has weight 0.
type FamilyWeights struct {
	// Provenance says from which games the weights were fitted.
	Provenance string `json:"provenance,omitempty"`
	// Placement holds before all pieces are on the board, Movement from then on.
	Placement map[string]float64 `json:"placement"`
	Movement  map[string]float64 `json:"movement"`
}

// ErrWeights is wrapped by the errors of a table of weights that cannot be used.
var ErrWeights = errors.New("mcts: unusable weights")

// ReadWeights reads a table in the form of weights.json. It fails on text that is no such table, on features that do not
// exist, on weights beyond 20000, and without generic weights.
func ReadWeights(text []byte) (*Weights, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var t Weights
	if err := d.Decode(&t); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrWeights, err)
	}
	for _, name := range slices.Sorted(maps.Keys(t.Families)) {
		f := t.Families[name]
		for _, phase := range []map[string]float64{f.Placement, f.Movement} {
			for _, feature := range slices.Sorted(maps.Keys(phase)) {
				if w := phase[feature]; !slices.Contains(featureNames[:], feature) || !(math.Abs(w) <= maxWeight) {
					return nil, fmt.Errorf("%w: family %s: weight %v of %q; weights are from -%d to %d, and the features are %s",
						ErrWeights, name, w, feature, maxWeight, maxWeight, strings.Join(featureNames[:], ", "))
				}
			}
		}
	}
	if _, ok := t.Families[genericFamily]; !ok {
		return nil, fmt.Errorf("%w: there is no family %q", ErrWeights, genericFamily)
	}
	return &t, nil
}

// maxWeightsFile is far more than a table needs.
const maxWeightsFile = 1 << 20

// LoadWeights reads a table from a file of at most 1 MiB; see ReadWeights.
func LoadWeights(path string) (*Weights, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxWeightsFile {
		return nil, fmt.Errorf("%w: %s is no file of at most %d bytes", ErrWeights, path, maxWeightsFile)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return ReadWeights(text)
}

//go:embed weights.json
var weightsFile []byte

// DefaultWeights is the table that ships. It is shared and not to be changed.
var DefaultWeights = sync.OnceValue(func() *Weights {
	t, err := ReadWeights(weightsFile)
	if err != nil {
		panic(err) // a test reads the file
	}
	return t
})

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

	sheet   sheet
	scratch board
	tally   tally
	f       [numFeatures]int32
	calm    bool // the player to move has nothing to capture, as far as features can tell
}

// NewEvaluation returns the evaluation of a game by w, nil for DefaultWeights: with the weights of the game's family, or
// the generic ones if the table has none for it.
func NewEvaluation(g *engine.Game, w *Weights) *Evaluation {
	e := &Evaluation{l: newLayout(g), family: Family(g)}
	e.sheet = newSheet(e.l)
	end := g.Params().End
	e.limit = end.NoCaptureLimit
	e.counting = e.limit > 0 && end.NoCaptureResult == "count"
	t := w
	if t == nil {
		t = DefaultWeights()
	}
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

// tally is what each side of a position has, before it is turned into features.
type tally struct {
	men, leaders, bound, liberties, hanging, pins, open, support, centre, edge, leadLib, leadNear, leadHang [2]int32
}

// sheet counts on sets of squares of the width that the board needs.
type sheet interface {
	count(b *board, t *tally)
	spots(b *board, mover uint8) [4]uint64
}

func newSheet(l *layout) sheet {
	switch {
	case l.squares <= 64:
		return newSheetW1(l)
	case l.squares <= 128:
		return newSheetW2(l)
	}
	return newSheetW4(l)
}

// features works out all features of s; b is its board.
func (e *Evaluation) features(b *board, s *engine.State) {
	l := e.l
	mover := s.ToMove()
	t := &e.tally
	e.sheet.count(b, t)
	men, leaders, bound := t.men, t.leaders, t.bound // pieces in hand are added
	if s.Phase() != engine.Movement {
		for side := range 2 {
			m, d := s.Hand(side)
			men[side] += int32(m)
			leaders[side] += int32(d)
		}
	}
	e.calm = s.Phase() != engine.Movement ||
		!l.row && !l.bind && !l.leaderSurrounded && t.hanging[1-mover] == 0 && t.leadHang[1-mover] == 0
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
	f[featureLiberties] = t.liberties[0] - t.liberties[1]
	turned := int32(1 - 2*mover)
	f[featureAttacks] = turned * t.hanging[1-mover]
	f[featureHanging] = -turned * t.hanging[mover]
	f[featurePins] = t.pins[1] - t.pins[0]
	f[featureOpen] = t.open[1] - t.open[0]
	f[featureSupport] = t.support[0] - t.support[1]
	f[featureCentre] = t.centre[0] - t.centre[1]
	f[featureEdge] = t.edge[0] - t.edge[1]
	f[featureLeaderLiberties] = t.leadLib[0] - t.leadLib[1]
	f[featureLeaderAttack] = t.leadNear[1] - t.leadNear[0]
	f[featureLeaderHanging] = t.leadHang[1] - t.leadHang[0]
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
