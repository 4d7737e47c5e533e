package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// reference is the network and its loss in float64, written as the definition
// reads: planes of squares, explicit edges, no layout and no packing.
type reference struct {
	cfg    Config
	shape  Shape
	params map[string][]float64
	train  TrainConfig
}

func newReference(n *Network, train TrainConfig) *reference {
	r := &reference{cfg: n.Config, shape: n.Shape, params: map[string][]float64{}, train: train}
	for _, t := range n.Tensors {
		d := make([]float64, len(t.Data))
		for i, v := range t.Data {
			d[i] = float64(v)
		}
		r.params[t.Name] = d
	}
	return r
}

// conv is a convolution of size×size over x[in][square] with the layer's scale,
// bias and a residual of the same form (or nil).
func (r *reference) conv(name string, size int, x, residual [][]float64, out int, relu bool) [][]float64 {
	w, scale, bias := r.params[name+".weight"], r.params[name+".scale"], r.params[name+".bias"]
	rows, cols, in := r.shape.Rows, r.shape.Cols, len(x)
	y := make([][]float64, out)
	for o := range y {
		y[o] = make([]float64, rows*cols)
		for row := range rows {
			for col := range cols {
				sum := 0.0
				for dy := range size {
					for dx := range size {
						rr, cc := row+dy-size/2, col+dx-size/2
						if rr < 0 || rr >= rows || cc < 0 || cc >= cols {
							continue
						}
						for i := range in {
							sum += x[i][rr*cols+cc] * w[((dy*size+dx)*in+i)*out+o]
						}
					}
				}
				if scale != nil {
					sum *= scale[o]
				}
				if bias != nil {
					sum += bias[o]
				}
				if residual != nil {
					sum += residual[o][row*cols+col]
				}
				if relu {
					sum = math.Max(sum, 0)
				}
				y[o][row*cols+col] = sum
			}
		}
	}
	return y
}

func (r *reference) dense(name string, x []float64, out int, relu bool) []float64 {
	w, bias := r.params[name+".weight"], r.params[name+".bias"]
	y := make([]float64, out)
	for o := range y {
		for i, v := range x {
			y[o] += v * w[i*out+o]
		}
		if bias != nil {
			y[o] += bias[o]
		}
		if relu {
			y[o] = math.Max(y[o], 0)
		}
	}
	return y
}

// spread adds one value a channel to every square of x (nil for zeros).
func (r *reference) spread(x [][]float64, bias []float64) [][]float64 {
	y := make([][]float64, len(bias))
	for c, v := range bias {
		y[c] = make([]float64, r.shape.Area())
		for k := range y[c] {
			y[c][k] = v
			if x != nil {
				y[c][k] += x[c][k]
			}
		}
	}
	return y
}

func pooled(x [][]float64) []float64 {
	p := make([]float64, 2*len(x))
	for c, plane := range x {
		top := plane[0]
		for _, v := range plane {
			p[c] += v / float64(len(plane))
			top = math.Max(top, v)
		}
		p[len(x)+c] = top
	}
	return p
}

// output is what the network says of one position, as logits; the last three are
// of the auxiliary heads.
type output struct {
	policy, value   []float64
	survival, reply []float64
	plies           float64
}

// run evaluates one position.
func (r *reference) run(obs, globals []float32) (o output) {
	area, c := r.shape.Area(), r.cfg.Channels
	planes := make([][]float64, r.shape.Planes)
	for p := range planes {
		for _, v := range obs[p*area:][:area] {
			planes[p] = append(planes[p], float64(v))
		}
	}
	var g []float64
	for _, v := range globals {
		g = append(g, float64(v))
	}
	var residual [][]float64
	if len(g) > 0 {
		residual = r.spread(nil, r.dense("stem.globals", g, c, false))
	}
	x := r.conv("stem", 3, planes, residual, c, true)
	for i := range r.cfg.Blocks {
		name := fmt.Sprintf("block%d.", i)
		h := r.conv(name+"conv1", 3, x, nil, c, true)
		skip := x
		if r.cfg.pooled(i) {
			skip = r.spread(x, r.dense(name+"pool", pooled(h), c, false))
		}
		x = r.conv(name+"conv2", 3, h, skip, c, true)
	}
	p := pooled(x)
	hidden := r.conv("policy.hidden", 1, x, r.spread(nil, r.dense("policy.pool", p, c, false)), c, true)
	for _, plane := range r.conv("policy.out", 1, hidden, nil, len(r.shape.ActionPlanes), false) {
		o.policy = append(o.policy, plane...)
	}
	o.policy = append(o.policy, r.dense("policy.pass", p, 1, false)...)
	h := r.dense("value.hidden", p, r.cfg.ValueHidden, true)
	o.value = r.dense("value.out", h, valueOutputs, false)
	if r.cfg.Auxiliary {
		squares := r.conv("aux.squares", 1, x, nil, 1+len(r.shape.ActionPlanes), false)
		board := r.dense("aux.board", h, 2, false)
		o.survival, o.plies = squares[0], board[0]
		for _, plane := range squares[1:] {
			o.reply = append(o.reply, plane...)
		}
		o.reply = append(o.reply, board[1])
	}
	return o
}

// huber is ½d² near 0 and linear from ½ on.
func huber(d float64) float64 {
	if d = math.Abs(d); d > 0.5 {
		return 0.5 * (d - 0.25)
	}
	return d * d / 2
}

// loss is the training loss of a batch that has all its optional fields, and its
// auxiliary parts.
func (r *reference) loss(b *Batch) (total float64, aux [3]float64) {
	var policy, value, material, sumP, sumV, sumM float64
	var survival, plies, reply, sumS, sumL, sumR float64
	cross := func(logits []float64, target []float32, legal []bool) float64 {
		z := 0.0
		for a, l := range logits {
			if legal == nil || legal[a] {
				z += math.Exp(l)
			}
		}
		sum := 0.0
		for a, t := range target {
			if t != 0 {
				sum -= float64(t) * (logits[a] - math.Log(z))
			}
		}
		return sum
	}
	n := r.shape.Actions()
	for i := range b.N {
		o := r.run(b.Obs[i*r.shape.Obs():][:r.shape.Obs()], b.Globals[i*r.shape.Globals:][:r.shape.Globals])
		v := o.value
		pw, vw, mw := float64(b.PolicyWeight[i]), float64(b.ValueWeight[i]), float64(b.MaterialWeight[i])
		policy += pw * cross(o.policy, b.Policy[i*n:][:n], b.Legal[i*n:][:n])
		value += vw * cross(v[:3], b.WDL[3*i:][:3], nil)
		material += mw * huber(math.Tanh(v[3])-float64(b.Material[i]))
		sumP, sumV, sumM = sumP+pw, sumV+vw, sumM+mw
		if !r.cfg.Auxiliary {
			continue
		}
		for k, s := range o.survival {
			t, w := float64(b.Survival[i*len(o.survival)+k]), float64(b.SurvivalMask[i*len(o.survival)+k])
			p := 1 / (1 + math.Exp(-s))
			survival -= w * (t*math.Log(p) + (1-t)*math.Log(1-p))
			sumS += w
		}
		lw, rw := float64(b.PliesWeight[i]), float64(b.ReplyWeight[i])
		plies += lw * huber(o.plies-math.Log(1+float64(b.PliesLeft[i])))
		reply += rw * cross(o.reply, b.Reply[i*n:][:n], nil)
		sumL, sumR = sumL+lw, sumR+rw
	}
	total = policy/sumP + r.train.ValueLoss*value/sumV + r.train.MaterialLoss*material/sumM
	if r.cfg.Auxiliary {
		aux = [3]float64{survival / sumS, plies / sumL, reply / sumR}
		total += r.train.SurvivalLoss*aux[0] + r.train.PliesLoss*aux[1] + r.train.ReplyLoss*aux[2]
	}
	return total, aux
}

// TestGradientsAgainstFloat64 compares single weights' gradients with finite
// differences of the reference in float64, where a step of 10⁻⁵ loses nothing to
// rounding and seldom meets a kink.
func TestGradientsAgainstFloat64(t *testing.T) {
	for _, auxiliary := range []bool{false, true} {
		t.Run(fmt.Sprintf("auxiliary=%v", auxiliary), func(t *testing.T) { testGradientsAgainstFloat64(t, auxiliary) })
	}
}

func testGradientsAgainstFloat64(t *testing.T, auxiliary bool) {
	shape := testShape(4, 5, 5, 3, 4)
	// A width that is no multiple of the block, blocks with and without pooling.
	n := mustNew(t, Config{Blocks: 2, Channels: 20, PoolEvery: 2, ValueHidden: 24, Auxiliary: auxiliary}, shape, 5)
	shake(n, 6)
	b := randomBatch(shape, 3, 7)
	train := DefaultTrainConfig()
	train.BatchSize, train.ValueLoss, train.MaterialLoss = 4, 0.7, 0.6
	if auxiliary {
		train.SurvivalLoss, train.PliesLoss, train.ReplyLoss = 0.8, 0.9, 0.5
	}
	losses, grads := gradients(t, n, train, b)
	r := newReference(n, train)
	want, aux := r.loss(b)
	if math.Abs(losses.Total-want) > 1e-5*want {
		t.Fatalf("the loss is %v, by definition %v", losses.Total, want)
	}
	for i, got := range []float64{losses.Survival, losses.Plies, losses.Reply} {
		if math.Abs(got-aux[i]) > 1e-5*aux[i] || (aux[i] > 0) != auxiliary {
			t.Errorf("auxiliary part %d is %v, by definition %v", i, got, aux[i])
		}
	}
	rng := rand.New(rand.NewPCG(8, 9))
	samples := 4
	if testing.Short() {
		samples = 1
	}
	for i, p := range n.Tensors {
		w := r.params[p.Name]
		largest := 0.0
		for _, g := range grads[i] {
			largest = math.Max(largest, math.Abs(float64(g)))
		}
		for range samples {
			k := rng.IntN(len(w))
			const step = 1e-5
			was := w[k]
			w[k] = was + step
			up, _ := r.loss(b)
			w[k] = was - step
			down, _ := r.loss(b)
			w[k] = was
			want := (up - down) / (2 * step)
			if d := math.Abs(float64(grads[i][k]) - want); d > 2e-4*largest+1e-7 {
				t.Errorf("%s[%d]: gradient %v, finite difference %v (largest %v)", p.Name, k, grads[i][k], want, largest)
			}
		}
	}
}
