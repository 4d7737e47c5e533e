package datasets

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestInspectCountsGames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g")
	games := randomGames(testRNG(40), 8)
	for i := range games {
		g := &games[i]
		g.Outcome = []string{Win0, Win0, Win0, Win1, Draw, Draw, Capped, Capped}[i]
		n := []int{10, 20, 30, 40, 50, 60, 70, 200}[i]
		g.Moves, g.Plies, g.Values, g.Turns, g.Hops1 = make([]uint16, n), uint32(n), nil, 1, 0
		g.CanonicalHash = uint64(i % 3)
	}
	info, err := WriteGames(path, games, testMeta)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Inspect(path)
	if err != nil {
		t.Fatal(err)
	}
	if s.Rows != 8 || s.Games != 8 || s.DistinctGames != 3 || s.Kind != Games || s.Version != "1" || s.SHA256 != info.SHA256 || s.Bytes != info.Bytes || s.Damage != "" {
		t.Fatalf("%+v", s)
	}
	// (3 + 2/2) / 6: the capped games do not count.
	if s.FirstScore == nil || *s.FirstScore != 4.0/6 {
		t.Fatalf("score %v", s.FirstScore)
	}
	if want := (Spread{Min: 10, Median: 40, Mean: 60, P90: 200, Max: 200}); *s.Plies != want {
		t.Fatalf("plies %+v, want %+v", *s.Plies, want)
	}
	if want := []Count{{Win0, 3}, {Capped, 2}, {Draw, 2}, {Win1, 1}}; !slices.Equal(s.Outcomes, want) {
		t.Fatalf("outcomes %v", s.Outcomes)
	}
	var text strings.Builder
	if err := s.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"8 game rows", info.SHA256, "bell-8x7@ludii", "capped: 2 (25.0 %)", "0.667", "uct:simulations=100"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the text lacks %q:\n%s", want, &text)
		}
	}
	if _, err := json.Marshal(s); err != nil {
		t.Fatal(err)
	}
}

func TestInspectDamagedSamplesAndMetrics(t *testing.T) {
	dir := t.TempDir()
	rows := randomSamples(testRNG(41), 40)
	data, _, _ := smallShard(t, rows, 10)
	path := filepath.Join(dir, "cut")
	if err := os.WriteFile(path, data[:len(data)-20], 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := Inspect(path)
	if err != nil {
		t.Fatal(err)
	}
	if s.Rows != 30 || s.Batches != 3 || !strings.Contains(s.Damage, "cut off") || s.PolicyEntropy == nil || *s.PolicyEntropy <= 0 {
		t.Fatalf("%+v", s)
	}
	m, err := OpenMetrics(filepath.Join(dir, "m"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(5) {
		if err := m.Add(MetricPoint{Step: i, Values: map[string]float64{"loss": float64(9 - i)}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Flush(); err != nil {
		t.Fatal(err)
	}
	s, err = Inspect(filepath.Join(dir, "m"))
	if err != nil || !slices.Equal(s.Curves, []CurveInfo{{"loss", 5, 5}}) || s.Rows != 5 {
		t.Fatalf("%+v, %v", s, err)
	}
	if _, err := Inspect(filepath.Join(dir, "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("%v", err)
	}
}

// writeUnchecked writes rows that a writer would refuse.
func writeUnchecked[R any](t *testing.T, path string, s *schemaOf[R], rows []R) ShardInfo {
	t.Helper()
	lax := *s
	lax.check = func(*R) (string, string) { return "", "" }
	w, err := create(path, &lax, lax.columns(), 100, nil)
	info, err := writeAll(w, rows, err)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func TestVerifyFindsWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s")
	good := randomSamples(testRNG(42), 200)
	info, err := WriteSamples(path, good, nil)
	if err != nil {
		t.Fatal(err)
	}
	rep, err := Verify(path, VerifyOptions{Expect: &info, CheckSample: func(*Sample) error { return nil }})
	if err != nil || !rep.OK() || rep.Rows != 200 || rep.SHA256 != info.SHA256 {
		t.Fatalf("sound file: %+v, %v", rep, err)
	}
	// i is a row in the middle of a game.
	i := slices.IndexFunc(good, func(s Sample) bool { return s.GameID == 2 }) + 1
	if good[i].GameID != 2 || good[i+1].GameID != 2 {
		t.Fatal("the game is too short for this test")
	}
	for want, damage := range map[string]func(rows []Sample){
		"ply: is":           func(rows []Sample) { rows[i].Ply = rows[i-1].Ply },
		"plies_left: gives": func(rows []Sample) { rows[i].PliesLeft++ },
		"outcome: is":       func(rows []Sample) { rows[i].Outcome = map[string]string{Win0: Win1}[rows[i].Outcome] + "" },
		"end_reason: is":    func(rows []Sample) { rows[i].EndReason = "blocked" },
		"ruleset_hash: is":  func(rows []Sample) { rows[i].RulesetHash = "other" },
		"comes again":       func(rows []Sample) { rows[i].GameID = 1 },
		"policy: sums":      func(rows []Sample) { rows[i].Policy = make([]float32, len(rows[i].Actions)) },
		"player: is":        func(rows []Sample) { rows[i].Player = 9 },
	} {
		rows := slices.Clone(good)
		damage(rows)
		bad := writeUnchecked(t, filepath.Join(dir, "bad"), sampleSchema, rows)
		rep, err := Verify(filepath.Join(dir, "bad"), VerifyOptions{Expect: &bad})
		if err != nil || rep.OK() || !strings.Contains(strings.Join(rep.Problems, "\n"), want) {
			t.Errorf("%q not found: %+v, %v", want, rep, err)
		}
	}
	// Rows that break their own invariants are refused by readers, too.
	rows := slices.Clone(good)
	rows[150].Player = 9
	writeUnchecked(t, filepath.Join(dir, "bad"), sampleSchema, rows)
	if _, err := ReadSamples(filepath.Join(dir, "bad"), nil); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "row 150") {
		t.Fatalf("%v", err)
	}
	if n, err := ExportCSV(io.Discard, filepath.Join(dir, "bad"), ExportOptions{}); !errors.Is(err, ErrInvalid) || n != 100 {
		t.Fatalf("%d rows exported, %v", n, err)
	}
	if n, err := ExportCSV(io.Discard, filepath.Join(dir, "bad"), ExportOptions{Options: Options{Recover: true}}); err != nil || n != 100 {
		t.Fatalf("%d rows exported, %v", n, err)
	}
	rep, err = Verify(path, VerifyOptions{CheckSample: func(s *Sample) error { return errors.New("no such state") }, MaxProblems: 3})
	if err != nil || rep.Count != 200 || len(rep.Problems) != 3 || !strings.Contains(rep.Problems[0], "no such state") {
		t.Fatalf("%+v, %v", rep, err)
	}
	wrong := info
	wrong.Rows, wrong.SHA256 = 7, strings.Repeat("0", 64)
	rep, err = Verify(path, VerifyOptions{Expect: &wrong})
	if err != nil || rep.Count != 2 {
		t.Fatalf("%+v, %v", rep, err)
	}
	if rep, err = Verify("inspect_test.go", VerifyOptions{}); err != nil || rep.OK() {
		t.Fatalf("%+v, %v", rep, err)
	}
	if _, err = Verify(filepath.Join(dir, "absent"), VerifyOptions{}); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("%v", err)
	}
}

func TestVerifyGames(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "g")
	games := randomGames(testRNG(43), 30)
	if _, err := WriteGames(path, games, nil); err != nil {
		t.Fatal(err)
	}
	if rep, err := Verify(path, VerifyOptions{}); err != nil || !rep.OK() || rep.Games != 30 {
		t.Fatalf("%+v, %v", rep, err)
	}
	games[7].GameID = games[3].GameID
	games[9].Outcome = "timeout"
	writeUnchecked(t, path, gameSchema, games)
	rep, err := Verify(path, VerifyOptions{CheckGame: func(g *Game) error {
		if g.GameID == 20 {
			return errors.New("illegal move")
		}
		return nil
	}})
	if err != nil || rep.Count != 3 || !strings.Contains(strings.Join(rep.Problems, "\n"), "illegal move") {
		t.Fatalf("%+v, %v", rep, err)
	}
}
