package nn

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// ErrShape is wrapped by errors that say that a network does not fit a game:
// another board, other planes, another ruleset.
var ErrShape = errors.New("the network does not fit the game")

// Tensor is one named parameter.
type Tensor struct {
	// Name is unique in the network, such as "block0.conv1.weight".
	Name string
	// Dims is the shape, outermost first: [3 3 in out] for a 3×3 convolution,
	// [in out] for a dense layer or a 1×1 convolution, [channels] for scales
	// and biases.
	Dims []int
	// Data holds the values in row-major order.
	Data []float32
}

// Network is a policy/value network: an architecture, the shape of its game and
// its parameters. It does nothing by itself: [Compile] makes it play and
// [NewTrainer] makes it learn, both from a copy of the parameters. A Network
// may be read by several goroutines at once; changing it needs exclusive use.
type Network struct {
	// Config and Shape fix the tensors; do not change them after New or Load.
	Config Config
	Shape  Shape
	// RulesetID and RulesetHash name the rules that the network was trained
	// on. The hash decides in CheckRuleset; both may be empty.
	RulesetID   string
	RulesetHash string
	// Step is the number of training steps that made the parameters.
	Step int64
	// Meta is for whoever made the network: run, generation, notes. Keys and
	// values go into the checkpoint as they are.
	Meta map[string]string
	// Tensors holds the parameters in a fixed order that depends on Config and
	// Shape only.
	Tensors []Tensor
}

// initKind says how New fills a tensor.
type initKind int

const (
	initZero initKind = iota
	initOne
	initHe     // normal, variance 2/fan-in: keeps variance through a ReLU
	initLinear // normal, variance 1/fan-in
	initSmall  // normal, a tenth of initLinear's deviation
	initBranch // the scale of a residual branch's end
	initPlies  // a bias whose first value is of plies left
)

// spec describes one tensor of an architecture.
type spec struct {
	name string
	dims []int
	init initKind
}

func (s spec) size() int64 {
	n := int64(1)
	for _, d := range s.dims {
		n *= int64(d)
	}
	return n
}

// fanIn is the number of inputs of one output.
func (s spec) fanIn() int {
	n := 1
	for _, d := range s.dims[:len(s.dims)-1] {
		n *= d
	}
	return n
}

// policyPlanes is the name of the tensors whose last dimension is the action
// planes; Transfer copies them plane by plane.
const (
	policyOutWeight = "policy.out.weight"
	policyOutBias   = "policy.out.bias"
	// auxPrefix begins the names of the auxiliary heads' tensors.
	auxPrefix        = "aux."
	auxSquaresWeight = auxPrefix + "squares.weight"
	auxSquaresBias   = auxPrefix + "squares.bias"
)

// specs lists the tensors of a network in their order. cfg and shape are valid.
func specs(cfg Config, shape Shape) []spec {
	c, v, a := cfg.Channels, cfg.ValueHidden, len(shape.ActionPlanes)
	var s []spec
	add := func(name string, init initKind, dims ...int) { s = append(s, spec{name, dims, init}) }
	add("stem.weight", initHe, 3, 3, shape.Planes, c)
	add("stem.scale", initOne, c)
	add("stem.bias", initZero, c)
	if shape.Globals > 0 {
		add("stem.globals.weight", initLinear, shape.Globals, c)
	}
	for i := range cfg.Blocks {
		b := fmt.Sprintf("block%d.", i)
		add(b+"conv1.weight", initHe, 3, 3, c, c)
		add(b+"conv1.scale", initOne, c)
		add(b+"conv1.bias", initZero, c)
		add(b+"conv2.weight", initHe, 3, 3, c, c)
		add(b+"conv2.scale", initBranch, c)
		add(b+"conv2.bias", initZero, c)
		if cfg.pooled(i) {
			add(b+"pool.weight", initSmall, 2*c, c)
		}
	}
	add("policy.hidden.weight", initHe, c, c)
	add("policy.hidden.scale", initOne, c)
	add("policy.hidden.bias", initZero, c)
	add("policy.pool.weight", initSmall, 2*c, c)
	add(policyOutWeight, initSmall, c, a)
	add(policyOutBias, initZero, a)
	add("policy.pass.weight", initSmall, 2*c, 1)
	add("policy.pass.bias", initZero, 1)
	add("value.hidden.weight", initHe, 2*c, v)
	add("value.hidden.bias", initZero, v)
	// Columns: win, draw, loss, material.
	add("value.out.weight", initSmall, v, valueOutputs)
	add("value.out.bias", initZero, valueOutputs)
	if cfg.Auxiliary {
		// Columns: survival, then the reply's planes; plies left, the reply's pass.
		add(auxSquaresWeight, initSmall, c, 1+a)
		add(auxSquaresBias, initZero, 1+a)
		add("aux.board.weight", initSmall, v, 2)
		add("aux.board.bias", initPlies, 2)
	}
	return s
}

// valueOutputs is the number of outputs of the value head: three logits and the
// material difference before its tanh.
const valueOutputs = 4

// New makes a network with random parameters. Each tensor is drawn from its own
// stream, keyed by seed and name, so the same seed gives the same values
// whatever else the network holds.
//
// There is no batch normalisation; instead the initial values keep the variance
// of activations near 1 (He et al. 2015), and every residual branch ends in a
// per-channel scale that starts at ½·Blocks^−½, so that the trunk's variance
// stays bounded however deep the network is (in the manner of Fixup, Zhang et
// al. 2019, and of KataGo's fixed-variance initialisation).
func New(cfg Config, shape Shape, seed uint64) (*Network, error) {
	if err := errors.Join(cfg.Validate(), shape.Validate()); err != nil {
		return nil, fmt.Errorf("new network: %w", err)
	}
	n := &Network{Config: cfg, Shape: shape.clone(), Meta: map[string]string{}}
	for _, s := range specs(cfg, shape) {
		n.Tensors = append(n.Tensors, Tensor{Name: s.name, Dims: s.dims, Data: initialise(s, cfg, seed)})
	}
	return n, nil
}

// initialise returns the initial values of one tensor.
func initialise(s spec, cfg Config, seed uint64) []float32 {
	data := make([]float32, s.size())
	h := fnv.New64a()
	h.Write([]byte(s.name))
	rng := rand.New(rand.NewPCG(seed, h.Sum64()))
	normal := func(std float64) {
		for i := range data {
			// Cut at two deviations: a rare far value would dominate its channel.
			v := rng.NormFloat64()
			for math.Abs(v) > 2 {
				v = rng.NormFloat64()
			}
			// 0.8796 is the deviation of a normal variable cut at ±2.
			data[i] = float32(v * std / 0.8796)
		}
	}
	fan := float64(s.fanIn())
	switch s.init {
	case initOne:
		fill(data, 1)
	case initHe:
		normal(math.Sqrt(2 / fan))
	case initLinear:
		normal(math.Sqrt(1 / fan))
	case initSmall:
		normal(0.1 * math.Sqrt(1/fan))
	case initPlies:
		// log(1 + 19 plies): from 0, the head would first drag the value's hidden
		// layer there.
		data[0] = 3
	case initBranch:
		fill(data, float32(0.5/math.Sqrt(float64(cfg.Blocks))))
	}
	return data
}

func fill(d []float32, v float32) {
	for i := range d {
		d[i] = v
	}
}

// Tensor returns the parameter with the given name, or nil.
func (n *Network) Tensor(name string) *Tensor {
	for i := range n.Tensors {
		if n.Tensors[i].Name == name {
			return &n.Tensors[i]
		}
	}
	return nil
}

// Parameters returns the number of scalars in the network.
func (n *Network) Parameters() int {
	total := 0
	for _, t := range n.Tensors {
		total += len(t.Data)
	}
	return total
}

// Clone returns a network that shares nothing with n.
func (n *Network) Clone() *Network {
	c := *n
	c.Shape = n.Shape.clone()
	c.Meta = maps.Clone(n.Meta)
	c.Tensors = make([]Tensor, len(n.Tensors))
	for i, t := range n.Tensors {
		c.Tensors[i] = Tensor{Name: t.Name, Dims: slices.Clone(t.Dims), Data: slices.Clone(t.Data)}
	}
	return &c
}

// Playing returns a copy without the auxiliary heads, which is all that play
// needs: it gives the same outputs to the last bit. Its hash is another one where
// n has such heads.
func (n *Network) Playing() *Network {
	p := n.Clone()
	p.Config.Auxiliary = false
	p.Tensors = slices.DeleteFunc(p.Tensors, func(t Tensor) bool { return strings.HasPrefix(t.Name, auxPrefix) })
	return p
}

// Hash returns the SHA-256, in hexadecimal, of the network's architecture,
// shape and parameters. Two networks with the same hash give the same outputs;
// Step, Meta and the ruleset's name do not enter.
func (n *Network) Hash() string {
	h := sha256.New()
	head, err := json.Marshal(struct {
		Config Config
		Shape  Shape
	}{n.Config, n.Shape})
	if err != nil {
		panic(err) // plain structs of numbers and strings always encode
	}
	h.Write(head)
	buf := make([]byte, 0, 1<<14)
	for _, t := range n.Tensors {
		buf = append(buf[:0], t.Name...)
		buf = append(buf, 0)
		for _, v := range t.Data {
			buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(v))
			if len(buf) >= 1<<14-4 {
				h.Write(buf)
				buf = buf[:0]
			}
		}
		h.Write(buf)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// CheckShape returns nil when the network fits shape, and otherwise an error
// that wraps ErrShape and names each difference and the remedy.
func (n *Network) CheckShape(shape Shape) error {
	d := n.Shape.differences(shape)
	if len(d) == 0 {
		return nil
	}
	of := ""
	if n.RulesetID != "" {
		of = " (trained on " + n.RulesetID + ")"
	}
	return fmt.Errorf("%w: the network%s differs: %s; choose one that was trained on this game, or carry the weights over (latro net transfer)", ErrShape, of, strings.Join(d, "; "))
}

// MetaRulesetHashes is the key of Network.Meta under which a network that was
// trained on several rulesets keeps the content hashes of all of them, separated
// by spaces.
const MetaRulesetHashes = "ruleset_hashes"

// CheckRuleset returns nil when the network was trained on the ruleset with the
// given content hash, alone or among others (MetaRulesetHashes), or does not say
// on which, and otherwise an error that wraps ErrShape. Use it where another ruleset of the same shape would be a
// mistake and not an intended transfer.
func (n *Network) CheckRuleset(id, hash string) error {
	if n.RulesetHash == "" || n.RulesetHash == hash {
		return nil
	}
	others := strings.Fields(n.Meta[MetaRulesetHashes])
	if slices.Contains(others, hash) {
		return nil
	}
	and := ""
	if len(others) > 1 {
		and = fmt.Sprintf(" and %d others", len(others)-1)
	}
	return fmt.Errorf("%w: the network was trained on ruleset %s (hash %s)%s, not on %s (hash %s)",
		ErrShape, n.RulesetID, short(n.RulesetHash), and, id, short(hash))
}

func short(hash string) string { return hash[:min(12, len(hash))] }

// validate checks that the tensors are those of Config and Shape and that every
// value is finite.
func (n *Network) validate() error {
	if err := errors.Join(n.Config.Validate(), n.Shape.Validate()); err != nil {
		return err
	}
	want := specs(n.Config, n.Shape)
	if len(want) != len(n.Tensors) {
		return fmt.Errorf("the network has %d tensors; its architecture has %d", len(n.Tensors), len(want))
	}
	for i, s := range want {
		t := n.Tensors[i]
		if t.Name != s.name || !slices.Equal(t.Dims, s.dims) || int64(len(t.Data)) != s.size() {
			return fmt.Errorf("tensor %d is %s%v with %d values; the architecture has %s%v", i, t.Name, t.Dims, len(t.Data), s.name, s.dims)
		}
		if j := firstNonFinite(t.Data); j >= 0 {
			return fmt.Errorf("tensor %s holds %v at index %d", t.Name, t.Data[j], j)
		}
	}
	return nil
}

// firstNonFinite returns the index of the first NaN or infinity, or -1.
func firstNonFinite(d []float32) int {
	for i, v := range d {
		if v-v != 0 {
			return i
		}
	}
	return -1
}
