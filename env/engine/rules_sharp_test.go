package engine_test

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"latro/env/rules"
)

// traceChange is the environment variable by which TestTraceIsSharp has the tests of the trace run with changed
// rules: overrides separated by semicolons.
const traceChange = "LATRO_TRACE_CHANGE"

// changedMark is what a run prints when the change was possible and made.
const changedMark = "rules changed"

// changed applies the overrides where they are possible.
func changed(t *testing.T, r *rules.Ruleset, change string) *rules.Ruleset {
	x, err := r.With(strings.Split(change, ";")...)
	if err != nil || x.Hash() == r.Hash() {
		return r
	}
	fmt.Println(changedMark)
	return x
}

// alike lists changes that no game can show, with the reason.
var alike = map[string]string{
	"bell-8x7 setup.leader=last":                            "with an even number of men placed two by two the dux is last either way",
	"locus-ludi-seneca movement.chain_offer=before-effects": "the effects of a hop change no piece that the next hop could cross",
	"locus-ludi-seneca binding.corner_rescue=false":         "a guard of a corner cannot be bound while its prisoner is",
	"locus-ludi-seneca end.annihilation_exact=true":         "men go one a turn, so one is left before none",
	"luductus movement.leaders.hop_over=own-free":           "nothing is bound, and a side's only leader cannot hop over itself",
	"luductus end.checked=next-player":                      "without bonus plies the loser is always the next player",
	"webdux end.checked=next-player":                        "without bonus plies the loser is always the next player",
	"webdux capture.corner_pair=true":                       "against a hostile edge one of the two is enough",
	"luductus setup.forbidden=centre":                       "the centre lies outside the zones of placement",
}

// The tests that the trace names do prove the values that stand beside them: with any other possible value of the
// parameter at least one of them fails, save where no game could show the difference. Each change runs the tests
// anew in a process of its own.
func TestTraceIsSharp(t *testing.T) {
	if testing.Short() {
		t.Skip("some hundred runs of the trace's tests")
	}
	page, err := os.ReadFile("../../docs/rules-trace.md")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	value := regexp.MustCompile("`([a-z_.]+) = ([^`]*)`")
	test := regexp.MustCompile("`(TestRule_\\w+)`")
	made, excused := 0, map[string]bool{}
	for _, part := range strings.Split(string(page), "\n## ")[1:] {
		id, _, _ := strings.Cut(part, "\n")
		for line := range strings.Lines(part) {
			var tests []string
			for _, m := range test.FindAllStringSubmatch(line, -1) {
				tests = append(tests, m[1])
			}
			if len(tests) == 0 {
				continue
			}
			for _, m := range value.FindAllStringSubmatch(line, -1) {
				for _, other := range otherValues(t, m[1], m[2]) {
					key := m[1] + "=" + other
					if _, ok := alike[id+" "+key]; ok {
						excused[id+" "+key] = true
						continue
					}
					cmd := exec.Command(self, "-test.run", "^("+strings.Join(tests, "|")+")$")
					cmd.Env = append(os.Environ(), traceChange+"="+strings.Join(append([]string{key}, companions(key)...), ";"))
					out, err := cmd.CombinedOutput()
					if !strings.Contains(string(out), changedMark) {
						continue // an impossible or meaningless change
					}
					made++
					if err == nil {
						t.Errorf("%s: with %s all of %v pass", id, key, tests)
					}
				}
			}
		}
	}
	for key := range alike {
		if !excused[key] {
			t.Errorf("%s is no change that the trace asks for", key)
		}
	}
	if made < 150 {
		t.Errorf("only %d changes were made", made)
	}
}

// otherValues lists values of a parameter besides the one it has.
func otherValues(t *testing.T, name, has string) []string {
	info, err := rules.Describe(name)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	switch info.Kind {
	case rules.KindInt:
		n, err := strconv.Atoi(has)
		if err != nil {
			t.Fatal(err)
		}
		all = []string{strconv.Itoa(n - 1), strconv.Itoa(n + 1)}
	case rules.KindBool:
		all = []string{"true", "false"}
	case rules.KindChoice:
		all = info.Allowed
	case rules.KindChoices:
		all = []string{"", "own-free", "enemy-free", "own-men", "own-free,own-bound", "enemy-free,enemy-bound", "own-free,enemy-bound"}
	case rules.KindSquares:
		all = []string{"", "centre"}
	}
	var out []string
	for _, v := range all {
		if v != has && (v != "" || has != "none") {
			out = append(out, v)
		}
	}
	return out
}

// companions are the further overrides that a change needs to be possible.
func companions(change string) []string {
	for _, c := range []struct{ prefix, also string }{
		{"setup.zone=own-rows", "setup.zone_rows=3"},
		{"movement.men.hop_over=", "movement.men.hop_directions=orthogonal"},
		{"movement.leaders.hop_over=", "movement.leaders.hop_directions=orthogonal"},
		{"bonus.after=capture", "bonus.piece=same"},
	} {
		if strings.HasPrefix(change, c.prefix) && !strings.HasSuffix(change, "=") {
			return []string{c.also}
		}
	}
	return nil
}
