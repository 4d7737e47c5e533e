package mcts

import (
	"errors"
	"strings"
	"testing"
)

// TestParseSpec: the canonical form is read back, and bad forms say how to write one.
func TestParseSpec(t *testing.T) {
	for text, canonical := range map[string]string{
		"random":                              "random",
		"uct:simulations=100":                 "uct:simulations=100",
		"uct:simulations=100,cutoff=50":       "uct:cutoff=50,simulations=100",
		"net:path=a/b=c.latro,simulations=64": "net:path=a/b=c.latro,simulations=64",
	} {
		s, err := ParseSpec(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if s.String() != canonical {
			t.Errorf("%s is written %s, want %s", text, s, canonical)
		}
		again, err := ParseSpec(s.String())
		if err != nil || again.String() != canonical {
			t.Errorf("%s is not read back: %v, %v", s, again, err)
		}
	}
	for _, text := range []string{"", ":", "UCT", "uct:", "uct:simulations", "uct:simulations=", "uct:=5",
		"uct:simulations=1,", "uct:simulations=1,simulations=2", "uct simulations=1"} {
		_, err := ParseSpec(text)
		if !errors.Is(err, ErrSpec) || !strings.Contains(err.Error(), "uct:simulations=100") {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

// TestNewAgent: names are canonical and read back; errors list what there is, all mistakes at once.
func TestNewAgent(t *testing.T) {
	for text, name := range map[string]string{
		"random":                                         "random",
		"greedy":                                         "greedy",
		"uct:simulations=12":                             "uct:simulations=12",
		"uct:clock=cpu,seconds=0.10":                     "uct:seconds=0.1",
		"uct:clock=wall,seconds=2,simulations=9":         "uct:clock=wall,seconds=2,simulations=9",
		"alphabeta:clock=wall,seconds=1":                 "alphabeta:clock=wall,seconds=1",
		"uct:solver=true,simulations=12":                 "uct:simulations=12",
		"uct:simulations=12,material=0,cutoff=9":         "uct:cutoff=9,material=0,simulations=12",
		"uct:exploration=1.3,simulations=3,solver=false": "uct:exploration=1.3,simulations=3,solver=false",
	} {
		for range 2 {
			s, err := ParseSpec(text)
			if err != nil {
				t.Fatal(err)
			}
			a, err := NewAgent(s, nil)
			if err != nil {
				t.Errorf("%s: %v", text, err)
				break
			}
			if a.Name() != name {
				t.Errorf("%s is named %s, want %s", text, a.Name(), name)
			}
			text = a.Name()
		}
	}
	for text, words := range map[string][]string{
		"alphago":                       {"alphago", "greedy, random, uct"},
		"random:simulations=5":          {"simulations is no option of random", "options are avoid"},
		"uct":                           {"simulations or seconds is missing"},
		"uct:seconds=0":                 {"seconds=0", "0.001..86400"},
		"uct:simulations=9,clock=wall":  {"clock is given without seconds"},
		"alphabeta:seconds=1,clock=sun": {"clock=sun", "cpu or wall"},
		"uct:simulations=0":             {"simulations=0", "1..4194304"},
		"uct:simulations=many,sims=4,material=2,solver=yes": {"simulations=many", "sims is no option", "clock, cutoff, exploration, material, seconds, simulations, solver", "material=2", "true or false"},
		"uct:simulations=5,material=NaN":                    {"material=NaN"},
	} {
		s, err := ParseSpec(text)
		if err != nil {
			t.Fatal(err)
		}
		_, err = NewAgent(s, nil)
		if !errors.Is(err, ErrSpec) {
			t.Errorf("%s: error %v", text, err)
			continue
		}
		for _, w := range words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q is not in %v", text, w, err)
			}
		}
	}
}

// TestReadConfig: every option of a search agent arrives in its field.
func TestReadConfig(t *testing.T) {
	s, err := ParseSpec("net:search=puct,simulations=7,leaves=3,solver=false,noise=true,temperature=0.5,prior-temperature=1.5,considered=5," +
		"c-visit=10,c-scale=0.2,c-init=2,c-base=100,fpu=0.3,root-fpu=0.4,dirichlet-total=3,dirichlet-fraction=0.1")
	if err != nil {
		t.Fatal(err)
	}
	r := NewSpecReader(s)
	got := r.ReadConfig(DefaultGumbel(64))
	if err := r.Done(); err != nil {
		t.Fatal(err)
	}
	want := Config{Kind: PUCT, Simulations: 7, Leaves: 3, Noise: true, Temperature: 0.5, PriorTemperature: 1.5, MaxConsidered: 5,
		CVisit: 10, CScale: 0.2, CInit: 2, CBase: 100, FPUReduction: 0.3, RootFPUReduction: 0.4,
		DirichletTotal: 3, DirichletFraction: 0.1}
	if got != want {
		t.Errorf("read %+v, want %+v", got, want)
	}
	if err := got.Validate(); err != nil {
		t.Error(err)
	}
	r = NewSpecReader(Spec{Kind: "net"})
	if got := r.ReadConfig(DefaultGumbel(64)); got != DefaultGumbel(64) || r.Done() != nil {
		t.Errorf("without options %+v", got)
	}
	r = NewSpecReader(Spec{Kind: "net", Options: map[string]string{"search": "minimax"}})
	r.ReadConfig(DefaultGumbel(64))
	if err := r.Done(); err == nil || !strings.Contains(err.Error(), "gumbel or puct") {
		t.Errorf("unknown search: %v", err)
	}
}
