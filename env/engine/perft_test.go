package engine

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// perft counts the sequences of depth legal plies; buf has a list for each depth.
func perft(s *State, depth int, buf [][]Action) int {
	if s.Over() {
		return 0
	}
	legal := s.Legal(buf[depth-1][:0])
	buf[depth-1] = legal
	if depth == 1 {
		return len(legal)
	}
	n := 0
	for _, a := range legal {
		s.Play(a)
		n += perft(s, depth-1, buf)
		s.Undo()
	}
	return n
}

// TestPerft compares counts of ply sequences with those of testdata/perft.txt, which other engines counted, and those from
// the start, of the same origin.
func TestPerft(t *testing.T) {
	for _, c := range []struct {
		id, reading string
		counts      []int
	}{
		{"luductus", "default", []int{52, 2704, 67600}},
		{"webdux", "default", []int{70, 4791, 370337}},
		{"bell-8x7", "default", []int{56, 3080, 166320}},
		{"schadler-2001", "ludii", []int{2, 4, 70, 4106, 254160}},
		{"8x8-kharebga", "ludii", []int{63, 3906, 238266}},
		{"museum-quintana", "default", []int{32, 944, 37796}},
	} {
		checkPerft(t, openGame(t, c.id, c.reading).NewState(), c.id, c.counts)
	}
	data, err := os.ReadFile("testdata/perft.txt")
	if err != nil {
		t.Fatal(err)
	}
	var s *State
	var counts []int
	name := ""
	positions := 0
	for i, line := range strings.Split(string(data), "\n") {
		switch {
		case line == "" || line[0] == '#':
		case line[0] != ' ':
			ref, numbers, _ := strings.Cut(line, " ")
			id, reading, _ := strings.Cut(ref, "@")
			s = openGame(t, id, reading).NewState()
			name = ref + " line " + strconv.Itoa(i+1)
			counts = nil
			for _, n := range strings.Split(numbers, ",") {
				count, err := strconv.Atoi(n)
				if err != nil {
					t.Fatal(err)
				}
				counts = append(counts, count)
			}
		default:
			for _, text := range strings.Fields(line) {
				a, err := s.Parse(text)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				s.Play(a)
			}
			checkPerft(t, s, name, counts)
			positions++
		}
	}
	if positions < 30 {
		t.Fatalf("only %d positions", positions)
	}
}

func checkPerft(t *testing.T, s *State, name string, counts []int) {
	t.Helper()
	buf := make([][]Action, len(counts))
	for i, want := range counts {
		if got := perft(s, i+1, buf); got != want {
			t.Errorf("%s depth %d: %d, want %d", name, i+1, got, want)
		}
	}
}
