package difftest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"latro/env/engine"
	"latro/env/internal/literal"
	"latro/env/oracle"
	"latro/env/rules"
)

// TestMain lets the literal engine's many short-lived boards pile up a little longer than usual before they are collected.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// long says whether the long comparison is asked for: LATRO_LONG is 1 (the source rulesets) or all (the whole
// catalogue).
func long() bool { return os.Getenv("LATRO_LONG") != "" }

// sourceRulesets are those whose source texts the project starts from.
var sourceRulesets = [...]string{"luductus", "locus-ludi-seneca", "bell-8x7", "webdux"}

// longRulesets are those that the long comparison is asked for.
func longRulesets() []string {
	if os.Getenv("LATRO_LONG") == "all" {
		return rules.Catalogue()
	}
	return sourceRulesets[:]
}

// number reads an environment variable, so that another run can look at more or at other games.
func number(t *testing.T, name string, usual uint64) uint64 {
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s is %q, not a number", name, text)
	}
	return n
}

func firstSeed(t *testing.T) uint64 { return number(t, "LATRO_SEED", 1) }

// tally adds up compared games.
type tally struct {
	games, plies, over, cut int
	fired                   map[string]int
}

func (s *tally) add(p Played) {
	s.games++
	s.plies += p.Plies
	if p.Over {
		s.over++
	}
	if p.Cut {
		s.cut++
	}
	if s.fired == nil {
		s.fired = map[string]int{}
	}
	for rule, n := range p.Fired {
		s.fired[rule] += n
	}
}

func (s *tally) join(o *tally) {
	s.games, s.plies, s.over, s.cut = s.games+o.games, s.plies+o.plies, s.over+o.over, s.cut+o.cut
	if s.fired == nil {
		s.fired = map[string]int{}
	}
	for rule, n := range o.fired {
		s.fired[rule] += n
	}
}

func (s *tally) String() string {
	return fmt.Sprintf("%d games (%d to their end, %d cut for their work), %d plies", s.games, s.over, s.cut, s.plies)
}

// rulesFired writes how often each rule took effect.
func (s *tally) rulesFired() string {
	var list []string
	for _, rule := range slices.Sorted(maps.Keys(s.fired)) {
		list = append(list, fmt.Sprintf("%s %d", rule, s.fired[rule]))
	}
	return strings.Join(list, ", ")
}

// compareMany compares games number 0 to n-1 on all cores until the first disagreement, or until the time is up (0: it
// never is).
func compareMany(t *testing.T, name string, n int, limit time.Duration, game func(i int) (*engine.Game, Game)) *tally {
	t.Helper()
	var next atomic.Int64
	var failed atomic.Bool
	var sum tally
	var lock sync.Mutex
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
				lock.Lock()
				sum.add(played)
				if found != nil && failed.CompareAndSwap(false, true) {
					t.Errorf("%s, game %d: %v", name, i, found)
				}
				if long() && sum.games%1000 == 0 {
					t.Logf("%s: %d of %d games, %d plies, %v", name, sum.games, n, sum.plies, time.Since(began).Round(time.Second))
				}
				lock.Unlock()
			}
		})
	}
	wait.Wait()
	if sum.games < n && !failed.Load() {
		t.Errorf("%s: the time was up after %d of %d games; give the test a longer -timeout", name, sum.games, n)
	}
	return &sum
}

// readings are a ruleset of the catalogue in every reading, the default first.
type reading struct {
	ref    string
	params rules.Params
	fast   *engine.Game
}

func readingsOf(t *testing.T, id string) []reading {
	t.Helper()
	base, err := rules.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	refs := []string{id}
	for _, r := range base.Readings {
		refs = append(refs, id+"@"+r.Name)
	}
	var list []reading
	for _, ref := range refs {
		r, err := rules.Open(ref)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, reading{ref, r.Params, compiled(t, r.Params)})
	}
	return list
}

func compiled(t *testing.T, p rules.Params) *engine.Game {
	t.Helper()
	g, err := engine.Compile(p)
	if err != nil {
		t.Fatalf("%v\n%v", err, Departures(p))
	}
	return g
}

// large says whether the literal engine needs long for a game: more than the 104 squares of 8 by 13.
func large(p rules.Params) bool { return p.Board.Rows*p.Board.Cols > 104 }

// TestCatalogue compares games of every ruleset in every reading: games of the ruleset itself, cut some plies after the
// placement, and whole ones of the same rules with few pieces on small boards (Small), by the policies in turn. All in
// all every rule of the catalogue has to take effect; where one does not, more small games are played until it does.
func TestCatalogue(t *testing.T) {
	seed := firstSeed(t)
	var sum tally
	wanted := map[string]reading{} // by rule: a reading that has it
	numbered := 0
	for _, id := range rules.Catalogue() {
		t.Run(id, func(t *testing.T) {
			for k, r := range readingsOf(t, id) {
				games, small := 1, 3
				switch {
				case slices.Contains(sourceRulesets[:], id):
					games, small = 4, len(policies)
				case large(r.params) && k > 0 && !strings.HasSuffix(r.ref, "@ludii"):
					games = 0 // a game takes long; the small ones are the same rules
				}
				plies := min(250, 2*(r.params.Pieces.Men+r.params.Pieces.Leaders)+80)
				if r.params.Setup.Kind == "array" {
					plies = 100
				}
				first := numbered
				numbered += small
				own := compareMany(t, r.ref, games, 0, func(i int) (*engine.Game, Game) {
					return r.fast, Game{Params: r.params, Policy: policies[(first+i)%len(policies)], Seed: seed + uint64(i), MaxPlies: plies}
				})
				sum.join(own)
				sum.join(compareSmall(t, r, first, small))
				for _, rule := range expected(r.params) {
					wanted[rule] = r
				}
			}
		})
	}
	for _, rule := range slices.Sorted(maps.Keys(wanted)) {
		r := wanted[rule]
		for first := 1000; sum.fired[rule] == 0 && !t.Failed(); first += 90 {
			if first > 5000 {
				t.Fatalf("the rule %q (of %s and perhaps others) never took effect", rule, r.ref)
			}
			sum.join(compareSmall(t, r, first, 90))
		}
	}
	t.Logf("%v; rules: %s", &sum, sum.rulesFired())
}

// compareSmall compares n games of the same rules with few pieces on small boards, from number first on: a few boards, by
// every policy each.
func compareSmall(t *testing.T, r reading, first, n int) *tally {
	t.Helper()
	seed := firstSeed(t)
	return compareMany(t, r.ref+" with few pieces", n, 0, func(i int) (*engine.Game, Game) {
		n := first + i
		p := Small(r.params, seed+uint64(n/len(policies)))
		return compiled(t, p), Game{Params: p, Policy: policies[n%len(policies)], Seed: seed + uint64(n), MaxPlies: 150}
	})
}

// expected is what FiredBy names, but for what cannot happen, and for two passes where only superko can bring them about:
// both players must have run out of positions at once, which many thousand games of some readings do not show.
func expected(p rules.Params) []string {
	return slices.DeleteFunc(literal.FiredBy(p), func(rule string) bool {
		return impossible(p, rule) || rule == "end two-passes" && strings.HasSuffix(p.Repetition.Rule, "superko")
	})
}

// impossible says whether a rule that FiredBy names can never take effect.
func impossible(p rules.Params, rule string) bool {
	free := !strings.HasSuffix(p.Repetition.Rule, "superko") && p.Movement.BetweenEnemies == "allowed"
	switch rule {
	case "end two-passes":
		// Unless the board is full, or every piece beside an empty square is bound, some piece beside an empty square
		// can step or slide there: its owner does not pass. A bound man's enemy can take him off.
		return free && (p.Capture.Effect == "remove" || p.Binding.Removal != "none" && p.Binding.RemovalNumber != "all")
	case "end blocked":
		// A blocked player's leader is immobile too, which is looked at first, as long as he has a leader.
		return free && p.End.LeaderImmobilised == "loses" && (p.Capture.Leader == "immune" || p.End.LeaderCaptured != "none")
	}
	return false
}

// TestEveryRule compares small games (Small) of every ruleset in every reading, by all policies, until every rule of the
// reading has taken effect, and at least 90. It needs LATRO_LONG.
func TestEveryRule(t *testing.T) {
	if !long() {
		t.Skip("set LATRO_LONG=1 (or all) for the long comparison")
	}
	const least, step, most = 90, 90, 6300
	var sum tally
	readings := 0
	for _, id := range longRulesets() {
		for _, r := range readingsOf(t, id) {
			t.Run(r.ref, func(t *testing.T) {
				var own tally
				missing := expected(r.params)
				for own.games < most && (own.games < least || len(missing) > 0) && !t.Failed() {
					own.join(compareSmall(t, r, own.games, step))
					missing = slices.DeleteFunc(missing, func(rule string) bool { return own.fired[rule] > 0 })
				}
				if len(missing) > 0 && !t.Failed() {
					t.Errorf("never took effect in %v: %q", &own, missing)
				}
				for _, rule := range literal.FiredBy(r.params) {
					if own.fired[rule] > 0 && impossible(r.params, rule) {
						t.Errorf("%q took effect, which is held to be impossible", rule)
					}
				}
				t.Logf("%v; rules: %s", &own, own.rulesFired())
				sum.join(&own)
				readings++
			})
		}
	}
	t.Logf("%d readings, %v; rules: %s", readings, &sum, sum.rulesFired())
}

// TestLong compares 10,000 games (or LATRO_GAMES) of at most 250 plies a ruleset, shared by its readings, and 20 whole ones.
// It needs LATRO_LONG and, for the four source rulesets, about half an hour of processor time; if the deadline of the
// test (-timeout) comes near, it stops and fails, and says how many games there were.
func TestLong(t *testing.T) {
	if !long() {
		t.Skip("set LATRO_LONG=1 (or all) for the long comparison")
	}
	seed := firstSeed(t)
	ids := longRulesets()
	many := int(number(t, "LATRO_GAMES", 10000))
	for n, id := range ids {
		limit := time.Duration(0)
		if deadline, ok := t.Deadline(); ok {
			limit = max(time.Second, (time.Until(deadline)-time.Minute)/time.Duration(len(ids)-n))
		}
		t.Run(id, func(t *testing.T) {
			refs := readingsOf(t, id)
			games := func(maxPlies int) func(int) (*engine.Game, Game) {
				return func(i int) (*engine.Game, Game) {
					r := refs[i%len(refs)]
					return r.fast, Game{Params: r.params, Policy: policies[i/len(refs)%len(policies)], Seed: seed + uint64(i), MaxPlies: maxPlies}
				}
			}
			whole := compareMany(t, id+" whole", 20, limit/4, games(20000))
			short := compareMany(t, id, many, limit-limit/4, games(250))
			t.Logf("%s: %d readings; whole games: %v; games cut at 250: %v", id, len(refs), whole, short)
		})
	}
}

// TestRandomRules compares games over random valid parameters. A disagreement is shrunk to the simplest parameters and
// the shortest game that show one. LATRO_RULESETS=20000 compares that many rulesets instead of 1,000. How much is done for
// one does not depend on the machine.
func TestRandomRules(t *testing.T) {
	rulesets := number(t, "LATRO_RULESETS", 1000)
	seed := firstSeed(t)
	var next atomic.Uint64
	var failed atomic.Bool
	var sum tally
	var lock sync.Mutex
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for !failed.Load() {
				i := next.Add(1) - 1
				if i >= rulesets {
					return
				}
				own, found, err := compareRandomRules(seed + i)
				lock.Lock()
				sum.join(own)
				if (found != nil || err != nil) && failed.CompareAndSwap(false, true) {
					t.Errorf("ruleset of seed %d: %v", seed+i, err)
					if found != nil {
						shrinker := Shrinker{Compile: engine.Compile, Tries: 20000}
						t.Errorf("ruleset of seed %d: %v\nshrunk: %v", seed+i, found, shrinker.Shrink(found))
					}
				}
				if i%1000 == 999 {
					t.Logf("%d of %d random rulesets, %v", i+1, rulesets, &sum)
				}
				lock.Unlock()
			}
		})
	}
	wait.Wait()
	if rulesets >= 100 && 10*sum.cut > sum.games || sum.games == 0 {
		t.Errorf("too little was compared: %v", &sum)
	}
	t.Logf("%d random rulesets, %v; rules: %s", rulesets, &sum, sum.rulesFired())
}

// randomWork bounds one game of random rules: enough for 150 plies with superko on a 5 by 5 board.
const randomWork = 100_000

// compareRandomRules compares three games, by three policies, in the random ruleset of a seed.
func compareRandomRules(seed uint64) (sum *tally, found *Disagreement, err error) {
	p := RandomParams(rand.New(rand.NewPCG(seed, 3)))
	sum = &tally{}
	fast, err := engine.Compile(p)
	if err != nil {
		return sum, nil, fmt.Errorf("valid parameters do not compile: %w\n%v", err, Departures(p))
	}
	for n := range uint64(3) {
		policy := policies[(3*n+seed)%uint64(len(policies))]
		played, found := Compare(fast, Game{Params: p, Policy: policy, Seed: seed + n, MaxPlies: 150, MaxWork: randomWork})
		sum.add(played)
		if found != nil {
			return sum, found, nil
		}
	}
	return sum, nil, nil
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
		fast := compiled(t, other.Params)
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
		fast := compiled(t, r.Params)
		for seed := range uint64(2) {
			comparePlayout(t, id, fast, seed, 250)
		}
	}
	random, plies := number(t, "LATRO_RULESETS", 1000), 0
	for seed := range random {
		p := RandomParams(rand.New(rand.NewPCG(seed, 5)))
		plies += comparePlayout(t, fmt.Sprintf("random ruleset %d %v", seed, Departures(p)), compiled(t, p), seed, 60)
	}
	t.Logf("%d random rulesets, %d plies", random, plies)
}

func comparePlayout(t *testing.T, name string, fast *engine.Game, seed uint64, plies int) (compared int) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil && r != any(literal.OutOfWork{}) {
			panic(r)
		}
	}()
	s := fast.NewState()
	again, slow := fast.NewState(), literal.NewWithin(fast.Params(), 10*randomWork)
	if n := s.Playout(rand.New(rand.NewPCG(seed, 4)), plies); n != s.Ply() || n != len(s.History()) || !s.Over() && n != plies {
		t.Fatalf("%s: a playout of %d plies, ply %d, over %v", name, n, s.Ply(), s.Over())
	}
	for i, a := range s.History() {
		text := oracle.FormatPly(again, a)
		if err := slow.Play(text); err != nil {
			t.Fatalf("%s, seed %d, ply %d: %v", name, seed, i+1, err)
		}
		again.Play(a)
		compared++
	}
	if slow.Board() != oracle.Board(s) || slow.Outcome() != s.Outcome().String() || slow.Reason() != s.Reason().String() {
		t.Fatalf("%s, seed %d: %s by %s after the playout; literal %s by %s", name, seed, s.Outcome(), s.Reason(), slow.Outcome(), slow.Reason())
	}
	return compared
}

// FuzzRules compares a game of the random ruleset that two numbers give.
func FuzzRules(f *testing.F) {
	for i := range uint64(50) {
		f.Add(i, i+1, uint8(i))
	}
	f.Fuzz(func(t *testing.T, a, b uint64, policy uint8) {
		p := RandomParams(rand.New(rand.NewPCG(a, b)))
		game := Game{Params: p, Policy: policies[int(policy)%len(policies)], Seed: a ^ b, MaxPlies: 80, MaxWork: randomWork / 4}
		if _, found := Compare(compiled(t, p), game); found != nil {
			t.Error(found)
		}
	})
}
