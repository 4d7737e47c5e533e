package ops

import (
	"fmt"
	"math"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"latro/nn/internal/kernel"
)

// Loss describes the training loss
//
//	policy + Value·value + Material·material
//
// each the weighted mean over the batch of
//
//	policy    −Σ_a target(a)·log softmax_legal(logits)(a)
//	value     −Σ_k target(k)·log softmax(wdl)(k)
//	material  Huber_½(tanh(m) − target), ½d² for |d| ≤ ½, ½(|d| − ¼) beyond
//
// with the weights of the examples in each part; a part whose weights are all
// zero is zero. The softmax of the policy runs over legal actions only, which
// is what search does with the logits.
type Loss struct {
	Layout *kernel.Layout
	// Planes is the number of action planes; PolicyWide, PassWide and
	// ValueWide are the channel counts of the three inputs.
	Planes, PolicyWide, PassWide, ValueWide int
	// Value and Material weigh the parts.
	Value, Material float64
}

// LossInputs are the nodes of the loss: Policy (Layout.Pixels, PolicyWide), Pass
// (Boards, PassWide) of which column 0 counts, Value (Boards, ValueWide) of
// which columns 0 to 3 are win, draw, loss and the material before its tanh.
// Target and Legal are (Boards, actions), pass last; Legal holds 0 or 1. WDL is
// (Boards, 3). Scalars is (Boards, 4): policy weight, value weight, material
// target, material weight.
type LossInputs struct{ Policy, Pass, Value, Target, Legal, WDL, Scalars *G.Node }

// Parts holds the parts of the last loss that was computed.
type Parts struct {
	Total, Policy, Value, Material float64
	// Entropy is the weighted mean entropy of the policy over legal actions,
	// and TargetEntropy that of the target, in nats.
	Entropy, TargetEntropy float64
}

// Apply adds the loss, a scalar, to the graph. The parts are filled whenever the
// graph runs.
func (l Loss) Apply(serial *Serial, in LossInputs) (*G.Node, *Parts, error) {
	op := &lossOp{Loss: l, serial: serial}
	op.dPolicy, op.dPolicyData = newTensor(l.Layout.Pixels, l.PolicyWide)
	op.dPass, op.dPassData = newTensor(l.Layout.Boards, l.PassWide)
	op.dValue, op.dValueData = newTensor(l.Layout.Boards, l.ValueWide)
	op.logits = make([]float64, l.Planes*l.Layout.Area()+1)
	op.saved = make([]float64, len(op.logits))
	op.base = base{name: "loss", id: serial.next(), inputs: []int{2, 2, 2, 2, 2, 2, 2}}
	n, err := G.ApplyOp(op, in.Policy, in.Pass, in.Value, in.Target, in.Legal, in.WDL, in.Scalars)
	return n, &op.parts, err
}

type lossOp struct {
	base
	Loss
	serial                             *Serial
	parts                              Parts
	dPolicy, dPass, dValue             *tensor.Dense
	dPolicyData, dPassData, dValueData []float32
	logits, saved                      []float64
}

// illegalLogit is below every logit that a float32 network can give a legal
// action, so that illegal actions get probability 0 without special cases.
const illegalLogit = -math.MaxFloat64

// softmax replaces logits by probabilities and returns the logarithm of their
// normaliser.
func softmax(logits []float64) float64 {
	top := illegalLogit
	for _, v := range logits {
		top = max(top, v)
	}
	sum := 0.0
	for i, v := range logits {
		e := 0.0
		if v != illegalLogit {
			e = math.Exp(v - top)
		}
		logits[i] = e
		sum += e
	}
	for i := range logits {
		logits[i] /= sum
	}
	return top + math.Log(sum)
}

// readLogits collects one board's logits, plane by plane and pass last, from a map
// of wide channels a pixel.
func readLogits(dst []float64, policy []float32, wide int, squares []int32, pass float32) {
	area := len(squares)
	planes := (len(dst) - 1) / area
	for k, q := range squares {
		for p, v := range policy[int(q)*wide:][:planes] {
			dst[p*area+k] = float64(v)
		}
	}
	dst[len(dst)-1] = float64(pass)
}

// writeGradient is readLogits the other way.
func writeGradient(policy []float32, wide int, squares []int32, pass *float32, src []float64) {
	area := len(squares)
	planes := (len(src) - 1) / area
	for k, q := range squares {
		row := policy[int(q)*wide:][:planes]
		for p := range row {
			row[p] = float32(src[p*area+k])
		}
	}
	*pass = float32(src[len(src)-1])
}

// share is an example's part of the mean.
func share(w float32, sum float64) float64 {
	if sum == 0 {
		return 0
	}
	return float64(w) / sum
}

// huber is w·Huber_½(d); its slope is w times d cut at ±½.
func huber(w, d float64) float64 {
	if math.Abs(d) <= 0.5 {
		return w * d * d / 2
	}
	return w * 0.5 * (math.Abs(d) - 0.25)
}

// Do computes the loss and, because it needs the same exponentials, its
// gradients.
func (op *lossOp) Do(vs ...G.Value) (G.Value, error) {
	in, err := unpack(vs, 7)
	if err != nil {
		return nil, fmt.Errorf("%v: %w", op, err)
	}
	policy, pass, value, target, legal, wdl, scalars := in[0], in[1], in[2], in[3], in[4], in[5], in[6]
	boards, actions := op.Layout.Boards, len(op.logits)
	var sumP, sumV, sumM float64
	for b := range boards {
		sumP += float64(scalars[4*b])
		sumV += float64(scalars[4*b+1])
		sumM += float64(scalars[4*b+3])
	}
	clear(op.dPassData)
	clear(op.dValueData)
	parts := Parts{}
	for b := range boards {
		squares := op.Layout.Squares(b)
		w := share(scalars[4*b], sumP)
		for _, q := range squares {
			clear(op.dPolicyData[int(q)*op.PolicyWide:][:op.PolicyWide])
		}
		if w != 0 {
			readLogits(op.logits, policy, op.PolicyWide, squares, pass[b*op.PassWide])
			t, ok := target[b*actions:][:actions], legal[b*actions:][:actions]
			sumT, dot := 0.0, 0.0
			for a := range op.logits {
				if ok[a] == 0 {
					op.logits[a] = illegalLogit
				} else if t[a] != 0 {
					sumT += float64(t[a])
					dot += float64(t[a]) * op.logits[a]
					parts.TargetEntropy -= w * float64(t[a]) * math.Log(float64(t[a]))
				}
			}
			// Σ p·logit is the mean logit; entropy = log Z − mean logit.
			mean := 0.0
			copy(op.saved, op.logits)
			logZ := softmax(op.logits)
			for a, p := range op.logits {
				if p > 0 {
					mean += p * op.saved[a]
				}
			}
			parts.Policy += w * (sumT*logZ - dot)
			parts.Entropy += w * (logZ - mean)
			for a := range op.logits {
				if ok[a] != 0 {
					op.logits[a] = w * (sumT*op.logits[a] - float64(t[a]))
				}
			}
			writeGradient(op.dPolicyData, op.PolicyWide, squares, &op.dPassData[b*op.PassWide], op.logits)
		}
		v := value[b*op.ValueWide:][:4]
		dv := op.dValueData[b*op.ValueWide:][:4]
		if w := share(scalars[4*b+1], sumV); w != 0 {
			t := wdl[b*3:][:3]
			p := []float64{float64(v[0]), float64(v[1]), float64(v[2])}
			sumT, dot := 0.0, 0.0
			for k := range p {
				sumT += float64(t[k])
				dot += float64(t[k]) * p[k]
			}
			logZ := softmax(p)
			parts.Value += w * (sumT*logZ - dot)
			for k := range p {
				dv[k] = float32(op.Value * w * (sumT*p[k] - float64(t[k])))
			}
		}
		if w := share(scalars[4*b+3], sumM); w != 0 {
			m := math.Tanh(float64(v[3]))
			d := m - float64(scalars[4*b+2])
			parts.Material += huber(w, d)
			slope := max(-0.5, min(0.5, d))
			dv[3] = float32(op.Material * w * slope * (1 - m*m))
		}
	}
	parts.Total = parts.Policy + op.Value*parts.Value + op.Material*parts.Material
	op.parts = parts
	return G.NewF32(float32(parts.Total)), nil
}

func (op *lossOp) DiffWRT(int) []bool {
	return []bool{true, true, true, false, false, false, false}
}

func (op *lossOp) SymDiff(inputs G.Nodes, output, grad *G.Node) (G.Nodes, error) {
	return handOut(op.serial, inputs, output, grad, []*tensor.Dense{op.dPolicy, op.dPass, op.dValue})
}

// handOut adds the derivative of a loss that has computed its gradients with
// respect to its first inputs already. It is a loss's SymDiff.
func handOut(serial *Serial, inputs G.Nodes, output, grad *G.Node, gradients []*tensor.Dense) (G.Nodes, error) {
	b := &lossBack{gradients: gradients}
	b.base = base{name: "lossBack", id: serial.next(), inputs: []int{0, 0}, shape: gradients[0].Shape().Clone()}
	out := make(G.Nodes, len(inputs))
	var err error
	if out[0], err = G.ApplyOp(b, output, grad); err != nil {
		return nil, err
	}
	for i, g := range gradients[1:] {
		if out[i+1], err = newPart(serial, "lossGradient", out[0], g); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// lossBack multiplies the gradients of a loss by the incoming one.
type lossBack struct {
	base
	gradients []*tensor.Dense
}

func (b *lossBack) Do(vs ...G.Value) (G.Value, error) {
	if len(vs) != 2 {
		return nil, fmt.Errorf("%v: want 2 inputs, got %d", b, len(vs))
	}
	g, ok := vs[1].Data().(float32)
	if !ok {
		return nil, fmt.Errorf("%v: the gradient is a %T, not a float32", b, vs[1].Data())
	}
	if g != 1 {
		for _, t := range b.gradients {
			d, err := floats(t)
			if err != nil {
				return nil, fmt.Errorf("%v: %w", b, err)
			}
			for i := range d {
				d[i] *= g
			}
		}
	}
	return b.gradients[0], nil
}
