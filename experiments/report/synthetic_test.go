package report

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"latro/env/rules"
	"latro/experiments"
)

// chances say how a cell's games end: win, draw and capped for the first player,
// and about how long they last.
type chances struct {
	win, draw, capped float64
	plies             int
}

// synthetic analyses games that were never played: each cell's end as its chances
// say. It tries out designs far larger than a test could play.
func synthetic(t *testing.T, d experiments.Design, of func(c experiments.Cell) chances) *experiments.Analysis {
	t.Helper()
	var info []experiments.CellInfo
	for _, c := range d.Cells() {
		info = append(info, experiments.CellInfo{Name: c.Ruleset.Name, Title: c.Ruleset.Name, Ref: c.Ruleset.Ref, A: c.A.Name, B: c.B.Name, SpecA: c.A.Spec, SpecB: c.B.Spec,
			SelfPlay: c.SelfPlay, Agent: c.Agent, TrainingSeed: c.TrainingSeed, Rows: 8, Cols: 7, Pieces: 34})
	}
	a, err := experiments.NewAnalyser(d, info)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range d.Cells() {
		rng := rand.New(rand.NewPCG(7, uint64(c.Index)))
		x := of(c)
		for pair := range d.Pairs {
			for slot := range 2 {
				r := experiments.Record{Cell: c.Index, Pair: pair, Slot: slot, Plies: 1 + x.plies/2 + rng.IntN(x.plies), Moves: rng.Uint64(), Start: uint64(pair), Arrivals: make([]uint32, 56), Choices: 900}
				switch u := rng.Float64(); {
				case u < x.capped:
					r.Outcome, r.EndReason, r.Plies = "capped", "cap", d.Cap
				case u < x.capped+x.draw:
					r.Outcome, r.EndReason = "draw", "repetition"
				case u < x.capped+x.draw+x.win:
					r.Outcome, r.EndReason = "win0", "none-left"
				default:
					r.Outcome, r.EndReason = "win1", "none-left"
				}
				r.Plies = min(r.Plies, d.Cap)
				for range r.Plies {
					r.Arrivals[rng.IntN(56)]++
				}
				r.Use = []experiments.Use{{Name: "hops", Count: rng.IntN(3)}}
				if err := a.Add(r); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	out := a.Finish()
	for _, ref := range d.ExpandRulesets() {
		out.Rules = append(out.Rules, rulesetInfo(t, ref))
	}
	return out
}

func rulesetInfo(t *testing.T, ref experiments.RulesetRef) experiments.RulesetInfo {
	t.Helper()
	r, err := rules.Open(ref.Ref, ref.Set...)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := r.RenderMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	info := experiments.RulesetInfo{Name: ref.Name, Title: ref.Name, Ref: r.Ref(), Hash: r.Hash(), Reading: r.Reading, Prose: b.String()}
	for _, n := range rules.ParamNames() {
		p, ok := r.Provenance[n]
		if !ok || p.Certainty == rules.Attested || r.Meaningless(n) {
			continue
		}
		v, err := r.Params.Get(n)
		if err != nil {
			t.Fatal(err)
		}
		info.Assumed = append(info.Assumed, experiments.AssumedParam{Name: n, Value: orElse(v, "(none)"), Certainty: string(p.Certainty), Source: p.Source, Note: p.Note})
	}
	return info
}

func uct(n int) experiments.AgentRef {
	return experiments.AgentRef{Name: fmt.Sprintf("UCT %d", n), Spec: fmt.Sprintf("uct:simulations=%d", n)}
}

// crossed is a factorial of two rules with a main effect of one on the score.
func crossed(t *testing.T) *experiments.Analysis {
	d := experiments.DefaultDesign()
	d.ID, d.Title, d.Question = "crossed", "Corners and ties", "Do corners or the tie rule shift the first player's score?"
	d.Factorial = &experiments.Factorial{Base: experiments.RulesetRef{Ref: "bell-8x7"}, Factors: []experiments.Factor{
		{Parameter: "capture.corner", Values: []string{"hostile", "neutral"}}, {Parameter: "end.tie", Values: []string{"draw", "player-1"}}}}
	d.Agents = []experiments.AgentRef{{Name: "random", Spec: "random"}, uct(100), uct(400)}
	d.Matches = []experiments.Match{{A: "UCT 400", B: "UCT 100"}}
	d.Pairs, d.Cap, d.Exploratory = 40, 300, true
	return synthetic(t, d, func(c experiments.Cell) chances {
		x := chances{0.42, 0.1, 0.01, 90}
		if strings.Contains(c.Ruleset.Name, "player-1") {
			x.win, x.draw = 0.40, 0
		}
		if strings.Contains(c.Ruleset.Name, "neutral") && c.A.Name == "UCT 400" {
			x.win, x.plies = 0.72, 160
		}
		return x
	})
}

// ordered compares rulesets, five at most, over agents, up to three budgets and a trained
// agent of two seeds; with all of them two matches too.
func ordered(t *testing.T, rulesets, agents int) *experiments.Analysis {
	d := experiments.DefaultDesign()
	d.ID, d.Title, d.Question = "ordered", "Five reconstructions", "In which does moving first help most?"
	for i, ref := range []string{"bell-8x7", "bell-8x8", "webdux", "locus-ludi-piso", "locus-ludi-seneca"} {
		r := experiments.RulesetRef{Name: ref, Ref: ref}
		if i < 2 {
			r.Networks = []string{"first.net", "second.net"}
		}
		d.Rulesets = append(d.Rulesets, r)
	}
	d.Agents = []experiments.AgentRef{{Name: "random", Spec: "random"}, {Name: "greedy", Spec: "greedy"}, uct(100), uct(200), uct(400),
		{Name: "trained 100", Spec: "net:path={network},simulations=100", WhereTrained: true}, {Name: "trained 400", Spec: "net:path={network},simulations=400", WhereTrained: true}}
	if rulesets < len(d.Rulesets) || agents < len(d.Agents) {
		d.Rulesets, d.Agents = d.Rulesets[:rulesets], d.Agents[:agents]
		for i := range d.Rulesets {
			d.Rulesets[i].Networks = nil
		}
	} else {
		d.Matches = []experiments.Match{{A: "UCT 200", B: "UCT 100"}, {A: "UCT 400", B: "UCT 200"}}
	}
	d.Pairs, d.Cap = 24, 400
	return synthetic(t, d, func(c experiments.Cell) chances {
		x := chances{0.5, 0.1, 0, 120}
		switch c.Ruleset.Name {
		case "bell-8x7":
			x.win = 0.6
		case "webdux":
			x.win, x.draw = 0.3, 0.3
		case "locus-ludi-seneca":
			x.capped, x.plies = 0.6, 380
			x.win = 0.15
		}
		return x
	})
}

// stopped is one ruleset with a sequential test.
func stopped(t *testing.T) *experiments.Analysis {
	d := experiments.DefaultDesign()
	d.ID, d.Title, d.Question = "stopped", "Bell, sequentially", "Does moving first help?"
	d.Rulesets = []experiments.RulesetRef{{Name: "bell-8x7", Ref: "bell-8x7"}}
	d.Agents = []experiments.AgentRef{{Name: "random", Spec: "random"}}
	d.Stopping.Rule = "sequential"
	d.Pairs, d.Cap = 120, 300
	return synthetic(t, d, func(experiments.Cell) chances { return chances{0.7, 0.1, 0, 90} })
}

func figureIDs(r Report) []string {
	var out []string
	for _, f := range r.figures() {
		out = append(out, f.ID)
	}
	return out
}

// TestStandardPages: large designs give every section; every figure has a sentence
// with a number or an interval, and a table with as many cells as its head in each
// row; the words are allowed; nothing is doubled.
func TestStandardPages(t *testing.T) {
	for _, x := range []struct {
		a     *experiments.Analysis
		want  []string
		texts []string
	}{
		{crossed(t), []string{"outcomes", "scores", "effects-first-player-score", "odds", "effects-length", "budgets", "lengths", "survival", "incidence", "traffic"},
			[]string{"Exploratory.", "Provisional", "Main effects", "capture.corner: neutral instead of hostile", "The checks of strength, one by one", "changed by an override", "Rules that differ", "Assumed or argued in all of them"}},
		{ordered(t, 5, 7), []string{"outcomes", "scores", "contrast-first-player-score", "ranks", "ranking-first-player-score-uct-400", "budgets", "survival", "incidence"},
			[]string{"Kendall", "training seeds", "no claim", "shrunk"}},
		{stopped(t), []string{"outcomes", "scores", "survival"}, []string{"sequential test", "at most 120 pairs"}},
	} {
		id := x.a.Design.ID
		r := Standard(x.a, []Entry{{"command", "latro experiment run " + id + ".yaml"}})
		page := r.HTML()
		selfContained(t, []byte(page))
		ids := figureIDs(r)
		for _, w := range x.want {
			found := false
			for _, have := range ids {
				found = found || have == id+"-"+w
			}
			if !found {
				t.Errorf("%s has no figure %s; it has %v", id, w, ids)
			}
		}
		lower := strings.ToLower(page)
		for _, w := range x.texts {
			if !strings.Contains(lower, strings.ToLower(w)) {
				t.Errorf("%s does not say %q", id, w)
			}
		}
		for _, s := range r.Generated() {
			for _, v := range CheckWords(s) {
				t.Errorf("%s says %q in: %s\n(%s)", id, v.Phrase, v.Sentence, v.Why)
			}
		}
		for _, s := range r.Sections {
			walk(s.Blocks, func(b Block) {
				switch y := b.(type) {
				case Picture:
					if len(y.Sentences) == 0 {
						t.Errorf("%s: figure %s has no sentence", id, y.Figure.ID)
					}
					if !regexp.MustCompile(`\[[^\]]*\d[^\]]*\]|interval`).MatchString(strings.Join(y.Sentences, " ")) {
						t.Errorf("%s: no sentence of figure %s has its uncertainty: %v", id, y.Figure.ID, y.Sentences)
					}
					if len(y.Data.Rows) == 0 {
						t.Errorf("%s: figure %s has an empty table", id, y.Figure.ID)
					}
				case Table:
					for _, row := range y.Rows {
						if len(row) != len(y.Head) {
							t.Errorf("%s: table %q has %d columns and a row of %d", id, y.Caption, len(y.Head), len(row))
						}
					}
				}
			})
		}
	}
}

// TestSettingsReadsTheProse: the table of all parameters in a ruleset's prose is
// understood, value by value.
func TestSettingsReadsTheProse(t *testing.T) {
	for _, ref := range []experiments.RulesetRef{{Ref: "bell-8x7", Set: []string{"capture.corner=neutral"}}, {Ref: "luductus"}, {Ref: "locus-ludi-seneca"}} {
		info := rulesetInfo(t, ref)
		_, of := settings(info)
		r, err := rules.Open(ref.Ref, ref.Set...)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range rules.ParamNames() {
			v, err := r.Params.Get(n)
			if err != nil {
				t.Fatal(err)
			}
			x, ok := of[n]
			if !ok || x.meaning == "" || x.certainty == "" {
				t.Errorf("%s: %s was not read: %+v", ref.Ref, n, x)
			}
			if got := map[bool]string{true: "", false: x.value}[x.value == "none" || x.value == "(none)"]; ok && got != v && x.value != v {
				t.Errorf("%s: %s is %q, read %q", ref.Ref, n, v, x.value)
			}
		}
	}
}

// TestComparedNamesWhatDiffers: of two variants of one ruleset exactly the changed
// parameter is listed as different, with its certainty, and the rest as common.
func TestComparedNamesWhatDiffers(t *testing.T) {
	a := rulesetInfo(t, experiments.RulesetRef{Name: "hostile", Ref: "bell-8x7"})
	b := rulesetInfo(t, experiments.RulesetRef{Name: "neutral", Ref: "bell-8x7", Set: []string{"capture.corner=neutral"}})
	var differ, common Table
	walk(compared([]experiments.RulesetInfo{a, b}), func(x Block) {
		if tb, ok := x.(Table); ok {
			switch {
			case strings.HasPrefix(tb.Caption, "Rules that differ"):
				differ = tb
			case strings.HasPrefix(tb.Caption, "Assumed"):
				common = tb
			}
		}
	})
	if len(differ.Rows) != 2 || differ.Rows[0][0] != "capture.corner" || differ.Rows[1][2] != "neutral" || differ.Rows[1][3] != "assumed" {
		t.Errorf("differing rules: %v", differ.Rows)
	}
	if len(common.Rows) < 10 {
		t.Errorf("only %d assumptions in common", len(common.Rows))
	}
	for _, row := range common.Rows {
		if row[0] == "capture.corner" {
			t.Error("the rule that differs is listed as common")
		}
	}
}
