package analysis

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"latro/env"
	"latro/env/engine"
	"latro/env/envtest"
	"latro/env/oracle"
	"latro/env/rules"
	"latro/env/seed"
	"latro/mcts"
	"latro/nn"
	"latro/selfplay"
)

var update = flag.Bool("update", false, "rewrite testdata")

// config is the default configuration with an agent and a ruleset.
func config(agent, ruleset string) Config {
	c := DefaultConfig()
	c.Agent, c.Ruleset, c.Threads, c.Version = agent, ruleset, 2, "test"
	return c
}

// serve answers all lines of input and returns the answers.
func serve(t testing.TB, cfg Config, input string) string {
	t.Helper()
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := s.Serve(t.Context(), strings.NewReader(input), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// reply holds the fields of any answer that tests look at.
type reply struct {
	ID           string
	Error, Field string
	Line         int
	Ply          int
	DuringSearch bool `json:"during_search"`
	Agent        string
	Mover        int
	Over         bool
	Outcome      string
	Reason       string
	Move         string
	Value        *float64
	Value0       *float64 `json:"value_player0"`
	Proven       bool
	Low, High    float64
	Network      *networkAnswer
	Visits       int
	Simulations  int
	Stopped      string
	Moves        []moveAnswer
	Policy       map[string]float64
	SearchPolicy map[string]float64 `json:"search_policy"`
	Tree         []branchAnswer
	Legal        []string
	Action       string
	Terminated   int
	TerminateID  string `json:"terminate_id"`
	Version      string
	After        *struct {
		Mover   int
		Over    bool
		Outcome string
		Legal   []string
	}
}

func decode(t testing.TB, line string) reply {
	t.Helper()
	var r reply
	if err := json.Unmarshal([]byte(line), &r); err != nil {
		t.Fatalf("%v in %q", err, line)
	}
	return r
}

func replies(t testing.TB, out string) []reply {
	t.Helper()
	var all []reply
	for line := range strings.Lines(out) {
		all = append(all, decode(t, line))
	}
	return all
}

// only is the single answer.
func only(t testing.TB, out string) reply {
	t.Helper()
	all := replies(t, out)
	if len(all) != 1 {
		t.Fatalf("%d answers instead of one:\n%s", len(all), out)
	}
	return all[0]
}

// client talks to a server that runs.
type client struct {
	t   *testing.T
	in  *io.PipeWriter
	out *bufio.Scanner
	end chan error
}

func dial(t *testing.T, ctx context.Context, cfg Config) *client {
	t.Helper()
	_, c := dialServer(t, ctx, cfg)
	return c
}

func dialServer(t *testing.T, ctx context.Context, cfg Config) (*Server, *client) {
	t.Helper()
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &client{t, inW, bufio.NewScanner(outR), make(chan error, 1)}
	c.out.Buffer(nil, 1<<20)
	go func() {
		c.end <- s.Serve(ctx, inR, outW)
		outW.Close()
	}()
	t.Cleanup(func() { inW.Close(); outR.Close() })
	return s, c
}

func (c *client) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) receive() reply {
	c.t.Helper()
	if !c.out.Scan() {
		c.t.Fatalf("no answer: %v", c.out.Err())
	}
	return decode(c.t, c.out.Text())
}

// network writes a network with random parameters and returns its path.
func network(t testing.TB, ref, preset string) string {
	t.Helper()
	r, g := envtest.Open(t, ref)
	cfg, err := nn.ParsePreset(preset)
	if err != nil {
		t.Fatal(err)
	}
	n, err := nn.New(cfg, selfplay.ShapeOf(env.NewEncoder(g)), 7)
	if err != nil {
		t.Fatal(err)
	}
	n.RulesetID, n.RulesetHash = r.Ref(), r.Hash()
	path := filepath.Join(t.TempDir(), "net.latro")
	if err := n.Save(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// randomLine plays random plies and returns them in both notations.
func randomLine(g *engine.Game, n int, rng *rand.Rand) (latro, recorded []string, end *engine.State) {
	s := g.NewState()
	for i := 0; i < n && !s.Over(); i++ {
		legal := s.Legal(nil)
		a := legal[rng.IntN(len(legal))]
		latro = append(latro, s.Format(a))
		recorded = append(recorded, oracle.FormatPly(s, a))
		s.Play(a)
	}
	return latro, recorded, s
}

func jsonOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// TestSessions compares whole sessions with recorded ones. One thread and queries that are answered in the order
// of the lines, so that the order of the answers is fixed.
func TestSessions(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		// The first line is the configuration.
		head, input, _ := strings.Cut(string(text), "\n")
		cfg := config("uniform:simulations=8", "")
		if err := json.Unmarshal([]byte(head), &cfg); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		// Line by line, so that no search is overtaken by an error.
		c := dial(t, t.Context(), cfg)
		var out strings.Builder
		for line := range strings.Lines(input) {
			c.send(strings.TrimSuffix(line, "\n"))
			answers := 1
			var q struct {
				Turns []int `json:"analyse_turns"`
			}
			if json.Unmarshal([]byte(line), &q) == nil && len(q.Turns) > 0 {
				answers = len(q.Turns)
			}
			for range answers {
				if !c.out.Scan() {
					t.Fatalf("%s: no answer to %s", file, line)
				}
				out.WriteString(c.out.Text() + "\n")
			}
		}
		c.in.Close()
		if err := <-c.end; err != nil {
			t.Errorf("%s: %v", file, err)
		}
		golden := strings.TrimSuffix(file, ".jsonl") + ".golden"
		if *update {
			if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		got, wanted := strings.Split(out.String(), "\n"), strings.Split(string(want), "\n")
		for i := range max(len(got), len(wanted)) {
			g, w := "", ""
			if i < len(got) {
				g = got[i]
			}
			if i < len(wanted) {
				w = wanted[i]
			}
			if g != w {
				t.Errorf("%s: answer %d is\n%s\nwant\n%s", file, i+1, g, w)
			}
		}
	}
}

// TestErrors: every bad query is answered with its id, the field that is wrong, and its line, and the server goes on.
func TestErrors(t *testing.T) {
	cfg := config("uct:simulations=4", "bell-8x7")
	for _, c := range []struct{ query, id, field, want string }{
		{`{"id":"x"`, "", "", "not JSON (at byte"},
		{`{"id":"x"} {}`, "", "", "not JSON (at byte"},
		{`[1]`, "", "", "a query is a JSON object"},
		{`null`, "", "", "a query is a JSON object"},
		{`"x"`, "", "", "a query is a JSON object"},
		{"{\"id\":\"x\",\"\xff\":1}", "x", "", "not UTF-8"},
		{"\xff", "", "", "not UTF-8"},
		{strings.Repeat("[", 100_000), "", "", "not JSON"},
		{`{}`, "", "id", "is missing"},
		{`{"id":7}`, "", "id", "7 is not a text"},
		{`{"id":"` + strings.Repeat("x", 1001) + `"}`, strings.Repeat("x", 1000), "id", "longer than 1000"},
		{`{"id":"x","action":"dance"}`, "x", "action", `no "dance"; the actions are analyse, position, terminate`},
		{`{"id":"x","action":"terminate"}`, "x", "terminate_id", "missing"},
		{`{"id":"x","action":"terminate","terminate_id":"y","moves":[]}`, "x", "moves", "no such field here; the fields are action, analyse_turns, id, terminate_id"},
		{`{"id":"x","move":[]}`, "x", "move", "no such field here"},
		{`{"id":"x","ruleset":"chess"}`, "x", "ruleset", "chess"},
		{`{"id":"x","ruleset":"my/rules.yaml"}`, "x", "ruleset", "files are not allowed"},
		{`{"id":"x","ruleset":"rules.yaml@ludii"}`, "x", "ruleset", "files are not allowed"},
		{`{"id":"x","set":["capture.corner=blue"]}`, "x", "set", "capture.corner"},
		{`{"id":"x","set":"capture.corner=neutral"}`, "x", "set", `is not a list of texts`},
		{`{"id":"x","position":"8/8 0"}`, "x", "position", "position"},
		{`{"id":"x","moves":"@c3"}`, "x", "moves", "not a list of texts"},
		{`{"id":"x","moves":["@c3","@c3"]}`, "x", "moves", "ply 2 of the list"},
		{`{"id":"x","moves":["@z9"]}`, "x", "moves", "ply 1 of the list"},
		{`{"id":"x","moves":[null]}`, "x", "moves", "ply 1 of the list"},
		{`{"id":"x","notation":"oracle","moves":["@c3"]}`, "x", "moves", "ply 1 of the list"},
		{`{"id":"x","notation":"greek"}`, "x", "notation", "is not latro or oracle"},
		{`{"id":"x","moves":["@c3"],"analyse_turns":[2]}`, "x", "analyse_turns", "2 is not one of the positions 0..1"},
		{`{"id":"x","analyse_turns":[-1]}`, "x", "analyse_turns", "-1 is not"},
		{`{"id":"x","analyse_turns":[0,0]}`, "x", "analyse_turns", "twice"},
		{`{"id":"x","simulations":0}`, "x", "simulations", "whole number in 1..100000"},
		{`{"id":"x","simulations":1.5}`, "x", "simulations", "1.5 is not a whole number"},
		{`{"id":"x","simulations":1e99}`, "x", "simulations", "is not a whole number"},
		{`{"id":"x","simulations":100001}`, "x", "simulations", "1..100000"},
		{`{"id":"x","seconds":-1}`, "x", "seconds", "a number in"},
		{`{"id":"x","seconds":"1"}`, "x", "seconds", "is not a number in"},
		{`{"id":"x","seed":-1}`, "x", "seed", "whole number"},
		{`{"id":"x","priority":"high"}`, "x", "priority", "whole number"},
		{`{"id":"x","include_policy":1}`, "x", "include_policy", "true or false"},
		{`{"id":"x","tree_depth":17}`, "x", "tree_depth", "0..16"},
		{`{"id":"x","pv_length":0}`, "x", "pv_length", "1..200"},
		{`{"id":"x","max_moves":-1}`, "x", "max_moves", "0..65536"},
		{`{"id":"x","report_every":0}`, "x", "report_every", "0.01"},
		{`{"id":"x","moves":[` + strings.Repeat(`"",`, MaxMoves) + `""]}`, "x", "moves", "too many"},
		{`{"id":"x","pad":"` + strings.Repeat("x", MaxLine) + `"}`, "", "", "longer than 1048576 bytes"},
	} {
		out := serve(t, cfg, "\n"+c.query+"\n"+`{"id":"after","moves":["@c3"]}`+"\n")
		all := replies(t, out)
		if len(all) != 2 {
			t.Errorf("%.80s: %d answers:\n%s", c.query, len(all), out)
			continue
		}
		slices.SortFunc(all, func(a, b reply) int { return b.Line - a.Line })
		r := all[0]
		if r.ID != c.id || r.Field != c.field || r.Line != 2 || !strings.Contains(r.Error, c.want) {
			t.Errorf("%.80s: answered\n%.300s\nwant id %.20q, field %q, line 2 and %q", c.query, jsonOf(r), c.id, c.field, c.want)
		}
		if len(r.Error) > 1000 {
			t.Errorf("%.80s: the error has %d characters", c.query, len(r.Error))
		}
		if all[1].ID != "after" || all[1].Move == "" {
			t.Errorf("%.80s: the next query is answered with %s", c.query, jsonOf(all[1]))
		}
	}
	long := `{"id":"x","ruleset":"bell-8x7","moves":[]` + strings.Repeat(" ", MaxLine-42) + "}"
	if len(long) != MaxLine {
		t.Fatalf("the line has %d bytes", len(long))
	}
	if r := only(t, serve(t, cfg, long)); r.Move == "" {
		t.Errorf("a line of the greatest length is answered with %s", jsonOf(r))
	}
	noRules := cfg
	noRules.Ruleset = ""
	if r := only(t, serve(t, noRules, `{"id":"x"}`)); r.Field != "ruleset" || r.ID != "x" {
		t.Errorf("without a ruleset: %s", jsonOf(r))
	}
	play := cfg
	play.Mode = Play
	if r := only(t, serve(t, play, `{"analyse_turns":[0]}`)); r.Field != "analyse_turns" {
		t.Errorf("play mode takes analyse_turns: %s", jsonOf(r))
	}
}

func TestConfigErrors(t *testing.T) {
	for _, c := range []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) { c.Mode = "win" }, "Mode"},
		{func(c *Config) { c.Notation = "greek" }, "Notation"},
		{func(c *Config) { c.Batch = 0 }, "Batch"},
		{func(c *Config) { c.Threads = -1 }, "Threads"},
		{func(c *Config) { c.PositionThreads = 0 }, "PositionThreads"},
		{func(c *Config) { c.CacheMB = -1 }, "CacheMB"},
		{func(c *Config) { c.Agent = "uct:seconds=1,clock=cpu" }, "clock=wall"},
		{func(c *Config) { c.Agent, c.Ruleset = "net:simulations=1", "bell-8x7+end.no_capture_limit=61" }, "no network ships"},
		{func(c *Config) { c.MemoryMB = 1 }, "MemoryMB"},
		{func(c *Config) { c.MaxSimulations = 0 }, "MaxSimulations"},
		{func(c *Config) { c.Set = []string{"capture.corner=neutral"} }, "Ruleset"},
		{func(c *Config) { c.Agent = "uct" }, "simulations or seconds is missing"},
		{func(c *Config) { c.Agent = "pope" }, "and for analysis rollout, uniform"},
		{func(c *Config) { c.Agent = "uct:simulations=200000" }, "no more than 100000"},
		{func(c *Config) { c.Agent = "uniform:playouts=2" }, "playouts is no option"},
		{func(c *Config) { c.Agent = "rollout:playouts=0" }, "playouts=0"},
		{func(c *Config) { c.Agent, c.Ruleset = "net:path=nowhere", "bell-8x7" }, "nowhere"},
		{func(c *Config) { c.Ruleset = "chess" }, "chess"},
	} {
		cfg := DefaultConfig()
		c.change(&cfg)
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: the error is %v", c.want, err)
		}
	}
}

// TestAllRulesets: every ruleset answers, by every kind of search, in both modes and both notations, and the answer fits
// the position.
func TestAllRulesets(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i, agent := range []string{"uct:simulations=6,cutoff=20", "uniform:simulations=6", "rollout:simulations=4,search=gumbel,cutoff=20", "greedy"} {
		for _, notation := range []Notation{[]Notation{Latro, Oracle}[i%2]} {
			cfg := config(agent, "")
			cfg.Notation = notation
			var in strings.Builder
			ends := map[string]*engine.State{}
			for _, id := range rules.Catalogue() {
				_, g := envtest.Open(t, id)
				latro, recorded, end := randomLine(g, 10+rng.IntN(60), rng)
				moves := latro
				if notation == Oracle {
					moves = recorded
				}
				ends[id] = end
				fmt.Fprintf(&in, `{"id":%q,"ruleset":%q,"moves":%s,"include_policy":true}`+"\n", id, id, jsonOf(moves))
			}
			all := replies(t, serve(t, cfg, in.String()))
			if len(all) != len(ends) {
				t.Fatalf("%s: %d answers to %d queries", agent, len(all), len(ends))
			}
			for _, r := range all {
				s := ends[r.ID]
				checkAnswer(t, notation, s, r)
			}
			cfg.Mode = Play
			for i, r := range replies(t, serve(t, cfg, strings.ReplaceAll(in.String(), `,"include_policy":true`, ""))) {
				id := rules.Catalogue()[i]
				if r.ID != id {
					t.Fatalf("play: answer %d is to %s, want %s", i, r.ID, id)
				}
				s := ends[id]
				if s.Over() {
					if !r.Over || r.Move != "" || r.Outcome != s.Outcome().String() {
						t.Errorf("%s is over: %s", id, jsonOf(r))
					}
					continue
				}
				a, err := notation.parse(s, r.Move)
				if err != nil {
					t.Errorf("%s %s: %v", agent, id, err)
					continue
				}
				s.Play(a)
				if r.After.Mover != s.ToMove() || r.After.Over != s.Over() || !slices.Equal(r.After.Legal, notation.formatAll(s, s.Legal(nil))) {
					t.Errorf("%s %s: the position after the ply is %s", agent, id, jsonOf(r.After))
				}
				s.Undo()
			}
		}
	}
}

// checkAnswer compares an analysis with the position it is about.
func checkAnswer(t *testing.T, n Notation, s *engine.State, r reply) {
	t.Helper()
	bad := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s by %s: %s\n%.600s", r.ID, r.Agent, fmt.Sprintf(format, args...), jsonOf(r))
	}
	legal := s.Legal(nil)
	if r.Error != "" || r.Mover != s.ToMove() || r.Over != s.Over() || r.Outcome != s.Outcome().String() {
		bad("the position is another")
		return
	}
	if !slices.Equal(r.Legal, n.formatAll(s, legal)) {
		bad("the legal plies are %v", n.formatAll(s, legal))
	}
	if r.Over {
		if r.Move != "" || len(r.Moves) != 0 || r.Stopped != "over" {
			bad("a game that is over has a ply")
		}
		return
	}
	if len(r.Moves) == 0 || r.Moves[0].Move != r.Move {
		bad("the best ply is not the first")
		return
	}
	if r.Value != nil && (*r.Value0 != viewOf(*r.Value, r.Mover) || *r.Value < r.Low || *r.Value > r.High) {
		bad("the values disagree")
	}
	visits := 0
	for i, m := range r.Moves {
		visits += m.Visits
		if m.Order != i || m.PV[0] != m.Move {
			bad("ply %d: %s", i, jsonOf(m))
		}
		if i > 1 && m.Visits > r.Moves[i-1].Visits {
			bad("ply %d has more visits than the one before", i)
		}
		line := s.Clone()
		for _, text := range m.PV {
			a, err := n.parse(line, text)
			if err != nil {
				bad("the line %v is not legal: %v", m.PV, err)
				break
			}
			line.Play(a)
		}
	}
	if len(legal) > 1 && visits != r.Visits {
		bad("the plies have %d visits", visits)
	}
	if r.Policy != nil {
		for _, p := range []map[string]float64{r.Policy, r.SearchPolicy} {
			sum := 0.0
			for _, x := range p {
				sum += x
			}
			if len(p) != len(legal) || sum < 0.999 || sum > 1.001 {
				bad("the policy sums to %v", sum)
			}
		}
	}
}

// TestAlike: a query's answer does not depend on threads, batches, the cache, or what else is in flight, and with a
// network not on whether an evaluation came from a batch or the cache.
func TestAlike(t *testing.T) {
	net := network(t, "bell-8x7", "2x16")
	_, g := envtest.Open(t, "bell-8x7")
	rng := rand.New(rand.NewPCG(3, 4))
	var queries []string
	for i := range 32 {
		moves, _, _ := randomLine(g, 30+i, rng)
		queries = append(queries, fmt.Sprintf(
			`{"id":"q%d","moves":%s,"simulations":%d,"seed":%d,"include_policy":true,"tree_depth":2,"analyse_turns":[%d,%d]}`,
			i, jsonOf(moves), 4+i, i, len(moves), i/2))
	}
	sorted := func(out string) []string {
		lines := strings.Split(strings.TrimSpace(out), "\n")
		slices.Sort(lines)
		return lines
	}
	for _, agent := range []string{
		"net:path=" + net, "net:leaves=4,path=" + net, "net:search=gumbel,path=" + net,
		"rollout:cutoff=30", "uct:cutoff=30,simulations=10",
	} {
		alone := config(agent, "bell-8x7")
		alone.Threads, alone.Batch, alone.CacheMB = 1, 1, 0
		var want []string
		s, err := New(alone)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range queries {
			var out bytes.Buffer
			if err := s.Serve(t.Context(), strings.NewReader(q), &out); err != nil {
				t.Fatal(err)
			}
			want = append(want, strings.Split(strings.TrimSpace(out.String()), "\n")...)
		}
		slices.Sort(want)
		together := config(agent, "bell-8x7")
		// Twice each, so that the cache has something to say.
		twice := strings.Join(append(queries, queries...), "\n")
		got := sorted(serve(t, together, twice))
		if len(got) != 2*len(want) {
			t.Fatalf("%s: %d answers", agent, len(got))
		}
		for i, w := range want {
			if got[2*i] != w || got[2*i+1] != w {
				t.Errorf("%s: alone\n%s\ntogether\n%s\n%s", agent, w, got[2*i], got[2*i+1])
				break
			}
		}
	}
}

// TestPlayIsTheAgent: in mode Play the ply is the one that the agent chooses.
func TestPlayIsTheAgent(t *testing.T) {
	net := network(t, "bell-8x7", "2x16")
	r, g := envtest.Open(t, "bell-8x7")
	rng := rand.New(rand.NewPCG(5, 6))
	for _, text := range []string{
		"net:simulations=20,path=" + net, "net:search=puct,simulations=20,leaves=3,path=" + net,
		"uct:simulations=50,cutoff=40", "alphabeta:nodes=1500", "greedy", "random",
	} {
		spec, err := mcts.ParseSpec(text)
		if err != nil {
			t.Fatal(err)
		}
		agent, err := new(selfplay.Agents).New(spec, g, r.Hash())
		if err != nil {
			t.Fatal(err)
		}
		cfg := config(text, "bell-8x7")
		cfg.Mode = Play
		for range 8 {
			moves, _, s := randomLine(g, rng.IntN(80), rng)
			if s.Over() {
				continue
			}
			root := rng.Uint64()
			d, err := agent.Choose(s, seed.New(root, seed.Play, uint64(s.ToMove()), uint64(s.Ply())))
			if err != nil {
				t.Fatal(err)
			}
			got := only(t, serve(t, cfg, fmt.Sprintf(`{"moves":%s,"seed":%d}`, jsonOf(moves), root)))
			if got.Move != s.Format(d.Action) || got.Simulations != d.Simulations || d.HasValue != (got.Value != nil) {
				t.Errorf("%s after %v: %s, the agent chooses %s: %+v", text, moves, jsonOf(got), s.Format(d.Action), d)
			}
			if d.HasValue && *got.Value != round(viewOf(d.Value, s.ToMove())) {
				t.Errorf("%s after %v: value %v, the agent has %v", text, moves, *got.Value, d.Value)
			}
		}
	}
}

// TestOutOfOrder: a short search is answered while a long one that was asked for earlier goes on; the long one is ended
// by its id, and answers what it found.
func TestOutOfOrder(t *testing.T) {
	for _, agent := range []string{"uniform", "uct:simulations=10"} {
		cfg := config(agent, "bell-8x7")
		c := dial(t, t.Context(), cfg)
		c.send(`{"id":"long","seconds":600,"report_every":0.01,"moves":["@c3","@d4"],"analyse_turns":[1,2]}`)
		for seen := map[int]bool{}; len(seen) < 1; {
			r := c.receive()
			if !r.DuringSearch || r.ID != "long" || r.Value == nil || r.Stopped != "" {
				t.Fatalf("%s: not a report on the way: %s", agent, jsonOf(r))
			}
			seen[r.Ply] = true
		}
		// One thread each is busy with uct; with uniform both threads have room.
		if agent == "uniform" {
			c.send(`{"id":"short","simulations":3}`)
			for {
				if r := c.receive(); r.ID == "short" {
					if r.Visits != 3 || r.Stopped != "simulations" {
						t.Errorf("short: %s", jsonOf(r))
					}
					break
				} else if !r.DuringSearch {
					t.Fatalf("the long search ended: %s", jsonOf(r))
				}
			}
		}
		c.send(`{"id":"t","action":"terminate","terminate_id":"long","analyse_turns":[2]}`)
		ended, acknowledged := 0, false
		for ended == 0 || !acknowledged {
			switch r := c.receive(); {
			case r.ID == "t":
				acknowledged = true
				if r.Action != "terminate" || r.TerminateID != "long" || r.Terminated != 1 {
					t.Errorf("terminate is answered with %s", jsonOf(r))
				}
			case !r.DuringSearch:
				ended++
				if r.ID != "long" || r.Ply != 2 || r.Stopped != "terminated" {
					t.Errorf("ended: %s", jsonOf(r))
				}
			}
		}
		c.send(`{"id":"all","action":"terminate_all"}`)
		c.in.Close()
		for ended = 0; ended < 2; {
			if r := c.receive(); r.ID == "all" {
				ended++
				if r.Terminated != 1 {
					t.Errorf("terminate_all is answered with %s", jsonOf(r))
				}
			} else if !r.DuringSearch {
				ended++
				if r.ID != "long" || r.Ply != 1 || r.Stopped != "terminated" || r.Move == "" || r.Visits == 0 {
					t.Errorf("ended: %s", jsonOf(r))
				}
			}
		}
		if err := <-c.end; err != nil {
			t.Error(err)
		}
	}
}

// TestPriority: of the queries that wait the one with the highest priority comes first.
func TestPriority(t *testing.T) {
	cfg := config("uct:simulations=2", "bell-8x7")
	cfg.Threads = 1
	c := dial(t, t.Context(), cfg)
	c.send(`{"id":"busy","seconds":600,"report_every":0.01}`)
	c.receive() // the only thread is busy now
	for i, p := range []int{0, -1, 5, 0, 5} {
		c.send(fmt.Sprintf(`{"id":"%d","priority":%d}`, i, p))
	}
	c.send(`{"id":"t","action":"terminate","terminate_id":"busy"}`)
	c.in.Close()
	var order string
	for c.out.Scan() {
		if r := decode(t, c.out.Text()); len(r.ID) == 1 && r.ID != "t" {
			order += r.ID
		}
	}
	if order != "24031" {
		t.Errorf("answered in the order %s", order)
	}
}

// TestInterrupt: when the context ends every query is answered, with what was found or without, and Serve returns.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cfg := config("uct:simulations=2", "bell-8x7")
	cfg.Threads = 1
	c := dial(t, ctx, cfg)
	c.send(`{"id":"busy","seconds":600,"report_every":0.01}`)
	c.receive()
	c.send(`{"id":"waits"}`)
	c.send(`{"id":"v","action":"query_version"}`)
	for c.receive().ID != "v" {
	}
	why := errors.New("enough")
	cancel(why)
	got := map[string]reply{}
	for c.out.Scan() {
		if r := decode(t, c.out.Text()); !r.DuringSearch {
			got[r.ID] = r
		}
	}
	if err := <-c.end; !errors.Is(err, why) {
		t.Errorf("Serve returns %v", err)
	}
	if b, w := got["busy"], got["waits"]; b.Stopped != "interrupted" || b.Visits == 0 || w.Stopped != "interrupted" || w.Move != "" || len(w.Moves) != 0 {
		t.Errorf("answers: %s", jsonOf(got))
	}
}

// failing is a stream that cannot be written to.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestWriteFails: who cannot be answered any more is not worked for.
func TestWriteFails(t *testing.T) {
	s, err := New(config("uct:simulations=2", "bell-8x7"))
	if err != nil {
		t.Fatal(err)
	}
	in, w := io.Pipe() // stays open
	go io.WriteString(w, `{"id":"a"}`+"\n"+`{"id":"b","seconds":600}`+"\n")
	if err := s.Serve(t.Context(), in, failing{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("Serve returns %v", err)
	}
}

// TestSeconds: a time limit ends a search, of every kind that keeps one, and one alone lifts the agent's own budget.
// The limits are wide: how fast the machine is does not matter.
func TestSeconds(t *testing.T) {
	for _, agent := range []string{"uniform:simulations=1", "uct:simulations=1", "net:simulations=2,path=" + network(t, "bell-8x7", "2x16")} {
		for _, mode := range []Mode{Analyse, Play} {
			cfg := config(agent, "bell-8x7")
			cfg.Mode = mode
			begun := time.Now()
			r := only(t, serve(t, cfg, `{"id":"a","seconds":0.1,"moves":["@c3"]}`))
			if took := time.Since(begun); took > 60*time.Second {
				t.Errorf("%s: a search of 0.1 s took %v", agent, took)
			}
			if r.Stopped != "seconds" || r.Visits+r.Simulations < 2 {
				t.Errorf("%s: %s", agent, jsonOf(r))
			}
			if r := only(t, serve(t, cfg, `{"id":"a","seconds":600,"simulations":5}`)); r.Stopped != "simulations" || r.Visits+r.Simulations != 5 {
				t.Errorf("%s: both budgets: %s", agent, jsonOf(r))
			}
		}
	}
	for _, query := range []string{`{"id":"a","seconds":1}`, `{"id":"a","simulations":1}`} {
		if r := only(t, serve(t, config("random", "bell-8x7"), query)); r.ID != "a" || !strings.Contains(r.Error, "no such budget") {
			t.Errorf("an agent without budget: %s", jsonOf(r))
		}
	}
}

// TestMemory: positions wait for memory, and all are answered; one that would need more than there is stops early.
func TestMemory(t *testing.T) {
	cfg := config("uniform:simulations=3000", "bell-8x7") // about 5 MB a tree, by the estimate
	cfg.MemoryMB = 16
	var in strings.Builder
	for i := range 8 {
		fmt.Fprintf(&in, `{"id":"%d"}`+"\n", i)
	}
	for _, r := range replies(t, serve(t, cfg, in.String())) {
		if r.Visits != 3000 || r.Stopped != "simulations" {
			t.Errorf("%s", jsonOf(r)[:200])
		}
	}
	cfg.MaxSimulations = mcts.MaxSimulations
	if r := only(t, serve(t, cfg, fmt.Sprintf(`{"id":"a","simulations":%d}`, mcts.MaxSimulations))); r.Stopped != "memory" || r.Visits < 3000 {
		t.Errorf("%s", jsonOf(r)[:200])
	}
}

// TestForced: an analysis looks behind forced plies, a player makes them.
func TestForced(t *testing.T) {
	const ruleset = "seega-classic-5x5"
	_, g := envtest.Open(t, ruleset)
	rng := rand.New(rand.NewPCG(9, 9))
	cfg := config("uniform:simulations=30", ruleset)
	play := cfg
	play.Mode = Play
	searched := 0
	for range 30 {
		moves, _, s := randomLine(g, 300, rng)
		for i := len(moves) - 1; i > 0 && searched < 10; i-- {
			s.Undo()
			legal := s.Legal(nil)
			if len(legal) != 1 {
				continue
			}
			in := fmt.Sprintf(`{"id":"a","moves":%s}`, jsonOf(moves[:i]))
			r := only(t, serve(t, cfg, in))
			checkAnswer(t, Latro, s, r)
			if len(r.Moves) != 1 || r.Move != s.Format(legal[0]) || r.Value == nil && r.Stopped != "forced" {
				t.Errorf("forced: %s", jsonOf(r))
			}
			if r.Visits > 0 {
				searched++
				if len(r.Moves[0].PV) < 2 || r.Stopped == "forced" {
					t.Errorf("searched behind a forced ply: %s", jsonOf(r))
				}
			}
			if r := only(t, serve(t, play, in)); r.Move != s.Format(legal[0]) || r.Stopped != "forced" || r.Simulations != 0 {
				t.Errorf("forced: %s", jsonOf(r))
			}
		}
	}
	if searched < 5 {
		t.Errorf("a search behind a forced ply in only %d positions", searched)
	}
}

// TestProven: results that are proven are told with their bounds, in the mover's view.
func TestProven(t *testing.T) {
	_, g := envtest.Open(t, "bell-8x7")
	rng := rand.New(rand.NewPCG(9, 9))
	var seen [2]int
	for _, agent := range []string{"uniform:simulations=300", "uct:simulations=300,cutoff=20"} {
		for range 30 {
			moves, _, s := randomLine(g, 1000, rng)
			if !s.Over() || len(moves) < 2 {
				continue
			}
			s.Undo()
			r := only(t, serve(t, config(agent, "bell-8x7"), fmt.Sprintf(`{"id":"a","moves":%s}`, jsonOf(moves[:len(moves)-1]))))
			checkAnswer(t, Latro, s, r)
			if !r.Proven {
				continue
			}
			seen[r.Mover]++
			if r.Low != *r.Value || r.High != *r.Value || !r.Moves[0].Proven || *r.Moves[0].Value != *r.Value || r.Stopped != "proven" {
				t.Errorf("proven: %s", jsonOf(r))
			}
			// A win of the mover in one ply ends the game with his win.
			if *r.Value == 1 && len(r.Moves[0].PV) == 1 {
				a, err := s.Parse(r.Move)
				if err != nil {
					t.Fatal(err)
				}
				s.Play(a)
				if want := []engine.Outcome{engine.Win0, engine.Win1}[r.Mover]; s.Outcome() != want {
					t.Errorf("%s ends with %v", r.Move, s.Outcome())
				}
			}
		}
	}
	if seen[0] < 3 || seen[1] < 3 {
		t.Errorf("proven positions by mover: %v", seen)
	}
}

// TestManyWaiting: more queries than may wait are all answered, and while they wait others can be asked for.
func TestManyWaiting(t *testing.T) {
	const n = MaxWaiting + 1000
	var in strings.Builder
	for i := range n {
		fmt.Fprintf(&in, `{"id":"%d","include_legal":false,"max_moves":1}`+"\n", i)
	}
	seen := map[string]bool{}
	for _, r := range replies(t, serve(t, config("uniform:simulations=1", "bell-8x7"), in.String())) {
		if r.Visits != 1 || seen[r.ID] {
			t.Fatalf("%s", jsonOf(r))
		}
		seen[r.ID] = true
	}
	if len(seen) != n {
		t.Errorf("%d of %d queries are answered", len(seen), n)
	}
}

// TestRecordedGame: what the rules say of every position of a game that another program recorded, in its notation.
func TestRecordedGame(t *testing.T) {
	g, err := oracle.OpenGames(filepath.Join("..", "..", "env", "oracle", "testdata", "luductus.games.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	var (
		in    strings.Builder
		moves = []string{}
		want  []*oracle.Record
	)
	for {
		r, err := g.Next()
		if err != nil {
			t.Fatal(err)
		}
		if r.Type == "end" {
			break
		}
		if r.Type == "ply" {
			fmt.Fprintf(&in, `{"id":"a","action":"position","moves":%s}`+"\n", jsonOf(moves))
			moves = append(moves, r.Move)
			want = append(want, r)
		}
	}
	cfg := config("uniform:simulations=1", "luductus")
	cfg.Notation = Oracle
	for i, line := range strings.Split(strings.TrimSpace(serve(t, cfg, in.String())), "\n") {
		var got boardAnswer
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err)
		}
		if got.Legal == nil {
			t.Fatalf("no list of plies: %s", line)
		}
		slices.Sort(*got.Legal)
		w := want[i]
		if got.Mover != w.Player-1 || got.Ply != i || len(*got.Legal) != w.Count || w.List != nil && strings.Join(*got.Legal, " ") != *w.List {
			t.Errorf("ply %d: %s\nrecorded: %+v", i, line, w)
		}
		if i > 0 && got.Board != want[i-1].Board {
			t.Errorf("ply %d: board %s, recorded %s", i, got.Board, want[i-1].Board)
		}
	}
	if len(want) < 20 {
		t.Errorf("the game has only %d plies", len(want))
	}
}

// TestCache: what was evaluated once is found again, also when the cache is small, and not after it was cleared.
func TestCache(t *testing.T) {
	c := newCache(4000)
	leaf := mcts.Leaf{Logits: []float32{1, 2, 3}, Value: 0.5}
	for i := range 100 {
		leaf.Value = float32(i)
		c.keep(fmt.Sprint("key", i), &leaf)
	}
	found := 0
	for i := range 100 {
		got := mcts.Leaf{Logits: make([]float32, 3)}
		if c.find([]byte(fmt.Sprint("key", i)), &got) {
			found++
			if got.Value != float32(i) || !slices.Equal(got.Logits, leaf.Logits) {
				t.Errorf("key %d: %+v", i, got)
			}
		}
	}
	// 2000 bytes a generation, 117 bytes an entry: one to two generations of 17 are there.
	if found < 17 || found > 34 {
		t.Errorf("%d of 100 entries are kept", found)
	}
	c.clear()
	if c.find([]byte("key99"), &leaf) {
		t.Error("found after clear")
	}
}

// TestWDL: what the network says of a position adds up, and turns with the player.
func TestWDL(t *testing.T) {
	cfg := config("net:simulations=4,path="+network(t, "bell-8x7", "2x16"), "bell-8x7")
	r := only(t, serve(t, cfg, `{"id":"a","moves":["@c3"]}`))
	n := r.Network
	if n == nil || n.Win <= 0 || n.Draw <= 0 || n.Loss <= 0 {
		t.Fatalf("%s", jsonOf(r))
	}
	if sum := n.Win + n.Draw + n.Loss; sum < 0.99999 || sum > 1.00001 {
		t.Errorf("the probabilities sum to %v", sum)
	}
	if d := n.Value - (n.Win - n.Loss); d < -2e-6 || d > 2e-6 {
		t.Errorf("value %v of win %v and loss %v", n.Value, n.Win, n.Loss)
	}
	// With one simulation the value of the root is the mean of its own evaluation and its best ply's.
	one := only(t, serve(t, cfg, `{"id":"a","moves":["@c3"],"simulations":1}`))
	if want := (n.Value + *one.Moves[0].Value) / 2; *one.Value < want-2e-6 || *one.Value > want+2e-6 {
		t.Errorf("the value after one simulation is %v, want %v", *one.Value, want)
	}
}
