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
	// Planes is the number of action planes; the others are the channel counts
	// of the first four inputs.
	Planes, SurvivalWide, PliesWide, ReplyWide, PassWide int
	// Survival, Plies and Reply weigh the parts.
	Survival, Plies, Reply float64
}

// AuxiliaryInputs are the nodes of the loss: Survival (Layout.Pixels,
// SurvivalWide) and Plies (Boards, PliesWide), of which column 0 counts; Reply
// (Layout.Pixels, ReplyWide) and Pass (Boards, PassWide) as a policy. Squares
// (Boards, 2·area) holds the targets of survival and then their weights, Target
// (Boards, actions) that of the reply, Scalars (Boards, 3) plies left, their
// weight, and the reply's weight.
type AuxiliaryInputs struct{ Survival, Plies, Reply, Pass, Squares, Target, Scalars *G.Node }

// AuxiliaryParts holds the parts of the last loss that was computed.
type AuxiliaryParts struct{ Total, Survival, Plies, Reply float64 }

// Apply adds the loss, a scalar, to the graph. The parts are filled whenever the
// graph runs.
func (l Auxiliary) Apply(serial *Serial, in AuxiliaryInputs) (*G.Node, *AuxiliaryParts, error) {
	op := &auxiliaryOp{Auxiliary: l, serial: serial}
	op.dSurvival, op.dSurvivalData = newTensor(l.Layout.Pixels, l.SurvivalWide)
	op.dPlies, op.dPliesData = newTensor(l.Layout.Boards, l.PliesWide)
	op.dReply, op.dReplyData = newTensor(l.Layout.Pixels, l.ReplyWide)
	op.dPass, op.dPassData = newTensor(l.Layout.Boards, l.PassWide)
	op.logits = make([]float64, l.Planes*l.Layout.Area()+1)
	op.base = base{name: "auxiliaryLoss", id: serial.next(), inputs: []int{2, 2, 2, 2, 2, 2, 2}}
	n, err := G.ApplyOp(op, in.Survival, in.Plies, in.Reply, in.Pass, in.Squares, in.Target, in.Scalars)
	return n, &op.parts, err
}

type auxiliaryOp struct {
	base
	Auxiliary
	serial                                           *Serial
	parts                                            AuxiliaryParts
	dSurvival, dPlies, dReply, dPass                 *tensor.Dense
	dSurvivalData, dPliesData, dReplyData, dPassData []float32
	logits                                           []float64
}

// Do computes the loss and its gradients.
func (op *auxiliaryOp) Do(vs ...G.Value) (G.Value, error) {
	in, err := unpack(vs, 7)
	if err != nil {
		return nil, fmt.Errorf("%v: %w", op, err)
	}
	survival, plies, reply, pass, squares, target, scalars := in[0], in[1], in[2], in[3], in[4], in[5], in[6]
	area, actions := op.Layout.Area(), len(op.logits)
	var sumS, sumP, sumR float64
	for b := range op.Layout.Boards {
		for _, w := range squares[(2*b+1)*area:][:area] {
			sumS += float64(w)
		}
		sumP += float64(scalars[3*b+1])
		sumR += float64(scalars[3*b+2])
	}
	// Columns of padding stay as they were made, zero.
	parts := AuxiliaryParts{}
	for b := range op.Layout.Boards {
		pixels := op.Layout.Squares(b)
		targets, weights := squares[2*b*area:][:area], squares[(2*b+1)*area:][:area]
		for k, q := range pixels {
			at := int(q) * op.SurvivalWide
			op.dSurvivalData[at] = 0
			if w := share(weights[k], sumS); w != 0 {
				s, t := float64(survival[at]), float64(targets[k])
				// log(1 + e^s) − t·s, without overflow.
				e := math.Exp(-math.Abs(s))
				parts.Survival += w * (max(s, 0) + math.Log1p(e) - t*s)
				sigma := 1 / (1 + e)
				if s < 0 {
					sigma = e / (1 + e)
				}
				op.dSurvivalData[at] = float32(op.Survival * w * (sigma - t))
			}
		}
		op.dPliesData[b*op.PliesWide] = 0
		if w := share(scalars[3*b+1], sumP); w != 0 {
			d := float64(plies[b*op.PliesWide]) - math.Log1p(float64(scalars[3*b]))
			parts.Plies += huber(w, d)
			op.dPliesData[b*op.PliesWide] = float32(op.Plies * w * max(-0.5, min(0.5, d)))
		}
		w := share(scalars[3*b+2], sumR)
		if w == 0 {
			clear(op.logits)
		} else {
			readLogits(op.logits, reply, op.ReplyWide, pixels, pass[b*op.PassWide])
			t := target[b*actions:][:actions]
			sumT, dot := 0.0, 0.0
			for a, v := range t {
				if v != 0 {
					sumT += float64(v)
					dot += float64(v) * op.logits[a]
				}
			}
			parts.Reply += w * (sumT*softmax(op.logits) - dot)
			scale := op.Reply * w
			for a, v := range t {
				op.logits[a] = scale * (sumT*op.logits[a] - float64(v))
			}
		}
		writeGradient(op.dReplyData, op.ReplyWide, pixels, &op.dPassData[b*op.PassWide], op.logits)
	}
	parts.Total = op.Survival*parts.Survival + op.Plies*parts.Plies + op.Reply*parts.Reply
	op.parts = parts
	return G.NewF32(float32(parts.Total)), nil
}

func (op *auxiliaryOp) DiffWRT(int) []bool {
	return []bool{true, true, true, true, false, false, false}
}

func (op *auxiliaryOp) SymDiff(inputs G.Nodes, output, grad *G.Node) (G.Nodes, error) {
	return handOut(op.serial, inputs, output, grad, []*tensor.Dense{op.dSurvival, op.dPlies, op.dReply, op.dPass})
}
