package metrics

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"latro/datasets"
	"latro/env/envtest"
)

const page = "../../docs/metrics.md"

func readPage(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestPageShowsTheExample: the table of the page is what is measured of its game. LATRO_UPDATE=1 writes it there.
func TestPageShowsTheExample(t *testing.T) {
	g := envtest.Game(t, "testdata/hand.yaml")
	game := comeback(t, g)
	r := measure(t, g, selfPlay(), game, game)
	var b strings.Builder
	b.WriteString("| metric | value |\n| --- | --- |\n")
	for _, m := range []string{"branching", "attrition-25", "attrition-50", "attrition-75", "attrition-100", "lead-changes-material", "drama-material", "comeback-share-material", "edge-share"} {
		fmt.Fprintf(&b, "| `%s` | %.4g |\n", m, r.Value(m).Interval.Estimate)
	}
	const begin, end = "<!-- comeback -->\n", "<!-- end -->"
	text := readPage(t)
	head, rest, ok := strings.Cut(text, begin)
	shown, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no block between %q and %q", page, begin, end)
	}
	// The plies of the drawing are the game's.
	for _, ply := range strings.Fields("d2-c2 c4-c3 d3-d2 c1-d1 a2-a1 c3-d3 a1-a2 d3-c3 a2-a1 c3-c4") {
		if !strings.Contains(head, ply) {
			t.Errorf("the page's game lacks %s", ply)
		}
	}
	if shown == b.String() {
		return
	}
	if os.Getenv("LATRO_UPDATE") != "1" {
		t.Fatalf("%s shows\n%s, measured is\n%s; LATRO_UPDATE=1 go test ./experiments/metrics -run PageShows writes it there", page, shown, b.String())
	}
	if err := os.WriteFile(page, []byte(head+begin+b.String()+end+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestPageNamesEveryMetric: every name that a cell can give, measured or missing, stands on the page, and so does every
// column of games.arrow.
func TestPageNamesEveryMetric(t *testing.T) {
	text := readPage(t)
	hand := envtest.Game(t, "testdata/hand.yaml")
	game := comeback(t, hand)
	withValues := selfPlay()
	withValues.Values, withValues.FromStart = "a search", true
	game.Values = make([]float32, len(game.Moves))
	results := []Result{measure(t, hand, withValues, game, game)}
	for _, ref := range []string{"bell-8x7", "schadler-1994", "luductus"} {
		results = append(results, measure(t, envtest.Game(t, ref), withValues))
	}
	placing := envtest.Game(t, "testdata/placing.yaml")
	placed := written(t, placing, "", datasets.Draw, "@a1 @a2 @c3 @b3 @b1 @c2")
	results = append(results, measure(t, placing, withValues, placed, placed))
	hops := envtest.Game(t, "testdata/hand.yaml", "movement.men.hop_over=enemy-free", "movement.men.hop_directions=orthogonal", "movement.men.hop_length=one", "end.annihilation_at=0")
	a := written(t, hops, "b3/a3/4/2aa 1 movement", datasets.Capped, "a4-b4")
	b := a
	b.Outcome = datasets.Draw
	results = append(results, measure(t, hops, Config{Level: 0.95, SpecA: "uct:avoid=hop,simulations=9", SpecB: "uct:simulations=9"}, a, b))
	seen := 0
	for _, r := range results {
		var names []string
		for _, v := range r.Values {
			names = append(names, v.Metric)
		}
		for _, m := range r.Missing {
			names = append(names, m.Metric)
		}
		for _, name := range names {
			name = regexp.MustCompile(`-(binding|bonus|hop|leader|row)(-|$)`).ReplaceAllString(name, "-RULE$2")
			name = regexp.MustCompile(`^(lead-changes|drama|comeback-share)-\w+$`).ReplaceAllString(name, "$1-E")
			// piece-value-leader and odds-leader are pieces and not rules; a name may be given by its ending.
			name = strings.NewReplacer("piece-value-RULE", "piece-value-leader", "odds-RULE", "odds-leader").Replace(name)
			base := regexp.MustCompile(`-(25|50|75|100|second|capped-won|capped-lost)$`).ReplaceAllString(name, "")
			ok := strings.Contains(text, "`"+name+"`") || strings.Contains(text, "`"+base) && strings.Contains(text, "`"+name[len(base):]+"`")
			if !ok {
				t.Errorf("%s does not name %s", page, name)
			}
			seen++
		}
	}
	if seen < 60 {
		t.Errorf("only %d names were looked for", seen)
	}

	path := filepath.Join(t.TempDir(), "games.arrow")
	w, err := datasets.CreateGames(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	s, err := datasets.Inspect(path)
	if err != nil {
		t.Fatal(err)
	}
	_, columns, _ := strings.Cut(text, "## games.arrow")
	for _, c := range s.Columns {
		if !strings.Contains(columns, "`"+c.Name+"`") {
			t.Errorf("%s does not document the column %s of games.arrow", page, c.Name)
		}
	}
	if len(s.Columns) < 40 {
		t.Errorf("games.arrow has %d columns", len(s.Columns))
	}
}
