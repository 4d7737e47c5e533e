package difftest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"latro/env/engine"
	"latro/env/internal/literal"
	"latro/env/oracle"
	"latro/env/rules"
)

// long says whether the long comparison is asked for: LATRO_LONG is 1 (the source rulesets) or all (the whole
// catalogue).
func long() bool { return os.Getenv("LATRO_LONG") != "" }

// sourceRulesets are those whose source texts the project starts from.
var sourceRulesets = [...]string{"luductus", "locus-ludi-seneca", "bell-8x7", "webdux"}

// firstSeed is 1, or LATRO_SEED, so that another run can look at other games.
func firstSeed(t *testing.T) uint64 {
	text := os.Getenv("LATRO_SEED")
	if text == "" {
		return 1
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("LATRO_SEED is %q, not a number", text)
	}
	return n
}

// compareMany compares games number 0 to n-1 on all cores until the first disagreement, or until the time is up.
// It logs progress in the long run and returns how many plies were compared.
func compareMany(t *testing.T, name string, n int, limit time.Duration, game func(i int) (*engine.Game, Game)) int64 {
	t.Helper()
	var next, plies atomic.Int64
	var failed atomic.Bool
	var once sync.Once
	var wait sync.WaitGroup
	began := time.Now()
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for !failed.Load() && (limit == 0 || time.Since(began) < limit) {
				i := next.Add(1) - 1
				if i >= int64(n) {
					return
				}
				fast, g := game(int(i))
				played, found := Compare(fast, g)
				if found != nil {
					failed.Store(true)
					once.Do(func() { t.Errorf("%s, game %d: %v", name, i, found) })
					return
				}
				if plies.Add(int64(played)); long() && i%1000 == 999 {
					t.Logf("%s: %d of %d games, %d plies, %v", name, i+1, n, plies.Load(), time.Since(began).Round(time.Second))
				}
			}
		})
	}
	wait.Wait()
	if done := next.Load(); long() && done < int64(n) && !failed.Load() {
		t.Errorf("%s: the time was up after %d of %d games; give the test a longer -timeout", name, done, n)
	}
	return plies.Load()
}

// readingsOf opens a ruleset of the catalogue in every reading, the default first, and compiles it.
func readingsOf(t *testing.T, id string) (refs []string, params []rules.Params, fast []*engine.Game) {
	t.Helper()
	base, err := rules.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	refs = []string{id}
	for _, reading := range base.Readings {
		if large(base.Params) && reading.Name != "ludii" && !long() {
			continue // a game takes a second; the same readings are compared on the smaller boards
		}
		refs = append(refs, id+"@"+reading.Name)
	}
	for _, ref := range refs {
		r, err := rules.Open(ref)
		if err != nil {
			t.Fatal(err)
		}
		g, err := engine.Compile(r.Params)
		if err != nil {
			t.Fatalf("%s: %v", ref, err)
		}
		params, fast = append(params, r.Params), append(fast, g)
	}
	return refs, params, fast
}

// TestCatalogue compares random games over every ruleset of the catalogue in every reading, ply by ply: 200 games
// of at most 250 plies a ruleset, shared by its readings.
func TestCatalogue(t *testing.T) {
	seed := firstSeed(t)
	for _, id := range rules.Catalogue() {
		t.Run(id, func(t *testing.T) {
			refs, params, fast := readingsOf(t, id)
			plies := 250
			if large(params[0]) {
				plies = 190 // beyond the placement even on 11 by 16
			}
			for k, ref := range refs {
				compareMany(t, ref, (200+len(refs)-1)/len(refs), shortLimit(id, len(refs)), func(i int) (*engine.Game, Game) {
					return fast[k], Game{Params: params[k], Policy: policies[i%len(policies)], Seed: seed + uint64(i), MaxPlies: plies}
				})
			}
		})
	}
}

// TestLong compares 10,000 games of at most 250 plies a ruleset, shared by its readings, and 20 whole ones. It
// needs LATRO_LONG and, for the four source rulesets, about half an hour of processor time; if the deadline of the
// test (-timeout) comes near, it stops and fails, and says how many games there were.
func TestLong(t *testing.T) {
	if !long() {
		t.Skip("set LATRO_LONG=1 (or all) for the long comparison")
	}
	seed := firstSeed(t)
	ids := sourceRulesets[:]
	if os.Getenv("LATRO_LONG") == "all" {
		ids = rules.Catalogue()
	}
	for n, id := range ids {
		limit := time.Duration(0)
		if deadline, ok := t.Deadline(); ok {
			limit = max(time.Second, (time.Until(deadline)-time.Minute)/time.Duration(len(ids)-n))
		}
		t.Run(id, func(t *testing.T) {
			refs, params, fast := readingsOf(t, id)
			games := func(maxPlies int) func(int) (*engine.Game, Game) {
				return func(i int) (*engine.Game, Game) {
					k := i % len(refs)
					return fast[k], Game{Params: params[k], Policy: policies[i/len(refs)%len(policies)], Seed: seed + uint64(i), MaxPlies: maxPlies}
				}
			}
			whole := compareMany(t, id+" whole", 20, limit/4, games(20000))
			short := compareMany(t, id, 10000, limit-limit/4, games(250))
			t.Logf("%s: %d readings, %d plies of whole games, %d plies of games cut at 250", id, len(refs), whole, short)
		})
	}
}

// large says whether the literal engine needs long for a game: more than the 104 squares of 8 by 13.
func large(p rules.Params) bool { return p.Board.Rows*p.Board.Cols > 104 }

// shortLimit is the time that one reading may take in a plain go test; 0 is no limit. The four rulesets of the
// source texts always have their 200 games; the others as many of theirs as fit, so that the whole catalogue stays
// below half a minute. The long run leaves none out.
func shortLimit(id string, readings int) time.Duration {
	if slices.Contains(sourceRulesets[:], id) {
		return 0
	}
	return 8 * time.Second / time.Duration(readings*len(rules.Catalogue()))
}

// TestRandomRules compares games over random valid parameters on small boards. A disagreement is shrunk to the
// simplest parameters and the shortest game that show one.
func TestRandomRules(t *testing.T) {
	rulesets, limit := 600, 8*time.Second
	if long() {
		rulesets, limit = 20000, 10*time.Minute
	}
	began := time.Now()
	seed := firstSeed(t)
	var next, plies atomic.Int64
	var failed atomic.Bool
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for !failed.Load() && time.Since(began) < limit {
				i := next.Add(1) - 1
				if i >= int64(rulesets) {
					return
				}
				s := seed + uint64(i)
				played, found, err := compareRandomRules(s)
				plies.Add(int64(played))
				if (found != nil || err != nil) && failed.CompareAndSwap(false, true) {
					if err != nil {
						t.Errorf("ruleset of seed %d: %v", s, err)
						return
					}
					t.Errorf("ruleset of seed %d: %v\nshrunk: %v", s, found, Shrink(found, 4000, time.Minute))
				}
				if long() && i%1000 == 999 {
					t.Logf("%d of %d random rulesets, %d plies", i+1, rulesets, plies.Load())
				}
			}
		})
	}
	wait.Wait()
	if plies.Load() == 0 {
		t.Error("nothing was compared")
	}
}

// compareRandomRules compares a game of each policy in the random ruleset of a seed.
func compareRandomRules(seed uint64) (plies int, found *Disagreement, err error) {
	p := RandomParams(rand.New(rand.NewPCG(seed, 3)))
	fast, err := engine.Compile(p)
	if err != nil {
		return 0, nil, fmt.Errorf("valid parameters do not compile: %w\n%v", err, Departures(p))
	}
	for n, policy := range policies {
		played, found := Compare(fast, Game{Params: p, Policy: policy, Seed: seed + uint64(n), MaxPlies: 150})
		plies += played
		if found != nil {
			return plies, found, nil
		}
	}
	return plies, nil, nil
}

// TestSeesDifferences compares the engines with different rules on each side: a comparison that finds nothing
// there finds nothing anywhere.
func TestSeesDifferences(t *testing.T) {
	for _, change := range []string{"capture.corner=neutral", "bonus.after=none", "movement.leaders.hop_over=", "end.no_capture_limit=31", "setup.per_turn=1"} {
		base, err := rules.Open("bell-8x7")
		if err != nil {
			t.Fatal(err)
		}
		other, err := rules.Open("bell-8x7", change)
		if err != nil {
			t.Fatal(err)
		}
		fast, err := engine.Compile(other.Params)
		if err != nil {
			t.Fatal(err)
		}
		seen := false
		for seed := range uint64(60) {
			if _, d := Compare(fast, Game{Params: base.Params, Policy: policies[seed%3], Seed: seed, MaxPlies: 250}); d != nil {
				seen = true
				break
			}
		}
		if !seen {
			t.Errorf("%s: no difference seen in 60 games", change)
		}
	}
}

// TestPlayouts: what the fast engine plays in its playouts, without asking for lists of legal plies, is legal by
// the literal one and ends the same way.
func TestPlayouts(t *testing.T) {
	for _, id := range rules.Catalogue() {
		r, err := rules.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		if large(r.Params) && !long() {
			continue // the large tables are like the small ones, only slower
		}
		fast, err := engine.Compile(r.Params)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(2) {
			s := fast.NewState()
			if n := s.Playout(rand.New(rand.NewPCG(seed, 4)), 250); n != s.Ply() || n != len(s.History()) || !s.Over() && n != 250 {
				t.Fatalf("%s: a playout of %d plies, ply %d, over %v", id, n, s.Ply(), s.Over())
			}
			again, slow := fast.NewState(), literal.New(r.Params)
			for i, a := range s.History() {
				text := oracle.FormatPly(again, a)
				if err := slow.Play(text); err != nil {
					t.Fatalf("%s, seed %d, ply %d: %v", id, seed, i+1, err)
				}
				again.Play(a)
			}
			if slow.Board() != oracle.Board(s) || slow.Outcome() != s.Outcome().String() || slow.Reason() != s.Reason().String() {
				t.Fatalf("%s, seed %d: %s by %s after the playout; literal %s by %s", id, seed, s.Outcome(), s.Reason(), slow.Outcome(), slow.Reason())
			}
		}
	}
}
