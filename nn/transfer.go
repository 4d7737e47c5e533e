package nn

import (
	"fmt"
	"slices"
	"strings"
)

// TransferLine says what Transfer did with one tensor.
type TransferLine struct {
	// Tensor is the tensor's name.
	Tensor string
	// Action is "kept", "kept in part", "initialised" or "dropped".
	Action string
	// Detail says which parts and why; empty when the whole tensor was kept.
	Detail string
}

// String renders the line for a log: "policy.out.weight: kept in part: …".
func (l TransferLine) String() string {
	if l.Detail == "" {
		return l.Tensor + ": " + l.Action
	}
	return l.Tensor + ": " + l.Action + ": " + l.Detail
}

// Transfer returns a network for another shape that keeps what n knows. The
// trunk does not depend on the board's size and is kept whole; the output planes
// of the policy (and of the opponent's reply) are carried over by name; the layers that read the inputs are
// kept when the number of planes (or globals) is the same, which assumes that
// planes of equal count mean the same, and drawn afresh from seed otherwise.
// The new network has Step 0 and an empty ruleset; its Meta records the parent's
// hash and ruleset. There is one line for each tensor.
func (n *Network) Transfer(shape Shape, seed uint64) (*Network, []TransferLine, error) {
	if err := n.validate(); err != nil {
		return nil, nil, fmt.Errorf("transfer: %w", err)
	}
	out, err := New(n.Config, shape, seed)
	if err != nil {
		return nil, nil, fmt.Errorf("transfer: %w", err)
	}
	out.Meta["parent"] = n.Hash()
	if n.RulesetID != "" {
		out.Meta["parent_ruleset"] = n.RulesetID
	}
	var lines []TransferLine
	for i := range out.Tensors {
		to := &out.Tensors[i]
		from := n.Tensor(to.Name)
		switch {
		case from == nil:
			lines = append(lines, TransferLine{to.Name, "initialised", "the parent has no such tensor"})
		case to.Name == policyOutWeight || to.Name == policyOutBias:
			lines = append(lines, transferPlanes(to, from, shape.ActionPlanes, n.Shape.ActionPlanes))
		case to.Name == auxSquaresWeight || to.Name == auxSquaresBias:
			lines = append(lines, transferPlanes(to, from, auxColumns(shape), auxColumns(n.Shape)))
		case slices.Equal(to.Dims, from.Dims):
			copy(to.Data, from.Data)
			lines = append(lines, TransferLine{Tensor: to.Name, Action: "kept"})
		default:
			lines = append(lines, TransferLine{to.Name, "initialised", fmt.Sprintf("the parent's is %v, this is %v", from.Dims, to.Dims)})
		}
	}
	for _, t := range n.Tensors {
		if out.Tensor(t.Name) == nil {
			lines = append(lines, TransferLine{t.Name, "dropped", "this shape has no such tensor"})
		}
	}
	return out, lines, nil
}

// auxColumns names the columns of the auxiliary heads' tensors for the squares.
func auxColumns(s Shape) []string { return append([]string{"(survival)"}, s.ActionPlanes...) }

// transferPlanes copies the columns of from whose plane name also exists in to.
func transferPlanes(to, from *Tensor, toNames, fromNames []string) TransferLine {
	var kept, fresh []string
	for j, name := range toNames {
		k := slices.Index(fromNames, name)
		if k < 0 {
			fresh = append(fresh, name)
			continue
		}
		kept = append(kept, name)
		for r := 0; r < len(to.Data)/len(toNames); r++ {
			to.Data[r*len(toNames)+j] = from.Data[r*len(fromNames)+k]
		}
	}
	switch {
	case len(kept) == 0:
		return TransferLine{to.Name, "initialised", "no action plane has a name that the parent knows"}
	case len(fresh) > 0:
		return TransferLine{to.Name, "kept in part", "planes kept [" + strings.Join(kept, " ") + "], initialised [" + strings.Join(fresh, " ") + "]"}
	case slices.Equal(toNames, fromNames):
		return TransferLine{Tensor: to.Name, Action: "kept"}
	}
	return TransferLine{to.Name, "kept", "planes by name [" + strings.Join(kept, " ") + "]"}
}
