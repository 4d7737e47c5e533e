package main

import (
	"regexp"
	"strings"
	"testing"

	"latro/env/engine"
	"latro/nn/shipped"
)

var small = []string{"--set", "board.rows=5", "--set", "board.cols=5", "--set", "pieces.men=4"}

func play(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	o := latroInput(t, stdin, append([]string{"play", "bell-8x7"}, args...)...)
	if o.code != exitDone {
		t.Fatalf("play %v: exit code %d: %s", args, o.code, o.err)
	}
	return o.out
}

// position is the position string that the program printed last.
func position(t *testing.T, out string) string {
	t.Helper()
	all := regexp.MustCompile(`(?m)(?:^|> )(\S+/\S+ [01] .*)$`).FindAllStringSubmatch(out, -1)
	if len(all) == 0 {
		t.Fatalf("no position in\n%s", out)
	}
	return all[len(all)-1][1]
}

func TestPlay(t *testing.T) {
	start := position(t, play(t, "q\n", "--agent", "none"))
	one := position(t, play(t, "@c3\nq\n", "--agent", "none"))
	if start == one {
		t.Fatal("a legal ply changes nothing")
	}
	for _, c := range []struct{ name, stdin, want string }{
		{"end of input quits", "@c3\n", one},
		{"an illegal ply keeps the game", "@c3\n@c3\n@z9\nc3-c4\nrubbish\n\nq\n", one},
		{"spaces do not matter", "  @c3  \n\nq\n", one},
		{"take back", "@c3\nu\nq\n", start},
		{"take back at the start", "u\nq\n", start},
		{"take back and play on", "@d4\nu\n@c3\nq\n", one},
		{"help, position and rules change nothing", "@c3\n?\np\nr\nq\n", one},
	} {
		if got := position(t, play(t, c.stdin, "--agent", "none")); got != c.want {
			t.Errorf("%s: the position is %q, want %q", c.name, got, c.want)
		}
	}
	if got := position(t, play(t, "q\n", "--agent", "none", "--moves", "@c3")); got != one {
		t.Errorf("--moves leads to %q", got)
	}
	if got := position(t, play(t, "q\n", "--agent", "none", "--position", one)); got != one {
		t.Errorf("--position leads to %q, not %q", got, one)
	}
}

func TestPlayShows(t *testing.T) {
	out := play(t, "?\n@z9\nr\nq\n", "--agent", "none")
	wantIn(t, out, "legal: @a1 @b1", "@g8", "? lists what is legal", `"z9" is not a square`, "u takes back")
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "legal:") && len(line) > helpWidth+1 {
			t.Errorf("the legal plies are on one line of %d characters", len(line))
		}
	}
	wantIn(t, out, "player 0 (●) to move")
	ascii := play(t, "@c3\nq\n", "--agent", "none", "--ascii")
	wantIn(t, ascii, "player 0 (a) to move")
	for _, r := range ascii {
		if r > 127 {
			t.Fatalf("--ascii writes %q", r)
		}
	}
}

// TestPlayAgainstAgent: the agent answers, and taking back undoes its answer too.
func TestPlayAgainstAgent(t *testing.T) {
	// Bell's players put down two men in turn.
	out := play(t, "@c3\n@d4\nq\n", "--agent", "random")
	wantIn(t, out, "player 1 (random): @")
	once := position(t, out)
	if again := position(t, play(t, "@c3\n@d4\nq\n", "--agent", "random")); again != once {
		t.Error("the same seed gives another game")
	}
	if position(t, play(t, "@c3\n@d4\nq\n", "--agent", "random", "--seed", "2")) == once {
		t.Error("another seed gives the same game")
	}
	if back, want := position(t, play(t, "@c3\n@d4\nu\nq\n", "--agent", "random")), position(t, play(t, "@c3\nq\n", "--agent", "random")); back != want {
		t.Errorf("taken back to %q, not %q", back, want)
	}
	wantIn(t, play(t, "q\n", "--agent", "random", "--side", "1"), "player 0 (random): @")
}

// TestPlayDefault: the opponent is the network that ships for the very rules, and alpha-beta for others.
func TestPlayDefault(t *testing.T) {
	for _, id := range shipped.IDs() {
		o := latroInput(t, "q\n", "play", id)
		wantIn(t, o.out, "Player 1 is "+opponentNetwork+".")
		if o.code != exitDone {
			t.Errorf("%s: exit code %d", id, o.code)
		}
	}
	out := play(t, "q\n", "--side", "1", "--set", "end.no_capture_limit=61")
	wantIn(t, out, "Player 0 is "+opponentAlphaBeta+".", "player 0 ("+opponentAlphaBeta+"): @")
	if strings.Contains(play(t, "q\n", "--agent", "none"), "Player 1 is") {
		t.Error("two people have an agent")
	}
}

func TestAgentAgainstAgent(t *testing.T) {
	args := append([]string{"--watch", "random", "--agent", "uct:simulations=4", "--max-plies", "30"}, small...)
	out := play(t, "", args...)
	wantIn(t, out, "player 0 (random)", "player 1 (uct:simulations=4)")
	if strings.Contains(out, "> ") {
		t.Error("a watched game asks for a ply")
	}
	if out != play(t, "", args...) {
		t.Error("the same seed gives another game")
	}
	long := play(t, "", append([]string{"--watch", "greedy", "--agent", "greedy"}, small...)...)
	if !regexp.MustCompile(`^(Player [01] \(greedy\) wins|A draw|No result): [^:]+\.$`).MatchString(lastLine(long)) {
		t.Errorf("the last line is %q", lastLine(long))
	}
	wantIn(t, lastLine(out), "No result: stopped after 30 plies.")
}

// TestReasonsInWords: every end reason of the engine has words.
func TestReasonsInWords(t *testing.T) {
	for r := engine.OneLeft; r <= engine.TurnLimit; r++ {
		if reasons[r] == "" {
			t.Errorf("%s has no words", r)
		}
	}
}
