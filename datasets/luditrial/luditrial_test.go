package luditrial

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"latro/env/engine"
	"latro/env/envtest"
	"latro/env/oracle"
	"latro/env/rules"
)

func codecOf(t testing.TB, ref string) *Codec {
	t.Helper()
	g := envtest.Game(t, ref)
	return NewCodec(g)
}

// randomGame is a game of which three plies in four are those with the most effects, so that captures of several
// pieces, bindings and chains of hops occur. It is stopped after limit plies.
func randomGame(g *engine.Game, seed uint64, limit int) (moves []uint16, s *engine.State) {
	rng := rand.New(rand.NewPCG(seed, 1))
	s = g.NewState()
	var legal []engine.Action
	for !s.Over() && len(moves) < limit {
		legal = s.Legal(legal[:0])
		a := legal[rng.IntN(len(legal))]
		if seed%2 == 1 && rng.IntN(4) > 0 {
			best := -1
			for _, b := range legal {
				s.Play(b)
				e := s.LastEffects()
				value := 3*len(e.Captured) + 2*e.Bound + e.Freed
				s.Undo()
				if value > best {
					best, a = value, b
				}
			}
		}
		s.Play(a)
		moves = append(moves, uint16(a))
	}
	return moves, s
}

// again reads a trial and replays it.
func again(c *Codec, name, text string) (*Trial, []uint16, engine.Outcome, error) {
	trial, err := Parse(name, strings.NewReader(text))
	if err != nil {
		return nil, nil, 0, err
	}
	var moves []uint16
	outcome, err := c.Replay(trial, func(s *engine.State, a engine.Action) error {
		if !s.IsLegal(a) {
			return fmt.Errorf("%d is handed over but not legal", a)
		}
		moves = append(moves, uint16(a))
		return nil
	})
	return trial, moves, outcome, err
}

// TestRoundTrip: random games of every ruleset, written and read, are the same games with the same end.
func TestRoundTrip(t *testing.T) {
	outcomes := map[engine.Outcome]int{}
	text := map[string]int{}
	for _, rs := range Rulesets() {
		c := codecOf(t, rs.Ref())
		for seed := range uint64(4) {
			limit := 400
			if seed == 0 && c.squares <= 64 {
				limit = 5000
			}
			moves, s := randomGame(c.game, seed, limit)
			var b strings.Builder
			got, err := c.Write(&b, rs.Options(), moves)
			if err != nil || got != s.Outcome() {
				t.Fatalf("%s game %d: outcome %v, %v (%v)", rs, seed, got, s.Outcome(), err)
			}
			trial, back, outcome, err := again(c, rs.ID, b.String())
			if err != nil {
				t.Fatal(err)
			}
			want := s.Outcome()
			if want == engine.Ongoing {
				want = engine.Capped
			}
			if !slices.Equal(back, moves) || outcome != want {
				t.Fatalf("%s game %d: %d moves come back as %d, %v as %v", rs, seed, len(moves), len(back), want, outcome)
			}
			if found, err := trial.RulesetOf(); err != nil || found != rs {
				t.Errorf("%s is found as %v (%v)", rs, found, err)
			}
			outcomes[s.Outcome()]++
			for _, word := range []string{"SetState", "[Remove:type=Cell,to=12]", "SetNextPlayer", "forced=true", "Select", "SetPending", "SetCounter", "TurnLimit"} {
				text[word] += strings.Count(b.String(), word)
			}
		}
	}
	for _, o := range []engine.Outcome{engine.Ongoing, engine.Win0, engine.Win1, engine.Capped} {
		if outcomes[o] == 0 {
			t.Errorf("no game with the outcome %v; the test shows less than it should", o)
		}
	}
	for word, n := range text {
		if n == 0 {
			t.Errorf("%s occurs nowhere; the test shows less than it should", word)
		}
	}
}

// TestRecordedGames: the games that Ludii played (testdata of env/oracle), written and read, are the same.
func TestRecordedGames(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "env", "oracle", "testdata", "*.games.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	games := 0
	for _, path := range files {
		r, err := oracle.OpenGames(path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		name := r.Head().Ruleset
		rs, ok := ByID(oracle.Subject(name))
		if !ok || oracle.Reading(name) != "ludii" || r.Head().Reading != "" {
			continue
		}
		if heading := r.Head().Ludii; !strings.HasSuffix(name, "-fixed") {
			alone := &Trial{Game: GameName, Options: []string{heading}}
			if found, err := alone.RulesetOf(); err != nil || found != rs {
				t.Errorf("the heading %q is found as %v (%v)", heading, found, err)
			}
		}
		c := codecOf(t, rs.Ref())
		s := c.game.NewState()
		var moves []uint16
		for {
			rec, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			switch rec.Type {
			case "game":
				s.Reset()
				moves = moves[:0]
			case "ply":
				a, err := oracle.ParsePly(s, rec.Move)
				if err != nil {
					t.Fatal(err)
				}
				s.Play(a)
				moves = append(moves, uint16(a))
			case "end":
				var b strings.Builder
				if _, err := c.Write(&b, rs.Options(), moves); err != nil {
					t.Fatal(err)
				}
				_, back, _, err := again(c, name, b.String())
				if err != nil || !slices.Equal(back, moves) {
					t.Fatalf("%s game %d comes back otherwise (%v)", name, *rec.Game, err)
				}
				games++
			}
		}
	}
	if games < 10 {
		t.Errorf("only %d recorded games", games)
	}
}

// TestGolden: these trials were loaded by Ludii 1.3.12, which stored the same text for every move and came to the same
// end; so what is written for these games must not change.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.trl")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d trials (%v)", len(files), err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		trial, err := Parse(path, bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		rs, err := trial.RulesetOf()
		if err != nil {
			t.Fatal(err)
		}
		c := codecOf(t, rs.Ref())
		_, moves, _, err := again(c, path, string(data))
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if _, err := c.Write(&b, rs.Options(), moves); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b.Bytes(), data) {
			t.Errorf("%s is written otherwise now", path)
		}
	}
}

// short is the first plies of a game on 8x7: two placements by player 1.
func short(t *testing.T) (c *Codec, lines []string) {
	t.Helper()
	c = codecOf(t, "bell-8x7@ludii")
	s := c.game.NewState()
	var moves []uint16
	for _, text := range []string{"@a1", "@b1", "@g8"} {
		a, err := s.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		s.Play(a)
		moves = append(moves, uint16(a))
	}
	rs, _ := ByID("bell-8x7")
	var b strings.Builder
	if _, err := c.Write(&b, rs.Options(), moves); err != nil {
		t.Fatal(err)
	}
	return c, strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

// TestText is the whole text of a short trial, and with it the layout of the sites.
func TestText(t *testing.T) {
	_, lines := short(t)
	want := `game=/lud/board/war/custodial/Ludus Latrunculorum.lud
START GAME OPTIONS
Repetition of states/No
Suggested Variants/Bell 8x7
END GAME OPTIONS
RNG internal state=0,0,0,0,0,0,0,0
Move=[Move:mover=0,from=56,to=56,actions=[Add:type=Cell,to=56,what=1,count=16]]
Move=[Move:mover=0,from=58,to=58,actions=[Add:type=Cell,to=58,what=2,count=16]]
Move=[Move:mover=0,from=57,to=57,actions=[Add:type=Cell,to=57,what=3]]
Move=[Move:mover=0,from=59,to=59,actions=[Add:type=Cell,to=59,what=4]]
Move=[Move:mover=1,from=56,to=0,actions=[Move:typeFrom=Cell,from=56,typeTo=Cell,to=0,decision=true],[SetNextPlayer:player=1]]
Move=[Move:mover=1,from=56,to=1,actions=[Move:typeFrom=Cell,from=56,typeTo=Cell,to=1,decision=true]]
Move=[Move:mover=2,from=58,to=55,actions=[Move:typeFrom=Cell,from=58,typeTo=Cell,to=55,decision=true],[SetNextPlayer:player=2]]
numInitialPlacementMoves=4
rankings=0.0,0.0,0.0`
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("the trial is\n%s\nwant\n%s", got, want)
	}
}

// TestErrors: what is wrong with a trial is said with the line and what is right.
func TestErrors(t *testing.T) {
	c, lines := short(t)
	for _, test := range []struct {
		name      string
		line      int    // to replace, from 1; 0 for none
		old, new_ string // in it
		want      []string
	}{
		{"another game", 1, "Latrunculorum", "Duodecim", []string{"x.trl:1:", "only trials of"}},
		{"no game", 1, "game=", "play=", []string{"x.trl:1:", "game=NAME"}},
		{"repetition", 3, "No", "Yes", []string{"x.trl:3:", "repeated states", "--ruleset"}},
		{"variant", 4, "Bell 8x7", "Bell 9x9", []string{"x.trl:4:", "Bell 9x9", "--ruleset"}},
		{"option", 4, "Suggested Variants", "Colour", []string{"x.trl:4:", "not known"}},
		{"another variant", 4, "8x7", "8x8", []string{"x.trl:7:", "16 of piece 1 on site 56"}},
		{"garbage", 6, "RNG internal state=", "hello ", []string{"x.trl:6:", "no line of a trial"}},
		{"setup", 8, "count=16", "count=15", []string{"x.trl:8:", "15 of piece 2 on site 58", "16 of piece 2"}},
		{"setup twice", 8, "to=58,what=2,", "to=56,what=1,", []string{"x.trl:8:", "16 of piece 1 on site 56 twice"}},
		{"head", 12, "from=56,to=1,actions", "from=56,to=2,actions", []string{"x.trl:12:", "to site 2", "its action", "site 1"}},
		{"occupied", 12, "typeTo=Cell,to=1", "typeTo=Cell,to=0", []string{"x.trl:12:", "@a1 is not legal for player 1", "legal are @b1 @c1"}},
		{"other hand", 12, "typeFrom=Cell,from=56", "typeFrom=Cell,from=58", []string{"x.trl:12:", "site 58", "hand of player 1"}},
		{"leader first", 12, "typeFrom=Cell,from=56", "typeFrom=Cell,from=57", []string{"x.trl:12:", "@@b1 is not legal"}},
		{"from board", 12, "typeFrom=Cell,from=56", "typeFrom=Cell,from=0", []string{"x.trl:12:", "the move from a1 to b1 is not legal"}},
		{"site", 12, "typeTo=Cell,to=1", "typeTo=Cell,to=99", []string{"x.trl:12:", "site 99", "56 squares"}},
		{"mover", 12, "mover=1", "mover=2", []string{"x.trl:12:", "move of player 2", "turn of player 1"}},
		{"effect", 12, ",decision=true]", ",decision=true],[Remove:type=Cell,to=0]", []string{"x.trl:12:", "@b1:", "site 0 emptied", "by the rules: nothing"}},
		{"lost effect", 11, ",[SetNextPlayer:player=1]", "", []string{"x.trl:11:", "nothing; by the rules: player 1 goes on"}},
		{"pass", 12, "Move:typeFrom=Cell,from=56,typeTo=Cell,to=1,", "Pass:", []string{"x.trl:12:", "-- is not legal"}},
		{"removal", 12, "Move:typeFrom=Cell,from=56,typeTo=Cell,to=1,", "Remove:to=0,", []string{"x.trl:12:", "xa1 is not legal"}},
		{"raise", 12, "Move:typeFrom=Cell,from=56,typeTo=Cell,to=1,", "Select:from=56,", []string{"x.trl:12:", "+ is not legal"}},
		{"forfeit", 12, "Move:typeFrom=Cell,from=56,typeTo=Cell,to=1,", "Forfeit:", []string{"x.trl:12:", "Forfeit", "known are"}},
		{"vertex", 12, "typeTo=Cell", "typeTo=Vertex", []string{"x.trl:12:", "Vertex", "cells"}},
		{"number", 12, "typeTo=Cell,to=1", "typeTo=Cell,to=1e9", []string{"x.trl:12:", "1e9"}},
		{"brackets", 12, "actions=[", "actions=", []string{"x.trl:12:", "[Name:…]"}},
		{"no actions", 12, "actions", "acts", []string{"x.trl:12:", "without actions"}},
		{"no mover", 12, "mover=1,", "", []string{"x.trl:12:", "without mover"}},
		{"setup count", 14, "=4", "=9", []string{"x.trl:14:", "numInitialPlacementMoves"}},
		{"setup count low", 14, "=4", "=3", []string{"x.trl:9:", "lacks 1 of piece 4 on site 59"}},
		{"won too early", 15, "rankings", "winner=1\nendtype=NaturalEnd\nrankings", []string{"x.trl:15:", "winner=1", "the game goes on with player 2"}},
		{"cut short", 15, "rankings=0.0,0.0,0.0", "", []string{"x.trl:14:", "cut short"}},
		{"rankings", 15, "0.0,0.0,0.0", "0.0,1.0,2.0", []string{"x.trl:14:", "rankings are [0 1 2]", "0.0,0.0,0.0"}},
		{"rankings NaN", 15, "0.0,0.0,0.0", "0.0,NaN,0.0", []string{"x.trl:14:", "rankings are [0 NaN 0]"}},
		{"winner", 15, "rankings", "winner=3\nrankings", []string{"x.trl:15:", "not 0, 1 or 2"}},
		{"move after the end", 15, "rankings=0.0,0.0,0.0", lines[11], []string{"x.trl:15:", "after line 14"}},
		{"twice", 15, "rankings", "numInitialPlacementMoves=4\nrankings", []string{"x.trl:15:", "a second time, after line 14"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			changed := slices.Clone(lines)
			changed[test.line-1] = strings.Replace(lines[test.line-1], test.old, test.new_, 1)
			if changed[test.line-1] == lines[test.line-1] {
				t.Fatalf("line %q has no %q", lines[test.line-1], test.old)
			}
			trial, err := Parse("x.trl", strings.NewReader(strings.Join(changed, "\n")))
			if err == nil {
				var rs Ruleset
				if rs, err = trial.RulesetOf(); err == nil {
					code := c
					if rs.ID != "bell-8x7" {
						code = codecOf(t, rs.Ref())
						test.want[0] = "x.trl:7:"
					}
					_, err = code.Replay(trial, nil)
				}
			}
			if err == nil {
				t.Fatal("no error")
			}
			if !errors.Is(err, ErrTrial) {
				t.Errorf("%v is no ErrTrial", err)
			}
			for _, w := range test.want {
				if !strings.Contains(err.Error(), w) && !(test.name == "another variant" && w != test.want[0]) {
					t.Errorf("%q lacks %q", err, w)
				}
			}
		})
	}
}

// TestLimits: a trial that a limit of Ludii's stopped is capped; the same end for a finished game is wrong.
func TestLimits(t *testing.T) {
	c, lines := short(t)
	text := strings.Join(lines[:len(lines)-1], "\n") + "\nwinner=0\nendtype=MoveLimit\nrankings=0.0,1.5,1.5\n"
	if _, _, outcome, err := again(c, "x", text); err != nil || outcome != engine.Capped {
		t.Errorf("stopped by the limit: %v, %v", outcome, err)
	}
	for seed := range uint64(20) {
		moves, s := randomGame(c.game, seed, 3000)
		if s.Outcome() != engine.Win0 {
			continue
		}
		var b strings.Builder
		if _, err := c.Write(&b, nil, moves); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		for _, change := range [][2]string{
			{"winner=1", "winner=2"}, {"winner=1", "winner=0"}, {"winner=1\nendtype=NaturalEnd", "winner=0\nendtype=TurnLimit"}, {"winner=1\nendtype=NaturalEnd\n", ""},
		} {
			_, _, _, err := again(c, "x", strings.Replace(text, change[0], change[1], 1))
			if !errors.Is(err, ErrTrial) || !strings.Contains(err.Error(), "by the rules") {
				t.Errorf("%q instead of %q: %v", change[1], change[0], err)
			}
		}
		// A move more than the game has.
		last := strings.LastIndex(text, "Move=")
		end := last + strings.Index(text[last:], "\n") + 1
		_, _, _, err := again(c, "x", text[:end]+text[last:end]+text[end:])
		if !errors.Is(err, ErrTrial) || !strings.Contains(err.Error(), "the game is over") {
			t.Errorf("a move after the end: %v", err)
		}
		return
	}
	t.Error("no game was won")
}

// TestVariants: spellings of other versions and hands are the same trial.
func TestVariants(t *testing.T) {
	c, lines := short(t)
	text := strings.Join(lines, "\n")
	want, err := Parse("x", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	swapped := slices.Clone(lines)
	swapped[6], swapped[9] = swapped[9], swapped[6]
	for name, other := range map[string]string{
		"CRLF":           strings.Join(lines, "\r\n") + "\r\n",
		"signed":         text + "\nSANDBOX=false\nLUDII_VERSION=1.3.12\n",
		"mark":           "\ufeff" + text,
		"no types":       strings.NewReplacer("typeFrom=Cell,", "", "typeTo=Cell,", "", "type=Cell,", "").Replace(text),
		"other order":    strings.Join(swapped, "\n"),
		"no numInitial":  strings.Replace(text, "numInitialPlacementMoves=4\n", "", 1),
		"legal moves":    strings.Replace(text, "numInitial", "LEGAL MOVES LIST SIZE = 56\nNEW LEGAL MOVES LIST\n[Move:mover=1,actions=[Pass:]]\nEND LEGAL MOVES LIST\nnumInitial", 1),
		"old collection": strings.Replace(text, "/war/custodial/", "/war/other/", 1),
		"name alone":     strings.Replace(text, "/lud/board/war/custodial/Ludus Latrunculorum.lud", "Ludus Latrunculorum", 1),
		"heading":        strings.Replace(text, "Suggested Variants/Bell 8x7", "Ruleset/Bell 8x7 (Suggested)", 1),
	} {
		trial, moves, _, err := again(c, "x", other)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if rs, err := trial.RulesetOf(); err != nil || rs.ID != "bell-8x7" || len(moves) != len(want.Moves)-4 {
			t.Errorf("%s: %v, %d moves (%v)", name, rs, len(moves), err)
		}
	}
	none := &Trial{Name: "x", Game: GameName}
	if rs, err := none.RulesetOf(); err != nil || rs.ID != "schadler-1994" {
		t.Errorf("without options it is %v (%v)", rs, err)
	}
}

// TestHostile: lengths are bounded.
func TestHostile(t *testing.T) {
	_, lines := short(t)
	head := strings.Join(lines[:6], "\n") + "\n"
	move := "Move=[Move:mover=1,actions=[Pass:]]\n"
	for name, text := range map[string]string{
		"long line":     head + "Move=" + strings.Repeat("[", 1<<15),
		"many moves":    head + strings.Repeat(move, maxMoves+1),
		"many actions":  head + "Move=[Move:mover=1,actions=" + strings.Repeat("[A:],", maxActions) + "[A:]]",
		"many options":  "game=x\nSTART GAME OPTIONS\n" + strings.Repeat("a\n", maxOptions+1),
		"open options":  "game=x\nSTART GAME OPTIONS\n",
		"open legal":    head + "NEW LEGAL MOVES LIST\n",
		"second block":  head + "START GAME OPTIONS\nEND GAME OPTIONS\n",
		"many rankings": head + "rankings=" + strings.Repeat("1,", 100),
		"empty":         "",
	} {
		if _, err := Parse("x", strings.NewReader(text)); !errors.Is(err, ErrTrial) || len(err.Error()) > 400 {
			t.Errorf("%s: %.500v", name, err)
		}
	}
	broken := io.MultiReader(strings.NewReader(head), readerFunc(func([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }))
	if _, err := Parse("x", broken); !errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, ErrTrial) {
		t.Errorf("a failing disk: %v", err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestOtherRules: the effects of rules that Ludii's moves cannot tell are refused instead of being written wrongly.
func TestOtherRules(t *testing.T) {
	c := codecOf(t, "luductus")
	for seed := range uint64(40) {
		moves, _ := randomGame(c.game, 2*seed+1, 300)
		_, err := c.Write(io.Discard, nil, moves)
		if err == nil {
			continue
		}
		if !errors.Is(err, ErrTrial) || !strings.Contains(err.Error(), "only rulesets that Ludii has") {
			t.Errorf("%v", err)
		}
		return
	}
	t.Error("no game with a capture that only luductus has")
}

// TestIllegalMoves: a move that is not legal is named by its number.
func TestIllegalMoves(t *testing.T) {
	c := codecOf(t, "6x6-seega@ludii")
	for _, moves := range [][]uint16{{0}, {uint16(engine.NoAction)}, {uint16(c.game.Pass())}} {
		if _, err := c.Write(io.Discard, nil, moves); err == nil || !strings.Contains(err.Error(), "ply 1 of 1") {
			t.Errorf("%v: %v", moves, err)
		}
	}
}

func TestRulesets(t *testing.T) {
	all := Rulesets()
	if len(all) != 30 {
		t.Errorf("%d rulesets", len(all))
	}
	known := rules.Catalogue()
	for _, r := range all {
		if !slices.Contains(known, r.ID) {
			t.Errorf("%s is not in the catalogue", r.ID)
		}
	}
	if _, ok := ByID("luductus"); ok {
		t.Error("Ludii has luductus")
	}
}

// FuzzParseTrial: whatever the text, there is no panic; and a trial that agrees with the rules is the same after
// it was written and read again.
func FuzzParseTrial(f *testing.F) {
	for _, id := range []string{"bell-8x7", "schadler-2001"} {
		rs, _ := ByID(id)
		c := codecOf(f, rs.Ref())
		moves, _ := randomGame(c.game, 1, 8)
		var b strings.Builder
		if _, err := c.Write(&b, rs.Options(), moves); err != nil {
			f.Fatal(err)
		}
		f.Add(b.String())
	}
	f.Add("game=Ludus Latrunculorum\nSTART GAME OPTIONS\nSuggested Variants/Museum Quintana\nEND GAME OPTIONS\n" +
		"Move=[Move:mover=1,from=8,to=16,actions=[Move:from=8,to=16,decision=true]]\nwinner=0\nendtype=TurnLimit\nrankings=0,1.5,1.5\n")
	f.Add("game=Ludus Latrunculorum\nNEW LEGAL MOVES LIST\n[Move:mover=1,actions=[Pass:,forced=true]]\nEND LEGAL MOVES LIST\nrankings=1")
	codecs := map[string]*Codec{}
	f.Fuzz(func(t *testing.T, text string) {
		trial, err := Parse("x", strings.NewReader(text))
		if err != nil {
			if !errors.Is(err, ErrTrial) {
				t.Fatalf("%v is no ErrTrial", err)
			}
			return
		}
		rs, err := trial.RulesetOf()
		if err != nil {
			return
		}
		c := codecs[rs.ID]
		if c == nil {
			c = codecOf(t, rs.Ref())
			codecs[rs.ID] = c
		}
		var moves []uint16
		outcome, err := c.Replay(trial, func(_ *engine.State, a engine.Action) error {
			moves = append(moves, uint16(a))
			return nil
		})
		if err != nil {
			if !errors.Is(err, ErrTrial) {
				t.Fatalf("%v is no ErrTrial", err)
			}
			return
		}
		var b strings.Builder
		if _, err := c.Write(&b, rs.Options(), moves); err != nil {
			t.Fatal(err)
		}
		if _, back, end, err := again(c, "y", b.String()); err != nil || end != outcome || !slices.Equal(back, moves) {
			t.Fatalf("the trial comes back otherwise (%v)", err)
		}
	})
}
