// Package golden asks a network about two fixed positions of its ruleset. What it said when it was added is kept in a
// file, and tests compare what it says now: a change of the encodings, of the engine's order of plies or of the forward pass
// that would make a trained network play worse without any error shows there.
package golden

import (
	"fmt"
	"math"
	"math/rand/v2"

	"latro/env"
	"latro/env/engine"
	"latro/env/rules"
	"latro/nn"
)

// Tolerance is how far an answer may be from the kept one. The kernels of different processors agree to about 1e-5.
const Tolerance = 1e-3

// File is what a network says of the start and of a position some random plies later.
type File struct {
	// Network is the hash of the network.
	Network   string     `json:"network"`
	Positions []Position `json:"positions"`
}

// Position is one position and the network's answer, in the view of the player to move.
type Position struct {
	Position string  `json:"position"`
	Win      float64 `json:"win"`
	Draw     float64 `json:"draw"`
	Loss     float64 `json:"loss"`
	Material float64 `json:"material"`
	// Policy is the probabilities of the legal plies, in their order.
	Policy []float64 `json:"policy"`
}

// plies is the length of the random line to the second position.
const plies = 45

// Ask asks the network about its ruleset, which the catalogue must have.
func Ask(n *nn.Network) (File, error) {
	r, err := rules.Open(n.RulesetID)
	if err != nil {
		return File{}, err
	}
	if err := n.CheckRuleset(r.Ref(), r.Hash()); err != nil {
		return File{}, err
	}
	game, err := engine.Compile(r.Params)
	if err != nil {
		return File{}, err
	}
	encoder := env.NewEncoder(game)
	inference, err := nn.Compile(n)
	if err != nil {
		return File{}, err
	}
	instance := inference.NewInstance(1)
	f := File{Network: n.Hash()}
	s := game.NewState()
	rng := rand.New(rand.NewPCG(1, 1))
	add := func() error {
		p, err := ask(instance, encoder, n.Shape, s)
		f.Positions = append(f.Positions, p)
		return err
	}
	if err := add(); err != nil {
		return File{}, err
	}
	for range plies {
		legal := s.Legal(nil)
		s.Play(legal[rng.IntN(len(legal))])
		if s.Over() { // a short game: the position before its end will do
			s.Undo()
			break
		}
	}
	if err := add(); err != nil {
		return File{}, err
	}
	return f, nil
}

func ask(instance *nn.Instance, encoder *env.Encoder, shape nn.Shape, s *engine.State) (Position, error) {
	var view engine.View
	s.View(&view)
	obs, globals := make([]float32, shape.Obs()), make([]float32, shape.Globals)
	encoder.Encode(&view, obs, globals)
	out := nn.Outputs{Policy: make([]float32, shape.Actions()), WDL: make([]float32, 3), Material: make([]float32, 1)}
	if err := instance.Run(1, obs, globals, &out); err != nil {
		return Position{}, err
	}
	wdl := softmax(out.WDL)
	p := Position{Position: s.Position(), Win: wdl[0], Draw: wdl[1], Loss: wdl[2], Material: round(float64(out.Material[0]))}
	var logits []float32
	for _, a := range s.Legal(nil) {
		logits = append(logits, out.Policy[encoder.ToFrame(s.ToMove(), a)])
	}
	p.Policy = softmax(logits)
	return p, nil
}

func softmax(logits []float32) []float64 {
	top := math.Inf(-1)
	for _, x := range logits {
		top = max(top, float64(x))
	}
	sum := 0.0
	p := make([]float64, len(logits))
	for i, x := range logits {
		p[i] = math.Exp(float64(x) - top)
		sum += p[i]
	}
	for i := range p {
		p[i] = round(p[i] / sum)
	}
	return p
}

func round(x float64) float64 { return math.Round(x*1e6)/1e6 + 0 }

// Compare returns nil if now is what was kept, up to Tolerance.
func Compare(kept, now File) error {
	if kept.Network != now.Network {
		return fmt.Errorf("the answers are kept of network %.12s, not of %.12s", kept.Network, now.Network)
	}
	if len(kept.Positions) != len(now.Positions) {
		return fmt.Errorf("%d positions, kept %d", len(now.Positions), len(kept.Positions))
	}
	for i, k := range kept.Positions {
		n := now.Positions[i]
		if k.Position != n.Position {
			return fmt.Errorf("position %d is %s, kept %s", i, n.Position, k.Position)
		}
		if len(k.Policy) != len(n.Policy) {
			return fmt.Errorf("%s: %d plies, kept %d", k.Position, len(n.Policy), len(k.Policy))
		}
		was := append([]float64{k.Win, k.Draw, k.Loss, k.Material}, k.Policy...)
		is := append([]float64{n.Win, n.Draw, n.Loss, n.Material}, n.Policy...)
		for j := range was {
			if !(math.Abs(was[j]-is[j]) <= Tolerance) {
				return fmt.Errorf("%s: answer %d is %v, kept %v", k.Position, j, is[j], was[j])
			}
		}
	}
	return nil
}
