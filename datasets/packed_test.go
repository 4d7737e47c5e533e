package datasets

import (
	"math"
	"testing"
)

// TestWindowKeepsSamplesExactly: what the window packs comes back bit for bit, over chunks, after samples left, and for the
// largest and strangest values that a sample can have.
func TestWindowKeepsSamplesExactly(t *testing.T) {
	rows := randomSamples(testRNG(7), 2*chunkRows+300)
	rows[0] = Sample{}
	rows[1] = Sample{
		GameID: math.MaxUint64, Ply: math.MaxUint32, RulesetHash: "é", Player: 1, State: []byte{255}, LegalCount: math.MaxUint16,
		Actions: []uint16{0, 65535, 3}, Visits: []uint32{math.MaxUint32, 0, 1}, Policy: []float32{0, 1, math.SmallestNonzeroFloat32},
		RootValue: float32(math.Copysign(0, -1)), Played: 65535, OutcomeValue: -1, PliesLeft: math.MaxUint32, FinalMaterial: float32(math.Inf(1)),
		Simulations: math.MaxUint32, Full: true,
	}
	w, err := NewWindow(WindowConfig{Base: 1e6, Alpha: 1, Beta: 1, MaxRows: len(rows) - 100})
	if err != nil {
		t.Fatal(err)
	}
	w.Add(rows[:10], 1)
	for i := range 10 {
		mustEqual(t, []Sample{*w.At(i)}, rows[i:i+1])
	}
	if math.Signbit(float64(w.At(1).RootValue)) != true {
		t.Error("-0 became 0")
	}
	w.Add(rows[10:], 2)
	if w.Len() != len(rows)-100 {
		t.Fatalf("%d rows held, want %d", w.Len(), len(rows)-100)
	}
	full := 0
	for i := range w.Len() {
		mustEqual(t, []Sample{*w.At(i)}, rows[100+i:101+i])
		if rows[100+i].Full {
			full++
		}
	}
	if st := w.Stats(); st.Full != full {
		t.Errorf("%d rows from a full search, want %d", st.Full, full)
	}
	// NaN, which is no number to compare.
	w.Add([]Sample{{Surprise: float32(math.NaN())}}, 3)
	if got := w.At(w.Len() - 1).Surprise; got == got {
		t.Errorf("surprise is %v, want NaN", got)
	}
}
