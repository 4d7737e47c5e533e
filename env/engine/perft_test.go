package engine

import "testing"

// TestPerft compares counts of ply sequences from the start with those of the recorded perft files ("start" lines), which
// another engine counted.
func TestPerft(t *testing.T) {
	for _, c := range []struct {
		id, reading string
		counts      []int
	}{
		{"luductus", "default", []int{52, 2704, 67600}},
		{"webdux", "default", []int{70, 4791, 370337}},
		{"bell-8x7", "ludii", []int{56, 3080, 166320}},
		{"bell-8x7", "default", []int{56, 3080, 166320}},
		{"locus-ludi-seneca", "ludii", []int{64, 4032, 249984}},
		{"locus-ludi-seneca", "default", []int{64, 4032, 249984}},
		{"schadler-2001", "ludii", []int{2, 4, 70, 4106, 254160}},
		{"8x8-kharebga", "ludii", []int{63, 3906, 238266}},
		{"museum-quintana", "default", []int{32, 944, 37796}},
	} {
		s := openGame(t, c.id, c.reading).NewState()
		buf := make([][]Action, len(c.counts))
		for i, want := range c.counts {
			if got := perft(s, i+1, buf); got != want {
				t.Errorf("%s@%s depth %d: %d, want %d", c.id, c.reading, i+1, got, want)
			}
		}
	}
}
