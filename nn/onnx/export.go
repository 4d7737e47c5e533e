package onnx

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"latro/datasets/atomicfile"
	"latro/nn"
)

const (
	// Opset is the version of the operator set that models use.
	Opset = 17
	// IRVersion is the version of the file format that models declare.
	IRVersion = 8
)

// ErrTooLarge is wrapped by errors of networks whose model would not fit into
// one protocol buffer, 2 GiB.
var ErrTooLarge = errors.New("the network is too large for one ONNX file")

// maxBytes leaves room for what is not parameters.
const maxBytes = 2<<30 - 64<<20

// Names of the model's inputs and outputs.
const (
	Observation = "observation"
	Globals     = "globals"
	Policy      = "policy"
	WDL         = "wdl"
	Material    = "material"
)

// Options say how a network is written. The zero value writes it for its own
// board.
type Options struct {
	// Rows and Cols fix another board than the network's own; 0 is its own.
	Rows, Cols int
	// AnyBoard leaves rows and columns open: one model for boards of all
	// sizes. Some runtimes are faster when the board is fixed.
	AnyBoard bool
	// ProducerVersion is the version of the program that writes the model.
	ProducerVersion string
	// Metadata is added to what Metadata returns, and has the last word.
	Metadata map[string]string
}

// Metadata returns what a model says of its network: "latro.network" (preset),
// "latro.hash", "latro.step", "latro.board", "latro.action_planes" (names,
// separated by spaces) and, where known, "latro.ruleset" and
// "latro.ruleset_hash".
func Metadata(n *nn.Network) map[string]string {
	m := map[string]string{
		"latro.network":       n.Config.Name(),
		"latro.hash":          n.Hash(),
		"latro.step":          strconv.FormatInt(n.Step, 10),
		"latro.board":         fmt.Sprintf("%dx%d", n.Shape.Rows, n.Shape.Cols),
		"latro.action_planes": strings.Join(n.Shape.ActionPlanes, " "),
	}
	if n.RulesetID != "" {
		m["latro.ruleset"] = n.RulesetID
	}
	if n.RulesetHash != "" {
		m["latro.ruleset_hash"] = n.RulesetHash
	}
	return m
}

// WriteFile writes the model to path, atomically and durably.
func WriteFile(path string, n *nn.Network, o Options) error {
	if err := atomicfile.WriteFile(path, func(w io.Writer) error { return Write(w, n, o) }); err != nil {
		return fmt.Errorf("export to ONNX: %w", err)
	}
	return nil
}

// Write writes the model to w. It fails, before it writes, for a network that is
// not valid, for a board out of range (nn.ErrShape) and with ErrTooLarge.
func Write(w io.Writer, n *nn.Network, o Options) error {
	if err := n.Validate(); err != nil {
		return err
	}
	if o.Rows != 0 || o.Cols != 0 {
		var err error
		if n, err = n.WithBoard(o.Rows, o.Cols); err != nil {
			return err
		}
	}
	if bytes := 4 * int64(n.Parameters()); bytes > maxBytes {
		return fmt.Errorf("%w: its parameters take %d MiB, of at most %d", ErrTooLarge, bytes>>20, int64(maxBytes)>>20)
	}
	doc := "Policy/value network of latro, in the frame of the player to move. Apply the mask of legal actions, then a softmax, to policy; a softmax to wdl gives the probabilities of win, draw and loss."
	body := (&builder{n: n, any: o.AnyBoard}).build().encode("latro-"+n.Config.Name(), doc)

	var head, tail message
	head.varint(modelIRVersion, IRVersion)
	head.text(modelProducerName, "latro")
	head.text(modelProducerVersion, o.ProducerVersion)
	head.text(modelDomain, "latro")
	head.text(modelDoc, doc)
	head = protowire.AppendTag(head, modelGraph, protowire.BytesType)
	head = protowire.AppendVarint(head, uint64(len(body)))
	var opset message
	opset.varint(opsetVersion, Opset)
	tail.message(modelOpsetImport, opset)
	meta := Metadata(n)
	if o.AnyBoard {
		meta["latro.board"] = "any"
	}
	maps.Copy(meta, o.Metadata)
	for _, k := range slices.Sorted(maps.Keys(meta)) {
		var entry message
		entry.text(entryKey, k)
		entry.text(entryValue, meta[k])
		tail.message(modelMetadata, entry)
	}
	for _, part := range [][]byte{head, body, tail} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// builder turns a network into a graph.
type builder struct {
	graph
	n   *nn.Network
	any bool
	// spatial names the constant [2 3]: the axes of the board.
	spatial string
}

// data returns a tensor's values, or nil.
func (b *builder) data(name string) []float32 {
	if t := b.n.Tensor(name); t != nil {
		return t.Data
	}
	return nil
}

// conv adds the convolution of a layer, scale folded in, with or without its
// bias. size is 3 or 1.
func (b *builder) conv(layer, x string, size, in, out int, bias bool) string {
	w, scale := b.data(layer+".weight"), b.data(layer+".scale")
	taps := size * size
	k := make([]float32, len(w))
	for t := range taps {
		for i := range in {
			for o, v := range w[(t*in+i)*out:][:out] {
				if scale != nil {
					v *= scale[o]
				}
				k[(o*in+i)*taps+t] = v
			}
		}
	}
	s := int64(size)
	inputs := []string{x, b.floats(layer+".kernel", k, int64(out), int64(in), s, s)}
	if bias {
		inputs = append(inputs, b.floats(layer+".bias", b.data(layer+".bias"), int64(out)))
	}
	p := s / 2
	return b.node("Conv", layer, inputs, attribute{name: "kernel_shape", ints: []int64{s, s}}, attribute{name: "pads", ints: []int64{p, p, p, p}})
}

// dense adds x·weight + bias. weight is [in][out]; bias may be nil.
func (b *builder) dense(layer, x string, weight, bias []float32, in, out int) string {
	inputs := []string{x, b.floats(layer+".weight", weight, int64(in), int64(out))}
	if bias != nil {
		inputs = append(inputs, b.floats(layer+".bias", bias, int64(out)))
	}
	return b.node("Gemm", layer, inputs)
}

func (b *builder) relu(name, x string) string { return b.node("Relu", name, []string{x}) }
func (b *builder) add(name, x, y string) string {
	return b.node("Add", name, []string{x, y})
}

// overBoard makes a vector a channel-wise bias: [batch, c] to [batch, c, 1, 1].
func (b *builder) overBoard(name, x string) string {
	return b.node("Unsqueeze", name, []string{x, b.spatial})
}

// pool adds the mean and the maximum over the board: [batch, 2c].
func (b *builder) pool(name, x string) string {
	mean := b.node("GlobalAveragePool", name+".mean", []string{x})
	top := b.node("GlobalMaxPool", name+".max", []string{x})
	both := b.node("Concat", name+".both", []string{mean, top}, attribute{name: "axis", int: 1})
	return b.node("Flatten", name, []string{both}, attribute{name: "axis", int: 1})
}

func (b *builder) build() *graph {
	cfg, shape := b.n.Config, b.n.Shape
	c, v, planes := cfg.Channels, cfg.ValueHidden, len(shape.ActionPlanes)
	number := func(v int) dim { return dim{value: int64(v)} }
	batch, rows, cols, actions := dim{name: "batch"}, number(shape.Rows), number(shape.Cols), number(shape.Actions())
	if b.any {
		rows, cols, actions = dim{name: "rows"}, dim{name: "cols"}, dim{name: "actions"}
	}
	b.spatial = b.int64s("board_axes", 2, 3)

	obs := b.input(Observation, "planes of the position, row 0 the mover's own side", batch, number(shape.Planes), rows, cols)
	// The order of sums is that of nn.Instance.Run as far as the operators allow.
	x := b.conv("stem", obs, 3, shape.Planes, c, true)
	if shape.Globals > 0 {
		globals := b.input(Globals, "inputs that belong to no square", batch, number(shape.Globals))
		g := b.dense("stem.globals", globals, b.data("stem.globals.weight"), nil, shape.Globals, c)
		x = b.add("stem.sum", x, b.overBoard("stem.globals.bias", g))
	}
	x = b.relu("stem.out", x)
	for i := range cfg.Blocks {
		name := fmt.Sprintf("block%d", i)
		h := b.relu(name+".hidden", b.conv(name+".conv1", x, 3, c, c, true))
		// Convolution and residual first: runtimes fuse the two.
		y := b.add(name+".sum", b.conv(name+".conv2", h, 3, c, c, true), x)
		if w := b.data(name + ".pool.weight"); w != nil {
			p := b.dense(name+".pool", b.pool(name+".pooled", h), w, nil, 2*c, c)
			y = b.add(name+".biased", y, b.overBoard(name+".pool.bias", p))
		}
		x = b.relu(name+".out", y)
	}
	pooled := b.pool("pooled", x)

	h := b.conv("policy.hidden", x, 1, c, c, true)
	p := b.dense("policy.pool", pooled, b.data("policy.pool.weight"), nil, 2*c, c)
	h = b.relu("policy.hidden.out", b.add("policy.hidden.sum", h, b.overBoard("policy.pool.bias", p)))
	squares := b.node("Flatten", "policy.squares", []string{b.conv("policy.out", h, 1, c, planes, true)}, attribute{name: "axis", int: 1})
	pass := b.dense("policy.pass", pooled, b.data("policy.pass.weight"), b.data("policy.pass.bias"), 2*c, 1)
	b.node("Concat", Policy, []string{squares, pass}, attribute{name: "axis", int: 1})
	b.output(Policy, "logits: plane by plane, row by row, pass last", batch, actions)

	hidden := b.relu("value.hidden.out", b.dense("value.hidden", pooled, b.data("value.hidden.weight"), b.data("value.hidden.bias"), 2*c, v))
	// value.out has four columns: win, draw, loss, material.
	w, bias := b.data("value.out.weight"), b.data("value.out.bias")
	wdl, material := make([]float32, 0, 3*v), make([]float32, 0, v)
	for i := range v {
		wdl = append(wdl, w[4*i:4*i+3]...)
		material = append(material, w[4*i+3])
	}
	b.node("Gemm", WDL, []string{hidden, b.floats("value.wdl.weight", wdl, int64(v), 3), b.floats("value.wdl.bias", bias[:3], 3)})
	b.output(WDL, "logits of win, draw and loss of the player to move", batch, number(3))
	m := b.dense("value.material", hidden, material, bias[3:4], v, 1)
	m = b.node("Tanh", "value.material.out", []string{m})
	b.node("Squeeze", Material, []string{m, b.int64s("material_axis", 1)})
	b.output(Material, "expected final material difference, from -1 to 1", batch)
	return &b.graph
}
