package datasets

// FNV-1a, 64 bits.
const (
	fnvOffset = 0xcbf29ce484222325
	fnvPrime  = 0x100000001b3
)

// HashMoves returns the 64-bit FNV-1a hash of a move list: of its length as four
// bytes, then of each move as two, little-endian. The values are stored in files
// and never change. Among a million different games the chance of one accidental
// collision is 3 in 10^8.
func HashMoves(moves []uint16) uint64 { return hashMapped(moves, nil) }

// hashMapped hashes the moves after the map to, nil for the identity.
func hashMapped(moves []uint16, to []uint16) uint64 {
	h := uint64(fnvOffset)
	for n, i := uint32(len(moves)), 0; i < 4; i++ {
		h = (h ^ uint64(n>>(8*i)&0xFF)) * fnvPrime
	}
	for _, m := range moves {
		if to != nil {
			m = to[m]
		}
		h = (h ^ uint64(m&0xFF)) * fnvPrime
		h = (h ^ uint64(m>>8)) * fnvPrime
	}
	return h
}

// CanonicalHash returns the least [HashMoves] among the images of a move list
// under symmetries, each given as the new action of every old one, so that games
// which differ by a symmetry of the board have the same hash. The maps must form
// the whole group of the ruleset; the identity may be left out. Games from given
// start positions must be mapped together with their start: equal moves from
// different starts are different games, which the caller tells apart by the
// start id. It panics if a map lacks a move of the game.
func CanonicalHash(moves []uint16, symmetries [][]uint16) uint64 {
	least := HashMoves(moves)
	for _, to := range symmetries {
		least = min(least, hashMapped(moves, to))
	}
	return least
}
