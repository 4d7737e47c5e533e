package nn

import (
	"errors"
	"fmt"
	"math"
	"slices"

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
	method  Method
	taps    kernel.Taps
	out     int // channels written, a multiple of kernel.Block
	weights []float32
	bias    []float32
	relu    bool
	// winograd takes the place of weights and the product when method says so.
	winograd *kernel.Winograd
	// portable keeps to the kernels in Go.
	portable bool
}

// LayerPlan says how one layer of a compiled network is computed. Results are
// reproducible to the last bit where KernelID and the plan are the same.
type LayerPlan struct {
	// Layer is the prefix of the layer's tensors, such as "block0.conv1".
	Layer string `json:"layer"`
	// Kernel is the method that the layer uses.
	Kernel Method `json:"kernel"`
	// Multiplies is the number of multiply-adds for one position, padding of
	// channels and tiles included, transforms not.
	Multiplies int `json:"multiplies"`
}

// Plan returns the compiled layers in the order in which they run.
func (i *Inference) Plan() []LayerPlan {
	var plan []LayerPlan
	add := func(pixels int, layers ...*layer) {
		for _, l := range layers {
			if l == nil {
				continue
			}
			n := pixels * l.out * l.taps.Weights()
			if w := l.winograd; w != nil {
				t := w.Tile
				tiles := ((i.shape.Rows + t.Rows - 1) / t.Rows) * ((i.shape.Cols + t.Cols - 1) / t.Cols)
				n = tiles * t.Points() * w.In * w.Out
			}
			plan = append(plan, LayerPlan{Layer: l.name, Kernel: l.method, Multiplies: n})
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

// bound is a layer with the layout of its buffers.
type bound struct {
	product  *kernel.Product
	winograd *kernel.Winograd
	tiling   *kernel.Tiling
}

// on binds the layer to a buffer layout.
func (l *layer) on(lay *kernel.Layout) *bound {
	if l.winograd != nil {
		return &bound{winograd: l.winograd, tiling: kernel.NewTiling(lay, l.winograd.Tile)}
	}
	return &bound{product: &kernel.Product{Layout: lay, Taps: l.taps, Out: l.out, Weights: l.weights, Bias: l.bias, ReLU: l.relu, Portable: l.portable}}
}

// forward computes m boards (or rows) of dst. residual may be nil; boardBias, if
// not nil, takes the place of the layer's bias, one row a board.
func (b *bound) forward(s *kernel.Scratch, dst, src, residual, boardBias []float32, m int) {
	switch {
	case b.winograd != nil:
		b.winograd.Forward(s, b.tiling, dst, src, residual, boardBias, m)
	case boardBias != nil:
		b.product.ForwardBiased(dst, src, residual, boardBias, m)
	default:
		b.product.Forward(dst, src, residual, 0, m)
	}
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
	id     string

	planes   int // input channels of the stem's buffer
	channels int // channels of the trunk's buffers

	stem, globals           *layer
	blocks                  []block
	policyHidden, policyOut *layer
	policyPool, pass        *layer
	valueHidden, valueOut   *layer
}

// KernelID names the arithmetic that compiled networks use on this machine: the
// family of kernels and the table of methods. Two machines with the same KernelID
// give the same bits; different ones agree to rounding (1e-4 in tests). Record it
// with results that must reproduce.
func KernelID() string { return kernel.ID() + "+" + tableID() }

// CompileOptions change how a network is compiled. The zero value is what
// Compile uses and what nearly everybody wants.
type CompileOptions struct {
	// Portable keeps to the kernels in Go even where the processor has better,
	// to compare with machines that do not.
	Portable bool
	// Method is used for every 3×3 convolution; empty for MethodFor's.
	Method Method
	// Arithmetic is what the convolutions of the blocks multiply; empty for Float32.
	Arithmetic Arithmetic
}

// Arithmetic is a kind of numbers that convolutions multiply.
type Arithmetic string

const (
	// Float32 multiplies 32-bit floats.
	Float32 Arithmetic = "float32"
	// Int16 rounds the transformed weights and inputs of the blocks' Winograd layers to 16 bits and adds their products up
	// in 32; all else stays in floats. Wide networks run faster for it (half as fast again with 64 channels, little with
	// 32), and logits are off by about 1e-3. Results are bitwise independent of the batch here too. Layers that the plan
	// computes directly stay as they are.
	Int16 Arithmetic = "int16"
)

// Arithmetics lists the kinds.
func Arithmetics() []Arithmetic { return []Arithmetic{Float32, Int16} }

// Compile packs the network for play. The result does not refer to n, which may
// go on changing.
func Compile(n *Network) (*Inference, error) { return CompileWith(n, CompileOptions{}) }

// CompileWith is Compile with options.
func CompileWith(n *Network, o CompileOptions) (*Inference, error) {
	if err := n.validate(); err != nil {
		return nil, fmt.Errorf("compile network: %w", err)
	}
	if o.Method != "" && !slices.Contains(Methods(), o.Method) {
		return nil, fmt.Errorf("compile network: method %q is none of %v", o.Method, Methods())
	}
	if o.Arithmetic != "" && !slices.Contains(Arithmetics(), o.Arithmetic) {
		return nil, fmt.Errorf("compile network: arithmetic %q is none of %v", o.Arithmetic, Arithmetics())
	}
	c := n.Config.Channels
	inf := &Inference{
		config: n.Config, shape: n.Shape.clone(), hash: n.Hash(),
		channels: kernel.RoundUp(c, kernel.Block),
	}
	inf.id = KernelID()
	if o.Portable {
		inf.id = kernel.PortableID + "+" + tableID()
	}
	if o.Method != "" {
		inf.id += "+" + string(o.Method)
	}
	if o.Arithmetic == Int16 {
		inf.id += "+" + string(Int16)
	}
	method := func(in int) Method {
		if o.Method != "" {
			return o.Method
		}
		return MethodFor(Case{n.Shape.Rows, n.Shape.Cols, in, c})
	}
	stem, trunk := method(n.Shape.Planes), method(c)
	inf.planes = kernel.RoundUp(n.Shape.Planes, 4)
	if _, ok := stem.tile(); ok {
		inf.planes = kernel.RoundUp(n.Shape.Planes, 8)
	}
	data := func(name string) []float32 { return n.Tensor(name).Data }
	// pack makes the layer that reads a buffer with bufferIn channels, of
	// which in are real.
	pack := func(name string, method Method, size, bufferIn, in, out int, relu bool) *layer {
		l := &layer{name: name, method: method, taps: kernel.Taps{Size: size, In: bufferIn}, out: kernel.RoundUp(out, kernel.Block), relu: relu, portable: o.Portable}
		var scale []float32
		if t := n.Tensor(name + ".scale"); t != nil {
			scale = t.Data
		}
		l.bias = make([]float32, l.out)
		if t := n.Tensor(name + ".bias"); t != nil {
			copy(l.bias, t.Data)
		}
		if tile, ok := method.tile(); ok {
			l.winograd = &kernel.Winograd{Tile: tile, In: bufferIn, Out: l.out, Bias: l.bias, ReLU: relu, Portable: o.Portable}
			l.winograd.Weights = make([]float32, l.out*tile.Points()*bufferIn)
			kernel.PackWinograd(l.winograd.Weights, tile, data(name+".weight"), scale, bufferIn, in, out)
			if o.Arithmetic == Int16 && name != "stem" {
				l.winograd.Short = kernel.NewShort(l.winograd)
				l.winograd.Weights = nil
			}
			return l
		}
		l.weights = make([]float32, l.out*l.taps.Weights())
		kernel.Pack(l.weights, data(name+".weight"), scale, l.taps, in, out)
		return l
	}
	// pooled makes a dense layer that reads pooled features: two groups of c
	// real inputs, each padded to the trunk's buffer width.
	pooled := func(name string, out int, relu bool) *layer {
		l := &layer{name: name, method: Direct, taps: kernel.Taps{Size: 1, In: 2 * inf.channels}, out: kernel.RoundUp(out, kernel.Block), relu: relu, portable: o.Portable}
		l.weights = make([]float32, l.out*l.taps.Weights())
		kernel.Pack(l.weights, spreadPooled(data(name+".weight"), c, inf.channels, out), nil, l.taps, 2*inf.channels, out)
		l.bias = make([]float32, l.out)
		if t := n.Tensor(name + ".bias"); t != nil {
			copy(l.bias, t.Data)
		}
		return l
	}
	// A layer whose outputs get a bias for each board takes its own bias from
	// there: the dense layers that make those add it.
	inf.stem = pack("stem", stem, 3, inf.planes, n.Shape.Planes, c, true)
	if g := n.Shape.Globals; g > 0 {
		inf.globals = pack("stem.globals", Direct, 1, kernel.RoundUp(g, 4), g, c, false)
		inf.globals.bias = inf.stem.bias
	}
	for i := range n.Config.Blocks {
		name := fmt.Sprintf("block%d.", i)
		b := block{
			conv1: pack(name+"conv1", trunk, 3, inf.channels, c, c, true),
			conv2: pack(name+"conv2", trunk, 3, inf.channels, c, c, true),
		}
		if n.Config.pooled(i) {
			b.pool = pooled(name+"pool", c, false)
			b.pool.bias = b.conv2.bias
		}
		inf.blocks = append(inf.blocks, b)
	}
	v := n.Config.ValueHidden
	inf.policyHidden = pack("policy.hidden", Direct, 1, inf.channels, c, c, true)
	inf.policyPool = pooled("policy.pool", c, false)
	inf.policyPool.bias = inf.policyHidden.bias
	inf.policyOut = pack("policy.out", Direct, 1, inf.channels, c, len(n.Shape.ActionPlanes), false)
	inf.pass = pooled("policy.pass", 1, false)
	inf.valueHidden = pooled("value.hidden", v, true)
	inf.valueOut = pack("value.out", Direct, 1, inf.valueHidden.out, v, valueOutputs, false)
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

// KernelID is the package's KernelID, and with CompileOptions one that names them.
func (i *Inference) KernelID() string { return i.id }

// Hash returns the hash of the network that was compiled.
func (i *Inference) Hash() string { return i.hash }

// chunkBoards is how many positions go through the network together: enough that
// a layer's weights are read for many, few enough that its activations stay in
// the second-level cache. Measured, that is about a quarter as many tiles of 4×4
// squares as there are channels. Results do not depend on it.
func (i *Inference) chunkBoards() int {
	tiles := ((i.shape.Rows + 3) / 4) * ((i.shape.Cols + 3) / 4)
	want := min(max(i.channels/4, 8), 48)
	return min(max((want+tiles-1)/tiles, 1), 16)
}

// Instance evaluates positions with a compiled network. It owns its buffers: use
// it from one goroutine at a time, one instance a goroutine.
type Instance struct {
	inf      *Inference
	maxBatch int
	chunk    int
	boards   *kernel.Layout
	scratch  kernel.Scratch

	in         []float32 // planes, with border
	x, h, y    []float32 // trunk
	policy     []float32
	globals    []float32
	boardBias  []float32
	pooled     []float32
	pass       []float32
	hidden     []float32
	value      []float32
	stem       *bound
	globalsMul *bound
	blocks     []boundBlock
	policyHid  *bound
	policyPool *bound
	policyOut  *bound
	// pixels are those whose logits are wanted, board by board, marked while they are gathered.
	pixels   []int32
	marked   []bool
	passMul  *bound
	valueHid *bound
	valueOut *bound
}

type boundBlock struct{ conv1, conv2, pool *bound }

// NewInstance returns an instance for batches of 1 to maxBatch positions (at
// least 1). It holds a few buffers of Rows·Cols·Channels floats for each of at
// most 16 positions, whatever maxBatch is.
func (i *Inference) NewInstance(maxBatch int) *Instance {
	maxBatch = max(1, maxBatch)
	chunk := min(maxBatch, i.chunkBoards())
	lay := boardsFor(i.shape, chunk, i.stem.method, i.blocks[0].conv1.method)
	mat := kernel.NewMatrix(chunk)
	x := &Instance{inf: i, maxBatch: maxBatch, chunk: chunk, boards: lay}
	c := i.channels
	floats := func(n int) []float32 { return make([]float32, n) }
	x.in = floats(lay.Pixels * i.planes)
	x.x, x.h, x.y = floats(lay.Pixels*c), floats(lay.Pixels*c), floats(lay.Pixels*c)
	x.policy = floats(lay.Pixels * i.policyOut.out)
	x.boardBias = floats(chunk * c)
	x.pooled = floats(chunk * 2 * c)
	x.pixels, x.marked = make([]int32, 0, i.shape.Area()), make([]bool, lay.Pixels)
	x.pass = floats(chunk * i.pass.out)
	x.hidden = floats(chunk * i.valueHidden.out)
	x.value = floats(chunk * i.valueOut.out)
	boards := func(l *layer) *bound {
		b := l.on(lay)
		if b.winograd != nil {
			x.scratch.Reserve(b.winograd, b.tiling)
		}
		return b
	}
	x.stem = boards(i.stem)
	if i.globals != nil {
		x.globals = floats(chunk * i.globals.taps.In)
		x.globalsMul = i.globals.on(mat)
	}
	for _, b := range i.blocks {
		bb := boundBlock{conv1: boards(b.conv1), conv2: boards(b.conv2)}
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
		x.trunk(m, obs[from*s.Obs():], globals[from*s.Globals:])
		x.policyHid.forward(&x.scratch, x.h, x.x, nil, x.boardBias, m)
		x.policyOut.forward(&x.scratch, x.policy, x.h, nil, nil, m)
		x.store(m, from, out)
		x.storePolicy(m, out.Policy[from*actions:])
	}
	return nil
}

// RunLegal is Run for who asks about some actions only, as a search does: actions[i] lists those of position i, each in
// [0, Shape.Actions). Of out.Policy it writes no others. The policy head then computes only the squares that they begin
// at, a quarter of a board with few men, and nothing is copied that nobody reads. What it writes is what Run writes, to the
// last bit.
func (x *Instance) RunLegal(n int, obs, globals []float32, actions [][]int32, out *Outputs) error {
	s := &x.inf.shape
	all := s.Actions()
	if n < 1 || n > x.maxBatch || len(obs) < n*s.Obs() || len(globals) < n*s.Globals ||
		len(out.Policy) < n*all || len(out.WDL) < n*3 || len(out.Material) < n {
		return x.sizeError(n, obs, globals, out)
	}
	if len(actions) < n {
		return fmt.Errorf("run network: %w: %d lists of actions for %d positions", ErrSize, len(actions), n)
	}
	for i, list := range actions[:n] {
		for _, a := range list {
			if a < 0 || int(a) >= all {
				return fmt.Errorf("run network: action %d of position %d; there are %d", a, i, all)
			}
		}
	}
	for from := 0; from < n; from += x.chunk {
		m := min(x.chunk, n-from)
		x.trunk(m, obs[from*s.Obs():], globals[from*s.Globals:])
		for b := range m {
			x.legal(b, actions[from+b], out.Policy[(from+b)*all:][:all])
		}
		x.store(m, from, out)
	}
	return nil
}

// legal computes and stores the logits of some actions of board b.
func (x *Instance) legal(b int, actions []int32, policy []float32) {
	i := x.inf
	squares, pass := x.boards.Squares(b), len(policy)-1
	area := len(squares)
	x.pixels = x.pixels[:0]
	for _, a := range actions {
		if int(a) == pass {
			continue
		}
		if q := squares[int(a)%area]; !x.marked[q] {
			x.marked[q] = true
			x.pixels = append(x.pixels, q)
		}
	}
	x.policyHid.product.ForwardPixels(x.h, x.x, x.boardBias[b*i.channels:][:i.channels], x.pixels)
	x.policyOut.product.ForwardPixels(x.policy, x.h, nil, x.pixels)
	for _, q := range x.pixels {
		x.marked[q] = false
	}
	for _, a := range actions {
		if int(a) == pass {
			policy[pass] = x.pass[b*i.pass.out]
			continue
		}
		policy[a] = x.policy[int(squares[int(a)%area])*i.policyOut.out+int(a)/area]
	}
}

func (x *Instance) sizeError(n int, obs, globals []float32, out *Outputs) error {
	s := x.inf.shape
	return fmt.Errorf("run network: %w: %d positions of at most %d need %d observations (have %d), %d globals (have %d), outputs %d, %d, %d (have %d, %d, %d)",
		ErrSize, n, x.maxBatch, n*s.Obs(), len(obs), n*s.Globals, len(globals),
		n*s.Actions(), n*3, n, len(out.Policy), len(out.WDL), len(out.Material))
}

// trunk runs a chunk of m positions as far as the policy head, for which it leaves x and boardBias; the other results
// stay in pass and value.
func (x *Instance) trunk(m int, obs, globals []float32) {
	i := x.inf
	c := i.channels
	gather(x.in, obs, x.boards, i.shape.Planes, i.planes, m)
	var bias []float32
	if i.globals != nil {
		wide := i.globals.taps.In
		for b := range m {
			copy(x.globals[b*wide:], globals[b*i.shape.Globals:][:i.shape.Globals])
		}
		x.globalsMul.forward(&x.scratch, x.boardBias, x.globals, nil, nil, m)
		bias = x.boardBias
	}
	x.stem.forward(&x.scratch, x.x, x.in, nil, bias, m)
	for k := range x.blocks {
		b := &x.blocks[k]
		b.conv1.forward(&x.scratch, x.h, x.x, nil, nil, m)
		bias = nil
		if b.pool != nil {
			kernel.Pool(x.pooled, x.h, x.boards, c, 0, m, nil)
			b.pool.forward(&x.scratch, x.boardBias, x.pooled, nil, nil, m)
			bias = x.boardBias
		}
		b.conv2.forward(&x.scratch, x.y, x.h, x.x, bias, m)
		x.x, x.y = x.y, x.x
	}
	kernel.Pool(x.pooled, x.x, x.boards, c, 0, m, nil)
	x.policyPool.forward(&x.scratch, x.boardBias, x.pooled, nil, nil, m)
	x.passMul.forward(&x.scratch, x.pass, x.pooled, nil, nil, m)
	x.valueHid.forward(&x.scratch, x.hidden, x.pooled, nil, nil, m)
	x.valueOut.forward(&x.scratch, x.value, x.hidden, nil, nil, m)
}

// store writes a chunk's results but for the policy to positions from, from+1, … of out.
func (x *Instance) store(m, from int, out *Outputs) {
	i := x.inf
	for b := range m {
		v := x.value[b*i.valueOut.out:]
		copy(out.WDL[(from+b)*3:][:3], v)
		out.Material[from+b] = float32(math.Tanh(float64(v[3])))
	}
}

// storePolicy writes the logits of all actions of a chunk.
func (x *Instance) storePolicy(m int, policy []float32) {
	i := x.inf
	actions := i.shape.Actions()
	for b := range m {
		p := policy[b*actions:][:actions]
		scatterPolicy(p, x.policy, x.boards.Squares(b), len(i.shape.ActionPlanes), i.policyOut.out)
		p[actions-1] = x.pass[b*i.pass.out]
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
