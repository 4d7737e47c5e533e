package engine

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"latro/env/rules"
)

var update = flag.Bool("update", false, "write the golden playthroughs anew")

// playthrough writes a random game of a ruleset: each ply with the number of legal ones, the position's hash, what the ply
// did, and now and then the position and the whole list. With a change of the engine that changes play, the differences
// show what changed.
func playthrough(g *Game, ref string, seed uint64) string {
	var b strings.Builder
	s := g.NewState()
	rng := rand.New(rand.NewPCG(seed, 0x601d))
	fmt.Fprintf(&b, "ruleset %s\nboard %dx%d\nactions %d\nplanes %s\n", ref, g.rows, g.cols, g.NumActions(), strings.Join(g.Planes(), " "))
	var names []string
	for _, sym := range g.Symmetries() {
		names = append(names, sym.Name)
	}
	fmt.Fprintf(&b, "symmetries %s\n", strings.Join(names, " "))
	for n := 0; n < 140 && !s.Over(); n++ {
		legal := s.Legal(nil)
		if n%35 == 0 {
			fmt.Fprintf(&b, "position %s\nlegal", s.Position())
			for _, a := range legal {
				fmt.Fprintf(&b, " %s", s.Format(a))
			}
			b.WriteByte('\n')
		}
		a := legal[rng.IntN(len(legal))]
		// Captures are rare in random play: take the first ply of eight tries that has an effect.
		for try := 0; try < 8 && s.Phase() == Movement; try++ {
			s.Play(a)
			e := s.LastEffects()
			does := len(e.Captured) > 0 || e.Bound > 0
			s.Undo()
			if does {
				break
			}
			a = legal[rng.IntN(len(legal))]
		}
		text, mover := s.Format(a), s.ToMove()
		s.Play(a)
		fmt.Fprintf(&b, "%d %d %s of %d %016x", n+1, mover, text, len(legal), s.Hash())
		e := s.LastEffects()
		for _, sq := range e.Captured {
			fmt.Fprintf(&b, " takes %s", g.squareName(int(sq)))
		}
		if e.Bound > 0 {
			fmt.Fprintf(&b, " binds %d", e.Bound)
		}
		if e.Freed > 0 {
			fmt.Fprintf(&b, " frees %d", e.Freed)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "position %s\nend %s %s\n", s.Position(), s.Outcome(), s.Reason())
	return b.String()
}

// TestGolden compares one playthrough of every ruleset and reading with the file of its name.
func TestGolden(t *testing.T) {
	seen := map[string]bool{}
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
			name := id + "." + reading + ".txt"
			seen[name] = true
			t.Run(id+"@"+reading, func(t *testing.T) {
				g := openGame(t, id, reading)
				got := playthrough(g, id+"@"+reading, uint64(len(name)))
				path := filepath.Join("testdata", "golden", name)
				if *update {
					if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
					return
				}
				want, err := os.ReadFile(path)
				if err != nil {
					t.Fatalf("%v; if the reading is new, run go test -run Golden -update", err)
				}
				a, b := strings.Split(got, "\n"), strings.Split(string(want), "\n")
				for i := 0; i < max(len(a), len(b)); i++ {
					if i >= len(a) || i >= len(b) || a[i] != b[i] {
						t.Fatalf("%s:%d differs:\n%s", path, i+1, strings.Join(append(a[:min(i+1, len(a))][max(0, i-2):min(i+1, len(a))], "want", b[min(i, len(b)-1)]), "\n"))
					}
				}
			})
		}
	}
	files, _ := filepath.Glob(filepath.Join("testdata", "golden", "*.txt"))
	for _, file := range files {
		if seen[filepath.Base(file)] {
			continue
		}
		if *update {
			os.Remove(file)
		} else {
			t.Errorf("%s belongs to no ruleset and reading", file)
		}
	}
}
