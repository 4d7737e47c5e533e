package engine

import (
	"errors"
	"strings"
	"testing"

	"latro/env/rules"
)

// TestPositionErrors checks that what is no position is refused, and that the message says what is wrong.
func TestPositionErrors(t *testing.T) {
	for _, c := range []struct{ ref, text, want string }{
		{"bell-8x7", "", "the board, the mover"},
		{"bell-8x7", "7/7/7/7/7/7/7 0 movement", "8 ranks"},
		{"bell-8x7", "7/7/7/7/7/7/7/7/7 0 movement", "more than 8 ranks"},
		{"bell-8x7", "7/7/7/7/7/7/7/8 0 movement", "7 squares"},
		{"bell-8x7", "7/7/7/7/7/7/7/99999999999999999999 0 movement", "7 squares"},
		{"bell-8x7", "7/7/7/7/7/7/7/a5b 2 movement", "mover"},
		{"bell-8x7", "7/7/7/7/7/7/7/a5b 0 lunch", "phase"},
		{"bell-8x7", "7/7/7/7/7/7/7/a5x 0 movement", "bound"},
		{"bell-8x7", "7/7/7/7/7/7/7/a5q 0 movement", "no piece"},
		{"bell-8x7", "7/7/7/7/7/7/7/a5. 0 movement", "no piece"},
		{"bell-8x7", "7/7/7/7/7/7/7/a6 0 movement", "over"},
		{"bell-8x7", "7/7/7/7/7/7/7/AA4b 0 movement", "leaders"},
		{"bell-8x7", "aaaaaaa/aaaaaaa/aaaaaaa/7/7/7/7/6b 0 movement", "men"},
		{"bell-8x7", "7/7/7/7/7/7/7/a5b 0 placement", "before movement"},
		{"bell-8x7", "7/7/7/7/7/7/7/a5b 0 movement hand=1,0,0,0", "hand"},
		{"bell-8x7", "7/7/7/7/7/7/7/a5b 0 movement hand=1,0", "hand"},
		{"bell-8x7", "7/7/7/7/7/7/7/a5b 0 movement bonus=g1", "bonus"},
		{"bell-8x7", "7/7/7/7/7/7/7/a5b 0 movement bonus=a1", "inturn"},
		{"bell-8x7", "7/7/7/7/7/7/7/a5b 0 movement bonus=z9", "z9"},
		{"bell-8x7", "7/7/7/7/7/7/7/a5b 0 movement chain=a1", "chain"},
		{"bell-8x7", "7/7/7/7/7/7/7/a5b 0 movement quiet=5", "counters"},
		{"bell-8x7", "7/7/7/7/7/7/7/a5b 0 movement ply=-1", "whole number"},
		{"bell-8x7", "7/7/7/7/7/7/7/a5b 0 movement ply=1 ply=2", "twice"},
		{"bell-8x7", "7/7/7/7/7/7/7/a5b 0 movement mood=good", "unknown field"},
		{"bell-8x7", "7/7/7/7/7/7/7/a5b 0 movement end=win0", "end"},
		{"bell-8x7", "7/7/7/7/7/7/7/a5b 0 movement end=capped:blocked", "end"},
		{"bell-8x7", "7/7/7/7/7/7/7/a5b 0 movement undo=-,-,-", "undo"},
		{"bell-8x7", "7/7/7/7/7/7/7/a5b 0 movement seen=7/7:0", "ranks"},
		{"bell-8x7", "7/7/7/7/7/7/7/a5b 0 movement visited=a1", "visited"},
		{"luductus", "13/13/13/13/13/13/a11b 0 movement seen=x", "no repetition rule"},
		{"webdux", "12/12/12/12/12/12/12/a10b 0 placement", "array"},
		{"webdux", "12/12/12/12/12/12/b11/ab10 0 movement", "no ply"},
	} {
		rs, err := rules.Open(c.ref)
		if err != nil {
			t.Fatal(err)
		}
		g, err := Compile(rs.Params)
		if err != nil {
			t.Fatal(err)
		}
		s, err := g.ParsePosition(c.text)
		if err == nil {
			t.Errorf("%q is read as %s", c.text, s.Position())
			continue
		}
		if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v; want it to say %q", c.text, err, c.want)
		}
	}
}

// TestParseErrors checks what State.Parse says of plies that are none.
func TestParseErrors(t *testing.T) {
	s := openGame(t, "bell-8x7", "default").NewState()
	for _, c := range []struct {
		text string
		want error
	}{
		{"", ErrInvalid}, {"@", ErrInvalid}, {"@h1", ErrInvalid}, {"@a9", ErrInvalid}, {"a1", ErrInvalid}, {"a1-a1", ErrInvalid},
		{"a1-a4", ErrInvalid}, {"xa1", ErrInvalid}, {"+", ErrInvalid}, {"@@a1", ErrIllegal}, {"--", ErrIllegal}, {"a1-a2", ErrIllegal},
	} {
		if _, err := s.Parse(c.text); !errors.Is(err, c.want) {
			t.Errorf("Parse(%q): %v, want %v", c.text, err, c.want)
		}
	}
}

// TestSmallPositions checks single rules in positions made for them: the board after the plies, and how the game stands.
// The cases are readings of RULES.md sections 1, 2, 3 and 5, worked out by hand.
func TestSmallPositions(t *testing.T) {
	for _, c := range []struct {
		name, ref, set, start, plies, board, end string
	}{
		{"custodial capture", "webdux", "", "2a9/12/12/12/ab10/12/12/A5b4B 0", "c8-c4", "12/12/12/12/a1a9/12/12/A5b4B", ""},
		{"between two enemies is safe", "webdux", "", "3a8/12/12/12/2b1b7/12/12/A10B 0", "d8-d4", "12/12/12/12/2bab7/12/12/A10B", ""},
		{"between two enemies is taken", "webdux", "capture.moving_between=taken", "3a8/12/12/12/2b1b7/12/12/A9aB 0", "d8-d4", "12/12/12/12/2b1b7/12/12/A9aB", ""},
		{"hostile edge", "webdux", "", "1a10/12/12/12/b11/12/12/A5b4B 0", "b8-b4", "12/12/12/12/1a10/12/12/A5b4B", ""},
		{"neutral edge", "webdux", "capture.edge=neutral", "1a10/12/12/12/b11/12/12/A5b4B 0", "b8-b4", "12/12/12/12/ba10/12/12/A5b4B", ""},
		{"corner by the edge", "webdux", "", "b11/12/12/12/12/a11/12/A5b4B 0", "a3-a7", "12/a11/12/12/12/12/12/A5b4B", ""},
		{"a leader that captures nobody", "webdux", "", "11a/12/12/12/b11/12/1A10/6b4B 0", "b2-b4", "11a/12/12/12/bA10/12/12/6b4B", ""},
		{"a leader taken", "webdux", "", "6a5/12/12/12/4aB6/12/12/A5b5 0", "g8-g4", "12/12/12/12/4a1a5/12/12/A5b5", "win0:leader-captured"},
		{"the last man", "webdux", "", "6a5/12/12/12/4ab6/12/12/A5B5 0", "g8-g4", "12/12/12/12/4a1a5/12/12/A5B5", "win0:none-left"},
		{"row of three", "luductus", "", "4a8/13/13/abbb9/13/13/A10bB 0", "e7-e4", "13/13/13/a3a8/13/13/A10bB", ""},
		{"row of three, single capture", "luductus", "capture.line=single", "4a8/13/13/abbb9/13/13/A10bB 0", "e7-e4", "13/13/13/abbba8/13/13/A10bB", ""},
		{"a gap saves the row", "luductus", "", "4a8/13/13/ab1b9/13/13/A10bB 0", "e7-e4", "13/13/13/ab1ba8/13/13/A10bB", ""},
		{"diagonal capture", "luductus", "", "3a9/13/13/13/2b10/1a11/A10bB 0", "d7-d4", "13/13/13/3a9/13/1a11/A10bB", ""},
		{"a leader shields the row", "luductus", "", "3a9/13/13/abB10/13/13/A10b1 0", "d7-d4", "13/13/13/abBa9/13/13/A10b1", ""},
		{"the row spans a leader", "luductus", "capture.leader_in_row=spans", "3a9/13/13/abB10/13/13/A10b1 0", "d7-d4", "13/13/13/a1Ba9/13/13/A10b1", ""},
		{"a leader surrounded", "luductus", "", "12a/13/13/13/13/4b8/A10aB 0", "m7-m2", "13/13/13/13/13/4b7a/A10a1", "win0:leader-captured"},
		{"hostile corner and bonus", "bell-8x7", "", "7/7/7/7/7/7/2a4/1b3b1 0", "c2-c1 c1-c2", "7/7/7/7/7/7/2a4/5b1", ""},
		{"hostile corner with the victim's man", "bell-8x7", "", "7/7/7/7/7/7/2a4/bb3b1 0", "c2-c1 --", "7/7/7/7/7/7/7/b1a2b1", ""},
		{"corner hostile unless own", "bell-8x7", "capture.corner=hostile-unless-own", "7/7/7/7/7/7/2a4/bb3b1 0", "c2-c1", "7/7/7/7/7/7/7/bba2b1", ""},
		{"bind", "schadler-1994", "", "8/8/8/2a5/ab6/8/8/6bb 0", "c5-c4", "8/8/8/8/aya5/8/8/6bb", ""},
		{"a guard walks away", "schadler-1994", "", "8/8/8/2a5/ab6/8/8/6bb 0", "c5-c4 h1-h2 c4-c5", "8/8/8/2a5/ab6/8/7b/6b1", ""},
		{"remove", "schadler-1994", "", "8/8/8/2a5/ab6/8/8/6bb 0", "c5-c4 h1-h2 xb4", "8/8/8/8/a1a5/8/7b/6b1", ""},
		{"a bound captor lets its prisoner go", "schadler-1994", "", "8/8/8/2a5/2bxb3/8/2a5/7b 0", "c2-c3", "8/8/8/2a5/2yab3/2a5/8/7b", ""},
		{"remove down to one", "schadler-1994", "", "8/8/8/8/aya5/8/8/7b 0", "xb4", "8/8/8/8/a1a5/8/8/7b", "win0:one-left"},
		{"threefold", "schadler-1994", "", "8/8/8/8/a6a/8/8/b6b 0 movement seen=8/8/8/8/a6a/8/8/b6b:0",
			"a4-a5 a1-b1 a5-a4 b1-a1 a4-a5 a1-b1 a5-a4 b1-a1", "8/8/8/8/a6a/8/8/b6b", "draw:repetition"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var sets []string
			if c.set != "" {
				sets = append(sets, c.set)
			}
			rs, err := rules.Open(c.ref, sets...)
			if err != nil {
				t.Fatal(err)
			}
			g, err := Compile(rs.Params)
			if err != nil {
				t.Fatal(err)
			}
			start := c.start
			if !strings.Contains(start, "movement") {
				start += " movement"
			}
			s, err := g.ParsePosition(start)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range strings.Fields(c.plies) {
				a, err := s.Parse(text)
				if err != nil {
					t.Fatalf("%v\n%s", err, s.Position())
				}
				s.Play(a)
			}
			if got, _, _ := strings.Cut(s.Position(), " "); got != c.board {
				t.Errorf("board %s, want %s", got, c.board)
			}
			end := ""
			if s.Over() {
				end = s.Outcome().String() + ":" + s.Reason().String()
			}
			if end != c.end {
				t.Errorf("end %q, want %q", end, c.end)
			}
		})
	}
}
