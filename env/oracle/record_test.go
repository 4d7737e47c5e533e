package oracle

import (
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	goodHead = `{"t":"head","ruleset":"tiny","rows":3,"cols":3,"start":".........","hand":[1,0,1,0]}`
	goodGame = `{"t":"game","g":0,"policy":"uniform","full":1}`
	goodPly  = `{"t":"ply","p":1,"n":2,"l":"P0.0 P0.1","m":"P0.0","b":"a........","h":[0,0,1,0]}`
	goodEnd  = `{"t":"end","g":0,"plies":1,"result":"unfinished","end":"cap"}`
)

func writeFile(t *testing.T, name string, zip bool, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	var w io.Writer = f
	if zip {
		z := gzip.NewWriter(f)
		defer f.Close()
		defer z.Close()
		w = z
	}
	if _, err := io.WriteString(w, strings.Join(lines, "\n")+"\n"); err != nil {
		t.Fatal(err)
	}
	return path
}

func readAll(path string) (records int, err error) {
	r, err := OpenGames(path)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	for {
		if _, err := r.Next(); err == io.EOF {
			return records, nil
		} else if err != nil {
			return records, err
		}
		records++
	}
}

func TestReadsGzipAndPlain(t *testing.T) {
	for _, zip := range []bool{false, true} {
		path := writeFile(t, "tiny.games.jsonl", zip, goodHead, goodGame, goodPly, goodEnd)
		if n, err := readAll(path); n != 3 || err != nil {
			t.Errorf("gzip %v: %d records, %v; want 3", zip, n, err)
		}
	}
}

// TestMalformedLines changes one thing at a time in a good file; each must be refused with the line's number.
func TestMalformedLines(t *testing.T) {
	good := []string{goodHead, goodGame, goodPly, goodEnd}
	cases := []struct {
		name      string
		line      int // from 1; the line that is changed
		old, new  string
		saysAlso  string
		truncated bool
	}{
		{"unknown field", 3, `"p":1`, `"p":1,"colour":"red"`, "colour", false},
		{"not JSON", 2, `{"t"`, `t`, "", false},
		{"cut short", 4, `"end":"cap"}`, `"end":"cap"`, "cut short", false},
		{"two objects on a line", 2, `"full":1}`, `"full":1}{}`, "after the JSON object", false},
		{"no head", 1, `"t":"head"`, `"t":"game"`, "head", false},
		{"board too large", 1, `"rows":3`, `"rows":17`, "3 to 16", false},
		{"start too short", 1, `"start":"........."`, `"start":"..."`, "start has 3", false},
		{"unknown reading", 1, `"rows"`, `"reading":"mine","rows"`, "mine", false},
		{"unknown type", 3, `"t":"ply"`, `"t":"plie"`, "plie", false},
		{"player 3", 3, `"p":1`, `"p":3`, "p is 3", false},
		{"list and number", 3, `"n":2`, `"n":3`, "n is 3", false},
		{"no legal ply", 3, `"n":2`, `"n":0`, "n is 0", false},
		{"bad hash", 3, `"m"`, `"x":"12345","m"`, "12345", false},
		{"no move", 3, `"m":"P0.0",`, ``, "no m", false},
		{"board character", 3, `"b":"a........"`, `"b":"q........"`, "'q'", false},
		{"hands", 3, `"h":[0,0,1,0]`, `"h":[0]`, "h has 1", false},
		{"wrong number of plies", 4, `"plies":1`, `"plies":2`, "2 plies", false},
		{"other game", 4, `"g":0`, `"g":1`, "game 0", false},
		{"unknown result", 4, `"unfinished"`, `"won"`, "won", false},
		{"line too long", 3, `"m":"P0.0"`, `"m":"` + strings.Repeat("P", maxLine) + `"`, "bytes", false},
		{"file ends in a game", 4, "", "", "inside game 0", true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			lines := append([]string(nil), good...)
			if c.truncated {
				lines = lines[:c.line-1]
			} else {
				changed := strings.Replace(lines[c.line-1], c.old, c.new, 1)
				if changed == lines[c.line-1] {
					t.Fatal("the case changes nothing")
				}
				lines[c.line-1] = changed
			}
			path := writeFile(t, "tiny.games.jsonl", false, lines...)
			_, err := readAll(path)
			if !errors.Is(err, ErrFormat) {
				t.Fatalf("error is %v; want one that wraps ErrFormat", err)
			}
			if where := path + ":" + string(rune('0'+c.line)) + ":"; !strings.Contains(err.Error(), where) || !strings.Contains(err.Error(), c.saysAlso) {
				t.Errorf("error %q does not say %q and %q", err, where, c.saysAlso)
			}
		})
	}
}

func TestDamagedGzip(t *testing.T) {
	path := writeFile(t, "tiny.games.jsonl.gz", true, goodHead, goodGame, goodPly, goodEnd)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := 2; cut < len(data); cut++ {
		if err := os.WriteFile(path, data[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := readAll(path); !errors.Is(err, ErrFormat) {
			t.Fatalf("cut after %d of %d bytes: error %v; want ErrFormat", cut, len(data), err)
		}
	}
}

func TestMissingFile(t *testing.T) {
	if _, err := OpenGames(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v; want os.ErrNotExist", err)
	}
}

func TestPerftLines(t *testing.T) {
	good := `{"name":"start","moves":"","p":1,"b":".........","perft":[9]}`
	for _, bad := range []string{
		`{"moves":"","p":1,"b":".........","perft":[9]}`,
		`{"name":"start","moves":"","p":0,"b":".........","perft":[9]}`,
		`{"name":"start","moves":"","p":1,"b":".........","perft":[]}`,
		`{"name":"start","moves":"","p":1,"b":".........","perft":[-1]}`,
		`{"name":"start","moves":"","p":1,"b":"","perft":[9]}`,
	} {
		r, err := OpenPerft(writeFile(t, "tiny.perft.jsonl", false, good, bad))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Next(); err != nil {
			t.Errorf("good line: %v", err)
		}
		if _, err := r.Next(); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), ":2:") {
			t.Errorf("%s: error %v; want ErrFormat at line 2", bad, err)
		}
		r.Close()
	}
}
