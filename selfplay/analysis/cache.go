package analysis

import (
	"encoding/binary"
	"sync"

	"latro/env/engine"
	"latro/mcts"
)

// cache keeps evaluations. When the younger of its two generations has used half of the memory it becomes the
// older one, which is forgotten; what is found in the older one moves to the younger. Safe for concurrent use.
type cache struct {
	mu         sync.Mutex
	limit      int // bytes of one generation
	used       int
	young, old map[string]evaluation
}

type evaluation struct {
	logits []float32
	value  float32
}

// entryOverhead is about what a map's entry takes besides its bytes.
const entryOverhead = 100

// newCache returns a cache of so many bytes, nil for none.
func newCache(bytes int) *cache {
	if bytes <= 0 {
		return nil
	}
	c := &cache{limit: bytes / 2}
	c.clear()
	return c
}

func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.young, c.old, c.used = map[string]evaluation{}, nil, 0
}

// find copies the evaluation of a key into a leaf.
func (c *cache) find(key []byte, l *mcts.Leaf) bool {
	c.mu.Lock()
	x, ok := c.young[string(key)]
	if !ok {
		if x, ok = c.old[string(key)]; ok {
			c.put(string(key), x)
		}
	}
	c.mu.Unlock()
	if !ok {
		return false
	}
	copy(l.Logits, x.logits)
	l.Value = x.value
	return true
}

// keep stores a leaf's evaluation.
func (c *cache) keep(key string, l *mcts.Leaf) {
	x := evaluation{append([]float32(nil), l.Logits...), l.Value}
	c.mu.Lock()
	c.put(key, x)
	c.mu.Unlock()
}

func (c *cache) put(key string, x evaluation) {
	size := len(key) + 4*len(x.logits) + entryOverhead
	if c.used+size > c.limit {
		c.old, c.young, c.used = c.young, map[string]evaluation{}, 0
	}
	if size > c.limit {
		return
	}
	if _, twice := c.young[key]; !twice {
		c.used += size
	}
	c.young[key] = x
}

// cached is an evaluator that looks into the cache first. It is for evaluators whose answer is a function of what
// engine.View shows of the position, as a network's is.
type cached struct {
	ev    mcts.Evaluator
	cache *cache
	// prefix tells apart what different networks and rulesets say.
	prefix string

	view   engine.View
	key    []byte
	keys   []string
	misses []mcts.Leaf
	at     []int
}

// Evaluate implements mcts.Evaluator.
func (c *cached) Evaluate(leaves []mcts.Leaf) error {
	c.misses, c.at, c.keys = c.misses[:0], c.at[:0], c.keys[:0]
	for i := range leaves {
		l := &leaves[i]
		s, ok := l.State.(*engine.State)
		if !ok {
			return c.ev.Evaluate(leaves)
		}
		s.View(&c.view)
		c.key = append(c.key[:0], c.prefix...)
		c.key = c.view.AppendBinary(c.key)
		// What is legal may depend on the history that the view does not show.
		for _, a := range l.Legal {
			c.key = binary.LittleEndian.AppendUint16(c.key, uint16(a))
		}
		if c.cache.find(c.key, l) {
			continue
		}
		c.misses = append(c.misses, *l)
		c.at = append(c.at, i)
		c.keys = append(c.keys, string(c.key))
	}
	if len(c.misses) == 0 {
		return nil
	}
	if err := c.ev.Evaluate(c.misses); err != nil {
		return err
	}
	for i := range c.misses {
		// The logits were filled in in place.
		leaves[c.at[i]].Value = c.misses[i].Value
		c.cache.keep(c.keys[i], &c.misses[i])
	}
	clear(c.misses)
	return nil
}
