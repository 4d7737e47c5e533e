package nn

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"latro/nn/internal/kernel"
	"latro/nn/internal/ops"
)

// ErrDiverged is wrapped by Step's error when the loss or a gradient is not
// finite. The parameters are then as before the step.
var ErrDiverged = errors.New("the training step is not finite")

// Batch is what one training step learns from. All slices are read only during
// Step.
type Batch struct {
	// N is the number of samples, 1 to TrainConfig.BatchSize.
	N int
	// Obs is [N][Planes][Rows][Cols], Globals [N][Globals].
	Obs, Globals []float32
	// Policy is the target distribution, [N][Actions].
	Policy []float32
	// Legal says which actions are legal, [N][Actions]; nil means all. The
	// policy's softmax runs over these only, as it does in search.
	Legal []bool
	// PolicyWeight weighs each sample in the policy loss, [N]; nil means 1.
	PolicyWeight []float32
	// WDL is the target distribution of win, draw and loss of the mover, [N][3].
	WDL []float32
	// ValueWeight weighs each sample in the value loss, [N]; nil means 1.
	ValueWeight []float32
	// Material is the final material difference from the mover's side, [N], in
	// [-1, 1]; nil leaves the material loss out.
	Material []float32
	// MaterialWeight weighs each sample in the material loss, [N]; nil means 1.
	MaterialWeight []float32

	// The targets of the auxiliary heads follow; a network without these heads
	// ignores them.

	// Survival says for each square, [N][Rows·Cols], 1 if the piece that stands
	// there now will still be on the board when the game ends, else 0; values
	// between are probabilities. SurvivalMask weighs each square, 0 where there
	// is no piece or nothing is known. Both are in the mover's frame, like Obs;
	// both nil leave the survival loss out.
	Survival, SurvivalMask []float32
	// PliesLeft is the number of plies to the end of the game, [N], at least 0;
	// nil leaves the plies loss out. PliesWeight weighs each sample in it, [N];
	// nil means 1.
	PliesLeft, PliesWeight []float32
	// Reply is the target distribution of the opponent's next ply, [N][Actions],
	// in the frame of this sample's mover; nil leaves the reply loss out. Which
	// replies are legal is not known, so the softmax runs over all actions.
	// ReplyWeight weighs each sample in the loss, [N]; nil means 1.
	Reply, ReplyWeight []float32
}

// Losses are the parts of one step's loss, in nats, weighted means over the
// batch, measured before the update.
type Losses struct {
	// Total = Policy + ValueLoss·Value + MaterialLoss·Material +
	// SurvivalLoss·Survival + PliesLoss·Plies + ReplyLoss·Reply.
	Total, Policy, Value, Material float64
	// Survival, Plies and Reply are those of the auxiliary heads. Survival is a
	// mean over squares; Plies is no number of nats, but Huber's loss of the
	// logarithm of 1 + plies.
	Survival, Plies, Reply float64
	// PolicyEntropy is the network's, over legal actions; TargetEntropy is the
	// lowest value that Policy can reach.
	PolicyEntropy, TargetEntropy float64
	// GradNorm is the Euclidean norm of the gradient before clipping.
	GradNorm float64
	// LearningRate is the step's, warm-up included.
	LearningRate float64
}

// Trainer improves a network. It holds a Gorgonia graph for a fixed batch size,
// Gorgonia's derivative of it and an optimiser. Use it from one goroutine at a
// time; different trainers may be built and used at the same time.
type Trainer struct {
	cfg    TrainConfig
	net    *Network
	solver *solver
	boards *kernel.Layout

	vm     *taped
	params []G.ValueGrad
	loss   *ops.Parts
	aux    *ops.AuxiliaryParts // nil without auxiliary heads
	// outputs are the graph's policy map, pass logit and value head, then the
	// auxiliary heads if there are any, squares and board.
	outputs []*G.Node

	planes, globalsWide                       int
	obs, globals, target, legal, wdl, scalars []float32
	// survival holds a board's targets, then its weights; auxScalars the plies,
	// their weight and the reply's.
	survival, reply, auxScalars []float32
}

// taped is the part of Gorgonia's tape machine that a trainer uses.
type taped struct {
	graph *G.ExprGraph
	run   G.VM
}

// NewTrainer builds the training graph of a copy of n; n itself is not changed.
func NewTrainer(n *Network, cfg TrainConfig) (*Trainer, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("new trainer: %w", err)
	}
	if err := n.validate(); err != nil {
		return nil, fmt.Errorf("new trainer: %w", err)
	}
	if !n.Config.Auxiliary && max(cfg.SurvivalLoss, cfg.PliesLoss, cfg.ReplyLoss) > 0 {
		return nil, fmt.Errorf("new trainer: survival_loss %v, plies_loss %v and reply_loss %v need a network with auxiliary heads, and this one has none; set them to 0 or make the network with Config.Auxiliary (Carry adds the heads to an existing one)",
			cfg.SurvivalLoss, cfg.PliesLoss, cfg.ReplyLoss)
	}
	t := &Trainer{cfg: cfg, net: n.Clone()}
	t.solver = newSolver(cfg, t.net)
	building.Lock()
	defer building.Unlock()
	if err := t.build(true); err != nil {
		return nil, fmt.Errorf("new trainer: build graph: %w", err)
	}
	return t, nil
}

// building keeps two graphs from being built at once, because Gorgonia's
// functions for that share unprotected state. It guards nothing of this package.
var building sync.Mutex

// build makes the graph, with its losses and derivatives for training and
// without for evaluation. It mirrors Instance.forward; the test that compares the
// two for many shapes guards against drift.
func (t *Trainer) build(training bool) error {
	n, batch := t.net, t.cfg.BatchSize
	shape, c := n.Shape, n.Config.Channels
	wide := kernel.RoundUp(c, kernel.Block)
	stem, trunk := MethodFor(Case{shape.Rows, shape.Cols, shape.Planes, c}), MethodFor(Case{shape.Rows, shape.Cols, c, c})
	boards, matrix := boardsFor(shape, batch, stem, trunk), kernel.NewMatrix(batch)
	g := G.NewGraph()
	var serial ops.Serial
	var first error
	keep := func(node *G.Node, err error) *G.Node {
		if err != nil && first == nil {
			first = err
		}
		return node
	}
	input := func(name string, rows, cols int) (*G.Node, []float32) {
		data := make([]float32, rows*cols)
		v := tensor.New(tensor.WithShape(rows, cols), tensor.WithBacking(data))
		return G.NewMatrix(g, G.Float32, G.WithName(name), G.WithShape(rows, cols), G.WithValue(v)), data
	}
	param := map[string]*G.Node{}
	for _, p := range n.Tensors {
		// Weights enter as matrices: inputs (taps included) by outputs.
		dims := []int{len(p.Data)}
		if len(p.Dims) > 1 {
			out := p.Dims[len(p.Dims)-1]
			dims = []int{len(p.Data) / out, out}
		}
		v := tensor.New(tensor.WithShape(dims...), tensor.WithBacking(p.Data))
		node := G.NewTensor(g, G.Float32, len(dims), G.WithName(p.Name), G.WithShape(dims...), G.WithValue(v))
		param[p.Name] = node
		t.params = append(t.params, node)
	}
	conv := func(name string, size int, x *G.Node, in, inWide, out int, relu, inputGradient bool, residual *G.Node) *G.Node {
		if first != nil {
			return nil
		}
		layer := ops.Conv{Layout: boards, Size: size, In: in, Wide: inWide, Groups: 1, Out: out, ReLU: relu, InputGradient: inputGradient, Threads: t.cfg.Threads}
		if size == 3 {
			m := trunk
			if name == "stem" {
				m = stem
			}
			layer.Tile, _ = m.tile()
		}
		return keep(layer.Apply(&serial, ops.Inputs{X: x, W: param[name+".weight"], Scale: param[name+".scale"], Bias: param[name+".bias"], Residual: residual}))
	}
	dense := func(name string, x *G.Node, in, inWide, groups, out int, relu, inputGradient bool) *G.Node {
		if first != nil {
			return nil
		}
		layer := ops.Conv{Layout: matrix, Size: 1, In: in, Wide: inWide, Groups: groups, Out: out, ReLU: relu, InputGradient: inputGradient, Threads: t.cfg.Threads}
		return keep(layer.Apply(&serial, ops.Inputs{X: x, W: param[name+".weight"], Bias: param[name+".bias"]}))
	}
	pool := func(x *G.Node) *G.Node {
		if first != nil {
			return nil
		}
		return keep(ops.Pool(&serial, boards, wide, t.cfg.Threads, x))
	}
	boardBias := func(x, bias *G.Node) *G.Node {
		if first != nil {
			return nil
		}
		return keep(ops.BoardBias(&serial, boards, wide, t.cfg.Threads, x, bias))
	}

	t.boards, t.planes, t.globalsWide = boards, kernel.RoundUp(shape.Planes, 8), kernel.RoundUp(shape.Globals, 4)
	var x, obs *G.Node
	obs, t.obs = input("input.planes", boards.Pixels, t.planes)
	var residual *G.Node
	if shape.Globals > 0 {
		var globals *G.Node
		globals, t.globals = input("input.globals", batch, t.globalsWide)
		residual = boardBias(nil, dense("stem.globals", globals, shape.Globals, t.globalsWide, 1, c, false, false))
	}
	x = conv("stem", 3, obs, shape.Planes, t.planes, c, true, false, residual)
	for i := range n.Config.Blocks {
		name := fmt.Sprintf("block%d.", i)
		h := conv(name+"conv1", 3, x, c, wide, c, true, true, nil)
		skip := x
		if n.Config.pooled(i) {
			skip = boardBias(x, dense(name+"pool", pool(h), c, wide, 2, c, false, true))
		}
		x = conv(name+"conv2", 3, h, c, wide, c, true, true, skip)
	}
	pooled := pool(x)
	hidden := conv("policy.hidden", 1, x, c, wide, c, true, true, boardBias(nil, dense("policy.pool", pooled, c, wide, 2, c, false, true)))
	policy := conv("policy.out", 1, hidden, c, wide, len(shape.ActionPlanes), false, true, nil)
	pass := dense("policy.pass", pooled, c, wide, 2, 1, false, true)
	v := n.Config.ValueHidden
	valueHidden := dense("value.hidden", pooled, c, wide, 2, v, true, true)
	value := dense("value.out", valueHidden, v, kernel.RoundUp(v, kernel.Block), 1, valueOutputs, false, true)
	t.outputs = []*G.Node{policy, pass, value}
	if n.Config.Auxiliary {
		t.outputs = append(t.outputs,
			conv("aux.squares", 1, x, c, wide, 1+len(shape.ActionPlanes), false, true, nil),
			dense("aux.board", valueHidden, v, kernel.RoundUp(v, kernel.Block), 1, 2, false, true))
	}
	if first != nil {
		return first
	}
	if !training {
		vm := G.NewTapeMachine(g, G.EvalMode())
		runtime.SetFinalizer(vm, nil)
		t.vm = &taped{graph: g, run: vm}
		return nil
	}
	in := ops.LossInputs{Policy: policy, Pass: pass, Value: value}
	in.Target, t.target = input("target.policy", batch, shape.Actions())
	in.Legal, t.legal = input("target.legal", batch, shape.Actions())
	in.WDL, t.wdl = input("target.wdl", batch, 3)
	in.Scalars, t.scalars = input("target.scalars", batch, 4)
	cost, parts, err := ops.Loss{
		Layout: boards, Planes: len(shape.ActionPlanes),
		PolicyWide: policy.Shape()[1], PassWide: pass.Shape()[1], ValueWide: value.Shape()[1],
		Value: t.cfg.ValueLoss, Material: t.cfg.MaterialLoss,
	}.Apply(&serial, in)
	if err != nil {
		return err
	}
	t.loss = parts
	if n.Config.Auxiliary {
		in := ops.AuxiliaryInputs{Squares: t.outputs[3], Board: t.outputs[4]}
		in.Survival, t.survival = input("target.survival", batch, 2*shape.Area())
		in.Reply, t.reply = input("target.reply", batch, shape.Actions())
		in.Scalars, t.auxScalars = input("target.auxiliary", batch, 3)
		var more *G.Node
		more, t.aux, err = ops.Auxiliary{
			Layout: boards, Planes: len(shape.ActionPlanes),
			SquaresWide: in.Squares.Shape()[1], BoardWide: in.Board.Shape()[1],
			Survival: t.cfg.SurvivalLoss, Plies: t.cfg.PliesLoss, Reply: t.cfg.ReplyLoss,
		}.Apply(&serial, in)
		if err != nil {
			return err
		}
		if cost, err = G.Add(cost, more); err != nil {
			return err
		}
	}
	wrt := make(G.Nodes, len(t.params))
	for i, p := range t.params {
		wrt[i] = p.(*G.Node)
	}
	if _, err := G.Grad(cost, wrt...); err != nil {
		return err
	}
	if err := distinct(g); err != nil {
		return err
	}
	vm := G.NewTapeMachine(g)
	// Gorgonia sets a finalizer on the machine, which is part of a cycle, and
	// such an object is never freed.
	runtime.SetFinalizer(vm, nil)
	t.vm = &taped{graph: g, run: vm}
	return nil
}

// distinct checks that no two nodes of the graph have the same 32-bit hash:
// Gorgonia would silently compute only one of them.
func distinct(g *G.ExprGraph) error {
	seen := map[uint32]*G.Node{}
	for _, n := range g.AllNodes() {
		h := n.Hashcode()
		if other, ok := seen[h]; ok {
			return fmt.Errorf("nodes %v and %v have the same hash", n, other)
		}
		seen[h] = n
	}
	return nil
}

// Config returns the trainer's configuration.
func (t *Trainer) Config() TrainConfig { return t.cfg }

// SetLearningRate changes the rate for the steps that follow, for schedules of
// the caller's own. It must be above 0 and at least FinalRate; other values are
// refused.
func (t *Trainer) SetLearningRate(rate float64) error {
	cfg := t.cfg
	cfg.LearningRate = rate
	if err := cfg.Validate(); err != nil {
		return err
	}
	t.cfg, t.solver.cfg = cfg, cfg
	return nil
}

// Step does one training step. A batch that does not fit is refused with an
// error that wraps ErrSize or names the bad sample; a loss that is not finite
// gives ErrDiverged. In both cases the parameters do not change.
func (t *Trainer) Step(b *Batch) (Losses, error) {
	if t.vm == nil {
		return Losses{}, errors.New("train step: the trainer is closed")
	}
	if err := t.load(b); err != nil {
		return Losses{}, fmt.Errorf("train step: %w", err)
	}
	// Reset comes first, so that a failed run leaves nothing behind; without
	// it a second RunAll does nothing.
	t.vm.run.Reset()
	if err := t.vm.run.RunAll(); err != nil {
		return Losses{}, fmt.Errorf("train step: run graph: %w", err)
	}
	norm, err := t.gradNorm()
	if err != nil {
		return Losses{}, fmt.Errorf("train step: %w", err)
	}
	l := Losses{
		Total: t.loss.Total, Policy: t.loss.Policy, Value: t.loss.Value, Material: t.loss.Material,
		PolicyEntropy: t.loss.Entropy, TargetEntropy: t.loss.TargetEntropy,
		GradNorm: norm, LearningRate: t.solver.rate(t.solver.iteration + 1),
	}
	if a := t.aux; a != nil {
		l.Survival, l.Plies, l.Reply = a.Survival, a.Plies, a.Reply
		l.Total += a.Total
	}
	if bad := l.Total + norm; math.IsNaN(bad) || math.IsInf(bad, 0) {
		return l, fmt.Errorf("train step %d: %w: loss %v, gradient norm %v; lower the learning rate or look for inputs that are not finite",
			t.net.Step+1, ErrDiverged, l.Total, norm)
	}
	t.solver.gradScale = 1
	if c := t.cfg.GradClip; c > 0 && norm > c {
		t.solver.gradScale = c / norm
	}
	if err := t.solver.Step(t.params); err != nil {
		return l, fmt.Errorf("train step: %w", err)
	}
	t.net.Step++
	return l, nil
}

// gradNorm returns the norm of the whole gradient, summed in a fixed order.
func (t *Trainer) gradNorm() (float64, error) {
	sum := 0.0
	for i, p := range t.params {
		v, err := p.Grad()
		if err != nil {
			return 0, fmt.Errorf("gradient of %s: %w", t.net.Tensors[i].Name, err)
		}
		g, ok := v.Data().([]float32)
		if !ok || len(g) != len(t.net.Tensors[i].Data) {
			return 0, fmt.Errorf("gradient of %s is a %T of %v", t.net.Tensors[i].Name, v.Data(), v.Shape())
		}
		for _, d := range g {
			sum += float64(d) * float64(d)
		}
	}
	return math.Sqrt(sum), nil
}

// load checks the batch and copies it into the graph's inputs. Samples from N
// on are cleared, which gives them weight 0.
func (t *Trainer) load(b *Batch) error {
	s, n := &t.net.Shape, b.N
	actions := s.Actions()
	if n < 1 || n > t.cfg.BatchSize {
		return fmt.Errorf("%w: a batch of %d samples; it must have 1 to %d", ErrSize, n, t.cfg.BatchSize)
	}
	var errs []error
	check := func(name string, have, want int, optional bool) {
		if have < want && !(optional && have == 0) {
			errs = append(errs, fmt.Errorf("%w: %s has %d values; %d samples need %d", ErrSize, name, have, n, want))
		}
	}
	check("Obs", len(b.Obs), n*s.Obs(), false)
	check("Globals", len(b.Globals), n*s.Globals, false)
	check("Policy", len(b.Policy), n*actions, false)
	check("Legal", len(b.Legal), n*actions, true)
	check("PolicyWeight", len(b.PolicyWeight), n, true)
	check("WDL", len(b.WDL), n*3, false)
	check("ValueWeight", len(b.ValueWeight), n, true)
	check("Material", len(b.Material), n, true)
	check("MaterialWeight", len(b.MaterialWeight), n, true)
	if t.aux != nil {
		check("Survival", len(b.Survival), n*s.Area(), len(b.SurvivalMask) == 0)
		check("SurvivalMask", len(b.SurvivalMask), n*s.Area(), len(b.Survival) == 0)
		check("PliesLeft", len(b.PliesLeft), n, true)
		check("PliesWeight", len(b.PliesWeight), n, true)
		check("Reply", len(b.Reply), n*actions, true)
		check("ReplyWeight", len(b.ReplyWeight), n, true)
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	if t.aux != nil {
		if err := t.loadAuxiliary(b); err != nil {
			return err
		}
	}
	for i := range n {
		pw, vw := weight(b.PolicyWeight, i), weight(b.ValueWeight, i)
		var m, mw float32
		if len(b.Material) > 0 {
			m, mw = b.Material[i], weight(b.MaterialWeight, i)
		}
		if !(pw >= 0) || !(vw >= 0) || !(mw >= 0) {
			return fmt.Errorf("sample %d has weights %v (policy), %v (value), %v (material); none may be negative", i, pw, vw, mw)
		}
		copy(t.scalars[4*i:], []float32{pw, vw, m, mw})
		legal, target := t.legal[i*actions:][:actions], b.Policy[i*actions:][:actions]
		if len(b.Legal) == 0 {
			fill(legal, 1)
			continue
		}
		some := false
		for a, ok := range b.Legal[i*actions:][:actions] {
			legal[a] = 0
			if ok {
				legal[a] = 1
				some = true
			} else if target[a] != 0 {
				return fmt.Errorf("sample %d has target probability %v on action %d, which is not legal", i, target[a], a)
			}
		}
		if !some && pw != 0 {
			return fmt.Errorf("sample %d has a policy weight but no legal action", i)
		}
	}
	t.loadInputs(n, b.Obs, b.Globals)
	copy(t.target, b.Policy[:n*actions])
	copy(t.wdl, b.WDL[:n*3])
	clear(t.scalars[4*n:])
	return nil
}

// weight is the weight of sample i, 1 where none are given.
func weight(w []float32, i int) float32 {
	if len(w) == 0 {
		return 1
	}
	return w[i]
}

// loadAuxiliary is load for the targets of the auxiliary heads, whose sizes have
// been checked.
func (t *Trainer) loadAuxiliary(b *Batch) error {
	area, actions := t.net.Shape.Area(), t.net.Shape.Actions()
	clear(t.survival)
	clear(t.reply)
	clear(t.auxScalars)
	for i := range b.N {
		if len(b.Survival) > 0 {
			targets, weights := b.Survival[i*area:][:area], b.SurvivalMask[i*area:][:area]
			for k, w := range weights {
				if !(w >= 0) || !(targets[k] >= 0 && targets[k] <= 1) {
					return fmt.Errorf("sample %d has survival %v with weight %v on square %d; survival must be 0 to 1 and no weight negative", i, targets[k], w, k)
				}
			}
			copy(t.survival[2*i*area:], targets)
			copy(t.survival[(2*i+1)*area:], weights)
		}
		var plies, pw, rw float32
		if len(b.PliesLeft) > 0 {
			plies, pw = b.PliesLeft[i], weight(b.PliesWeight, i)
		}
		if len(b.Reply) > 0 {
			rw = weight(b.ReplyWeight, i)
			copy(t.reply[i*actions:], b.Reply[i*actions:][:actions])
		}
		if !(plies >= 0) || !(pw >= 0) || !(rw >= 0) {
			return fmt.Errorf("sample %d has %v plies left, with weight %v, and a reply with weight %v; none may be negative", i, plies, pw, rw)
		}
		copy(t.auxScalars[3*i:], []float32{plies, pw, rw})
	}
	return nil
}

// loadInputs copies n positions into the graph's inputs and clears the rest.
func (t *Trainer) loadInputs(n int, obs, globals []float32) {
	s := &t.net.Shape
	clear(t.obs)
	gather(t.obs, obs, t.boards, s.Planes, t.planes, n)
	if s.Globals > 0 {
		clear(t.globals)
		for i := range n {
			copy(t.globals[i*t.globalsWide:], globals[i*s.Globals:][:s.Globals])
		}
	}
}

// Network returns a copy of the network as it is now.
func (t *Trainer) Network() *Network { return t.net.Clone() }

// stateHead is the JSON header of a trainer state.
type stateHead struct {
	Network   checkpointHead `json:"network"`
	Optimizer string         `json:"optimizer"`
	Iteration int64          `json:"iteration"`
}

// SaveState writes everything that the next steps depend on, parameters and
// optimiser moments, to path, atomically. A trainer that loads it goes on
// exactly, bit for bit, as this one would.
func (t *Trainer) SaveState(path string) error {
	head := stateHead{Network: t.net.head(), Optimizer: t.cfg.Optimizer, Iteration: t.solver.iteration}
	if err := writeContainer(path, stateMagic, head, slices.Concat(t.net.data(), t.solver.first, t.solver.second)); err != nil {
		return fmt.Errorf("save trainer state: %w", err)
	}
	return nil
}

// LoadState replaces the trainer's parameters and optimiser by those saved at
// path. The architecture, shape and optimiser must be the trainer's own; the
// rest of the configuration (learning rate, batch size) may differ. On error
// nothing changes. Errors are those of Load, and ErrShape.
func (t *Trainer) LoadState(path string) error {
	head, body, err := readContainer(path, stateMagic)
	if err != nil {
		return fmt.Errorf("load trainer state: %w", err)
	}
	var h stateHead
	if err := json.Unmarshal(head, &h); err != nil {
		return fmt.Errorf("load trainer state: %s: %w: header: %w", path, ErrDamaged, err)
	}
	if h.Network.Config != t.net.Config {
		return fmt.Errorf("load trainer state: %s: %w: it is of a %s, this is a %s", path, ErrShape, h.Network.Config.describe(), t.net.Config.describe())
	}
	if d := h.Network.Shape.differences(t.net.Shape); len(d) > 0 {
		return fmt.Errorf("load trainer state: %s: %w: %s", path, ErrShape, strings.Join(d, "; "))
	}
	if h.Optimizer != t.cfg.Optimizer {
		return fmt.Errorf("load trainer state: %s was written by optimizer %q, this trainer uses %q", path, h.Optimizer, t.cfg.Optimizer)
	}
	n, err := networkFromHead(h.Network, body, 3)
	if err != nil {
		return fmt.Errorf("load trainer state: %s: %w: %w", path, ErrDamaged, err)
	}
	fresh := newSolver(t.cfg, n)
	values := slices.Concat(n.data(), fresh.first, fresh.second)
	decodeFloats(body, values)
	for _, v := range values {
		if firstNonFinite(v) >= 0 {
			return fmt.Errorf("load trainer state: %s: %w: it holds values that are not finite", path, ErrDamaged)
		}
	}
	// The graph's parameters share memory with t.net, so values are copied in.
	for i := range n.Tensors {
		copy(t.net.Tensors[i].Data, n.Tensors[i].Data)
	}
	t.net.Step, t.net.RulesetID, t.net.RulesetHash, t.net.Meta = n.Step, n.RulesetID, n.RulesetHash, n.Meta
	t.solver.iteration, t.solver.first, t.solver.second = h.Iteration, fresh.first, fresh.second
	return nil
}

// Close releases the graph and its buffers. The trainer cannot step any more;
// Network still works. Closing twice is harmless.
func (t *Trainer) Close() {
	if t.vm == nil {
		return
	}
	// The tape machine's Close never fails.
	_ = t.vm.run.Close()
	t.vm, t.outputs, t.params, t.obs, t.globals, t.target, t.legal, t.wdl, t.scalars = nil, nil, nil, nil, nil, nil, nil, nil, nil
	t.survival, t.reply, t.auxScalars = nil, nil, nil
}
