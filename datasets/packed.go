package datasets

import (
	"encoding/binary"
	"math"
)

// packedSamples holds samples in a few hundred bytes each instead of some two thousand: a replay window has them by the hundred
// thousand, and a heap of slices costs twice what is in them. Nothing is lost: get returns what put was given, except that
// an empty slice comes back as nil.
type packedSamples struct {
	bytes []byte
	ends  []uint32 // where each sample ends in bytes
}

// words numbers the strings of samples, which repeat: hashes, outcomes, end reasons, versions.
type words struct {
	list   []string
	number map[string]uint64
}

func (w *words) put(s string) uint64 {
	n, ok := w.number[s]
	if !ok {
		if w.number == nil {
			w.number = map[string]uint64{}
		}
		n = uint64(len(w.list))
		w.list, w.number[s] = append(w.list, s), n
	}
	return n
}

// pack appends the rows. Rows that need more than 4 GiB together are none of a game's.
func pack(rows []Sample, w *words) packedSamples {
	var b []byte
	p := packedSamples{ends: make([]uint32, 0, len(rows))}
	float := func(v float32) { b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v)) }
	whole := func(v uint64) { b = binary.AppendUvarint(b, v) }
	for i := range rows {
		s := &rows[i]
		flags := uint64(s.Player) << 1
		if s.Full {
			flags |= 1
		}
		whole(flags)
		whole(s.GameID)
		whole(uint64(s.Ply))
		for _, x := range []string{s.RulesetHash, s.Outcome, s.EndReason, s.NetworkHash, s.EngineVersion} {
			whole(w.put(x))
		}
		for _, x := range [][]byte{s.State, s.Survival} {
			whole(uint64(len(x)))
			b = append(b, x...)
		}
		whole(uint64(s.LegalCount))
		whole(uint64(s.Played))
		whole(uint64(s.PliesLeft))
		whole(uint64(s.Simulations))
		for _, x := range []float32{s.RootValue, s.OutcomeValue, s.FinalMaterial, s.Surprise} {
			float(x)
		}
		whole(uint64(len(s.Actions)))
		last := uint16(0)
		for _, a := range s.Actions {
			whole(uint64(a - last)) // ascending, so small; and exact whatever the order, since it wraps
			last = a
		}
		whole(uint64(len(s.Visits)))
		for _, v := range s.Visits {
			whole(uint64(v))
		}
		whole(uint64(len(s.Policy)))
		for _, v := range s.Policy {
			float(v)
		}
		p.ends = append(p.ends, uint32(len(b)))
	}
	p.bytes = append(make([]byte, 0, len(b)), b...) // no room to grow
	return p
}

// get unpacks sample i.
func (p *packedSamples) get(i int, w *words) *Sample {
	start := uint32(0)
	if i > 0 {
		start = p.ends[i-1]
	}
	b := p.bytes[start:p.ends[i]]
	whole := func() uint64 {
		v, n := binary.Uvarint(b)
		b = b[n:]
		return v
	}
	float := func() float32 {
		v := math.Float32frombits(binary.LittleEndian.Uint32(b))
		b = b[4:]
		return v
	}
	bytes := func() []byte {
		n := whole()
		if n == 0 {
			return nil
		}
		v := b[:n:n]
		b = b[n:]
		return v
	}
	s := &Sample{}
	flags := whole()
	s.Player, s.Full = uint8(flags>>1), flags&1 == 1
	s.GameID, s.Ply = whole(), uint32(whole())
	for _, x := range []*string{&s.RulesetHash, &s.Outcome, &s.EndReason, &s.NetworkHash, &s.EngineVersion} {
		*x = w.list[whole()]
	}
	s.State, s.Survival = bytes(), bytes()
	s.LegalCount, s.Played = uint16(whole()), uint16(whole())
	s.PliesLeft, s.Simulations = uint32(whole()), uint32(whole())
	for _, x := range []*float32{&s.RootValue, &s.OutcomeValue, &s.FinalMaterial, &s.Surprise} {
		*x = float()
	}
	if n := whole(); n > 0 {
		s.Actions = make([]uint16, n)
		last := uint16(0)
		for k := range s.Actions {
			last += uint16(whole())
			s.Actions[k] = last
		}
	}
	if n := whole(); n > 0 {
		s.Visits = make([]uint32, n)
		for k := range s.Visits {
			s.Visits[k] = uint32(whole())
		}
	}
	if n := whole(); n > 0 {
		s.Policy = make([]float32, n)
		for k := range s.Policy {
			s.Policy[k] = float()
		}
	}
	return s
}

// game is what WindowStats need of sample i, without the rest.
func (p *packedSamples) game(i int) (id uint64, full bool) {
	start := uint32(0)
	if i > 0 {
		start = p.ends[i-1]
	}
	b := p.bytes[start:]
	flags, n := binary.Uvarint(b)
	id, _ = binary.Uvarint(b[n:])
	return id, flags&1 == 1
}
