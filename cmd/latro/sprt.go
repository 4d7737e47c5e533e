package main

import (
	"fmt"
	"strconv"
	"strings"

	"latro/experiments/stats"
	"latro/selfplay"
)

// parseSPRT reads "elo0,elo1".
func parseSPRT(text string, alpha, beta float64) (stats.SPRT, error) {
	low, high, comma := strings.Cut(text, ",")
	elo0, err0 := strconv.ParseFloat(strings.TrimSpace(low), 64)
	elo1, err1 := strconv.ParseFloat(strings.TrimSpace(high), 64)
	if !comma || err0 != nil || err1 != nil {
		return stats.SPRT{}, fmt.Errorf("%w: --sprt is %q; write two Elo differences, as 0,50", errInput, text)
	}
	t := stats.SPRT{Elo0: elo0, Elo1: elo1, Alpha: alpha, Beta: beta}
	if err := t.Check(); err != nil {
		return t, fmt.Errorf("%w: --sprt %s, --alpha %v, --beta %v: %w", errInput, text, alpha, beta, err)
	}
	return t, nil
}

// sequential applies a test to a match's pairs in the order of their numbers, in whatever order they are finished,
// so that its verdict does not depend on who plays them.
type sequential struct {
	test    stats.SPRT
	waiting map[int]selfplay.PairResult
	played  selfplay.MatchResult // the pairs that the test has seen
	seen    map[[2]uint64]bool
	counts  stats.Pentanomial
	llr     float64
}

func newSequential(t stats.SPRT) *sequential {
	return &sequential{test: t, waiting: map[int]selfplay.PairResult{}, seen: map[[2]uint64]bool{}}
}

func (s *sequential) done() bool { return s.test.Verdict(s.llr) != stats.Undecided }

// add takes a finished pair, and says whether the test is done. Once it is, pairs change nothing.
func (s *sequential) add(p selfplay.PairResult) bool {
	s.waiting[p.Pair] = p
	for !s.done() {
		at := len(s.played.Pairs)
		next, ok := s.waiting[at]
		if !ok {
			break
		}
		delete(s.waiting, at)
		s.played.Pairs = append(s.played.Pairs, next)
		key := [2]uint64{next.Games[0].CanonicalHash, next.Games[1].CanonicalHash}
		if s.seen[key] {
			continue // as in MatchResult.Distinct
		}
		s.seen[key] = true
		scores := next.Scores()
		s.counts.Add((scores[0] + scores[1]) / 2)
		s.llr = s.test.LLR(s.counts)
	}
	return s.done()
}

// sprtResult is how a sequential test ended.
type sprtResult struct {
	Elo0  float64 `json:"elo0"`
	Elo1  float64 `json:"elo1"`
	Alpha float64 `json:"alpha"`
	Beta  float64 `json:"beta"`
	LLR   float64 `json:"llr"`
	Lower float64 `json:"llr_lower"`
	Upper float64 `json:"llr_upper"`
	// Pairs counts pairs by A's points in them: 0, ½, 1, 1½, 2.
	Pairs    stats.Pentanomial `json:"pentanomial"`
	Decision stats.Verdict     `json:"decision"`
}

func (s *sequential) result() *sprtResult {
	r := &sprtResult{
		Elo0: s.test.Elo0, Elo1: s.test.Elo1, Alpha: s.test.Alpha, Beta: s.test.Beta,
		LLR: s.llr, Pairs: s.counts, Decision: s.test.Verdict(s.llr),
	}
	r.Lower, r.Upper = s.test.Bounds()
	return r
}

// String is the result in words.
func (r *sprtResult) String() string {
	words := map[stats.Verdict]string{
		stats.AcceptH0:  fmt.Sprintf("H0 accepted: A is %+g Elo better rather than %+g", r.Elo0, r.Elo1),
		stats.AcceptH1:  fmt.Sprintf("H1 accepted: A is %+g Elo better rather than %+g", r.Elo1, r.Elo0),
		stats.Undecided: "undecided: more games are needed",
	}[r.Decision]
	return fmt.Sprintf("SPRT of %+g against %+g Elo, LLR %.2f in (%.2f, %.2f), pairs by points 0 to 2 %v: %s",
		r.Elo0, r.Elo1, r.LLR, r.Lower, r.Upper, [5]int(r.Pairs), words)
}
