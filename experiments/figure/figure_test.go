package figure

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func samples() []Figure {
	percent := func(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) }
	bound := [2]float64{0.30, 0.72}
	raw := 0.57
	counts, damaged := make([]float64, 56), make([]float64, 56)
	for i := range counts {
		counts[i] = float64(10+(i*7)%23) / 20
		if damaged[i] = counts[i]; i%9 == 0 {
			damaged[i] = math.NaN()
		}
	}
	large := make([]float64, 11*16)
	for i := range large {
		large[i] = float64(i%37) / 18
	}
	names := [4]string{"first player wins", "draw", "second player wins", "capped"}
	simulations := func(v float64) string {
		if v < 5 {
			return map[float64]string{3: "random", 4: "greedy"}[v]
		}
		return fmt.Sprintf("%.0f", math.Exp2(v))
	}
	return []Figure{
		Outcomes("outcomes", "Outcomes <by> ruleset & agent", []OutcomeRow{
			{Label: "Bell 8×7", Sub: "uct:simulations=100", Win: 0.47, Draw: 0.08, Loss: 0.45, N: 400,
				WinInterval: &[2]float64{0.42, 0.52}, LossInterval: &[2]float64{0.40, 0.50}},
			{Label: "A ruleset with a name too long for its place", Sub: "random", Win: 0.2, Draw: 0.1, Loss: 0.3, Capped: 0.4, N: 400,
				WinInterval: &[2]float64{0.16, 0.24}, LossInterval: &[2]float64{0.25, 0.35}},
			{Label: "Only capped", Sub: "random", Capped: 1, N: 40, WinInterval: &[2]float64{0, 0.08}, LossInterval: &[2]float64{0, 0.08}},
		}, names),
		Forest("forest", "First player's score", []ForestRow{
			{Label: "Bell 8×7", Sub: "random", Estimate: 0.52, Low: 0.48, High: 0.56, Text: "52.0 % [48.0, 56.0]", Raw: &raw},
			{Label: "Within", Sub: "random", Estimate: 0.5, Low: 0.47, High: 0.53, Text: "50.0 % [47.0, 53.0]", Within: true},
			{Label: "Seneca", Sub: "random", Estimate: 0.51, Low: 0.46, High: 0.56, Outer: &bound, Muted: true, Text: "no claim"},
			{Label: "Match", Sub: "won outright", Estimate: math.Inf(1), Low: 0.6, High: math.Inf(1), Text: "at least"},
			{Label: "Nothing", Sub: "", Estimate: math.NaN(), Low: 0, High: 1, Text: ""},
		}, ForestAxis{Ref: 0.5, Band: &[2]float64{0.45, 0.55}, Min: 0.4, Max: 0.6, Format: percent, Less: "second player ahead", More: "first player ahead",
			BandLabel: "margin of ±5 points", OuterLabel: "if all capped games were lost, or won"}),
		Forest("effects", "Effects of rules", []ForestRow{
			{Group: "Main effects", Label: "corners: neutral instead of hostile", Sub: "all agents", Estimate: 0.1, Low: -0.2, High: 0.4, Text: "1.11 [0.82, 1.49]"},
			{Group: "Main effects", Label: "tie: second player wins instead of draw", Estimate: -0.6, Low: -0.9, High: -0.3, Text: "0.55 [0.41, 0.74]"},
			{Group: "Interactions of two rules", Label: "corners: neutral × tie: second player wins", Estimate: 0, Low: -0.3, High: 0.3, Text: "1.00 [0.74, 1.35]"},
		}, ForestAxis{Ref: 0, Min: -0.7, Max: 0.7, Format: func(v float64) string { return fmt.Sprintf("%.2g", math.Exp(v)) },
			Ticks: []float64{math.Log(0.5), 0, math.Log(2)}, Less: "helps the second player", More: "helps the first player"}),
		Survival("survival", "Lengths", []Series{
			{Name: "Bell", Points: []Point{{20, 0.9, 0.85, 0.95}, {60, 0.5, 0.4, 0.6}, {90, 0, 0, 0}}, Mean: &Span{58, 52, 64}},
			{Name: "webdux", Points: []Point{{40, 0.95, 0.9, 1}, {160, 0.3, 0.2, 0.4}}, Mean: &Span{150, 140, 160}},
		}, 200),
		Incidence("incidence", "How games had ended", []IncidenceRow{
			{Label: "Bell", Sub: "random", Points: []IncidencePoint{{20, 0.1, 0, 0.05}, {80, 0.4, 0.1, 0.3}, {150, 0.45, 0.12, 0.4}}},
			{Label: "Seneca", Sub: "random", Points: []IncidencePoint{{120, 0.1, 0, 0.05}}},
			{Label: "Nothing ended", Sub: "uct"},
		}, names, 200),
		Panels("budget", "Score, draws and capped games by budget", []Panel{
			{Axes{Y: "first player's score", YMin: 0.4, YMax: 0.6, YFormat: percent, RefY: 0.5, RefLabel: "even", Band: &[2]float64{0.45, 0.55}, XTicks: []float64{3, 4, 6, 8}, XFormat: simulations},
				[]Series{{Name: "Bell", Points: []Point{{6, 0.5, 0.45, 0.55}, {8, 0.52, 0.5, 0.54}}}, {Name: "webdux", Points: []Point{{6, 0.45, 0.4, 0.5}, {8, 0.47, 0.44, 0.5}}},
					{Name: "Bell, random and greedy", Points: []Point{{3, 0.55, 0.5, 0.6}, {4, 0.5, 0.45, 0.55}}, Loose: true}}},
			{Axes{X: "simulations a ply (logarithmic)", Y: "draws", YMin: 0, YMax: 0.2, YFormat: percent, XTicks: []float64{3, 4, 6, 8}, XFormat: simulations},
				[]Series{{Name: "Bell", Points: []Point{{6, 0.1, 0.05, 0.15}, {8, 0.12, 0.08, 0.16}}}}},
		}, nil),
		Ranks("ranks", "Order of the rulesets by agent", []string{"random", "UCT 100", "UCT 400"}, []RankRow{
			{Label: "Bell 8×7", Rank: []float64{1, 2, 2}, Low: []float64{1, 1, 1}, High: []float64{2, 3, 2}},
			{Label: "Web dux", Rank: []float64{2, 1, 3}}, {Label: "A third with a rather long name", Rank: []float64{3, 3, 1}}, {Label: "Without", Rank: []float64{math.NaN()}},
		}, []string{"τ = 0.33", "τ = −0.33"}),
		HeatMaps("traffic", "Traffic", "times the average square or line:", []HeatGroup{
			{"Bell", "random", []HeatMap{
				{Title: "placed", Rows: 8, Cols: 7, Empty: "no placements: the rules begin from an array"},
				{Title: "arrivals", Rows: 8, Cols: 7, Squares: counts}, {Title: "captures", Rows: 8, Cols: 7, Squares: damaged},
				{Title: "lines", Rows: 8, Cols: 7, Lines: []HeatLine{{0, 1, 0.2}, {1, 8, 3.5}, {20, 27, 1}, {9, 17, math.NaN()}}}}},
			{"A large board with a name that is much too long for any place that a page could give it", "uct", []HeatMap{{Title: "arrivals", Rows: 11, Cols: 16, Squares: large}}},
		}),
		Boxes("boxes", "Lengths", "plies", []BoxRow{{"Group of rows", "Bell", "random", [5]float64{20, 40, 60, 80, 100}, "median 60"},
			{"Another group", "Seneca", "random", [5]float64{100, 150, math.NaN(), math.NaN(), math.NaN()}, "median > 200"}}, 200),
		Curves("curves", "Learning", []Series{{Name: "loss", Points: []Point{{1, 2, 2, 2}, {2, 1.5, 1.5, 1.5}}}}, Axes{X: "generation", Y: "loss", YFormat: func(v float64) string { return fmt.Sprintf("%.1f", v) }}, nil),
	}
}

func TestFiguresAreSoundAndRepeatable(t *testing.T) {
	dir := os.Getenv("LATRO_FIGURES") // set to look at them
	for _, f := range samples() {
		for name, svg := range map[string][]byte{f.ID: f.SVG(), f.ID + " inline": []byte("<div>" + f.Inline() + "</div>")} {
			titles, descs := wellFormed(t, name, svg)
			want := 1
			if strings.HasSuffix(name, "inline") {
				want = 2 // for wide pages and for phones
			}
			if titles != want || descs != want {
				t.Errorf("%s has %d titles and %d descriptions, want %d", name, titles, descs, want)
			}
			if strings.Contains(string(svg), "NaN") || strings.Contains(string(svg), "Inf") {
				t.Errorf("%s draws at no number", name)
			}
		}
		first, second := f.Inline(), f.Inline()
		if !bytes.Equal(f.SVG(), f.SVG()) || first != second {
			t.Errorf("%s differs between two drawings", f.ID)
		}
		b, err := f.PNG()
		if err != nil {
			t.Fatal(err)
		}
		// 200 dots an inch, 72 points an inch.
		picture(t, f.ID, b, 1440, 1450)
		if dir != "" {
			n, err := f.bitmap(small)
			if err != nil {
				t.Fatal(err)
			}
			os.WriteFile(filepath.Join(dir, f.ID+"-narrow.png"), n, 0o644)
			os.WriteFile(filepath.Join(dir, f.ID+".png"), b, 0o644)
			os.WriteFile(filepath.Join(dir, f.ID+".svg"), f.SVG(), 0o644)
		}
	}
}

// wellFormed parses a drawing, checks that nothing in it reaches out, and counts
// its titles and descriptions.
func wellFormed(t *testing.T, name string, svg []byte) (titles, descs int) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return titles, descs
		}
		if err != nil {
			t.Fatalf("%s: not well-formed: %v", name, err)
		}
		e, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		switch e.Name.Local {
		case "title":
			titles++
		case "desc":
			descs++
		}
		for _, a := range e.Attr {
			if a.Name.Local == "href" || a.Name.Local == "src" || strings.Contains(a.Value, "url(") {
				t.Errorf("%s: <%s %s=%q> reaches out", name, e.Name.Local, a.Name.Local, a.Value)
			}
		}
	}
}

func picture(t *testing.T, name string, b []byte, low, high int) {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if w := img.Bounds().Dx(); w < low || w > high {
		t.Errorf("%s is %d pixels wide", name, w)
	}
	dark := 0
	for y := 0; y < img.Bounds().Dy(); y += 2 {
		for x := 0; x < img.Bounds().Dx(); x += 2 {
			if r, g, b, _ := img.At(x, y).RGBA(); r+g+b < 3*0x8000 {
				dark++
			}
		}
	}
	if dark < 125 {
		t.Errorf("%s: the picture is empty", name)
	}
}

var (
	placed   = regexp.MustCompile(`<text x="([-\d.e]+)" y="([-\d.e]+)"[^>]*font-size:([\d.]+)px[^>]*textLength="([\d.]+)"[^>]*>([^<]*)</text>`)
	drawings = regexp.MustCompile(`(?s)<svg class="figure (\w+)" viewBox="0 0 ([\d.]+) ([\d.]+)".*?</svg>`)
)

// TestTextsHaveRoom: on both sheets every text lies on the sheet, no two texts run
// into each other, and none is smaller than 9 points. The narrow sheet is 270 wide
// and shown at 325 pixels on a page of 360, so that 9 become 10.8.
func TestTextsHaveRoom(t *testing.T) {
	type box struct {
		x0, x1, y0, y1 float64
		s              string
	}
	for _, f := range samples() {
		found := drawings.FindAllStringSubmatch(f.Inline(), -1)
		if len(found) != 2 {
			t.Fatalf("%s has %d drawings", f.ID, len(found))
		}
		for _, m := range found {
			num := func(s string) float64 {
				v, err := strconv.ParseFloat(s, 64)
				if err != nil {
					t.Fatal(err)
				}
				return v
			}
			name, width, height := f.ID+" "+m[1], num(m[2]), num(m[3])
			var boxes []box
			texts := placed.FindAllStringSubmatch(m[0], -1)
			if n := strings.Count(m[0], "<text"); n != len(texts) || n == 0 {
				t.Fatalf("%s: %d texts, %d understood", name, n, len(texts))
			}
			for _, q := range texts {
				size := num(q[3])
				if size < 9 {
					t.Errorf("%s: %q is set in %g points", name, q[5], size)
				}
				// vgsvg turns the page over; y counts from the bottom, negative.
				base := height + num(q[2])
				b := box{num(q[1]), num(q[1]) + num(q[4]), base - 0.72*size, base, q[5]}
				if b.x0 < -0.5 || b.x1 > width+0.5 || b.y0 < -0.5 || b.y1 > height+0.5 {
					t.Errorf("%s: %q leaves the sheet of %g by %g: %+v", name, b.s, width, height, b)
				}
				for _, o := range boxes {
					if b.x0 < o.x1-0.5 && o.x0 < b.x1-0.5 && b.y0 < o.y1-0.5 && o.y0 < b.y1-0.5 {
						t.Errorf("%s: %q runs into %q", name, b.s, o.s)
					}
				}
				boxes = append(boxes, b)
			}
		}
	}
}

func luminance(r, g, b float64) float64 { return 0.2126*r + 0.7152*g + 0.0722*b }

func linear(v uint8) float64 {
	x := float64(v) / 255
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

// TestColours: lines keep 3 to 1 against white (WCAG 2.2, 1.4.11), and the first
// four colours and the four outcomes stay apart for readers without red or green
// cones (F. Viénot, H. Brettel and J. Mollon, Color Research and Application 24
// (1999) 243: the matrices act on linear RGB).
func TestColours(t *testing.T) {
	protan := [3][3]float64{{0.11238, 0.88762, 0}, {0.11238, 0.88762, 0}, {0.00401, -0.00401, 1}}
	deutan := [3][3]float64{{0.29275, 0.70725, 0}, {0.29275, 0.70725, 0}, {-0.02234, 0.02234, 1}}
	normal := [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	// gamma brings linear light back to what differences are judged in.
	see := func(c [3]uint8, m [3][3]float64) [3]float64 {
		var out [3]float64
		for i := range 3 {
			for j := range 3 {
				out[i] += m[i][j] * linear(c[j])
			}
			out[i] = math.Cbrt(math.Max(0, out[i]))
		}
		return out
	}
	check := func(what string, cs [][3]uint8) {
		for name, m := range map[string][3][3]float64{"normal": normal, "protanopia": protan, "deuteranopia": deutan} {
			for i := range cs {
				for j := range i {
					a, b := see(cs[i], m), see(cs[j], m)
					d := math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
					if d < 0.12 {
						t.Errorf("%s %d and %d look alike (%s): distance %.3f", what, j, i, name, d)
					}
				}
			}
		}
	}
	var lines, outcomes [][3]uint8
	for i := range 6 {
		c := palette(i)
		if l := luminance(linear(c.R), linear(c.G), linear(c.B)); 1.05/(l+0.05) < 3 {
			t.Errorf("colour %d has a contrast of %.2f", i, 1.05/(l+0.05))
		}
		if i < 4 {
			lines = append(lines, [3]uint8{c.R, c.G, c.B})
		}
	}
	for _, c := range outcomeColors {
		outcomes = append(outcomes, [3]uint8{c.R, c.G, c.B})
	}
	check("lines", lines)
	check("outcomes", outcomes)
	// Beyond four, marks and dashes tell series apart; they must all differ.
	seen := map[string]bool{}
	for i := range 6 {
		k := fmt.Sprint(shapes[i], dashes[i])
		if seen[k] {
			t.Errorf("series %d has the mark and dash of another", i)
		}
		seen[k] = true
	}
}

// TestDataAreDrawn: the marks stand where the numbers are.
func TestDataAreDrawn(t *testing.T) {
	row := func(v float64) string {
		return string(Forest("f", "f", []ForestRow{{Label: "a", Estimate: v, Low: v - 0.05, High: v + 0.05}}, ForestAxis{Ref: 0.5, Min: 0, Max: 1, Format: func(float64) string { return "x" }}).SVG())
	}
	if row(0.4) == row(0.6) {
		t.Error("a forest does not depend on its estimates")
	}
	// Half of the games won by each: the gap between the colours is in the middle of
	// the bar, x0 + (x1 − x0)/2 with x0 = 160 and x1 = Width − 24.
	bar := string(Outcomes("o", "o", []OutcomeRow{{Label: "a", Win: 0.5, Loss: 0.5, N: 2}}, [4]string{"w", "d", "l", "c"}).SVG())
	if want := fmt.Sprintf("M%g", 160+(Width-24-160)/2.0); !strings.Contains(bar, want) {
		t.Errorf("no line at %s", want)
	}
}

func TestTicks(t *testing.T) {
	got := ticks(0.37, 0.63, 5)
	want := []float64{0.4, 0.5, 0.6}
	if len(got) < 3 {
		t.Fatalf("ticks %v", got)
	}
	for _, w := range want {
		found := false
		for _, g := range got {
			found = found || math.Abs(g-w) < 1e-9
		}
		if !found {
			t.Errorf("ticks %v lack %v", got, w)
		}
	}
}

func TestLetters(t *testing.T) {
	for k, want := range map[int]string{0: "A", 25: "Z", 26: "AA", 701: "ZZ", 702: "AAA"} {
		if got := letter(k); got != want {
			t.Errorf("letter %d is %s, want %s", k, got, want)
		}
	}
}
