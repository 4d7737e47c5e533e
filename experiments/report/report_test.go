package report

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"latro/experiments"
	"latro/experiments/figure"
	"latro/experiments/stats"
)

// run plays a small experiment: a contrast of rulesets or of one parameter, with
// random and greedy agents, and a match.
func run(t *testing.T, dir string, d experiments.Design) *experiments.Analysis {
	t.Helper()
	if err := experiments.Run(context.Background(), dir, d, experiments.RunOptions{}); err != nil {
		t.Fatal(err)
	}
	a, err := experiments.Analyse(dir)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func designs() []experiments.Design {
	d := experiments.DefaultDesign()
	d.ID, d.Title, d.Question = "rulesets", "Two reconstructions", "How do Bell's game and the web game differ?"
	d.Rulesets = []experiments.RulesetRef{{Ref: "bell-8x7"}, {Ref: "webdux"}}
	d.Agents = []experiments.AgentRef{{Spec: "random"}, {Spec: "greedy"}}
	d.Matches = []experiments.Match{{A: "greedy", B: "random"}}
	d.Pairs, d.Cap = 16, 600
	e := experiments.DefaultDesign()
	e.ID, e.Title, e.Question = "corners", "Hostile corners <or not>", "Does it matter whether corners capture?"
	e.Factorial = &experiments.Factorial{Base: experiments.RulesetRef{Ref: "bell-8x7"}, Factors: []experiments.Factor{{Parameter: "capture.corner", Values: []string{"hostile", "neutral"}}}}
	e.Agents = []experiments.AgentRef{{Name: "chance", Spec: "random"}}
	e.Pairs, e.Cap = 16, 20 // a cap that stops many games, to see "no claim"
	return []experiments.Design{d, e}
}

func compose(as []*experiments.Analysis) Report {
	r := Report{Title: "How rules shift the balance", Lead: "A test of the report.", Analyses: as}
	r.Sections = []Section{
		Findings(as...), Experiment(as[0]), Experiment(as[1]),
		Strength("The greedy agent is weak.", as...),
		Learning("Losses fall.", Curve{ID: "loss", Title: "Loss by generation", X: "generation", Y: "loss",
			Series:    []figure.Series{{Name: "run a", Points: []figure.Point{{X: 1, Y: 2, Low: 1.8, High: 2.2}, {X: 2, Y: 1, Low: 0.9, High: 1.1}}}},
			Sentences: []string{"The loss fell from 2.0 to 1.0 (bands: batches)."}}),
		Rules(as...), Method(as...), Provenance([]Entry{{"command", "latro quickstart --seed 1 & more"}}, as...),
	}
	return r
}

func TestReport(t *testing.T) {
	var as []*experiments.Analysis
	var dirs []string
	for _, d := range designs() {
		dirs = append(dirs, t.TempDir())
		as = append(as, run(t, dirs[len(dirs)-1], d))
	}
	dir := os.Getenv("LATRO_REPORT") // set to look at it
	if dir == "" {
		dir = t.TempDir()
	}
	files, err := Write(dir, compose(as))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(files.HTML)
	if err != nil {
		t.Fatal(err)
	}

	t.Run("self-contained", func(t *testing.T) { selfContained(t, page) })
	t.Run("figures have tables and sentences", func(t *testing.T) {
		s := string(page)
		n := strings.Count(s, "<figure ")
		if n < 12 {
			t.Errorf("%d figures, want at least 12", n)
		}
		for _, part := range []string{`<svg class="figure wide"`, `<svg class="figure narrow"`, "<figcaption><strong>", "<summary>The numbers of this figure</summary>"} {
			if c := strings.Count(s, part); c != n {
				t.Errorf("%d × %s in %d figures", c, part, n)
			}
		}
		if len(files.Figures) != 2*n {
			t.Errorf("%d figure files for %d figures", len(files.Figures), n)
		}
	})
	t.Run("words", func(t *testing.T) { words(t, compose(as), page, as) })
	t.Run("tables", func(t *testing.T) { tables(t, files, as) })
	t.Run("rebuild gives the same bytes", func(t *testing.T) {
		var again []*experiments.Analysis
		for _, d := range dirs {
			a, err := experiments.Analyse(d)
			if err != nil {
				t.Fatal(err)
			}
			again = append(again, a)
		}
		r := compose(again)
		js, err := r.JSON()
		if err != nil {
			t.Fatal(err)
		}
		want := map[string][]byte{files.HTML: []byte(r.HTML()), files.JSON: js, files.Metrics: r.metricsCSV(), files.Tests: r.testsCSV()}
		for _, f := range r.figures() {
			want[filepath.Join(dir, "figures", f.ID+".svg")] = f.SVG()
		}
		for name, b := range want {
			a, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(a, b) {
				t.Errorf("%s differs on rebuild", filepath.Base(name))
			}
		}
	})
}

var (
	tagPattern = regexp.MustCompile(`<[a-zA-Z][^>]*>`)
	// Attributes in double quotes, in single ones, and in none.
	attrPattern   = regexp.MustCompile(`([a-zA-Z:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))`)
	anchorPattern = regexp.MustCompile(`\sid="([^"]*)"`)
)

// selfContained reports what [reaching] finds.
func selfContained(t *testing.T, page []byte) {
	t.Helper()
	for _, s := range reaching(page) {
		t.Error(s)
	}
}

// reaching lists what on a page makes a browser ask the network, or fails to be a page: an
// element that loads, an attribute that names a resource other than a place within the page,
// a CSS import or url, a link to nowhere, an id used twice, an element that is not closed.
func reaching(page []byte) (out []string) {
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	loads := map[string]bool{"src": true, "srcset": true, "data": true, "poster": true, "action": true, "background": true, "cite": true, "manifest": true, "ping": true, "formaction": true, "xlink:href": true, "href": true}
	for _, tag := range tagPattern.FindAllString(string(page), -1) {
		name := strings.ToLower(strings.TrimLeft(strings.Fields(strings.Trim(tag, "<>/"))[0], "<"))
		switch name {
		case "script", "link", "img", "iframe", "object", "embed", "video", "audio", "base", "form", "image", "use", "source", "frame", "track", "feimage":
			say("the page has <%s>", name)
		}
		for _, a := range attrPattern.FindAllStringSubmatch(tag, -1) {
			key, value := strings.ToLower(a[1]), a[2]+a[3]+a[4]
			if loads[key] && !strings.HasPrefix(value, "#") {
				say("%s reaches out", tag)
			}
			if strings.HasPrefix(key, "on") {
				say("%s runs a script", tag)
			}
			if key == "http-equiv" {
				say("%s may send the reader elsewhere", tag)
			}
		}
	}
	for _, bad := range []string{"@import", "url(", "image-set(", "src(", "@font-face", "<script", "javascript:"} {
		if bytes.Contains(bytes.ToLower(page), []byte(bad)) {
			say("the page has %q", bad)
		}
	}
	// Anchors of the table of contents exist, and ids are unique.
	ids := map[string]int{}
	for _, m := range anchorPattern.FindAllSubmatch(page, -1) {
		ids[string(m[1])]++
	}
	for id, n := range ids {
		if n != 1 {
			say("id %q is used %d times", id, n)
		}
	}
	for _, m := range regexp.MustCompile(`(?:href="#|for=")([^"]*)"`).FindAllSubmatch(page, -1) {
		if ids[string(m[1])] == 0 {
			say("a link goes to #%s, which is not there", m[1])
		}
	}
	// Every element is closed: the page is also well-formed XML but for the doctype,
	// the two meta elements and the entities that Go escapes to.
	x := strings.NewReplacer("<!DOCTYPE html>", "", `<meta charset="utf-8">`, "", `<meta name="viewport" content="width=device-width, initial-scale=1">`, "").Replace(string(page))
	d := xml.NewDecoder(strings.NewReader(x))
	d.Entity = xml.HTMLEntity
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			say("not well-formed: %v", err)
			return out
		}
	}
}

// TestReachingOutIsSeen: the check of the pages fails where a page reaches out. Each of these
// is put into a page that passes.
func TestReachingOutIsSeen(t *testing.T) {
	page := Report{Title: "T", Sections: []Section{{ID: "a", Title: "A", Blocks: []Block{Text("text"), Folded("more", Text("text"))}}}}.HTML()
	if got := reaching([]byte(page)); len(got) > 0 {
		t.Fatalf("the plain page: %q", got)
	}
	for _, bad := range []string{
		`<img src="https://example.org/a.png"/>`, `<p><a href="https://example.org">x</a></p>`, `<p><a href='//example.org'>x</a></p>`, `<p><a href=data.csv>x</a></p>`,
		`<p style="background:url(//example.org/a.png)">x</p>`, `<style>@import "a.css";</style>`, `<style>@font-face{}</style>`, `<p style="background:image-set('a.png' 1x)">x</p>`,
		`<svg><use xlink:href="a.svg#b"/></svg>`, `<p onclick="x()">x</p>`, `<script>x()</script>`, `<link rel="stylesheet" href="a.css"/>`, `<p><a href="JavaScript:x()">x</a></p>`,
		`<meta http-equiv="refresh" content="0;https://example.org"/>`, `<p id="a">x</p>`, `<p><a href="#nowhere">x</a></p>`, `<p>x`,
	} {
		if got := reaching([]byte(strings.Replace(page, "</main>", bad+"</main>", 1))); len(got) == 0 {
			t.Errorf("a page with %s passes", bad)
		}
	}
}

// words checks what a report may and may not say.
func words(t *testing.T, r Report, page []byte, as []*experiments.Analysis) {
	text := string(regexp.MustCompile(`(?s)<style>.*?</style>|<[^>]*>`).ReplaceAll(page, []byte(" ")))
	lower := strings.ToLower(text)
	said := 0
	for _, s := range r.Generated() {
		said += len(s)
		for _, v := range CheckWords(s) {
			t.Errorf("the report says %q in: %s\n(%s)", v.Phrase, v.Sentence, v.Why)
		}
	}
	if said < 10_000 {
		t.Errorf("only %d bytes of text were looked at", said)
	}
	for _, a := range as {
		if len(a.Findings) == 0 {
			t.Fatalf("%s has no findings", a.Design.ID)
		}
		for _, f := range a.Findings {
			if f.Kind == "score" && f.ExcludesNoEffect && strings.Contains(f.Sentence, "no claim") {
				t.Errorf("a finding without claim excludes no effect: %s", f.Sentence)
			}
			if !strings.Contains(f.Sentence, "agent") && !strings.Contains(f.Sentence, "search") && !strings.Contains(f.Sentence, "network") {
				t.Errorf("a finding names no agent: %s", f.Sentence)
			}
		}
	}
	// The cap of 20 plies stops most games: no claim may be made from their scores.
	capped := as[1]
	for _, f := range capped.Findings {
		if f.Kind == "score" && (f.ExcludesNoEffect || !strings.Contains(f.Sentence, "no claim")) {
			t.Errorf("a claim from capped games: %s", f.Sentence)
		}
		if f.Kind == "contrast" && strings.Contains(f.ID, "first-player-score") && f.ExcludesNoEffect {
			t.Errorf("a claim from capped games: %s", f.Sentence)
		}
	}
	if len(capped.Warnings) == 0 {
		t.Error("capped games raise no warning")
	}
	if !strings.Contains(text, "capture.corner") || !strings.Contains(text, "differ in one rule (") {
		t.Error("the contrast of one parameter does not say so")
	}
	if !strings.Contains(text, "repetition.rule") || !strings.Contains(lower, "assumed") {
		t.Error("the assumed parameters are not listed")
	}
}

func tables(t *testing.T, files Files, as []*experiments.Analysis) {
	for _, name := range []string{files.Metrics, files.Tests} {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(f).ReadAll()
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) < 5 {
			t.Errorf("%s has %d rows", name, len(rows))
		}
	}
	b, err := os.ReadFile(files.JSON)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Findings    []experiments.Finding
		Experiments []struct {
			Cells []struct {
				Tally struct{ Win, Draw, Loss, Capped int }
				Score struct{ Estimate, Low, High float64 }
			}
		}
	}
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Findings) != len(as[0].Findings)+len(as[1].Findings) {
		t.Errorf("%d findings in JSON", len(got.Findings))
	}
	// The score in the file is the arithmetic of the tally in the file.
	for _, e := range got.Experiments {
		for _, c := range e.Cells {
			y := c.Tally
			n := float64(y.Win + y.Draw + y.Loss + y.Capped)
			want := (float64(y.Win) + float64(y.Draw)/2 + float64(y.Capped)/2) / n
			if d := want - c.Score.Estimate; d > 1e-12 || d < -1e-12 {
				t.Errorf("tally %+v gives %v, the score says %v", y, want, c.Score.Estimate)
			}
		}
	}
}

func TestProseEscapes(t *testing.T) {
	var w strings.Builder
	prose{"# T\n\n## H <b>\n\na `x<y` and **bold** * star\n- one\n- two\n\n```text\n<&>\n```\n"}.render(&w)
	for _, want := range []string{"<h4>H &lt;b&gt;</h4>", "<code>x&lt;y</code>", "<strong>bold</strong> * star", "<li>two</li>", "<pre>&lt;&amp;&gt;"} {
		if !strings.Contains(w.String(), want) {
			t.Errorf("%q lacks %q", w.String(), want)
		}
	}
}

// What rules.RenderMarkdown escapes is read as it was written.
func TestProseUnescapes(t *testing.T) {
	var b strings.Builder
	prose{"- Notes \\[guide], a\\_b \\*c\\* \\| \\` &lt;i> and **bold** `code`\n"}.render(&b)
	want := "<ul>\n<li>Notes [guide], a_b *c* | ` &lt;i&gt; and <strong>bold</strong> <code>code</code></li>\n</ul>\n"
	if b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
}

func TestVerdicts(t *testing.T) {
	for want, f := range map[string]experiments.Finding{
		"Evidence of a difference":                        {Kind: "contrast", ExcludesNoEffect: true},
		"Evidence that the score is not even":             {Kind: "score", ExcludesNoEffect: true},
		"Not exactly even, but within the margin":         {Kind: "score", ExcludesNoEffect: true, Within: true},
		"Shown to be within the margin":                   {Kind: "score", Within: true},
		"Evidence of a difference, but within the margin": {Kind: "contrast", ExcludesNoEffect: true, Within: true},
		"Evidence of a trend":                             {Kind: "trend", ExcludesNoEffect: true},
		"Evidence that one is stronger":                   {Kind: "strength", ExcludesNoEffect: true},
		"Open":                                            {Kind: "contrast"},
		"Open · provisional":                              {Kind: "score", Provisional: true},
		"No claim":                                        {Kind: "score", NoClaim: true, ExcludesNoEffect: true},
	} {
		if got := verdict(f); got != want {
			t.Errorf("%+v: %q, want %q", f, got, want)
		}
	}
}

func TestDoubledIDsAreRefused(t *testing.T) {
	if _, err := Write(t.TempDir(), Report{Sections: []Section{{ID: "a"}, {ID: "a"}}}); err == nil {
		t.Error("two sections with one id were accepted")
	}
}

// The glossary is in alphabetical order and explains each word once.
func TestGlossary(t *testing.T) {
	for i, x := range glossary[1:] {
		if strings.ToLower(x.Word) <= strings.ToLower(glossary[i].Word) {
			t.Errorf("%q stands after %q", x.Word, glossary[i].Word)
		}
		if len(x.Meaning) < 20 {
			t.Errorf("%q is not explained", x.Word)
		}
	}
}

func TestCompact(t *testing.T) {
	for want, iv := range map[string]stats.Interval{
		"0.0 [−12.3, 0.0]":    {Estimate: 0.0001, Low: -0.123, High: -0.0002},
		"+10.0 [−0.1, +20.0]": {Estimate: 0.1, Low: -0.001, High: 0.2},
		"no data":             {Estimate: math.NaN()},
	} {
		if got := compact(iv, "points"); got != want {
			t.Errorf("%v is written %q, want %q", iv, got, want)
		}
	}
}
