package engine_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"latro/env/engine"
	"latro/env/rules"
)

var update = flag.Bool("update", false, "write the golden playthroughs anew")

// render writes a game: what the ruleset's actions are, every ply with the number of legal ones and what it did, now and
// then the position and the whole list of legal plies, at the end the board and the result. A change of the engine or of
// the rules that changes play shows at the first ply that it concerns. It stops before a ply that is not legal, and says so.
func render(g *engine.Game, ref string, plies []string) string {
	var b strings.Builder
	s := g.NewState()
	fmt.Fprintf(&b, "ruleset %s\nboard %dx%d\nactions %d\nplanes %s\n", ref, g.Rows(), g.Cols(), g.NumActions(), strings.Join(g.Planes(), " "))
	var names []string
	for _, sym := range g.Symmetries() {
		names = append(names, sym.Name)
	}
	fmt.Fprintf(&b, "symmetries %s\n", strings.Join(names, " "))
	square := func(sq uint16) string { return rules.SquareName(int(sq)/g.Cols(), int(sq)%g.Cols()) }
	for n, text := range plies {
		legal := s.Legal(nil)
		if n%50 == 0 {
			fmt.Fprintf(&b, "position %s\nlegal", shortPosition(s))
			for _, a := range legal {
				fmt.Fprintf(&b, " %s", s.Format(a))
			}
			b.WriteByte('\n')
		}
		a, err := s.Parse(text)
		if err != nil {
			fmt.Fprintf(&b, "%d: %v\n", n+1, err)
			break
		}
		mover, phase := s.ToMove(), s.Phase()
		s.Play(a)
		fmt.Fprintf(&b, "%d %d %s of %d", n+1, mover, text, len(legal))
		e := s.LastEffects()
		if len(e.Captured) > 0 {
			b.WriteString(" takes")
		}
		for _, sq := range e.Captured {
			fmt.Fprintf(&b, " %s", square(sq))
		}
		for _, part := range []struct {
			say  bool
			text string
		}{
			{e.CapturedLeader, "the leader"}, {e.Bound > 0, fmt.Sprintf("binds %d", e.Bound)}, {e.Freed > 0, fmt.Sprintf("frees %d", e.Freed)},
			{e.WasBonus, "bonus"}, {s.RepetitionCount() > 1, fmt.Sprintf("occurs %d times", s.RepetitionCount())},
			{s.Phase() != phase, "begins the " + s.Phase().String() + " phase"},
		} {
			if part.say {
				b.WriteString(" " + part.text)
			}
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "position %s\nhash %016x\n", shortPosition(s), s.Hash())
	for row := g.Rows() - 1; row >= 0; row-- {
		for col := range g.Cols() {
			b.WriteRune(s.At(row*g.Cols() + col).Rune())
		}
		b.WriteByte('\n')
	}
	if s.Over() {
		fmt.Fprintf(&b, "end %s by %s\n", s.Outcome(), s.Reason())
	} else {
		b.WriteString("stopped\n")
	}
	return b.String()
}

// shortPosition is the position string without what the repetition rule remembers, which would be most of the file.
func shortPosition(s *engine.State) string {
	text, _, _ := strings.Cut(s.Position(), " seen=")
	return text
}

// pliesOf reads the plies out of a rendered game.
func pliesOf(text string) []string {
	var plies []string
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) > 4 && words[0] == fmt.Sprint(len(plies)+1) && words[3] == "of" {
			plies = append(plies, words[2])
		}
	}
	return plies
}

// find looks for a game that the rules end: one side takes what it can and the other does not, or both do; then, for the
// rules that end a game without captures, one in which moves are taken back. Otherwise the game is stopped.
func find(g *engine.Game, seed uint64) []string {
	longest := 300
	if g.Squares() > 70 {
		longest = 500
	}
	var last []string
	for try := range 24 {
		style := (int(seed) + try) % 3
		if try >= 18 {
			style = 3
		}
		plies, over := playGolden(g, rand.New(rand.NewPCG(seed, uint64(try))), style, longest)
		if over {
			return plies
		}
		last = plies
	}
	return last[:200]
}

// playGolden plays a game. Style 0 and 1: that player takes what he can and the other avoids it; 2: both take; 3: both often go
// back.
func playGolden(g *engine.Game, rng *rand.Rand, style, longest int) (plies []string, over bool) {
	s := g.NewState()
	var before [2]engine.Ply
	for len(plies) < longest && !s.Over() {
		legal := s.Legal(nil)
		me := s.ToMove()
		best, most := legal[rng.IntN(len(legal))], -1<<30
		if s.Phase() == engine.Movement && rng.IntN(8) > 0 {
			rng.Shuffle(len(legal), func(i, j int) { legal[i], legal[j] = legal[j], legal[i] })
			for _, a := range legal {
				ply := s.PlyOf(a)
				s.Play(a)
				e := s.LastEffects()
				s.Undo()
				score := 1000*len(e.Captured) + 10*e.Bound
				switch {
				case style < 2 && me != style:
					score = -score
				case style == 3:
					score = 0
					if ply.Kind == engine.Move && ply.From == before[me].To && ply.To == before[me].From {
						score = 1
					}
				}
				if score > most {
					best, most = a, score
				}
			}
		}
		if ply := s.PlyOf(best); ply.Kind == engine.Move {
			before[me] = ply
		}
		plies = append(plies, s.Format(best))
		s.Play(best)
	}
	return plies, s.Over()
}

// TestGolden plays the game of every ruleset and reading again that stands in the file of its name, and compares all that
// is written there. None may be missing, and none may belong to nothing. With -update the files are written: the games that
// are still legal stay as they are.
func TestGolden(t *testing.T) {
	seen := map[string]bool{}
	complete := 0
	for _, id := range rules.Catalogue() {
		rs, err := rules.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		readings := []string{"default"}
		for _, r := range rs.Readings {
			readings = append(readings, r.Name)
		}
		for _, reading := range readings {
			ref, name := id+"@"+reading, id+"."+reading+".txt"
			seen[name] = true
			t.Run(ref, func(t *testing.T) {
				rs, err := rules.Open(ref)
				if err != nil {
					t.Fatal(err)
				}
				g, err := engine.Compile(rs.Params)
				if err != nil {
					t.Fatal(err)
				}
				path := filepath.Join("testdata", "golden", name)
				want, err := os.ReadFile(path)
				if err != nil && !*update {
					t.Fatalf("%v; if the reading is new, run go test -run Golden -update ./env/engine", err)
				}
				got := render(g, ref, pliesOf(string(want)))
				if strings.Contains(got, "\nend ") {
					complete++
				}
				if *update {
					if !strings.Contains(got, "\nend ") {
						got = render(g, ref, find(g, uint64(len(name))))
					}
					if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
					return
				}
				a, b := strings.Split(got, "\n"), strings.Split(string(want), "\n")
				for i := range max(len(a), len(b)) {
					if i >= len(a) || i >= len(b) || a[i] != b[i] {
						t.Fatalf("%s:%d differs:\n%s\nwant\n%s", path, i+1, strings.Join(a[max(0, i-2):min(i+1, len(a))], "\n"), strings.Join(b[i:min(i+1, len(b))], "\n"))
					}
				}
			})
		}
	}
	t.Logf("%d of %d games go to their end", complete, len(seen))
	if !*update && 10*complete < 8*len(seen) {
		t.Errorf("only %d of %d games go to their end", complete, len(seen))
	}
	files, err := filepath.Glob(filepath.Join("testdata", "golden", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if seen[filepath.Base(file)] {
			continue
		}
		if *update {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		} else {
			t.Errorf("%s belongs to no ruleset and reading", file)
		}
	}
	if !slices.IsSorted(files) || len(files) < len(seen) && !*update {
		t.Errorf("%d files for %d rulesets and readings", len(files), len(seen))
	}
}
