package selfplay

import (
	"fmt"
	"strings"

	"latro/nn"
	"latro/nn/shipped"
)

// Shipped stands for the network that is part of the program (package shipped) wherever the file of one is named:
// "shipped" is that of the ruleset at hand, "shipped:ID" that of the ruleset ID. A file of that name is ./shipped.
const Shipped = "shipped"

// ShippedID reads a name of Shipped's form; id is empty for "shipped". Any other name gives ok false.
func ShippedID(name string) (id string, ok bool) {
	if name == Shipped {
		return "", true
	}
	return strings.CutPrefix(name, Shipped+":")
}

func isShipped(name string) bool {
	_, ok := ShippedID(name)
	return ok
}

// ResolveNetwork makes "shipped" into "shipped:ID" for the rules with the hash, and leaves other names as they are. Where
// no network ships for the rules the error wraps ErrInput and lists those that do.
func ResolveNetwork(name, rulesetHash string) (string, error) {
	if name != Shipped {
		return name, nil
	}
	id, err := shipped.ForRuleset(rulesetHash)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrInput, err)
	}
	return Shipped + ":" + id, nil
}

// LoadNetwork reads the checkpoint at path, or the network that ships under "shipped:ID". Errors wrap ErrInput.
func LoadNetwork(path string) (*nn.Network, error) {
	var n *nn.Network
	var err error
	if id, ok := ShippedID(path); ok {
		n, _, err = shipped.Open(id)
	} else {
		n, err = nn.Load(path)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInput, err)
	}
	return n, nil
}

// parent is the network of InitFrom.
func (c Config) parent() (*nn.Network, error) {
	name := c.InitFrom
	if name == Shipped {
		r, err := c.Open()
		if err != nil {
			return nil, err
		}
		if name, err = ResolveNetwork(name, r.Hash()); err != nil {
			return nil, err
		}
	}
	return LoadNetwork(name)
}
