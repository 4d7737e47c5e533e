package selfplay

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math"
	"sync"

	"latro/env/engine"
	"latro/mcts"
)

// DefaultCacheMB is the memory for evaluations that self-play and matches keep, in MiB, where nothing else is said. Most
// of what comes again comes within the next few plies of the same game, so more gains little.
const DefaultCacheMB = 32

// Cache remembers evaluations, so that a position that comes again (in the next ply's search, or in another game) costs no
// run of the network. A cached answer is the computed one, bit for bit, because what a network says does not depend on
// the batch; so a cache, its size and what it has forgotten change no result.
//
// The key is all of what engine.View shows, from which an observation is made and nothing else, and the legal plies, which
// may depend on more; networks, rulesets and weights of the material are told apart too. Keys are compared whole, not by
// a hash.
//
// The memory is fixed. It is used in two halves: when the younger is full it becomes the older one, whose contents are
// forgotten, and what is found in the older half moves to the younger. Safe for concurrent use.
type Cache struct {
	seed   maphash.Seed
	shards [cacheShards]cacheShard

	mu     sync.Mutex
	owners map[cacheOwner]uint32
}

// cacheShards is the number of parts with a lock of their own.
const cacheShards = 16

// maxCacheMB is the largest cache, in MiB: its offsets are 32 bits wide.
const maxCacheMB = 32 << 10

// minCacheBytes is the size of the smallest half of a shard.
const minCacheBytes = 1 << 12

// NewCache returns a cache that takes about so many bytes (at least 128 KiB). The memory is taken as it fills.
func NewCache(memory int) *Cache {
	c := &Cache{seed: maphash.MakeSeed(), owners: map[cacheOwner]uint32{}}
	limit := min(max(memory/(2*cacheShards), minCacheBytes), maxCacheMB<<20/(2*cacheShards))
	for i := range c.shards {
		c.shards[i].limit = limit
	}
	return c
}

// newCacheMB is NewCache by MiB: 0 is DefaultCacheMB, and below 0 there is no cache.
func newCacheMB(size int) *Cache {
	switch {
	case size < 0:
		return nil
	case size == 0:
		size = DefaultCacheMB
	}
	return NewCache(min(size, maxCacheMB) << 20)
}

// find copies the evaluation of a key into the leaf, if it is there.
func (c *Cache) find(key []byte, l *mcts.Leaf) bool {
	h := maphash.Bytes(c.seed, key)
	s := &c.shards[h%cacheShards]
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.young.find(h, key)
	older := e == nil
	if older {
		if e = s.old.find(h, key); e == nil {
			return false
		}
	}
	answer := e[entryHead+len(key):]
	if len(answer) != 4*(1+len(l.Logits)) {
		return false
	}
	l.Value = math.Float32frombits(binary.LittleEndian.Uint32(answer))
	for i := range l.Logits {
		l.Logits[i] = math.Float32frombits(binary.LittleEndian.Uint32(answer[4+4*i:]))
	}
	if older {
		// Last, because this may write over the memory that e lies in.
		s.put(h, key, e)
	}
	return true
}

// keep stores the leaf's evaluation under the key. scratch is working memory, which is returned for the next call.
func (c *Cache) keep(key []byte, l *mcts.Leaf, scratch []byte) []byte {
	e := binary.LittleEndian.AppendUint32(scratch[:0], uint32(len(key)))
	e = binary.LittleEndian.AppendUint32(e, uint32(4*(1+len(l.Logits))))
	e = append(e, key...)
	e = binary.LittleEndian.AppendUint32(e, math.Float32bits(l.Value))
	for _, x := range l.Logits {
		e = binary.LittleEndian.AppendUint32(e, math.Float32bits(x))
	}
	h := maphash.Bytes(c.seed, key)
	s := &c.shards[h%cacheShards]
	s.mu.Lock()
	s.put(h, key, e)
	s.mu.Unlock()
	return e
}

type cacheShard struct {
	mu         sync.Mutex
	limit      int // bytes of one half
	young, old cacheHalf
}

// put adds an entry to the younger half, unless it is there.
func (s *cacheShard) put(hash uint64, key, entry []byte) {
	if s.young.find(hash, key) != nil {
		return
	}
	if s.young.size()+len(entry)+slotBytes > s.limit {
		s.young, s.old = s.old, s.young
		s.young.clear()
	}
	if len(entry)+slotBytes < s.limit {
		s.young.add(hash, entry)
	}
}

// cacheHalf holds entries one after another, and a table of where they begin. An entry is the length of the key and of the
// answer, four bytes each, the key, the value, and the logits.
type cacheHalf struct {
	entries []byte
	table   []cacheSlot // a power of two long, at most 3/4 full; linear probing
	used    int
}

// entryHead is the length of the two lengths that begin an entry.
const entryHead = 8

// cacheSlot says where an entry begins, counted from 1; 0 is an empty slot. tag is the upper half of the key's hash.
type cacheSlot struct{ tag, at uint32 }

// slotBytes is about what an entry takes in the table.
const slotBytes = 16

func (h *cacheHalf) size() int { return len(h.entries) + slotBytes*h.used }

// clear forgets all entries and keeps the memory for the next.
func (h *cacheHalf) clear() {
	h.entries, h.used = h.entries[:0], 0
	clear(h.table)
}

// find returns the entry of a key, nil if there is none.
func (h *cacheHalf) find(hash uint64, key []byte) []byte {
	if h.used == 0 {
		return nil
	}
	mask := len(h.table) - 1
	tag := uint32(hash >> 32)
	for i := int(tag) & mask; ; i = (i + 1) & mask {
		slot := h.table[i]
		if slot.at == 0 {
			return nil
		}
		if slot.tag != tag {
			continue
		}
		e := h.entries[slot.at-1:]
		n, answer := int(binary.LittleEndian.Uint32(e)), int(binary.LittleEndian.Uint32(e[4:]))
		if bytes.Equal(e[entryHead:][:n], key) {
			return e[:entryHead+n+answer]
		}
	}
}

// add appends an entry whose key is not there yet.
func (h *cacheHalf) add(hash uint64, entry []byte) {
	if 4*(h.used+1) > 3*len(h.table) {
		old := h.table
		h.table = make([]cacheSlot, max(64, 2*len(old)))
		for _, slot := range old {
			if slot.at != 0 {
				h.set(slot)
			}
		}
	}
	h.set(cacheSlot{uint32(hash >> 32), uint32(len(h.entries)) + 1})
	h.entries = append(h.entries, entry...)
	h.used++
}

// set puts a slot into the table, which has room.
func (h *cacheHalf) set(slot cacheSlot) {
	mask := len(h.table) - 1
	i := int(slot.tag) & mask
	for h.table[i].at != 0 {
		i = (i + 1) & mask
	}
	h.table[i] = slot
}

// owner is the number under which the cache keeps what one network says about one ruleset.
func (c *Cache) owner(network, ruleset string, material float32) uint32 {
	who := cacheOwner{network, ruleset, material}
	c.mu.Lock()
	defer c.mu.Unlock()
	n, ok := c.owners[who]
	if !ok {
		n = uint32(len(c.owners))
		c.owners[who] = n
	}
	return n
}

// cacheOwner tells apart what must not be taken for one another.
type cacheOwner struct {
	network, ruleset string
	material         float32
}

// Remembering is an Evaluator that looks into a cache before it asks its network, and keeps there what the network says.
// One goroutine at a time; the cache may be shared by any number of them.
type Remembering struct {
	*Evaluator
	cache *Cache
	owner uint32
	// others are the owners of positions of further games.
	others map[*engine.Game]uint32
	// asked and found count leaves.
	asked, found int

	key, scratch []byte
	keys         []byte // of the leaves that were not found, one after another
	ends         []int  // of those keys
	misses       []mcts.Leaf
	at           []int // the leaves that the misses are
}

// Over puts the cache before an evaluator of positions that are played by the rules of the given hash.
func (c *Cache) Over(e *Evaluator, ruleset string) *Remembering {
	return &Remembering{Evaluator: e, cache: c, owner: c.owner(e.network, ruleset, e.material)}
}

// also is Evaluator.also for positions that are played by the rules of the given hash.
func (m *Remembering) also(g *engine.Game, ruleset string) {
	if m.others == nil {
		m.others = map[*engine.Game]uint32{}
	}
	m.others[g] = m.cache.owner(m.network, ruleset, m.material)
}

// Evaluate implements mcts.Evaluator.
func (m *Remembering) Evaluate(leaves []mcts.Leaf) error {
	m.keys, m.ends, m.misses, m.at = m.keys[:0], m.ends[:0], m.misses[:0], m.at[:0]
	for i := range leaves {
		l := &leaves[i]
		s, err := stateOf(l)
		if err != nil {
			return err
		}
		s.View(&m.view)
		owner := m.owner
		if other, ok := m.others[s.Game()]; ok {
			owner = other
		}
		m.key = binary.LittleEndian.AppendUint32(m.key[:0], owner)
		m.key = m.view.AppendBinary(m.key)
		for _, a := range l.Legal {
			m.key = binary.LittleEndian.AppendUint16(m.key, uint16(a))
		}
		m.asked++
		if m.cache.find(m.key, l) {
			m.found++
			continue
		}
		m.keys = append(m.keys, m.key...)
		m.ends = append(m.ends, len(m.keys))
		m.misses = append(m.misses, *l)
		m.at = append(m.at, i)
	}
	// No State stays alive that the caller is done with.
	defer clear(m.misses)
	if err := m.Evaluator.Evaluate(m.misses); err != nil {
		return err
	}
	from := 0
	for i := range m.misses {
		l := &m.misses[i]
		// The logits were filled in in place.
		leaves[m.at[i]].Value = l.Value
		m.scratch = m.cache.keep(m.keys[from:m.ends[i]], l, m.scratch)
		from = m.ends[i]
	}
	return nil
}
