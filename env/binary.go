package env

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"

	"latro/env/engine"
	"latro/env/rules"
)

// The saved form of an environment, version 1. Integers are unsigned varints unless a width is given:
//
//	4 bytes  "LATE"
//	1 byte   version
//	32 bytes rules.Params.Hash
//	MaxPlies, MaxTurns, OpeningPlies; 1 byte frame (0 absolute, 1 mover)
//	1 byte   0 = never begun (nothing but the sum follows), 1 = from the start position, 2 = from a position
//	seed; opening plies made; length of the position's text and the text (empty if from the start)
//	number of plies; 2 bytes each, little-endian
//	4 bytes  CRC-32 (IEEE) of all before, little-endian
//
// Restoring replays the plies with their legality checked, so that damaged bytes cannot produce a position
// that no game reaches, and the history that repetition rules need comes with it.
const (
	binaryMagic   = "LATE"
	binaryVersion = 1
)

// rulesetHash is rules.Params.Hash in bytes.
func rulesetHash(p rules.Params) []byte {
	sum, err := hex.DecodeString(p.Hash())
	if err != nil {
		panic("env: rules.Params.Hash is not hexadecimal: " + err.Error())
	}
	return sum
}

// MarshalBinary implements Environment. The result's size is about 60 bytes and 2 a ply.
func (e *Env) MarshalBinary() ([]byte, error) {
	b := []byte(binaryMagic)
	b = append(b, binaryVersion)
	b = append(b, e.enc.hash...)
	for _, n := range []int{e.cfg.MaxPlies, e.cfg.MaxTurns, e.cfg.OpeningPlies} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	frame := byte(0)
	if e.cfg.Frame == FrameMover {
		frame = 1
	}
	b = append(b, frame)
	switch {
	case !e.begun:
		b = append(b, 0)
	case e.start == "":
		b = append(b, 1)
	default:
		b = append(b, 2)
	}
	if e.begun {
		b = binary.AppendUvarint(b, e.seed)
		b = binary.AppendUvarint(b, uint64(e.opening))
		b = binary.AppendUvarint(b, uint64(len(e.start)))
		b = append(b, e.start...)
		plies := e.state.History()[e.base:]
		b = binary.AppendUvarint(b, uint64(len(plies)))
		for _, a := range plies {
			b = binary.LittleEndian.AppendUint16(b, uint16(a))
		}
	}
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b)), nil
}

// UnmarshalBinary implements Environment. The configuration is restored too.
func (e *Env) UnmarshalBinary(data []byte) error {
	n, err := e.restore(data)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBinary, err)
	}
	e.CopyFrom(n)
	return nil
}

// reader takes fields off a byte slice; after the first failure it returns zeros and keeps the failure.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) take(n int) []byte {
	if r.err == nil && (n < 0 || n > len(r.rest)) {
		r.err = fmt.Errorf("the data ends early: %d bytes needed, %d left", n, len(r.rest))
	}
	if r.err != nil {
		return nil
	}
	out := r.rest[:n]
	r.rest = r.rest[n:]
	return out
}

func (r *reader) byte() byte {
	b := r.take(1)
	if len(b) == 0 {
		return 0
	}
	return b[0]
}

func (r *reader) uvarint() uint64 {
	if r.err != nil {
		return 0
	}
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.err = fmt.Errorf("the data ends within a number")
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// count reads a number that must fit an int and what is plausible for a length or a limit.
func (r *reader) count(max uint64) int {
	v := r.uvarint()
	if r.err == nil && v > max {
		r.err = fmt.Errorf("a count of %d, at most %d is possible", v, max)
	}
	if r.err != nil {
		return 0
	}
	return int(v)
}

func (e *Env) restore(data []byte) (*Env, error) {
	r := &reader{rest: data}
	if string(r.take(len(binaryMagic))) != binaryMagic {
		return nil, fmt.Errorf("not a saved environment (it does not begin with %q)", binaryMagic)
	}
	if v := r.byte(); v != binaryVersion {
		return nil, fmt.Errorf("format version %d, this program reads version %d", v, binaryVersion)
	}
	if len(r.rest) < 4 {
		return nil, fmt.Errorf("the data ends early")
	}
	body := data[:len(data)-4]
	if sum := binary.LittleEndian.Uint32(data[len(data)-4:]); sum != crc32.ChecksumIEEE(body) {
		return nil, fmt.Errorf("the checksum does not match: the data is damaged")
	}
	r.rest = r.rest[:len(r.rest)-4]

	if got := r.take(len(e.enc.hash)); r.err == nil && !bytes.Equal(got, e.enc.hash) {
		return nil, fmt.Errorf("it was saved with other rules (hash %x, this environment has %x)", got[:6], e.enc.hash[:6])
	}
	const maxLimit = 1<<31 - 1
	cfg := Config{
		MaxPlies: r.count(maxLimit), MaxTurns: r.count(maxLimit), OpeningPlies: r.count(maxLimit),
		Frame: FrameAbsolute,
	}
	if r.byte() == 1 {
		cfg.Frame = FrameMover
	}
	kind := r.byte()
	if r.err != nil {
		return nil, r.err
	}
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	n := newEnv(e.enc, cfg)
	switch kind {
	case 0:
	case 1, 2:
		if err := n.replay(r, kind == 2); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("start kind %d is unknown", kind)
	}
	if len(r.rest) != 0 {
		return nil, fmt.Errorf("%d bytes too many", len(r.rest))
	}
	n.observe()
	return n, nil
}

// replay restores a game in progress by playing it again.
func (e *Env) replay(r *reader, fromPosition bool) error {
	seed := r.uvarint()
	opening := r.count(maxOpening)
	start := string(r.take(r.count(uint64(len(r.rest)))))
	plies := r.count(uint64(len(r.rest) / 2))
	moves := r.take(2 * plies)
	if r.err != nil {
		return r.err
	}
	if fromPosition {
		s, err := e.enc.game.ParsePosition(start)
		if err != nil {
			return fmt.Errorf("its start position: %w", err)
		}
		if err := e.resetTo(s); err != nil {
			return err
		}
		// The text as saved, not as written again, so that saving once more gives the same bytes.
		e.start = start
	} else {
		if start != "" {
			return fmt.Errorf("a start position where none belongs")
		}
		if opening > plies {
			return fmt.Errorf("an opening of %d plies in a game of %d", opening, plies)
		}
		e.state.Reset()
		e.begun, e.seed, e.opening = true, seed, opening
		e.settle()
	}
	for i := range plies {
		a := engine.Action(binary.LittleEndian.Uint16(moves[2*i:]))
		if e.Done() {
			return fmt.Errorf("ply %d comes after the end of the game", i)
		}
		if err := e.state.TryPlay(a); err != nil {
			return fmt.Errorf("ply %d: %w", i, err)
		}
		// The legal list is only needed at the end; whether the game goes on, at every ply.
		_, e.terminated, e.truncated = e.judge()
	}
	e.settle()
	return nil
}
