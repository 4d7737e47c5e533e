package oracle_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"latro/env/engine"
	"latro/env/oracle"
	"latro/env/rules"
)

// TestRecorded replays with the fast engine every recorded file of testdata, and of the folder that
// LATRO_ORACLE names, whose ruleset is in the catalogue.
func TestRecorded(t *testing.T) {
	folders := []string{"testdata"}
	maxCount := uint64(100_000)
	if more := os.Getenv("LATRO_ORACLE"); more != "" {
		folders, maxCount = append(folders, more), 0
	}
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*.jsonl*"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s holds no recorded files (%v)", folder, err)
		}
		replayed := map[string]bool{}
		for _, path := range files {
			name := oracle.NameOf(path)
			if oracle.KnownBugs(name) || !slices.Contains(rules.Catalogue(), oracle.Subject(name)) {
				continue
			}
			replayed[oracle.Subject(name)] = true
			t.Run(filepath.Base(folder)+"/"+filepath.Base(path), func(t *testing.T) {
				t.Parallel()
				check := oracle.ReplayFile
				if strings.Contains(path, ".perft.") {
					check = oracle.CheckPerft
				}
				res, err := check(path, oracle.Options{MaxCount: maxCount})
				if err != nil {
					t.Fatal(err)
				}
				if res.Games == 0 || res.Plies == 0 || res.Mismatches > 0 {
					t.Errorf("%s@%s: games %d plies %d mismatches %d\n%v", res.Ruleset, res.Reading, res.Games, res.Plies, res.Mismatches, res.First)
				}
			})
		}
		for _, id := range []string{"luductus", "locus-ludi-seneca", "bell-8x7", "webdux"} {
			if !replayed[id] {
				t.Errorf("%s has no games of %s", folder, id)
			}
		}
	}
}

// plain is the text of a gzipped file of testdata.
func plain(t *testing.T, name string) string {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if _, err := io.Copy(&text, z); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// TestFindsTampering changes one fact at a time in good recordings; the replay must say which and where.
func TestFindsTampering(t *testing.T) {
	games := plain(t, "bell-8x7-default.games.jsonl.gz")
	replaceLast := func(s, old, new string) string {
		i := strings.LastIndex(s, old)
		if i < 0 {
			t.Fatalf("no %s", old)
		}
		return s[:i] + new + s[i+len(old):]
	}
	firstPly := `"m":"` + strings.SplitN(strings.SplitN(games, `"m":"`, 2)[1], `"`, 2)[0] + `"`
	cases := []struct {
		name, what, text string
	}{
		{"result", "result", replaceLast(games, `"result":"draw"`, `"result":"1"`)},
		{"kind of end", "kind of end", replaceLast(games, `"end":"repetition"`, `"end":"two-passes"`)},
		{"board", "board", strings.Replace(games, `"b":".....a`, `"b":"....a.`, 1)},
		{"start", "starting board", strings.Replace(games, `"start":".`, `"start":"a`, 1)},
		{"hands", "hands", strings.Replace(games, `"h":[15,1,16,1]`, `"h":[15,1,15,1]`, 1)},
		{"mover", "mover", strings.Replace(games, `"t":"ply","p":1`, `"t":"ply","p":2`, 1)},
		{"list", "legal plies", strings.Replace(games, `"l":"P0.0 P0.1`, `"l":"P0.0 P9.1`, 1)},
		{"illegal ply", "ply", strings.Replace(games, firstPly, `"m":"D0.0"`, 1)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if c.text == games {
				t.Fatal("the case changes nothing")
			}
			path := filepath.Join(t.TempDir(), "bell-8x7-default.games.jsonl")
			if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			res, err := oracle.ReplayFile(path, oracle.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if res.Mismatches == 0 || res.First.What != c.what {
				t.Fatalf("%d mismatches, first %v; want one of %s", res.Mismatches, res.First, c.what)
			}
			if shown := res.First.String(); !strings.Contains(shown, fmt.Sprintf("%s:%d: game", path, res.First.Line)) || !strings.Contains(shown, "by the rules") {
				t.Errorf("shown as %q", shown)
			}
		})
	}
}

// TestHashAndCount: a ply may give the hash of the list, or only its length.
func TestHashAndCount(t *testing.T) {
	games := plain(t, "webdux.games.jsonl.gz")
	var hashed, counted, wrong strings.Builder
	for _, line := range strings.SplitAfter(games, "\n") {
		before, rest, ok := strings.Cut(line, `,"l":"`)
		if !ok {
			for _, out := range []*strings.Builder{&hashed, &counted, &wrong} {
				out.WriteString(line)
			}
			continue
		}
		list, after, _ := strings.Cut(rest, `"`)
		fmt.Fprintf(&hashed, `%s,"x":"%08X"%s`, before, fnv1a(list), after)
		fmt.Fprintf(&wrong, `%s,"x":"%08x"%s`, before, fnv1a(list)+1, after)
		fmt.Fprint(&counted, before, after)
	}
	for _, c := range []struct {
		name, text string
		bad        bool
	}{{"hash", hashed.String(), false}, {"count", counted.String(), false}, {"wrong hash", wrong.String(), true}} {
		path := filepath.Join(t.TempDir(), "webdux.games.jsonl")
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		res, err := oracle.ReplayFile(path, oracle.Options{})
		if err != nil || (res.Mismatches > 0) != c.bad {
			t.Errorf("%s: %d mismatches, error %v; mismatches wanted: %v", c.name, res.Mismatches, err, c.bad)
		}
	}
}

// fnv1a is the 32-bit FNV-1a hash, from its definition (offset basis 2166136261, prime 16777619).
func fnv1a(text string) uint32 {
	h := uint32(2166136261)
	for i := range len(text) {
		h = (h ^ uint32(text[i])) * 16777619
	}
	return h
}

// TestWrongRuleset: the options decide over the file, and a board of another size is an error, not a mismatch.
func TestWrongRuleset(t *testing.T) {
	path := filepath.Join("testdata", "bell-8x7.games.jsonl.gz")
	if res, err := oracle.ReplayFile(path, oracle.Options{Reading: "default"}); err != nil || res.Mismatches == 0 {
		t.Errorf("Ludii's games in the default reading: %d mismatches, error %v; want mismatches", res.Mismatches, err)
	}
	if _, err := oracle.ReplayFile(path, oracle.Options{Ruleset: "webdux", Reading: "default"}); err == nil || !strings.Contains(err.Error(), "8 by 7") {
		t.Errorf("games of another board: error %v", err)
	}
	if _, err := oracle.ReplayFile(path, oracle.Options{Ruleset: "nothing"}); err == nil {
		t.Error("an unknown ruleset is no error")
	}
	if res, err := oracle.ReplayFile(path, oracle.Options{Games: 1, MaxPly: 10}); err != nil || res.Games != 1 || res.Plies != 10 {
		t.Errorf("bounded replay: %d games, %d plies, error %v; want 1 and 10", res.Games, res.Plies, err)
	}
}

func TestReadingOfName(t *testing.T) {
	for name, want := range map[string][2]string{
		"schadler-1994-fixed": {"schadler-1994", "ludii"}, "bell-8x7": {"bell-8x7", "ludii"}, "webdux": {"webdux", "default"},
		"luductus": {"luductus", "default"}, "6x6-seega-default": {"6x6-seega", "default"},
	} {
		if got := [2]string{oracle.Subject(name), oracle.Reading(name)}; got != want {
			t.Errorf("%s: %v; want %v", name, got, want)
		}
	}
}

// TestPlies: every legal ply of some positions goes to text and back, and other text is refused.
func TestPlies(t *testing.T) {
	for _, id := range []string{"bell-8x7", "locus-ludi-seneca", "luductus"} {
		r, err := rules.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		g, err := engine.Compile(r.Params)
		if err != nil {
			t.Fatal(err)
		}
		s := g.NewState()
		for n := 0; n < 120 && !s.Over(); n++ {
			list := s.Legal(nil)
			for _, a := range list {
				if b, err := oracle.ParsePly(s, oracle.FormatPly(s, a)); err != nil || a != b {
					t.Fatalf("%s: action %d is %s, which reads as %d (%v)", id, a, oracle.FormatPly(s, a), b, err)
				}
			}
			s.Play(list[n%len(list)])
		}
		for _, text := range []string{"", "M", "M0.0", "P99.99", "M0.0-0.0", "nonsense"} {
			if _, err := oracle.ParsePly(s, text); err == nil {
				t.Errorf("%s: %q is read as a ply", id, text)
			}
		}
	}
}
