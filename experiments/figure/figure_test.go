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
	"strings"
	"testing"
)

func samples() []Figure {
	percent := func(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) }
	bound := [2]float64{0.30, 0.72}
	counts := make([]uint64, 56)
	for i := range counts {
		counts[i] = uint64(10 + (i*7)%23)
	}
	return []Figure{
		Outcomes("outcomes", "Outcomes <by> ruleset & agent", []OutcomeRow{
			{"Bell 8×7", "uct:simulations=100", 0.47, 0.08, 0.45, 0, 400},
			{"A ruleset with a name too long for its place", "random", 0.2, 0.1, 0.3, 0.4, 400},
		}, [4]string{"first player wins", "draw", "second player wins", "capped"}),
		Forest("forest", "First player's score", []ForestRow{
			{Label: "Bell 8×7", Sub: "random", Estimate: 0.52, Low: 0.48, High: 0.56, Text: "52.0 % [48.0, 56.0]"},
			{Label: "Seneca", Sub: "random", Estimate: 0.51, Low: 0.46, High: 0.56, Outer: &bound, Muted: true, Text: "no claim"},
			{Label: "Match", Sub: "won outright", Estimate: math.Inf(1), Low: 0.6, High: math.Inf(1), Text: "at least"},
			{Label: "Nothing", Sub: "", Estimate: math.NaN(), Low: 0, High: 1, Text: ""},
		}, ForestAxis{Ref: 0.5, Band: &[2]float64{0.45, 0.55}, Min: 0.4, Max: 0.6, Format: percent, Less: "second player ahead", More: "first player ahead"}),
		Survival("survival", "Lengths", []Series{
			{"Bell", []Point{{20, 0.9, 0.85, 0.95}, {60, 0.5, 0.4, 0.6}, {90, 0, 0, 0}}},
			{"webdux", []Point{{40, 0.95, 0.9, 1}, {160, 0.3, 0.2, 0.4}}},
		}, 200),
		Boards("boards", "Arrivals", []Board{{"Bell", "random", 8, 7, counts}, {"webdux", "random", 8, 7, counts}, {"third", "uct", 7, 8, counts}}),
		Boxes("boxes", "Lengths", "plies", []BoxRow{{"Bell", "random", [5]float64{20, 40, 60, 80, 100}, "median 60"},
			{"Seneca", "random", [5]float64{100, 150, math.NaN(), math.NaN(), math.NaN()}, "median > 200"}}, 200),
		Curves("curves", "Learning", []Series{{"loss", []Point{{1, 2, 2, 2}, {2, 1.5, 1.5, 1.5}}}}, Axes{X: "generation", Y: "loss", YFormat: func(v float64) string { return fmt.Sprintf("%.1f", v) }}, nil),
	}
}

func TestFiguresAreSoundAndRepeatable(t *testing.T) {
	dir := os.Getenv("LATRO_FIGURES") // set to look at them
	for _, f := range samples() {
		svg := f.SVG()
		d := xml.NewDecoder(bytes.NewReader(svg))
		var title, desc bool
		for {
			tok, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: not well-formed: %v", f.ID, err)
			}
			e, ok := tok.(xml.StartElement)
			if !ok {
				continue
			}
			title = title || e.Name.Local == "title"
			desc = desc || e.Name.Local == "desc"
			for _, a := range e.Attr {
				if a.Name.Local == "href" || a.Name.Local == "src" || strings.Contains(a.Value, "url(") {
					t.Errorf("%s: <%s %s=%q> reaches out", f.ID, e.Name.Local, a.Name.Local, a.Value)
				}
			}
		}
		if !title || !desc {
			t.Errorf("%s has no title or description", f.ID)
		}
		if strings.Contains(string(svg), "NaN") || strings.Contains(string(svg), "Inf") {
			t.Errorf("%s draws at no number", f.ID)
		}
		if !bytes.Equal(svg, f.SVG()) {
			t.Errorf("%s differs between two drawings", f.ID)
		}
		b, err := f.PNG()
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		// 200 dots an inch, 72 points an inch.
		if w := img.Bounds().Dx(); w < 1440 || w > 1450 {
			t.Errorf("%s is %d pixels wide", f.ID, w)
		}
		dark := 0
		for y := range img.Bounds().Dy() {
			for x := range img.Bounds().Dx() {
				if r, g, b, _ := img.At(x, y).RGBA(); r+g+b < 3*0x8000 {
					dark++
				}
			}
		}
		if dark < 500 {
			t.Errorf("%s: the picture is empty", f.ID)
		}
		if dir != "" {
			os.WriteFile(filepath.Join(dir, f.ID+".png"), b, 0o644)
			os.WriteFile(filepath.Join(dir, f.ID+".svg"), svg, 0o644)
		}
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
