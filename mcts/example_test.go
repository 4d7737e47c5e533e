package mcts_test

import (
	"fmt"
	"math/rand/v2"

	"latro/env/engine"
	"latro/env/rules"
	"latro/mcts"
)

// Search a position of Bell's game without a network: equal priors, one random playout a leaf.
func Example() {
	r, err := rules.Open("bell-8x7")
	if err != nil {
		fmt.Println(err)
		return
	}
	game, err := engine.Compile(r.Params)
	if err != nil {
		fmt.Println(err)
		return
	}
	search, err := mcts.New(mcts.DefaultGumbel(64))
	if err != nil {
		fmt.Println(err)
		return
	}
	state := game.NewState()
	if err := search.Begin(state, rand.New(rand.NewPCG(1, 2))); err != nil {
		fmt.Println(err)
		return
	}
	if err := mcts.RunAll([]*mcts.Search{search}, &mcts.Rollout{}); err != nil {
		fmt.Println(err)
		return
	}
	result := search.Result()
	considered := 0
	for _, v := range result.Visits {
		if v > 0 {
			considered++
		}
	}
	fmt.Println(result.Simulations, "simulations on", considered, "of", len(result.Legal), "plies")
	fmt.Println("legal:", state.IsLegal(result.Action))
	// Output:
	// 64 simulations on 16 of 56 plies
	// legal: true
}

// Play a game between two agents given as text.
func ExampleNewAgent() {
	r, err := rules.Open("webdux")
	if err != nil {
		fmt.Println(err)
		return
	}
	game, err := engine.Compile(r.Params)
	if err != nil {
		fmt.Println(err)
		return
	}
	var agents [2]mcts.Agent
	for i, text := range []string{"greedy", "random"} {
		spec, err := mcts.ParseSpec(text)
		if err == nil {
			agents[i], err = mcts.NewAgent(spec, game)
		}
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	rng := rand.New(rand.NewPCG(3, 4))
	state := game.NewState()
	for !state.Over() && state.Ply() < 1000 {
		d, err := agents[state.ToMove()].Choose(state, rng)
		if err != nil {
			fmt.Println(err)
			return
		}
		state.Play(d.Action)
	}
	fmt.Println(agents[0].Name(), "against", agents[1].Name()+":", state.Outcome())
	// Output:
	// greedy against random: win0
}

// A mistake in an agent's text says what would be valid.
func ExampleNewAgent_mistake() {
	spec, err := mcts.ParseSpec("uct:sims=100")
	if err == nil {
		_, err = mcts.NewAgent(spec, nil)
	}
	fmt.Println(err)
	// Output:
	// invalid agent "uct:sims=100": simulations or seconds is missing; write for example uct:simulations=100; sims is no option of uct; its options are avoid, clock, cutoff, exploration, material, seconds, simulations, solver
}
