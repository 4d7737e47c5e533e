package main

import (
	"testing"

	"latro/experiments/stats"
	"latro/selfplay"
)

func TestMatchSPRT(t *testing.T) {
	args := append([]string{"match", "greedy", "random", "-r", "bell-8x7", "--games", "400", "--sprt", "0,200", "--max-plies", "200"}, small...)
	first := latro(t, exitDone, append(args, "--json")...).out
	for _, workers := range []string{"1", "3"} {
		if again := latro(t, exitDone, append(args, "--json", "--workers", workers)...).out; again != first {
			t.Errorf("with %s workers the result is\n%s, without\n%s", workers, again, first)
		}
	}
	var r matchResult
	latroJSON(t, &r, args...)
	if r.SPRT == nil || r.SPRT.Decision != stats.AcceptH1 || r.SPRT.LLR < r.SPRT.Upper || r.Games >= 400 {
		t.Fatalf("%+v %+v", r, r.SPRT)
	}
	if n := r.SPRT.Pairs.Pairs(); 2*n != r.Games {
		t.Errorf("%d pairs tested, %d games counted", n, r.Games)
	}
	// The test stopped at the first pair that decided it.
	test := stats.SPRT{Elo0: 0, Elo1: 200, Alpha: 0.05, Beta: 0.05}
	before := false
	for i, c := range r.SPRT.Pairs {
		if c > 0 {
			p := r.SPRT.Pairs
			p[i]--
			before = before || test.Verdict(test.LLR(p)) == stats.Undecided
		}
	}
	if !before {
		t.Error("the match was decided before its last pair")
	}
	wantIn(t, latro(t, exitDone, args...).out, "SPRT of +0 against +200 Elo", "H1 accepted")
	few := append([]string{"match", "random", "random", "-r", "bell-8x7", "--games", "4", "--sprt", "0,10"}, small...)
	wantIn(t, latro(t, exitDone, few...).out, "undecided")

	for _, more := range [][]string{
		{"--sprt", "10"}, {"--sprt", "10,0"}, {"--sprt", "a,b"}, {"--sprt", "0,NaN"}, {"--sprt", "0,10", "--alpha", "0"}, {"--sprt", "0,10", "--beta", "0.7"},
	} {
		latro(t, exitInput, append([]string{"match", "random", "random", "-r", "bell-8x7", "--games", "2"}, more...)...)
	}
}

// TestSequentialOrder: pairs may arrive in any order, and those after the decision do not count.
func TestSequentialOrder(t *testing.T) {
	const n = 40
	pairs := make([]selfplay.PairResult, n)
	for i := range pairs {
		pairs[i].Pair = i
		outcomes := [2]string{"win0", "win1"} // A wins both
		if i%5 == 0 {
			outcomes[1] = "draw"
		}
		for leg := range 2 {
			pairs[i].Games[leg].Outcome, pairs[i].Games[leg].CanonicalHash = outcomes[leg], uint64(2*i+leg)
		}
	}
	pairs[2].Games = pairs[1].Games // a repetition
	test := stats.SPRT{Elo0: 0, Elo1: 100, Alpha: 0.05, Beta: 0.05}
	play := func(order func(i int) int) *sprtResult {
		s := newSequential(test)
		for i := range n {
			s.add(pairs[order(i)])
		}
		if len(s.played.Pairs) == n || s.counts.Pairs() != len(s.played.Pairs)-1 {
			t.Errorf("%d pairs seen, %d counted", len(s.played.Pairs), s.counts.Pairs())
		}
		return s.result()
	}
	want := play(func(i int) int { return i })
	if want.Decision != stats.AcceptH1 {
		t.Fatalf("%+v", want)
	}
	for _, order := range []func(i int) int{func(i int) int { return n - 1 - i }, func(i int) int { return i * 7 % n }} {
		if got := play(order); *got != *want {
			t.Errorf("in another order %+v, want %+v", got, want)
		}
	}
}
