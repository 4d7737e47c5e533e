package main

import (
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"latro/datasets"
	"latro/mcts"
	"latro/selfplay"
)

// ladderMember is an agent of a ladder's pool.
type ladderMember struct {
	name  string // for people: a run's checkpoint is DIR@GENERATION
	given string // as it was written on the command line
	spec  mcts.Spec
	// key tells agents apart wherever their files are: files stand in it by their content.
	key   string
	fixed bool     // an opponent of --against
	also  []string // other names under which the same agent was given
}

// pool is the agents: the fixed opponents, then the networks in their order.
func (c *ladderCmd) pool(rulesetHash string) ([]ladderMember, error) {
	var pool []ladderMember
	add := func(m ladderMember) error {
		var err error
		if m.key, err = agentKey(m.spec, rulesetHash); err != nil {
			return err
		}
		for i := range pool {
			if pool[i].key == m.key {
				if pool[i].name != m.name {
					pool[i].also = append(pool[i].also, m.name)
				}
				return nil
			}
		}
		if pool = append(pool, m); len(pool) > maxLadderAgents {
			return fmt.Errorf("%w: more than %d agents; take fewer checkpoints with --every", errInput, maxLadderAgents)
		}
		return nil
	}
	against := c.Against
	if len(against) == 0 {
		against = []string{"uct:simulations=100,greedy,random"}
	}
	for _, list := range against {
		for _, text := range splitAgents(list) {
			spec, err := mcts.ParseSpec(text)
			if err != nil {
				return nil, err
			}
			m := ladderMember{name: spec.String(), given: text, spec: spec, fixed: true}
			if m.spec, err = pinned(spec, rulesetHash); err != nil {
				return nil, err
			}
			if err := add(m); err != nil {
				return nil, err
			}
		}
	}
	network := func(name, path string) error {
		return add(ladderMember{name: name, given: path, spec: mcts.Spec{Kind: "net", Options: map[string]string{
			"path": path, "simulations": strconv.Itoa(c.Simulations),
		}}})
	}
	for _, name := range c.Networks {
		if _, ok := selfplay.ShippedID(name); ok {
			name, err := selfplay.ResolveNetwork(name, rulesetHash)
			if err != nil {
				return nil, err
			}
			if err := network(name, name); err != nil {
				return nil, err
			}
			continue
		}
		st, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		if !st.IsDir() {
			if err := network(name, name); err != nil {
				return nil, err
			}
			continue
		}
		paths, err := selfplay.Checkpoints(name)
		if err != nil {
			return nil, err
		}
		for _, g := range c.generations(len(paths)) {
			if err := network(fmt.Sprintf("%s@%d", filepath.Clean(name), g), paths[g]); err != nil {
				return nil, err
			}
		}
	}
	if len(pool) < 2 {
		return nil, fmt.Errorf("%w: %w", errInput, errLadderPool)
	}
	return pool, nil
}

// generations is which of a run's checkpoints join.
func (c *ladderCmd) generations(n int) []int {
	if c.Every == 0 {
		return spread(n, 8)
	}
	var out []int
	for g := 0; g < n; g += c.Every {
		out = append(out, g)
	}
	if last := out[len(out)-1]; last != n-1 {
		out = append(out, n-1)
	}
	return out
}

// splitAgents splits a list of agents at its commas. An item with "=" before any ":" is one more option of the agent
// before it, since a kind has no "=".
func splitAgents(list string) []string {
	var out []string
	for _, item := range strings.Split(list, ",") {
		equal, colon := strings.IndexByte(item, '='), strings.IndexByte(item, ':')
		if len(out) > 0 && equal >= 0 && (colon < 0 || equal < colon) {
			out[len(out)-1] += "," + item
			continue
		}
		out = append(out, item)
	}
	return out
}

// shippedOf is the name of the network that ships which an agent plays, if it plays one.
func shippedOf(spec mcts.Spec) (name string, ok bool) {
	if spec.Kind != "net" {
		return "", false
	}
	for _, option := range []string{"path", "run"} {
		if name := spec.Options[option]; name != "" {
			_, ok := selfplay.ShippedID(name)
			return name, ok
		}
	}
	return selfplay.Shipped, true
}

// pinned is an agent whose network, if it has one, is named by a file or as one that ships: a run's newest network is
// another one tomorrow.
func pinned(spec mcts.Spec, rulesetHash string) (mcts.Spec, error) {
	var path string
	var err error
	if name, ok := shippedOf(spec); ok {
		if path, err = selfplay.ResolveNetwork(name, rulesetHash); err != nil {
			return spec, fmt.Errorf("agent %s: %w", spec, err)
		}
	} else if run, ok := spec.Options["run"]; ok && spec.Kind == "net" && spec.Options["path"] == "" {
		if path, err = selfplay.LatestCheckpoint(run); err != nil {
			return spec, err
		}
	} else {
		return spec, nil
	}
	options := maps.Clone(spec.Options)
	delete(options, "run")
	options["path"] = path
	return mcts.Spec{Kind: spec.Kind, Options: options}, nil
}

// agentKey is an agent's specification with files by their content. A network that ships is known by its hash, so that
// another one in a later version of the program is another agent.
func agentKey(spec mcts.Spec, rulesetHash string) (string, error) {
	options := maps.Clone(spec.Options)
	if _, ships := selfplay.ShippedID(options["path"]); ships && spec.Kind == "net" {
		name, err := selfplay.ResolveNetwork(options["path"], rulesetHash)
		if err != nil {
			return "", fmt.Errorf("agent %s: %w", spec, err)
		}
		n, err := selfplay.LoadNetwork(name)
		if err != nil {
			return "", fmt.Errorf("agent %s: %w", spec, err)
		}
		options["path"] = "network-" + n.Hash()
		return mcts.Spec{Kind: spec.Kind, Options: options}.String(), nil
	}
	for _, name := range []string{"path", "weights"} {
		path, ok := options[name]
		if !ok {
			continue
		}
		_, sum, err := datasets.HashFile(path)
		if err != nil {
			return "", fmt.Errorf("agent %s: %w", spec, err)
		}
		options[name] = "sha256-" + sum
	}
	return mcts.Spec{Kind: spec.Kind, Options: options}.String(), nil
}

// hashText is a number for a text, FNV-1a.
func hashText(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}
