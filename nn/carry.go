package nn

import (
	"fmt"
	"slices"
	"strings"
)

// InputNames names what a network reads: Planes for each input plane and Globals
// for each global input, in their order. A Shape has only their numbers.
type InputNames struct {
	Planes  []string
	Globals []string
}

// Keys of Network.Meta under which the names of the inputs are kept.
const (
	MetaPlanes  = "planes"
	MetaGlobals = "globals"
)

// RecordInputs keeps the names of the inputs in n.Meta, so that the file says
// itself what the network reads, also when its ruleset is gone or the encodings
// have moved on. Names contain no spaces.
func (n *Network) RecordInputs(names InputNames) {
	if n.Meta == nil {
		n.Meta = map[string]string{}
	}
	n.Meta[MetaPlanes] = strings.Join(names.Planes, " ")
	n.Meta[MetaGlobals] = strings.Join(names.Globals, " ")
}

// RecordedInputs returns the names that RecordInputs kept; ok is false when
// there are none, or not as many as the network has inputs.
func (n *Network) RecordedInputs() (names InputNames, ok bool) {
	names = InputNames{Planes: strings.Fields(n.Meta[MetaPlanes]), Globals: strings.Fields(n.Meta[MetaGlobals])}
	if len(names.Planes) != n.Shape.Planes || len(names.Globals) != n.Shape.Globals {
		return InputNames{}, false
	}
	return names, true
}

// Carry is Transfer for callers that know what the inputs mean: planes and
// globals are carried over by name, as the action planes are, and cfg may have
// more or fewer blocks than the parent, and auxiliary heads or none.
//
// An input that the parent never read begins with weight 0. Blocks are added and
// dropped before the last, and a new one begins as the identity (the scale of its
// branch and its pooled bias are 0). So a network of no fewer blocks begins by
// playing as the parent did, and learns the rest. Planes of the policy that the
// parent lacks are drawn from seed. Channels and ValueHidden must be the parent's:
// nothing of a trunk of another width could be kept.
//
// The new network has Step 0 and an empty ruleset; its Meta names the parent and
// records the inputs.
// There is one line for each tensor. Errors wrap ErrShape where the names or cfg
// do not fit.
func (n *Network) Carry(cfg Config, shape Shape, from, to InputNames, seed uint64) (*Network, []TransferLine, error) {
	fail := func(format string, args ...any) (*Network, []TransferLine, error) {
		return nil, nil, fmt.Errorf("carry weights over: %w: %s", ErrShape, fmt.Sprintf(format, args...))
	}
	if len(from.Planes) != n.Shape.Planes || len(from.Globals) != n.Shape.Globals {
		return fail("the parent reads %d planes and %d globals; names were given for %d and %d", n.Shape.Planes, n.Shape.Globals, len(from.Planes), len(from.Globals))
	}
	if len(to.Planes) != shape.Planes || len(to.Globals) != shape.Globals {
		return fail("the game has %d planes and %d globals; names were given for %d and %d", shape.Planes, shape.Globals, len(to.Planes), len(to.Globals))
	}
	if cfg.Channels != n.Config.Channels || cfg.ValueHidden != n.Config.ValueHidden {
		return fail("a network of %d channels and %d hidden value units has nothing to take from one of %d and %d; train it from nothing",
			cfg.Channels, cfg.ValueHidden, n.Config.Channels, n.Config.ValueHidden)
	}
	// Transfer wants the parent's architecture; what it does to a network with
	// the blocks that cfg asks for is what is wanted here.
	resized, source, err := n.resize(cfg, seed)
	if err != nil {
		return nil, nil, fmt.Errorf("carry weights over: %w", err)
	}
	out, lines, err := resized.Transfer(shape, seed)
	if err != nil {
		return nil, nil, err
	}
	out.Meta["parent"] = n.Hash()
	out.RecordInputs(to)
	for i := range lines {
		l := &lines[i]
		switch t := out.Tensor(l.Tensor); {
		case l.Tensor == "stem.weight":
			*l = carryInputs(t, n.Tensor(l.Tensor), 9, to.Planes, from.Planes)
		case l.Tensor == "stem.globals.weight" && n.Shape.Globals > 0 && t != nil:
			*l = carryInputs(t, n.Tensor(l.Tensor), 1, to.Globals, from.Globals)
		case l.Action == "kept" && source[l.Tensor] == "":
			*l = TransferLine{l.Tensor, "initialised", newBlockDetail(l.Tensor)}
		case l.Action == "kept" && source[l.Tensor] != l.Tensor:
			l.Detail = "the parent's " + source[l.Tensor]
		}
	}
	used := map[string]bool{}
	for _, name := range source {
		used[name] = true
	}
	for _, t := range n.Tensors {
		if !used[t.Name] {
			lines = append(lines, TransferLine{t.Name, "dropped", "a " + cfg.describe() + " has no place for it"})
		}
	}
	return out, lines, nil
}

func newBlockDetail(tensor string) string {
	if strings.HasSuffix(tensor, ".conv2.scale") || strings.HasSuffix(tensor, ".pool.weight") {
		return "the parent has no such tensor; 0, so that the network begins as the parent"
	}
	return "the parent has no such tensor"
}

// resize returns n with the blocks of cfg: those that n lacks are the identity.
// source names, for each tensor that has a parent, the tensor of n.
func (n *Network) resize(cfg Config, seed uint64) (out *Network, source map[string]string, err error) {
	if out, err = New(cfg, n.Shape, seed); err != nil {
		return nil, nil, err
	}
	out.RulesetID = n.RulesetID
	// The last block always has a pooled bias, so it stays the last; those before
	// it keep their numbers, on which theirs depends.
	last, parentLast := fmt.Sprintf("block%d.", cfg.Blocks-1), fmt.Sprintf("block%d.", n.Config.Blocks-1)
	source = map[string]string{}
	for i := range out.Tensors {
		to := &out.Tensors[i]
		name := to.Name
		switch rest, ok := strings.CutPrefix(name, last); {
		case ok:
			name = parentLast + rest
		case strings.HasPrefix(name, parentLast):
			name = ""
		}
		switch from := n.Tensor(name); {
		case from != nil:
			copy(to.Data, from.Data)
			source[to.Name] = name
		case strings.HasSuffix(to.Name, ".conv2.scale") || strings.HasSuffix(to.Name, ".pool.weight"):
			clear(to.Data)
		}
	}
	return out, source, nil
}

// carryInputs fills to, [taps][inputs][out], from the parent's tensor by the
// inputs' names; inputs without a namesake get 0. Where no input has one, to stays
// as it was drawn.
func carryInputs(to, from *Tensor, taps int, toNames, fromNames []string) TransferLine {
	if !slices.ContainsFunc(toNames, func(name string) bool { return slices.Contains(fromNames, name) }) {
		return TransferLine{to.Name, "initialised", "no input has a name that the parent knows"}
	}
	out := to.Dims[len(to.Dims)-1]
	var kept, fresh []string
	for j, name := range toNames {
		k := slices.Index(fromNames, name)
		for tap := range taps {
			row := to.Data[(tap*len(toNames)+j)*out:][:out]
			if k < 0 {
				clear(row)
			} else {
				copy(row, from.Data[(tap*len(fromNames)+k)*out:][:out])
			}
		}
		if k < 0 {
			fresh = append(fresh, name)
		} else {
			kept = append(kept, name)
		}
	}
	var gone []string
	for _, name := range fromNames {
		if !slices.Contains(toNames, name) {
			gone = append(gone, name)
		}
	}
	var detail []string
	add := func(what string, names []string) {
		switch {
		case len(names) > 24:
			detail = append(detail, fmt.Sprintf("%s %d", what, len(names)))
		case len(names) > 0:
			detail = append(detail, what+" ["+strings.Join(names, " ")+"]")
		}
	}
	action := "kept"
	if len(fresh) > 0 || len(gone) > 0 {
		action = "kept in part"
		add("inputs kept", kept)
		add("new, weight 0", fresh)
		add("dropped", gone)
	} else if !slices.Equal(toNames, fromNames) {
		detail = append(detail, "inputs by name")
	}
	return TransferLine{to.Name, action, strings.Join(detail, ", ")}
}
