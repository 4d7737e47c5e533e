package experiments

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"latro/env/engine"
	"latro/mcts"
)

const goodDesign = `
id: bell-corners
question: >
  Does it matter whether corners capture?
factorial:
  base: bell-8x7
  factors:
    - parameter: capture.corner
      values: [hostile, neutral]
agents:
  - random
  - {name: UCT 10, spec: "uct:simulations=10"}
matches:
  - {a: UCT 10, b: random}
pairs: 20
seed: 0x2a
cap: 200
margin: 0.05
`

func TestDesignIsRead(t *testing.T) {
	d, err := ParseDesign("d.yaml", []byte(goodDesign))
	if err != nil {
		t.Fatal(err)
	}
	if d.Seed != 42 || d.Pairs != 20 || d.Starts.Kind != "random" || d.Level != 0.95 {
		t.Errorf("read %+v", d)
	}
	cells := d.Cells()
	if len(cells) != 6 {
		t.Fatalf("%d cells, want 2 rulesets × (2 self-play + 1 match)", len(cells))
	}
	if n := cells[3].Ruleset.Name; n != "capture.corner=neutral" {
		t.Errorf("cell 3 is of %q", n)
	}
	if !cells[1].SelfPlay || cells[2].SelfPlay || cells[2].Agents() != "UCT 10 vs random" {
		t.Errorf("cells %+v", cells[:3])
	}
	// Primary metric and length, for each of two agents.
	if c := d.ExpandComparisons(); len(c) != 4 || c[0].A != "capture.corner=neutral" || c[0].Metric != "first-player-score" || c[2].Metric != "length" {
		t.Errorf("comparisons %+v", c)
	}
}

func TestDesignHashIgnoresLayoutButNotContent(t *testing.T) {
	a, err := ParseDesign("a", []byte(goodDesign))
	if err != nil {
		t.Fatal(err)
	}
	b, err := ParseDesign("b", []byte("# a remark\n"+strings.Replace(goodDesign, "0x2a", "42", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if a.Hash() != b.Hash() {
		t.Error("layout changed the hash")
	}
	b.Seed++
	if a.Hash() == b.Hash() {
		t.Error("another seed has the same hash")
	}
}

func TestEveryMistakeIsNamedWithItsLine(t *testing.T) {
	const bad = `id: "two words"
question: why
rulesets:
  - bell-8x7
  - ref: no-such-ruleset
  - {ref: webdux, colour: red}
agents: [random, "uct simulations"]
matches: [{a: random, b: nobody}]
pairs: many
cap: 0
margin: 2
metric: beauty
starts: {kind: random, plies: -1}
comparisons:
  - {a: bell-8x7, b: bell-9x9}
sed: 3
cap: 5
`
	_, err := ParseDesign("bad.yaml", []byte(bad))
	if !errors.Is(err, ErrInvalid) {
		t.Fatalf("error %v is not ErrInvalid", err)
	}
	text := err.Error()
	for _, want := range []string{
		"bad.yaml:1:", "two words",
		"bad.yaml:5:", "no-such-ruleset",
		"bad.yaml:6:", "colour",
		"bad.yaml:7:", "uct simulations",
		"bad.yaml:8:", "nobody",
		"bad.yaml:9:", "pairs: \"many\" is no whole number",
		"bad.yaml:11:", "margin",
		"bad.yaml:12:", "beauty",
		"bad.yaml:13:", "starts.plies",
		"bad.yaml:15:", "bell-9x9",
		"bad.yaml:16:", "sed: unknown key",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the errors lack %q:\n%s", want, text)
		}
	}
}

// Mistakes that only show when the parts of a design are seen together have a line as well.
func TestMistakesAcrossFields(t *testing.T) {
	const head = "id: a\nquestion: b\nrulesets: [bell-8x7, webdux]\n"
	for text, want := range map[string]string{
		"uct_budgets: [0, 5, 5]\n":                             "a.yaml:4:21: uct_budgets[2]: is 5",
		"agents: [random]\nuct_budgets: [5]\n":                 "a.yaml:5:1: uct_budgets: belongs to agents: strength",
		"agents: [randm]\n":                                    "a.yaml:4:10: agents[0].spec: there is no agent \"randm\"",
		"agents: [\"uct:simulations=-1\"]\n":                   "a.yaml:4:10: agents[0].spec: invalid agent \"uct:simulations=-1\"",
		"agents: [{name: \"a\\nb\", spec: random}]\n":          "agents[0].name: the name",
		"stopping: sequential\nconfirmatory: [contrasts]\n":    "a.yaml:5:16: confirmatory[0]: a sequential design stops",
		"power: 0.999999\n":                                    "a.yaml:4:1: power: is 0.999999 (a chance from 0.5 to 0.99",
		"level: 0.999999\n":                                    "a.yaml:4:1: level: is 0.999999",
		"margin: 1e-12\n":                                      "a.yaml:4:1: margin: is 1e-12 (a deviation from an even score, as 0.05; 0.001 or more, below 0.5)",
		"stopping: {rule: sequential, alpha: 0, beta: 0.05}\n": "a.yaml:4:30: stopping.alpha: is 0 (a chance of an error, as 0.05; 0.0001 or more, below 0.5)",
		"stopping: {rule: sequential, beta: -0.0}\n":           "a.yaml:4:30: stopping.beta: is 0 (a chance",
		"power: 0\n":                              "a.yaml:4:1: power: is 0 (a chance from 0.5",
		"agents: strength\nuct_budgets: []\n":     "a.yaml:5:1: uct_budgets: names no budget",
		"agents: [random]\ntrained_budgets: []\n": "a.yaml:5:1: trained_budgets: belongs to agents: strength",
		"pairs: 0x10\n":                           "a.yaml:4:8: pairs: \"0x10\" is no whole number (write it in decimal digits: 16)",
		"pairs: 1e3\n":                            "a.yaml:4:8: pairs: \"1e3\" is no whole number (write it in decimal digits: 1000)",
		"exploratory: maybe\n":                    "write true or false",
		"metric: length\n":                        "margin: is missing",
		"comparisons: [{a: bell-8x7, b: webdux}, {a: webdux, b: bell-8x7}]\n": "a.yaml:4:41: comparisons[1]: asks the same as comparisons[0]",
	} {
		if _, err := ParseDesign("a.yaml", []byte(head+text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: the error lacks %q: %v", text, want, err)
		}
	}
}

// TestRulesetsAndNetworks: what is named but not there, not played or there twice
// has its line.
func TestRulesetsAndNetworks(t *testing.T) {
	const trained = "agents: [{name: t, spec: \"net:path={network},simulations=4\"}, random]\n"
	for text, want := range map[string]string{
		"rulesets:\n  - {ref: bell-8x7, network: nowhere}\n" + trained:                                                                                                         "n.yaml:4:21: rulesets[0].network: nowhere does not exist (a run directory",
		"rulesets:\n  - {ref: bell-8x7, networks: [shipped, /dev/null]}\n" + trained:                                                                                           "n.yaml:4:41: rulesets[0].networks[1]: /dev/null is neither a file nor a directory",
		"rulesets:\n  - {ref: museum-quintana, network: shipped}\n" + trained:                                                                                                  "n.yaml:4:28: rulesets[0].network: invalid input: no network ships for these rules",
		"rulesets:\n  - {ref: bell-8x7, network: shipped}\nagents: [random]\n":                                                                                                 "n.yaml:4:21: rulesets[0].network: no agent plays the networks of \"bell-8x7\" (write {network}",
		"rulesets:\n  - bell-8x7\n  - {name: b, ref: bell-8x7}\nagents: [random]\n":                                                                                            "n.yaml:5:5: rulesets[1]: the rulesets \"bell-8x7\" and \"b\" have the same rules",
		"rulesets: [bell-8x7]\nagents: [{name: n, spec: \"net:path=testdata/none\"}]\n":                                                                                        "",
		"factorial: {base: bell-8x7, factors: [{parameter: end.tie, values: [draw, player-0]}], networks: {end.tie=draw: [nowhere], end.tie=player-0: [shipped]}}\n" + trained: "n.yaml:3:114: factorial.networks.end.tie=draw[0]: nowhere does not exist",
	} {
		_, err := ParseDesign("n.yaml", []byte("id: a\nquestion: q\n"+text))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: the error lacks %q: %v", text, want, err)
		}
	}
	// The same rules with another network are another player.
	d, err := ParseDesign("n.yaml", []byte("id: a\nquestion: q\nrulesets:\n  - {name: a, ref: bell-8x7, network: shipped}\n  - {name: b, ref: bell-8x7, network: \"shipped:bell-8x7\"}\n"+trained))
	if err != nil {
		t.Fatal(err)
	}
	// What is wrong with a network's content shows when it is played, and has its line too.
	refuse := func(spec mcts.Spec, g *engine.Game, hash string) (mcts.Agent, error) {
		if spec.Options["path"] == "shipped:bell-8x7" {
			return nil, mcts.ErrSpec
		}
		return mcts.NewRandom(), nil
	}
	_, err = d.Resolve(refuse)
	if want := "n.yaml:5:30: rulesets[1].network: agent"; !errors.Is(err, ErrInvalid) || !errors.Is(err, mcts.ErrSpec) || !strings.Contains(err.Error(), want) {
		t.Errorf("the error lacks %q: %v", want, err)
	}
}

// TestNumbersOfADesignNameTheirRange: whatever stands where a number should, the answer says where, which field, and
// what the number may be.
func TestNumbersOfADesignNameTheirRange(t *testing.T) {
	ranges := map[string]string{
		"version": "1", "seed": "0 to 18446744073709551615", "pairs": "1 to 1000000", "unit_pairs": "1 to 4096", "cap": "1 to 100000",
		"margin": "0.001 or more, below 0.5", "level": "from 0.5 to 0.9999", "power": "from 0.5 to 0.99",
		"stopping.alpha": "0.0001 or more, below 0.5", "stopping.beta": "0.0001 or more, below 0.5", "starts.plies": "0 to 1000",
		"uct_budgets[0]": "1 or more", "trained_budgets[0]": "1 or more",
	}
	texts := map[string]string{
		"stopping.alpha": "stopping: {rule: sequential, alpha: %s}", "stopping.beta": "stopping: {rule: sequential, beta: %s}",
		"starts.plies": "starts: {kind: random, plies: %s}", "uct_budgets[0]": "uct_budgets: [%s]", "trained_budgets[0]": "trained_budgets: [%s]",
	}
	for field, want := range ranges {
		text := texts[field]
		if text == "" {
			text = field + ": %s"
		}
		agents := "agents: [random]\n"
		if strings.HasSuffix(field, "]") {
			agents = "agents: strength\n"
		}
		for _, value := range []string{".nan", ".NaN", ".inf", "-.inf", "+.Inf", "NaN", "Infinity", "1e999", "many", "[1]", "-1", "99999999999999999999999"} {
			if strings.HasSuffix(field, "budgets[0]") && value == "[1]" {
				continue
			}
			design := "id: a\nquestion: q\nrulesets: [bell-8x7]\n" + agents + fmt.Sprintf(text, value) + "\n"
			_, err := ParseDesign("a.yaml", []byte(design))
			if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "a.yaml:5:") || !strings.Contains(err.Error(), ": "+field+": ") || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %s lacks its place, its field or %q: %v", field, value, want, err)
			}
			if err != nil && strings.Contains(err.Error(), "write it in") {
				t.Errorf("%s: %s cannot be written otherwise: %v", field, value, err)
			}
		}
	}
	// A margin in plies has another range.
	_, err := ParseDesign("a.yaml", []byte("id: a\nquestion: q\nrulesets: [bell-8x7]\nagents: [random]\nmetric: length\nmargin: 1e6\n"))
	if err == nil || !strings.Contains(err.Error(), "a.yaml:6:1: margin: is 1e+06 (a difference in plies that would matter, 0.01 to 100000)") {
		t.Error(err)
	}
}

func TestBrokenDesignsAreRefused(t *testing.T) {
	for name, text := range map[string]string{
		"empty":         "",
		"no yaml":       "a: [1, 2",
		"a list":        "- 1\n- 2\n",
		"alias":         "id: &x a\nquestion: *x\n",
		"twice":         goodDesign + "seed: 3\n",
		"both":          goodDesign + "rulesets: [webdux]\n",
		"null":          "id:\nquestion: q\n",
		"initial+plies": goodDesign + "starts: {kind: initial, plies: 3}\n",
		"huge":          strings.Repeat("# x\n", 1<<19),
	} {
		if _, err := ParseDesign(name, []byte(text)); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := LoadDesign(filepath.Join(t.TempDir(), "absent.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent file: %v", err)
	}
}

func FuzzParseDesign(f *testing.F) {
	f.Add(goodDesign)
	f.Add("agents: {a: [")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseDesign("f", []byte(text))
		if err == nil && len(d.Validate()) > 0 {
			t.Error("an accepted design is not valid")
		}
	})
}

// TestExampleDesigns: every design that ships is valid, and has pairs enough for its
// question by the rule of thumb, or says that it is exploratory.
func TestExampleDesigns(t *testing.T) {
	files, err := filepath.Glob("designs/*.yaml")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d designs, %v", len(files), err)
	}
	for _, f := range files {
		d, err := LoadDesign(f)
		if err != nil {
			t.Error(err)
			continue
		}
		if m, _ := metricByName(d.Metric); m.Unit != "points" || d.Exploratory {
			continue
		}
		if ok, needs := d.Answers(); !ok {
			t.Errorf("%s: %d pairs; its question needs %d", f, d.Pairs, needs)
		}
	}
}

// TestUnitsOfQuickPlay: files of few games would cost random players as much as the games do, and searching ones lose
// more by a kill; what the file says counts before either.
func TestUnitsOfQuickPlay(t *testing.T) {
	for rest, want := range map[string]int{
		"agents: [random]": 64, "agents: [random, greedy]": 64, "agents: [random, \"uct:simulations=50\"]": 16, "": 16,
		"agents: [random]\nunit_pairs: 8": 8, "agents: [random]\nunit_pairs: 16": 16, "agents: [greedy]\nstopping: sequential": 16,
	} {
		d, err := ParseDesign("d.yaml", []byte("id: d\nquestion: q?\nrulesets: [bell-8x7]\nexploratory: true\n"+rest+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if d.UnitPairs != want {
			t.Errorf("%q: %d pairs a unit, want %d", rest, d.UnitPairs, want)
		}
	}
}
