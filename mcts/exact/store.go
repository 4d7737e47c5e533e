package exact

import "math/bits"

// chunkBits is the binary logarithm of the entries of a chunk: arrays grow by chunks, so that growing copies nothing.
const chunkBits = 16

// store numbers keys in the order in which they come: an array of keys, and a hash table of their numbers over it.
type store struct {
	keys  [][]key
	n     uint32
	table []uint32 // number + 1; 0 is an empty slot
}

func newStore() *store { return &store{table: make([]uint32, 1<<10)} }

func (s *store) at(id uint32) key { return s.keys[id>>chunkBits][id&(1<<chunkBits-1)] }

func (s *store) len() int { return int(s.n) }

// slot is where the key's number stands or would go.
func (s *store) slot(k key) int {
	h := (k.board ^ bits.RotateLeft64(k.rest*0x9e3779b97f4a7c15, 29)) * 0xda942042e4dd58b5
	h ^= h >> 32
	mask := len(s.table) - 1
	for i := int(h) & mask; ; i = (i + 1) & mask {
		if id := s.table[i]; id == 0 || s.at(id-1) == k {
			return i
		}
	}
}

// find gives the number of a key.
func (s *store) find(k key) (uint32, bool) {
	id := s.table[s.slot(k)]
	return id - 1, id != 0
}

// add gives the number of a key, a new one if it has none.
func (s *store) add(k key) (id uint32, fresh bool) {
	i := s.slot(k)
	if s.table[i] != 0 {
		return s.table[i] - 1, false
	}
	id = s.n
	if int(id>>chunkBits) == len(s.keys) {
		s.keys = append(s.keys, make([]key, 1<<chunkBits))
	}
	s.keys[id>>chunkBits][id&(1<<chunkBits-1)] = k
	s.n++
	s.table[i] = s.n
	if 4*int(s.n) > 3*len(s.table) {
		s.table = make([]uint32, 2*len(s.table)) // the old one goes before the new one is filled
		for id := range s.n {
			s.table[s.slot(s.at(id))] = id + 1
		}
	}
	return id, true
}

// bytes is the memory the store takes.
func (s *store) bytes() int64 { return int64(len(s.keys))<<chunkBits*16 + int64(len(s.table))*4 }

// list is a growing array of numbers in chunks.
type list struct {
	chunks [][]uint32
	n      int
}

func (l *list) add(x uint32) {
	if l.n>>chunkBits == len(l.chunks) {
		l.chunks = append(l.chunks, make([]uint32, 1<<chunkBits))
	}
	l.chunks[l.n>>chunkBits][l.n&(1<<chunkBits-1)] = x
	l.n++
}

func (l *list) at(i int) uint32 { return l.chunks[i>>chunkBits][i&(1<<chunkBits-1)] }
