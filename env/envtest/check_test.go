package envtest_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"latro/env"
	"latro/env/engine"
	"latro/env/envtest"
)

// wrapped passes everything on to an Env, but for one fault.
type wrapped struct {
	env.Environment
	fault string
}

func (w *wrapped) Reset(seed uint64) (env.Observation, env.Info) {
	if w.fault == "reset ignores its seed" {
		seed = rand.Uint64()
	}
	return w.Environment.Reset(seed)
}

func (w *wrapped) Step(a engine.Action) (env.StepResult, error) {
	mover := w.CurrentPlayer()
	r, err := w.Environment.Step(a)
	switch {
	case err != nil && w.fault == "illegal actions are ignored":
		return r, nil
	case err == nil && w.fault == "only the last mover is rewarded":
		r.Reward[1-mover] = 0
	case err == nil && w.fault == "the observation is of the last mover":
		r.Observation.Player = mover
	case err == nil && w.fault == "truncated games are drawn":
		r.Terminated, r.Truncated = r.Terminated || r.Truncated, false
	case err == nil && w.fault == "observations are not scaled":
		r.Observation.Globals[0] = 30
	}
	return r, err
}

func (w *wrapped) LegalActions(dst []engine.Action) []engine.Action {
	n := len(dst)
	dst = w.Environment.LegalActions(dst)
	if w.fault == "a legal action is left out" && len(dst) > n+1 {
		dst = dst[:len(dst)-1]
	}
	return dst
}

func (w *wrapped) ActionMask(dst []bool) {
	if w.fault == "the mask is not cleared" {
		for _, a := range w.Environment.LegalActions(nil) {
			dst[a] = true
		}
		return
	}
	w.Environment.ActionMask(dst)
}

func (w *wrapped) Clone() env.Environment {
	if w.fault == "clones share their state" {
		return w
	}
	return &wrapped{w.Environment.Clone(), w.fault}
}

func (w *wrapped) UnmarshalBinary(data []byte) error {
	if w.fault == "restoring does nothing" {
		return nil
	}
	return w.Environment.UnmarshalBinary(data)
}

const faultVariable = "LATRO_ENVTEST_FAULT"

// factory makes games of a small Bell that are won, lost and truncated.
func factory(t *testing.T, fault string) envtest.Factory {
	g := envtest.Game(t, "bell-8x7", "board.rows=5", "board.cols=5", "pieces.men=5")
	return func() env.Environment {
		e, err := env.New(g, env.Config{MaxPlies: 70, OpeningPlies: 4, Frame: env.FrameAbsolute})
		if err != nil {
			t.Fatal(err)
		}
		return &wrapped{e, fault}
	}
}

// TestWrapper runs the suite on a wrapper; with the variable set it is the faulty one of TestFaultsAreFound.
func TestWrapper(t *testing.T) {
	opts := envtest.DefaultOptions()
	opts.Games = 12
	envtest.CheckWith(t, factory(t, os.Getenv(faultVariable)), opts)
}

// TestFaultsAreFound runs this test binary again, once for every fault a wrapper may have, and wants the suite to
// fail with the message that names it.
func TestFaultsAreFound(t *testing.T) {
	for fault, want := range map[string]string{
		"reset ignores its seed":               "differs after 0 steps",
		"illegal actions are ignored":          "want ErrIllegalAction",
		"only the last mover is rewarded":      "do not sum to zero",
		"the observation is of the last mover": "the observation is player",
		"truncated games are drawn":            "terminated with outcome",
		"observations are not scaled":          "outside [-1, 1]",
		"a legal action is left out":           "is in the mask but not legal",
		"the mask is not cleared":              "is in the mask but not legal",
		"clones share their state":             "changed",
		"restoring does nothing":               "want ErrBinary",
	} {
		t.Run(fault, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestWrapper$")
			cmd.Env = append(os.Environ(), faultVariable+"="+fault)
			out, err := cmd.CombinedOutput()
			if err == nil {
				t.Fatalf("the suite passes an environment in which %s", fault)
			}
			if !strings.Contains(string(out), want) {
				t.Errorf("the suite fails an environment in which %s, but does not say %q:\n%s", fault, want, out)
			}
		})
	}
}
