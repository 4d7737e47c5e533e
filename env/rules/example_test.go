package rules_test

import (
	"fmt"
	"os"

	"latro/env/rules"
)

// A ruleset is opened by its id, optionally in a reading and with single parameters changed.
func ExampleOpen() {
	r, err := rules.Open("bell-8x7@sixty-plies", "capture.corner=neutral")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Name)
	fmt.Println(r.Ref())
	fmt.Println(r.Params.End.NoCaptureLimit, r.Params.Capture.Corner)
	// Output:
	// Bell 8x7
	// bell-8x7@sixty-plies+capture.corner=neutral
	// 60 neutral
}

// Every mistake of a file is reported at once.
func ExampleParse_mistakes() {
	_, err := rules.Parse("game.yaml", []byte("id: game\nname: A game\nbord: {rows: 8}\npieces: {men: many}\n"))
	fmt.Println(err)
	// Output:
	// game.yaml:1:1: sources: is missing (a list with at least one source: - {id: …, title: …})
	// game.yaml:1:1: board.rows: is missing (a whole number from 3 to 16)
	// game.yaml:1:1: board.cols: is missing (a whole number from 3 to 16)
	// game.yaml:1:1: movement.men.range: is missing (one of: none, step, slide)
	// game.yaml:3:1: bord: unknown key (did you mean board? valid here: id, name, summary, sources, provenance, readings, board, pieces, setup, movement, capture, binding, bonus, repetition, end)
	// game.yaml:4:15: pieces.men: "many" is not a valid value (a whole number from 1 to 127)
}

// Two rulesets are compared parameter by parameter.
func ExampleDiff() {
	a, err := rules.Open("6x6-seega")
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := rules.Open("6x6-kharebga+end.tie=draw")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range rules.Diff(a, b) {
		fmt.Printf("%s: %s, %s\n", d.Name, d.A, d.B)
	}
	// Output:
	// movement.men.range: step, slide
}

// The board at the start.
func ExampleParams_Diagram() {
	r, err := rules.Open("webdux")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Fprint(os.Stdout, r.Params.Diagram())
	// Output:
	//  8  . . . . . B . . . . . .
	//  7  b b b b b b b b b b b b
	//  6  . . . . . . . . . . . .
	//  5  . . . . . . . . . . . .
	//  4  . . . . . . . . . . . .
	//  3  . . . . . . . . . . . .
	//  2  a a a a a a a a a a a a
	//  1  . . . . . . A . . . . .
	//     a b c d e f g h i j k l
}
