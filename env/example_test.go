package env_test

import (
	"fmt"
	"log"
	"os"

	"latro/env"
	"latro/env/engine"
	"latro/env/rules"
)

// One game, in which always the first legal action is played, up to a cap of 40 plies.
func ExampleEnv() {
	ruleset, err := rules.Open("webdux")
	if err != nil {
		log.Fatal(err)
	}
	game, err := engine.Compile(ruleset.Params)
	if err != nil {
		log.Fatal(err)
	}
	cfg := env.DefaultConfig()
	cfg.MaxPlies = 40
	e, err := env.New(game, cfg)
	if err != nil {
		log.Fatal(err)
	}
	obs, info := e.Reset(1)
	spec := e.Spec()
	fmt.Printf("%d planes of %dx%d, %d global inputs, %d actions, %d of them legal\n",
		len(spec.Planes), spec.Rows, spec.Cols, len(obs.Globals), spec.NumActions, info.LegalCount)
	for !e.Done() {
		legal := e.LegalActions(nil)
		if _, err := e.Step(legal[0]); err != nil {
			log.Fatal(err)
		}
	}
	if err := e.Render(os.Stdout, env.RenderOptions{}); err != nil {
		log.Fatal(err)
	}
	fmt.Println("returns", e.Returns())
	// Output:
	// 8 planes of 8x12, 174 global inputs, 3457 actions, 70 of them legal
	//      a  b  c  d  e  f  g  h  i  j  k  l
	//   8  b  b  b  b  b  B  b  b  b  b  b  b  8
	//   7  .  .  .  .  .  .  .  .  .  .  .  .  7
	//   6  .  .  .  .  .  .  .  .  .  .  . [b] 6
	//   5  .  .  .  .  .  .  .  .  .  .  .  .  5
	//   4  a  a  a  a  a  a  a  .  .  .  .  .  4
	//   3  .  .  .  .  .  .  .  a  a  a  a  a  3
	//   2  .  .  .  .  .  .  A  .  .  .  .  .  2
	//   1  .  .  .  .  .  .  .  .  .  .  .  .  1
	//      a  b  c  d  e  f  g  h  i  j  k  l
	// stopped by the length cap, without result
	// ply 40, turn 41, 40 of 100 plies without capture
	// returns [0 0]
}

// Many games: one ply in each of four games a step.
func ExampleVectorEnv() {
	ruleset, err := rules.Open("bell-8x7")
	if err != nil {
		log.Fatal(err)
	}
	game, err := engine.Compile(ruleset.Params)
	if err != nil {
		log.Fatal(err)
	}
	v, err := env.NewVector(game, env.DefaultVectorConfig(4))
	if err != nil {
		log.Fatal(err)
	}
	defer v.Close()
	b := v.NewBatch()
	if err := v.Reset(7, b); err != nil {
		log.Fatal(err)
	}
	actions := make([]engine.Action, v.Games())
	n := v.Encoder().NumActions()
	ended := 0
	for range 500 {
		for i := range actions {
			for a, legal := range b.Masks[i*n : (i+1)*n] {
				if legal {
					actions[i] = engine.Action(a) // a policy would choose here, given b.Planes and b.Globals
					break
				}
			}
		}
		if err := v.Step(actions, b); err != nil {
			log.Fatal(err)
		}
		for i := range actions {
			if b.Terminated[i] || b.Truncated[i] {
				ended++
			}
		}
	}
	fmt.Println(ended > 0, len(b.Planes) == 4*v.Encoder().ObsLen())
	// Output: true true
}
