package nn

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// tensorHead is a tensor's entry in a file's header.
type tensorHead struct {
	Name string `json:"name"`
	Dims []int  `json:"dims"`
}

// checkpointHead is the JSON header of a checkpoint.
type checkpointHead struct {
	Config      Config            `json:"config"`
	Shape       Shape             `json:"shape"`
	RulesetID   string            `json:"ruleset_id,omitempty"`
	RulesetHash string            `json:"ruleset_hash,omitempty"`
	Step        int64             `json:"step"`
	Meta        map[string]string `json:"meta,omitempty"`
	Tensors     []tensorHead      `json:"tensors"`
}

// head returns the header that describes n.
func (n *Network) head() checkpointHead {
	h := checkpointHead{Config: n.Config, Shape: n.Shape, RulesetID: n.RulesetID, RulesetHash: n.RulesetHash, Step: n.Step, Meta: n.Meta}
	for _, t := range n.Tensors {
		h.Tensors = append(h.Tensors, tensorHead{t.Name, t.Dims})
	}
	return h
}

// data returns the values of the tensors in order.
func (n *Network) data() [][]float32 {
	d := make([][]float32, len(n.Tensors))
	for i, t := range n.Tensors {
		d[i] = t.Data
	}
	return d
}

// Save writes the network to path, atomically and durably: the file is whole or
// not there. The same network gives the same bytes. A network whose parameters
// are not finite is refused.
func (n *Network) Save(path string) error {
	if err := n.validate(); err != nil {
		return fmt.Errorf("save network %s: %w", path, err)
	}
	if err := writeContainer(path, checkpointMagic, n.head(), n.data()); err != nil {
		return fmt.Errorf("save network: %w", err)
	}
	return nil
}

// Load reads a network that Save wrote. A file that cannot be read as one gives
// an error that wraps ErrNotCheckpoint, ErrVersion or ErrDamaged; memory use is
// bounded by about twice the file's size whatever the file claims.
func Load(path string) (*Network, error) {
	head, body, err := readContainer(path, checkpointMagic)
	if err != nil {
		return nil, fmt.Errorf("load network: %w", err)
	}
	return decodeCheckpoint(path, head, body)
}

// Decode is Load of a file's content; name stands for the file in errors.
func Decode(name string, data []byte) (*Network, error) {
	head, body, err := parseContainer(name, bytes.NewReader(data), int64(len(data)), checkpointMagic)
	if err != nil {
		return nil, fmt.Errorf("load network: %w", err)
	}
	return decodeCheckpoint(name, head, body)
}

func decodeCheckpoint(path string, head, body []byte) (*Network, error) {
	var h checkpointHead
	if err := json.Unmarshal(head, &h); err != nil {
		return nil, fmt.Errorf("load network: %s: %w: header: %w", path, ErrDamaged, err)
	}
	n, err := networkFromHead(h, body, 1)
	if err != nil {
		return nil, fmt.Errorf("load network: %s: %w: %w", path, ErrDamaged, err)
	}
	decodeFloats(body, n.data())
	if err := n.validate(); err != nil {
		return nil, fmt.Errorf("load network: %s: %w: %w", path, ErrDamaged, err)
	}
	return n, nil
}

// networkFromHead allocates the network that h describes, after checking that
// copies times its tensors fill body exactly.
func networkFromHead(h checkpointHead, body []byte, copies int64) (*Network, error) {
	if err := errors.Join(h.Config.Validate(), h.Shape.Validate()); err != nil {
		return nil, err
	}
	want := specs(h.Config, h.Shape)
	if len(h.Tensors) != len(want) {
		return nil, fmt.Errorf("the header lists %d tensors; the architecture has %d", len(h.Tensors), len(want))
	}
	var total int64
	for i, s := range want {
		if h.Tensors[i].Name != s.name || !slices.Equal(h.Tensors[i].Dims, s.dims) {
			return nil, fmt.Errorf("tensor %d is %s%v; the architecture has %s%v", i, h.Tensors[i].Name, h.Tensors[i].Dims, s.name, s.dims)
		}
		// Config and Shape bound each size by 2³⁵, and there are a few
		// thousand tensors at most, so the sum cannot overflow.
		total += s.size()
	}
	if total*4*copies != int64(len(body)) {
		return nil, fmt.Errorf("the tensors take %d bytes; the file holds %d", total*4*copies, len(body))
	}
	if h.Step < 0 {
		return nil, fmt.Errorf("the number of steps is %d", h.Step)
	}
	n := &Network{Config: h.Config, Shape: h.Shape, RulesetID: h.RulesetID, RulesetHash: h.RulesetHash, Step: h.Step, Meta: h.Meta}
	if n.Meta == nil {
		n.Meta = map[string]string{}
	}
	for _, s := range want {
		n.Tensors = append(n.Tensors, Tensor{Name: s.name, Dims: s.dims, Data: make([]float32, s.size())})
	}
	return n, nil
}
