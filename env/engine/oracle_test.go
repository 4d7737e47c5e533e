package engine

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"latro/env/rules"
)

// The recorded games and counts that the engine must reproduce are read from the directory that LATRO_ORACLE names; the
// format is that of env/oracle, whose tests replay a selection that lies in the repository.

func oracleDir(t *testing.T) string {
	dir := os.Getenv("LATRO_ORACLE")
	if dir == "" {
		t.Skip("LATRO_ORACLE names no directory of recorded games")
	}
	return dir
}

// oracleRuleset gives the ruleset and reading that a file's name stands for; "" for the files that show another
// engine's bugs.
func oracleRuleset(name string) (id, reading string) {
	name, _, _ = strings.Cut(name, ".")
	switch {
	case name == "schadler-1994" || name == "schadler-2001" || name == "locus-ludi-seneca":
		return "", ""
	case strings.HasSuffix(name, "-fixed"):
		return strings.TrimSuffix(name, "-fixed"), "ludii"
	case strings.HasSuffix(name, "-default"):
		return strings.TrimSuffix(name, "-default"), "default"
	case name == "luductus" || name == "webdux":
		return name, "default"
	}
	return name, "ludii"
}

func openGame(t testing.TB, id, reading string) *Game {
	t.Helper()
	rs, err := rules.Open(id + "@" + reading)
	if err != nil {
		t.Fatal(err)
	}
	g, err := Compile(rs.Params)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func oracleSquare(g *Game, sq int) string { return fmt.Sprintf("%d.%d", sq/g.cols, sq%g.cols) }

func oraclePly(s *State, a Action) string {
	g := s.game
	ply := s.PlyOf(a)
	switch ply.Kind {
	case PlaceMan:
		return "P" + oracleSquare(g, ply.To)
	case PlaceLeader:
		return "D" + oracleSquare(g, ply.To)
	case Move:
		return "M" + oracleSquare(g, ply.From) + "-" + oracleSquare(g, ply.To)
	case Hop:
		return "H" + oracleSquare(g, ply.From) + "-" + oracleSquare(g, ply.To)
	case Remove:
		return "X" + oracleSquare(g, ply.From)
	case Raise:
		return "R"
	}
	return "-"
}

func oracleBoard(s *State) string {
	b := make([]byte, s.game.squares)
	for sq := range b {
		b[sq] = byte(s.At(sq).Rune())
	}
	return string(b)
}

type oracleLine struct {
	T      string `json:"t"`
	P      int    `json:"p"`
	N      int    `json:"n"`
	L      string `json:"l"`
	X      string `json:"x"`
	M      string `json:"m"`
	B      string `json:"b"`
	H      []int  `json:"h"`
	G      int    `json:"g"`
	Result string `json:"result"`
	End    string `json:"end"`
	Name   string `json:"name"`
	Moves  string `json:"moves"`
	Perft  []int  `json:"perft"`
}

func oracleLines(t *testing.T, path string, visit func(int, *oracleLine) bool) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	sc := bufio.NewScanner(z)
	sc.Buffer(nil, 1<<24)
	for n := 1; sc.Scan(); n++ {
		var line oracleLine
		if err := json.Unmarshal(sc.Bytes(), &line); err != nil {
			t.Fatalf("%s:%d: %v", path, n, err)
		}
		if !visit(n, &line) {
			return
		}
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
}

func TestOracleGames(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(oracleDir(t), "*.games.jsonl.gz"))
	if len(files) == 0 {
		t.Fatal("no recorded games")
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".games.jsonl.gz")
		id, reading := oracleRuleset(name)
		if id == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			g := openGame(t, id, reading)
			s := g.NewState()
			var legal []Action
			var texts []string
			games, plies := 0, 0
			skip := false
			oracleLines(t, file, func(n int, line *oracleLine) bool {
				bad := func(format string, args ...any) {
					t.Errorf("line %d ply %d: %s\n%s", n, s.Ply(), fmt.Sprintf(format, args...), oracleBoard(s))
					skip = true
				}
				switch line.T {
				case "game":
					s.Reset()
					games++
					skip = false
				case "ply":
					if skip {
						return true
					}
					plies++
					legal = s.Legal(legal[:0])
					texts = texts[:0]
					for _, a := range legal {
						texts = append(texts, oraclePly(s, a))
					}
					slices.Sort(texts)
					joined := strings.Join(texts, " ")
					if s.ToMove() != line.P-1 {
						bad("player %d to move, want %d", s.ToMove(), line.P-1)
					} else if len(legal) != line.N || line.L != "" && line.L != joined {
						bad("legal\n%s\nwant %d\n%s", joined, line.N, line.L)
					} else if line.X != "" {
						h := fnv.New32a()
						h.Write([]byte(joined))
						if fmt.Sprintf("%08x", h.Sum32()) != line.X {
							bad("hash of the legal plies")
						}
					}
					i := slices.IndexFunc(legal, func(a Action) bool { return oraclePly(s, a) == line.M })
					if skip {
						return true
					}
					if i < 0 {
						bad("played %s", line.M)
						return true
					}
					s.Play(legal[i])
					if b := oracleBoard(s); b != line.B {
						bad("%s: want board\n%s", line.M, line.B)
					}
					if line.H != nil {
						m0, l0 := s.Hand(0)
						m1, l1 := s.Hand(1)
						if !slices.Equal(line.H, []int{m0, l0, m1, l1}) {
							bad("hands %d %d %d %d want %v", m0, l0, m1, l1, line.H)
						}
					}
				case "end":
					if skip || line.Result == "unfinished" {
						return true
					}
					want := map[string]Outcome{"1": Win0, "2": Win1, "draw": Draw}[line.Result]
					if line.End == "TurnLimit" {
						want = Capped
					}
					if s.Outcome() != want {
						bad("outcome %s (%s) want %s (%s)", s.Outcome(), s.Reason(), want, line.End)
					}
					if line.End != "NaturalEnd" && line.End != "TurnLimit" && line.End != s.Reason().String() {
						bad("reason %s want %s", s.Reason(), line.End)
					}
				}
				return !t.Failed()
			})
			t.Logf("games %d plies %d", games, plies)
		})
	}
}

func TestOraclePerft(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(oracleDir(t), "*.perft.jsonl.gz"))
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".perft.jsonl.gz")
		id, reading := oracleRuleset(name)
		if id == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			g := openGame(t, id, reading)
			s := g.NewState()
			buf := make([][]Action, 16)
			positions := 0
			oracleLines(t, file, func(n int, line *oracleLine) bool {
				positions++
				s.Reset()
				for i, m := range strings.Fields(line.Moves) {
					legal := s.Legal(nil)
					k := slices.IndexFunc(legal, func(a Action) bool { return oraclePly(s, a) == m })
					if k < 0 {
						t.Fatalf("%s: move %d %s is not legal", line.Name, i, m)
					}
					s.Play(legal[k])
				}
				if b := oracleBoard(s); b != line.B || s.ToMove() != line.P-1 {
					t.Fatalf("%s: board\n%s want\n%s", line.Name, b, line.B)
				}
				for i, want := range line.Perft {
					if want > 2_000_000 || testing.Short() && want > 100_000 {
						break
					}
					if got := perft(s, i+1, buf); got != want {
						t.Errorf("%s: depth %d: %d, want %d", line.Name, i+1, got, want)
					}
				}
				return true
			})
			t.Log("positions " + strconv.Itoa(positions))
		})
	}
}
