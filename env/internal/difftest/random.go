package difftest

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"latro/env/rules"
)

// RandomParams makes a valid random ruleset: most parameters random over all their values, the others neutral. Four boards
// in five are small (3 to 7 rows and columns), so that games come to their ends; the others are of any size. It is a
// function of the stream alone.
func RandomParams(rng *rand.Rand) rules.Params {
	for {
		p := draw(rng)
		if repair(&p, rng) {
			return p
		}
	}
}

// themes are groups of parameters that only mean something together: fixed to these values, and drawn (by name or
// beginning of the name) whatever the boldness. The first is no theme.
var themes = [...]struct{ fixed, drawn []string }{
	{},
	{
		[]string{"capture.effect=bind", "pieces.leaders=0", "bonus.after=none"},
		[]string{"binding.", "movement.", "capture.corner_pair", "repetition.", "end.blocked"},
	},
	{
		[]string{"capture.effect=bind", "pieces.leaders=0", "bonus.after=none", "movement.men.hop_chain=true", "binding.removal=before-move"},
		[]string{"binding.removal_", "movement.", "repetition.", "end.tie", "end.blocked"},
	},
	{
		[]string{"capture.effect=remove", "pieces.leaders=1", "movement.men.hop_chain=false", "movement.leaders.hop_chain=false", "bonus.after=capture"},
		[]string{"bonus.", "capture.leader", "movement.leaders.", "setup.leader", "end.leader", "repetition."},
	},
	{
		[]string{"capture.effect=remove", "capture.line=row", "pieces.leaders=1"},
		[]string{"capture.", "movement.leaders.", "setup.leader", "end.", "repetition."},
	},
	{
		[]string{"capture.effect=remove", "pieces.leaders=1", "movement.men.hop_chain=true"},
		[]string{"movement.", "capture.moving_between", "repetition.", "end.leader"},
	},
}

// draw gives each parameter a value that is allowed by itself.
func draw(rng *rand.Rand) rules.Params {
	p := rules.Neutral()
	boldness := rng.Float64() // how many parameters leave their neutral value
	theme := themes[rng.IntN(len(themes))]
	for _, name := range rules.ParamNames() {
		info, err := rules.Describe(name)
		if err != nil {
			panic(err)
		}
		inTheme := slices.ContainsFunc(theme.drawn, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
		if !info.Required && !inTheme && rng.Float64() > boldness {
			continue
		}
		set(&p, name, randomValue(info, rng))
	}
	for _, pair := range theme.fixed {
		name, value := cut(pair)
		set(&p, name, value)
	}
	// The numbers of which the whole range is no use on most boards, or in games of some hundred plies.
	p.Board = randomBoard(rng)
	rows, cols := p.Board.Rows, p.Board.Cols
	p.Pieces.Men = 1 + rng.IntN(min(127, max(1, rows*cols/2-p.Pieces.Leaders)))
	if rng.IntN(3) > 0 {
		p.Pieces.Men = min(p.Pieces.Men, 1+rng.IntN(8))
	}
	p.Setup.ZoneRows = min(p.Setup.ZoneRows, 1+rng.IntN(rows/2))
	if p.Setup.Zone == "own-rows" {
		p.Setup.ZoneRows = 1 + rng.IntN(rows/2)
	}
	if p.Setup.AgreementMax > 0 && rng.IntN(3) == 0 {
		p.Setup.AgreementMax = min(127, p.Pieces.Men+rng.IntN(3))
	} else {
		p.Setup.AgreementMax = 0
	}
	p.End.NoCaptureLimit = []int{0, 0, 1, 2, 7, 20, 60, 1 + rng.IntN(10000)}[rng.IntN(8)]
	p.End.TurnLimit = []int{0, 0, 0, 0, 1, 25, 80, 1 + rng.IntN(1000000)}[rng.IntN(8)]
	p.Setup.Forbidden = randomSquares(p, rng)
	p.Capture.Immune = randomSquares(p, rng)
	p.Setup.Array = nil
	if p.Setup.Kind == "array" {
		p.Setup.Array = randomArray(p, rng)
	}
	return p
}

// randomBoard draws a board's size: mostly small; else one of at most 128 squares, or any.
func randomBoard(rng *rand.Rand) rules.Board {
	side := func(most int) int { return 3 + rng.IntN(most-2) }
	roll := rng.IntN(20)
	if roll < 16 {
		return rules.Board{Rows: side(7), Cols: side(7)}
	}
	for {
		if b := (rules.Board{Rows: side(16), Cols: side(16)}); roll == 19 || b.Rows*b.Cols <= 128 {
			return b
		}
	}
}

func randomValue(info rules.ParamInfo, rng *rand.Rand) string {
	switch info.Kind {
	case rules.KindInt:
		return strconv.Itoa(info.Min + rng.IntN(info.Max-info.Min+1))
	case rules.KindBool:
		return strconv.FormatBool(rng.IntN(2) == 0)
	case rules.KindChoice:
		return info.Allowed[rng.IntN(len(info.Allowed))]
	case rules.KindChoices:
		var some []string
		for _, word := range info.Allowed {
			if rng.IntN(2) == 0 {
				some = append(some, word)
			}
		}
		return strings.Join(some, ",")
	}
	return ""
}

func randomSquares(p rules.Params, rng *rand.Rand) []string {
	if rng.IntN(3) > 0 {
		return nil
	}
	switch rng.IntN(4) {
	case 0, 1:
		return []string{"centre"}
	case 2:
		return []string{rules.SquareName(rng.IntN(p.Board.Rows), rng.IntN(p.Board.Cols))}
	}
	var names []string
	for range 1 + rng.IntN(4) {
		name := rules.SquareName(rng.IntN(p.Board.Rows), rng.IntN(p.Board.Cols))
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// randomArray strews the pieces over the board.
func randomArray(p rules.Params, rng *rand.Rand) []string {
	squares := []byte(strings.Repeat("a", p.Pieces.Men) + strings.Repeat("b", p.Pieces.Men) +
		strings.Repeat("A", p.Pieces.Leaders) + strings.Repeat("B", p.Pieces.Leaders))
	if len(squares) > p.Board.Rows*p.Board.Cols {
		return nil
	}
	squares = append(squares, slices.Repeat([]byte{'.'}, p.Board.Rows*p.Board.Cols-len(squares))...)
	rng.Shuffle(len(squares), func(i, j int) { squares[i], squares[j] = squares[j], squares[i] })
	var rows []string
	for chunk := range slices.Chunk(squares, p.Board.Cols) {
		rows = append(rows, string(chunk))
	}
	return rows
}

// repair follows the hints of Validate until the parameters are possible; false if that leads nowhere.
func repair(p *rules.Params, rng *rand.Rand) bool {
	for range 40 {
		problems := p.Validate()
		if len(problems) == 0 {
			return true
		}
		for _, problem := range problems {
			value, ok := hinted(problem.Hint, rng)
			if !ok || p.Set(problem.Param, value) != nil {
				return false
			}
		}
	}
	return false
}

// hinted is a value that a hint of Validate proposes.
func hinted(hint string, rng *rand.Rand) (string, bool) {
	if value, ok := strings.CutPrefix(hint, "must be "); ok {
		return strings.TrimPrefix(value, "empty"), true
	}
	if list, ok := strings.CutPrefix(hint, "one of: "); ok {
		words := strings.Split(list, ", ")
		return words[rng.IntN(len(words))], true
	}
	if a, b, ok := strings.Cut(hint, " or "); ok && !strings.Contains(a, " ") && !strings.Contains(b, " ") {
		return []string{a, b}[rng.IntN(2)], true
	}
	return "", false
}

// cut takes "name=value" apart.
func cut(pair string) (name, value string) {
	name, value, _ = strings.Cut(pair, "=")
	return name, value
}

func set(p *rules.Params, name, value string) {
	if err := p.Set(name, value); err != nil {
		panic(err)
	}
}

// Departures lists the parameters that differ from the neutral ones, as "name=value", in the order of the
// file format: enough to build the same Params again.
func Departures(p rules.Params) []string {
	neutral := rules.Neutral()
	var list []string
	for _, name := range rules.ParamNames() {
		value, err := p.Get(name)
		if err != nil {
			panic(err)
		}
		if old, err := neutral.Get(name); err != nil || old != value {
			list = append(list, name+"="+value)
		}
	}
	return list
}
