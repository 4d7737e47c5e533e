package safetensors

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"

	"latro/nn"
)

// Keys of the metadata that describe a network. Values are text; config and shape
// are nn.Config and nn.Shape in JSON. What nn.Network.Meta holds goes under its
// own keys with the prefix "meta.".
const (
	keyFormat      = "format"
	keyConfig      = "latro.config"
	keyShape       = "latro.shape"
	keyRuleset     = "latro.ruleset"
	keyRulesetHash = "latro.ruleset_hash"
	keyStep        = "latro.step"
	keyHash        = "latro.hash"
	metaPrefix     = "meta."
)

// SaveNetwork writes a network, atomically: its tensors under their names, in
// nn's layout, and what it is in the metadata.
func SaveNetwork(path string, n *nn.Network) error {
	if err := n.Validate(); err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	config, err := json.Marshal(n.Config)
	if err != nil {
		return err
	}
	shape, err := json.Marshal(n.Shape)
	if err != nil {
		return err
	}
	m := map[string]string{
		keyFormat: "latro", keyConfig: string(config), keyShape: string(shape),
		keyStep: strconv.FormatInt(n.Step, 10), keyHash: n.Hash(),
	}
	if n.RulesetID != "" {
		m[keyRuleset] = n.RulesetID
	}
	if n.RulesetHash != "" {
		m[keyRulesetHash] = n.RulesetHash
	}
	for k, v := range n.Meta {
		m[metaPrefix+k] = v
	}
	var tensors []Tensor
	for _, t := range n.Tensors {
		tensors = append(tensors, Tensor(t))
	}
	return WriteFile(path, tensors, m)
}

// LoadNetwork reads a network that SaveNetwork wrote, or that another program
// made with the same tensors. Where the metadata does not say what the network is
// (other programs often drop it), model does, its Meta included; its parameters are not used. A
// nil model leaves it to the metadata. Errors wrap ErrInvalid or nn.ErrShape.
func LoadNetwork(path string, model *nn.Network) (*nn.Network, error) {
	f, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	n, err := f.network(model)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return n, nil
}

func (f *File) network(model *nn.Network) (*nn.Network, error) {
	var like nn.Network
	config, shape := f.Metadata[keyConfig], f.Metadata[keyShape]
	switch {
	case model != nil:
		like = *model
	case config == "" || shape == "":
		return nil, fmt.Errorf("%w: its metadata does not say which network it is; name a network of the same architecture", ErrInvalid)
	default:
		if err := json.Unmarshal([]byte(config), &like.Config); err != nil {
			return nil, fmt.Errorf("%w: metadata %s: %w", ErrInvalid, keyConfig, err)
		}
		if err := json.Unmarshal([]byte(shape), &like.Shape); err != nil {
			return nil, fmt.Errorf("%w: metadata %s: %w", ErrInvalid, keyShape, err)
		}
		like.RulesetID, like.RulesetHash = f.Metadata[keyRuleset], f.Metadata[keyRulesetHash]
		if s, ok := f.Metadata[keyStep]; ok {
			step, err := strconv.ParseInt(s, 10, 64)
			if err != nil || step < 0 {
				return nil, fmt.Errorf("%w: metadata %s is %q, not a number of steps", ErrInvalid, keyStep, s)
			}
			like.Step = step
		}
	}
	var tensors []nn.Tensor
	for i := range f.Tensors {
		v := &f.Tensors[i]
		data, err := v.Float32s()
		if err != nil {
			return nil, err
		}
		tensors = append(tensors, nn.Tensor{Name: v.Name, Dims: v.Dims, Data: data})
	}
	n, err := nn.FromTensors(like.Config, like.Shape, tensors)
	if err != nil {
		return nil, err
	}
	n.RulesetID, n.RulesetHash, n.Step = like.RulesetID, like.RulesetHash, like.Step
	maps.Copy(n.Meta, like.Meta)
	for k, v := range f.Metadata {
		if len(k) > len(metaPrefix) && k[:len(metaPrefix)] == metaPrefix {
			n.Meta[k[len(metaPrefix):]] = v
		}
	}
	return n, nil
}
