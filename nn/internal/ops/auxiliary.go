package ops

import (
	"fmt"
	"math"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"latro/nn/internal/kernel"
)

// Auxiliary describes the loss of the auxiliary heads
//
//	Survival·survival + Plies·plies + Reply·reply
//
// where survival is the weighted mean over all squares of the batch, and the
// others the weighted mean over the batch, of
//
//	survival  −t·log σ(s) − (1−t)·log(1−σ(s)), σ the logistic function
//	plies     Huber_½(p − log(1 + plies left)), as in Loss
//	reply     −Σ_a target(a)·log softmax(logits)(a), over all actions
//
// A part whose weights are all zero is zero. Huber's loss of a logarithm has a
// bounded slope and asks the same care of short and long games.
type Auxiliary struct {
	Layout *kernel.Layout
	// Planes is the number of action planes; SquaresWide and BoardWide are the
	// channel counts of the first two inputs.
	Planes, SquaresWide, BoardWide int
	// Survival, Plies and Reply weigh the parts.
	Survival, Plies, Reply float64
}

// AuxiliaryInputs are the nodes of the loss: Squares (Layout.Pixels, SquaresWide),
// of which column 0 is survival and the next Planes are the reply's; Board (Boards,
// BoardWide), of which column 0 is the plies and 1 the reply's pass. Survival
// (Boards, 2·area) holds the targets and then their weights, Reply (Boards,
// actions) the target, Scalars (Boards, 3) plies left, their weight, and the
// reply's weight.
type AuxiliaryInputs struct{ Squares, Board, Survival, Reply, Scalars *G.Node }

// AuxiliaryParts holds the parts of the last loss that was computed.
type AuxiliaryParts struct{ Total, Survival, Plies, Reply float64 }

// Apply adds the loss, a scalar, to the graph. The parts are filled whenever the
// graph runs.
func (l Auxiliary) Apply(serial *Serial, in AuxiliaryInputs) (*G.Node, *AuxiliaryParts, error) {
	op := &auxiliaryOp{Auxiliary: l, serial: serial}
	op.dSquares, op.dSquaresData = newTensor(l.Layout.Pixels, l.SquaresWide)
	op.dBoard, op.dBoardData = newTensor(l.Layout.Boards, l.BoardWide)
	op.logits = make([]float64, l.Planes*l.Layout.Area()+1)
	op.base = base{name: "auxiliaryLoss", id: serial.next(), inputs: []int{2, 2, 2, 2, 2}}
	n, err := G.ApplyOp(op, in.Squares, in.Board, in.Survival, in.Reply, in.Scalars)
	return n, &op.parts, err
}

type auxiliaryOp struct {
	base
	Auxiliary
	serial                   *Serial
	parts                    AuxiliaryParts
	dSquares, dBoard         *tensor.Dense
	dSquaresData, dBoardData []float32
	logits                   []float64
}

// Do computes the loss and its gradients.
func (op *auxiliaryOp) Do(vs ...G.Value) (G.Value, error) {
	in, err := unpack(vs, 5)
	if err != nil {
		return nil, fmt.Errorf("%v: %w", op, err)
	}
	squares, board, survival, reply, scalars := in[0], in[1], in[2], in[3], in[4]
	area, actions := op.Layout.Area(), len(op.logits)
	var sumS, sumP, sumR float64
	for b := range op.Layout.Boards {
		for _, w := range survival[(2*b+1)*area:][:area] {
			sumS += float64(w)
		}
		sumP += float64(scalars[3*b+1])
		sumR += float64(scalars[3*b+2])
	}
	// Columns of padding stay as they were made, zero.
	parts := AuxiliaryParts{}
	for b := range op.Layout.Boards {
		pixels := op.Layout.Squares(b)
		targets, weights := survival[2*b*area:][:area], survival[(2*b+1)*area:][:area]
		for k, q := range pixels {
			at := int(q) * op.SquaresWide
			op.dSquaresData[at] = 0
			if w := share(weights[k], sumS); w != 0 {
				s, t := float64(squares[at]), float64(targets[k])
				// log(1 + e^s) − t·s, without overflow.
				e := math.Exp(-math.Abs(s))
				parts.Survival += w * (max(s, 0) + math.Log1p(e) - t*s)
				sigma := 1 / (1 + e)
				if s < 0 {
					sigma = e / (1 + e)
				}
				op.dSquaresData[at] = float32(op.Survival * w * (sigma - t))
			}
		}
		out, grad := board[b*op.BoardWide:][:2], op.dBoardData[b*op.BoardWide:][:2]
		grad[0] = 0
		if w := share(scalars[3*b+1], sumP); w != 0 {
			d := float64(out[0]) - math.Log1p(float64(scalars[3*b]))
			parts.Plies += huber(w, d)
			grad[0] = float32(op.Plies * w * max(-0.5, min(0.5, d)))
		}
		w := share(scalars[3*b+2], sumR)
		if w == 0 {
			clear(op.logits)
		} else {
			// The reply's planes begin at column 1.
			readLogits(op.logits, squares[1:], op.SquaresWide, pixels, out[1])
			t := reply[b*actions:][:actions]
			sumT, dot := 0.0, 0.0
			for a, v := range t {
				if v != 0 {
					sumT += float64(v)
					dot += float64(v) * op.logits[a]
				}
			}
			top, z := op.logits[0], 0.0
			for _, v := range op.logits {
				top = max(top, v)
			}
			for a, v := range op.logits {
				e := math.Exp(v - top)
				op.logits[a] = e
				z += e
			}
			parts.Reply += w * (sumT*(top+math.Log(z)) - dot)
			scale := op.Reply * w
			each := scale * sumT / z
			for a, v := range t {
				op.logits[a] = each*op.logits[a] - scale*float64(v)
			}
		}
		writeGradient(op.dSquaresData[1:], op.SquaresWide, pixels, &grad[1], op.logits)
	}
	parts.Total = op.Survival*parts.Survival + op.Plies*parts.Plies + op.Reply*parts.Reply
	op.parts = parts
	return G.NewF32(float32(parts.Total)), nil
}

func (op *auxiliaryOp) DiffWRT(int) []bool {
	return []bool{true, true, false, false, false}
}

func (op *auxiliaryOp) SymDiff(inputs G.Nodes, output, grad *G.Node) (G.Nodes, error) {
	return handOut(op.serial, inputs, output, grad, []*tensor.Dense{op.dSquares, op.dBoard})
}
