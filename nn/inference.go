package nn

import (
	"errors"
	"fmt"
	"math"

	"latro/nn/internal/kernel"
)

// ErrSize is wrapped by errors that say that a buffer or a batch has the wrong
// size.
var ErrSize = errors.New("wrong size")

// Outputs receives what a network says about n positions, each in the frame of
// its player to move.
type Outputs struct {
	// Policy holds raw logits, [n][Actions], illegal actions included: apply
	// the legal mask, then a softmax.
	Policy []float32
	// WDL holds the logits of win, draw and loss of the mover, [n][3].
	WDL []float32
	// Material holds the expected final material difference from the mover's
	// side, [n], in [-1, 1].
	Material []float32
}

// NewOutputs returns outputs for up to n positions.
func NewOutputs(shape Shape, n int) *Outputs {
	return &Outputs{
		Policy:   make([]float32, n*shape.Actions()),
		WDL:      make([]float32, n*3),
		Material: make([]float32, n),
	}
}

// layer is one step of the compiled plan: a product whose weights are packed
// for its kernel.
type layer struct {
	name    string
	kernel  string // how the product is computed; see LayerPlan
	taps    kernel.Taps
	out     int // channels written, a multiple of kernel.Block
	weights []float32
	bias    []float32
	relu    bool
}

// directKernel names the only way of computing a layer so far: sums in the order
// of the definition. Others (Winograd's) will be chosen by layer and board.
const directKernel = "direct"

// LayerPlan says how one layer of a compiled network is computed. Results are
// reproducible to the last bit where KernelID and the plan are the same.
type LayerPlan struct {
	// Layer is the prefix of the layer's tensors, such as "block0.conv1".
	Layer string `json:"layer"`
	// Kernel is "direct".
	Kernel string `json:"kernel"`
	// Multiplies is the number of multiply-adds for one position, padding of
	// channels included.
	Multiplies int `json:"multiplies"`
}

// Plan returns the compiled layers in the order in which they run.
func (i *Inference) Plan() []LayerPlan {
	var plan []LayerPlan
	add := func(pixels int, layers ...*layer) {
		for _, l := range layers {
			if l != nil {
				plan = append(plan, LayerPlan{Layer: l.name, Kernel: l.kernel, Multiplies: pixels * l.out * l.taps.Weights()})
			}
		}
	}
	area := i.shape.Area()
	add(1, i.globals)
	add(area, i.stem)
	for _, b := range i.blocks {
		add(area, b.conv1)
		add(1, b.pool)
		add(area, b.conv2)
	}
	add(1, i.policyPool)
	add(area, i.policyHidden, i.policyOut)
	add(1, i.pass, i.valueHidden, i.valueOut)
	return plan
}

// on binds the layer to a buffer layout.
func (l *layer) on(lay *kernel.Layout) *kernel.Product {
	return &kernel.Product{Layout: lay, Taps: l.taps, Out: l.out, Weights: l.weights, Bias: l.bias, ReLU: l.relu}
}

// block is a compiled residual block; pool is nil where the block has none.
type block struct{ conv1, conv2, pool *layer }

// Inference is a network compiled for play: scales folded into weights, weights
// packed for the kernels. It is read-only and shared by any number of
// instances.
type Inference struct {
	config Config
	shape  Shape
	hash   string

	planes   int // input channels of the stem's buffer
	channels int // channels of the trunk's buffers

	stem, globals           *layer
	blocks                  []block
	policyHidden, policyOut *layer
	policyPool, pass        *layer
	valueHidden, valueOut   *layer
}

// KernelID names the arithmetic that compiled networks use on this machine.
// Two machines with the same KernelID give the same bits; different ones agree
// to rounding (1e-4 in tests). Record it with results that must reproduce.
func KernelID() string { return kernel.ID() }

// Compile packs the network for play. The result does not refer to n, which may
// go on changing.
func Compile(n *Network) (*Inference, error) {
	if err := n.validate(); err != nil {
		return nil, fmt.Errorf("compile network: %w", err)
	}
	c := n.Config.Channels
	inf := &Inference{
		config: n.Config, shape: n.Shape.clone(), hash: n.Hash(),
		planes:   kernel.RoundUp(n.Shape.Planes, 4),
		channels: kernel.RoundUp(c, kernel.Block),
	}
	data := func(name string) []float32 { return n.Tensor(name).Data }
	// pack makes the layer that reads a buffer with bufferIn channels, of
	// which in are real.
	pack := func(name string, size, bufferIn, in, out int, relu bool) *layer {
		l := &layer{name: name, kernel: directKernel, taps: kernel.Taps{Size: size, In: bufferIn}, out: kernel.RoundUp(out, kernel.Block), relu: relu}
		l.weights = make([]float32, l.out*l.taps.Weights())
		var scale []float32
		if t := n.Tensor(name + ".scale"); t != nil {
			scale = t.Data
		}
		kernel.Pack(l.weights, data(name+".weight"), scale, l.taps, in, out)
		l.bias = make([]float32, l.out)
		if t := n.Tensor(name + ".bias"); t != nil {
			copy(l.bias, t.Data)
		}
		return l
	}
	// pooled makes a dense layer that reads pooled features: two groups of c
	// real inputs, each padded to the trunk's buffer width.
	pooled := func(name string, out int, relu bool) *layer {
		l := &layer{name: name, kernel: directKernel, taps: kernel.Taps{Size: 1, In: 2 * inf.channels}, out: kernel.RoundUp(out, kernel.Block), relu: relu}
		l.weights = make([]float32, l.out*l.taps.Weights())
		kernel.Pack(l.weights, spreadPooled(data(name+".weight"), c, inf.channels, out), nil, l.taps, 2*inf.channels, out)
		l.bias = make([]float32, l.out)
		if t := n.Tensor(name + ".bias"); t != nil {
			copy(l.bias, t.Data)
		}
		return l
	}
	inf.stem = pack("stem", 3, inf.planes, n.Shape.Planes, c, true)
	if g := n.Shape.Globals; g > 0 {
		inf.globals = pack("stem.globals", 1, kernel.RoundUp(g, 4), g, c, false)
	}
	for i := range n.Config.Blocks {
		name := fmt.Sprintf("block%d.", i)
		b := block{
			conv1: pack(name+"conv1", 3, inf.channels, c, c, true),
			conv2: pack(name+"conv2", 3, inf.channels, c, c, true),
		}
		if n.Config.pooled(i) {
			b.pool = pooled(name+"pool", c, false)
		}
		inf.blocks = append(inf.blocks, b)
	}
	v := n.Config.ValueHidden
	inf.policyHidden = pack("policy.hidden", 1, inf.channels, c, c, true)
	inf.policyPool = pooled("policy.pool", c, false)
	inf.policyOut = pack("policy.out", 1, inf.channels, c, len(n.Shape.ActionPlanes), false)
	inf.pass = pooled("policy.pass", 1, false)
	inf.valueHidden = pooled("value.hidden", v, true)
	inf.valueOut = pack("value.out", 1, inf.valueHidden.out, v, valueOutputs, false)
	return inf, nil
}

// spreadPooled turns weights [2·c][out] into [2·wide][out], with zero rows for
// the padding channels of each half.
func spreadPooled(w []float32, c, wide, out int) []float32 {
	if c == wide {
		return w
	}
	s := make([]float32, 2*wide*out)
	copy(s, w[:c*out])
	copy(s[wide*out:], w[c*out:])
	return s
}

// Shape returns the shape of the game that the network plays.
func (i *Inference) Shape() Shape { return i.shape.clone() }

// Config returns the network's architecture.
func (i *Inference) Config() Config { return i.config }

// Hash returns the hash of the network that was compiled.
func (i *Inference) Hash() string { return i.hash }

// chunkBoards is how many positions go through the network together. It keeps a
// chunk's activations in the second-level cache; results do not depend on it.
const chunkBoards = 8

// Instance evaluates positions with a compiled network. It owns its buffers: use
// it from one goroutine at a time, one instance a goroutine.
type Instance struct {
	inf      *Inference
	maxBatch int
	chunk    int
	boards   *kernel.Layout

	in         []float32 // planes, with border
	x, h, y    []float32 // trunk
	policy     []float32
	globals    []float32
	boardBias  []float32
	pooled     []float32
	pass       []float32
	hidden     []float32
	value      []float32
	stem       *kernel.Product
	globalsMul *kernel.Product
	blocks     []boundBlock
	policyHid  *kernel.Product
	policyPool *kernel.Product
	policyOut  *kernel.Product
	passMul    *kernel.Product
	valueHid   *kernel.Product
	valueOut   *kernel.Product
}

type boundBlock struct{ conv1, conv2, pool *kernel.Product }

// NewInstance returns an instance for batches of 1 to maxBatch positions (at
// least 1). It holds about 4·(Rows+1)·(Cols+1)·Channels·4 bytes for each of at
// most 8 positions, whatever maxBatch is.
func (i *Inference) NewInstance(maxBatch int) *Instance {
	maxBatch = max(1, maxBatch)
	chunk := min(maxBatch, chunkBoards)
	lay := kernel.NewBoards(chunk, i.shape.Rows, i.shape.Cols)
	mat := kernel.NewMatrix(chunk)
	x := &Instance{inf: i, maxBatch: maxBatch, chunk: chunk, boards: lay}
	c := i.channels
	floats := func(n int) []float32 { return make([]float32, n) }
	x.in = floats(lay.Pixels * i.planes)
	x.x, x.h, x.y = floats(lay.Pixels*c), floats(lay.Pixels*c), floats(lay.Pixels*c)
	x.policy = floats(lay.Pixels * i.policyOut.out)
	x.boardBias = floats(chunk * c)
	x.pooled = floats(chunk * 2 * c)
	x.pass = floats(chunk * i.pass.out)
	x.hidden = floats(chunk * i.valueHidden.out)
	x.value = floats(chunk * i.valueOut.out)
	x.stem = i.stem.on(lay)
	if i.globals != nil {
		x.globals = floats(chunk * i.globals.taps.In)
		x.globalsMul = i.globals.on(mat)
	}
	for _, b := range i.blocks {
		bb := boundBlock{conv1: b.conv1.on(lay), conv2: b.conv2.on(lay)}
		if b.pool != nil {
			bb.pool = b.pool.on(mat)
		}
		x.blocks = append(x.blocks, bb)
	}
	x.policyHid, x.policyOut = i.policyHidden.on(lay), i.policyOut.on(lay)
	x.policyPool, x.passMul = i.policyPool.on(mat), i.pass.on(mat)
	x.valueHid, x.valueOut = i.valueHidden.on(mat), i.valueOut.on(mat)
	return x
}

// Run evaluates n positions (1 ≤ n ≤ maxBatch). obs is [n][Planes][Rows][Cols],
// globals [n][Globals] (nil when there are none); longer slices are allowed, and
// the same holds for the slices of out, which are written up to n positions. Run
// allocates nothing. The result for a position is the same to the last bit
// whatever n is and wherever in the batch the position stands. Inputs that are
// not finite give outputs that are not.
func (x *Instance) Run(n int, obs, globals []float32, out *Outputs) error {
	s := &x.inf.shape
	actions := s.Actions()
	if n < 1 || n > x.maxBatch || len(obs) < n*s.Obs() || len(globals) < n*s.Globals ||
		len(out.Policy) < n*actions || len(out.WDL) < n*3 || len(out.Material) < n {
		return x.sizeError(n, obs, globals, out)
	}
	for from := 0; from < n; from += x.chunk {
		m := min(x.chunk, n-from)
		x.forward(m, obs[from*s.Obs():], globals[from*s.Globals:])
		x.store(m, from, actions, out)
	}
	return nil
}

func (x *Instance) sizeError(n int, obs, globals []float32, out *Outputs) error {
	s := x.inf.shape
	return fmt.Errorf("run network: %w: %d positions of at most %d need %d observations (have %d), %d globals (have %d), outputs %d, %d, %d (have %d, %d, %d)",
		ErrSize, n, x.maxBatch, n*s.Obs(), len(obs), n*s.Globals, len(globals),
		n*s.Actions(), n*3, n, len(out.Policy), len(out.WDL), len(out.Material))
}

// forward runs a chunk of m positions; the results stay in policy, pass and
// value.
func (x *Instance) forward(m int, obs, globals []float32) {
	i := x.inf
	c := i.channels
	gather(x.in, obs, x.boards, i.shape.Planes, i.planes, m)
	var residual []float32
	if i.globals != nil {
		wide := i.globals.taps.In
		for b := range m {
			copy(x.globals[b*wide:], globals[b*i.shape.Globals:][:i.shape.Globals])
		}
		x.globalsMul.Forward(x.boardBias, x.globals, nil, 0, m)
		kernel.AddBoardBias(x.y, nil, x.boardBias, x.boards, c, 0, m)
		residual = x.y
	}
	x.stem.Forward(x.x, x.in, residual, 0, m)
	for k := range x.blocks {
		b := &x.blocks[k]
		b.conv1.Forward(x.h, x.x, nil, 0, m)
		if b.pool == nil {
			b.conv2.Forward(x.y, x.h, x.x, 0, m)
			x.x, x.y = x.y, x.x
			continue
		}
		kernel.Pool(x.pooled, x.h, x.boards, c, 0, m, nil)
		b.pool.Forward(x.boardBias, x.pooled, nil, 0, m)
		kernel.AddBoardBias(x.y, x.x, x.boardBias, x.boards, c, 0, m)
		b.conv2.Forward(x.x, x.h, x.y, 0, m)
	}
	kernel.Pool(x.pooled, x.x, x.boards, c, 0, m, nil)
	x.policyPool.Forward(x.boardBias, x.pooled, nil, 0, m)
	kernel.AddBoardBias(x.y, nil, x.boardBias, x.boards, c, 0, m)
	x.policyHid.Forward(x.h, x.x, x.y, 0, m)
	x.policyOut.Forward(x.policy, x.h, nil, 0, m)
	x.passMul.Forward(x.pass, x.pooled, nil, 0, m)
	x.valueHid.Forward(x.hidden, x.pooled, nil, 0, m)
	x.valueOut.Forward(x.value, x.hidden, nil, 0, m)
}

// store writes a chunk's results to positions from, from+1, … of out.
func (x *Instance) store(m, from, actions int, out *Outputs) {
	i := x.inf
	planes := len(i.shape.ActionPlanes)
	for b := range m {
		p := out.Policy[(from+b)*actions:][:actions]
		scatterPolicy(p, x.policy, x.boards.Squares(b), planes, i.policyOut.out)
		p[actions-1] = x.pass[b*i.pass.out]
		v := x.value[b*i.valueOut.out:]
		copy(out.WDL[(from+b)*3:][:3], v)
		out.Material[from+b] = float32(math.Tanh(float64(v[3])))
	}
}

// gather copies n observations [planes][rows][cols] into a bordered buffer with
// wide channels a pixel. Channels from planes on are left as they are (zero).
func gather(dst, obs []float32, l *kernel.Layout, planes, wide, n int) {
	area := l.Area()
	for b := range n {
		squares := l.Squares(b)
		for p := range planes {
			src := obs[(b*planes+p)*area:][:len(squares)]
			for k, q := range squares {
				dst[int(q)*wide+p] = src[k]
			}
		}
	}
}

// scatterPolicy copies one board's policy map (wide channels a pixel) to
// dst[plane][square].
func scatterPolicy(dst, policy []float32, squares []int32, planes, wide int) {
	area := len(squares)
	for k, q := range squares {
		for p, v := range policy[int(q)*wide:][:planes] {
			dst[p*area+k] = v
		}
	}
}
