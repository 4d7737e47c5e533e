package engine_test

import (
	"fmt"

	"latro/env/engine"
	"latro/env/rules"
)

// A ruleset is compiled once; its games are states.
func Example() {
	ruleset, err := rules.Open("webdux")
	if err != nil {
		fmt.Println(err)
		return
	}
	game, err := engine.Compile(ruleset.Params)
	if err != nil {
		fmt.Println(err)
		return
	}
	state := game.NewState()
	for _, text := range []string{"c2-c6", "b7-b6", "e2-e6", "d7-d6"} {
		action, err := state.Parse(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		state.Play(action)
	}
	fmt.Println(state.Position())
	fmt.Println(len(state.Legal(nil)), "plies for player", state.ToMove())
	_, err = state.Parse("a1-a2")
	fmt.Println(err)
	// Output:
	// 5B6/b1b1bbbbbbbb/1b1ba7/12/12/12/aa1a1aaaaaaa/6A5 0 movement last=d7d6 ply=4 turn=5
	// 74 plies for player 0
	// engine: illegal ply: a1-a2 by player 0 in the movement phase
}

// Symmetries are found in the rules: a set-up, zones or lines that differ by direction break them.
func ExampleGame_Symmetries() {
	for _, id := range []string{"bell-8x8", "luductus", "falkener"} {
		ruleset, err := rules.Open(id)
		if err != nil {
			fmt.Println(err)
			return
		}
		game, err := engine.Compile(ruleset.Params)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(id, len(game.Symmetries()))
	}
	// Output:
	// bell-8x8 8
	// luductus 2
	// falkener 1
}
