package difftest

import (
	"fmt"
	"slices"
	"strings"

	"latro/env/rules"
)

// TextIDs is the rulesets that FromText knows, sorted.
func TextIDs() []string {
	ids := []string{
		"schadler-1994", "schadler-2001", "locus-ludi-seneca", "locus-ludi-piso", "museum-quintana", "falkener",
		"kowalski-10x11", "kowalski-8x12", "bell-8x7", "bell-8x8", "luductus", "webdux",
		"seega-classic-5x5", "seega-classic-7x7",
	}
	for _, b := range tableBoards {
		ids = append(ids, fmt.Sprintf("%dx%d-seega", b[0], b[1]), fmt.Sprintf("%dx%d-kharebga", b[0], b[1]))
	}
	slices.Sort(ids)
	return ids
}

// tableBoards is the boards of RULES.md section 4.
var tableBoards = [...][2]int{{6, 6}, {6, 7}, {6, 8}, {7, 8}, {8, 8}, {8, 9}, {9, 10}, {10, 10}, {11, 12}, {11, 16}}

// FromText is the parameters of a ruleset in the reading "default" or "ludii", written from RULES.md sections
// 2 to 5 and 9 (the specification, which is not part of the repository) without a look at the catalogue. The second
// result is false for an unknown id or reading.
func FromText(id, reading string) (rules.Params, bool) {
	if reading != "default" && reading != "ludii" {
		return rules.Params{}, false
	}
	ludii := reading == "ludii"
	p := plainest()
	switch {
	case id == "schadler-1994":
		schadler(&p, ludii)
	case id == "schadler-2001":
		schadler(&p, ludii)
		p.Movement.BetweenEnemies = "only-if-it-captures"
		if ludii {
			p.Setup.AgreementMax = 24
		}
	case id == "locus-ludi-seneca":
		seneca(&p, ludii)
	case id == "locus-ludi-piso":
		p.Board, p.Pieces.Men = rules.Board{Rows: 8, Cols: 8}, 20
		p.Capture.CornerPair = true
		p.End.Annihilation, p.End.AnnihilationAt = "pieces", 1
		p.End.Blocked = "count"
	case id == "museum-quintana":
		p.Board, p.Pieces.Men = rules.Board{Rows: 8, Cols: 8}, 16
		array(&p, "bbbbbbbb", "bbbbbbbb", "........", "........", "........", "........", "aaaaaaaa", "aaaaaaaa")
		p.Movement.Men.Range = "slide"
		p.End.Annihilation = "pieces"
	case id == "falkener":
		falkener(&p)
	case id == "kowalski-10x11":
		p.Board, p.Pieces = rules.Board{Rows: 10, Cols: 11}, rules.Pieces{Men: 10, Leaders: 1}
		empty := strings.Repeat(".", 11)
		array(&p, "bbbbbBbbbbb", empty, empty, empty, empty, empty, empty, empty, empty, "aaaaaAaaaaa")
		kowalski(&p)
	case id == "kowalski-8x12":
		p.Board, p.Pieces = rules.Board{Rows: 8, Cols: 12}, rules.Pieces{Men: 12, Leaders: 1}
		empty := strings.Repeat(".", 12)
		array(&p, strings.Repeat("b", 12), ".....B......", empty, empty, empty, empty, "......A.....", strings.Repeat("a", 12))
		kowalski(&p)
	case id == "bell-8x7":
		p.Board = rules.Board{Rows: 8, Cols: 7}
		bell(&p, ludii)
	case id == "bell-8x8":
		p.Board = rules.Board{Rows: 8, Cols: 8}
		bell(&p, ludii)
	case id == "luductus" && !ludii:
		luductus(&p)
	case id == "webdux" && !ludii:
		webdux(&p)
	case id == "seega-classic-5x5" && !ludii:
		seegaClassic(&p, 5)
	case id == "seega-classic-7x7" && !ludii:
		seegaClassic(&p, 7)
	default:
		if !table(&p, id) {
			return rules.Params{}, false
		}
	}
	if ludii {
		ludiiMode(&p)
	}
	return p, true
}

// plainest is the common ground: placement one by one anywhere, orthogonal steps, custodial capture that
// removes, and the neutral choices of RULES.md section 9.
func plainest() rules.Params {
	none := rules.Mover{Range: "none", Directions: "none", HopOver: nil, HopDirections: "none", HopLength: "one"}
	step := none
	step.Range, step.Directions = "step", "orthogonal"
	return rules.Params{
		Setup: rules.Setup{Kind: "placement", PerTurn: 1, Zone: "anywhere", Leader: "none", FirstMover: "first-placer"},
		Movement: rules.Movement{
			Men: step, Leaders: none, BetweenEnemies: "allowed", BetweenBound: "count", Undo: "allowed", ChainOffer: "after-effects", RemovalSquare: "allowed",
		},
		Capture: rules.Capture{
			Effect: "remove", Axes: "orthogonal", Line: "single", LineAxes: "same", Leader: "none", LeaderInRow: "none",
			LeaderAsCaptor: "both", Edge: "neutral", Corner: "neutral", MovingBetween: "safe",
		},
		Binding:    rules.Binding{Removal: "none", RemovalNumber: "none", GuardLeaves: "freed", HeldTwice: "freed"},
		Bonus:      rules.Bonus{After: "none", Piece: "none"},
		Repetition: rules.Repetition{Rule: "threefold-draw"},
		End: rules.End{
			Checked: "every-ply", Annihilation: "none", LeaderCaptured: "none", LeaderImmobilised: "none", Blocked: "pass",
			NoCaptureResult: "none", Tie: "draw", TwoPasses: "draw",
		},
	}
}

// ludiiMode is RULES.md sections 7 and 9: superko, ties to player 2, the bookkeeping, the turn cap.
func ludiiMode(p *rules.Params) {
	p.Repetition.Rule = "positional-superko"
	if p.End.Blocked == "count" || p.End.NoCaptureResult == "count" {
		p.End.Tie = "player-1"
	}
	p.End.TurnLimit = 2500
	if p.End.Annihilation != "none" {
		p.End.Checked = "next-player"
	}
	if p.Movement.Men.HopChain {
		p.Movement.ChainOffer = "before-effects"
	}
	if p.Binding.Removal == "before-move" {
		p.Movement.RemovalSquare = "barred"
	}
	if p.Setup.AgreementMax > 0 {
		p.End.TwoPasses = "ignored"
	}
	if p.Capture.Effect == "bind" {
		p.Binding.ReleaseByLanding = true
		p.Binding.CornerRescue = false
		p.End.AnnihilationExact = true
	}
	if p.Capture.CornerPair && p.End.Annihilation == "pieces" {
		p.End.AnnihilationExact = true // 2.3 and 2.4: exactly 1
	}
}

func array(p *rules.Params, topFirst ...string) {
	p.Setup.Kind, p.Setup.Array = "array", topFirst
}

func schadler(p *rules.Params, ludii bool) {
	p.Board, p.Pieces.Men = rules.Board{Rows: 8, Cols: 8}, 16
	m := &p.Movement.Men
	m.HopOver = []string{"own-free", "own-bound", "enemy-free", "enemy-bound"}
	m.HopDirections, m.HopChain = "orthogonal", true
	p.Capture.Effect = "bind"
	p.Binding = rules.Binding{Removal: "instead-of-move", RemovalNumber: "one", GuardLeaves: "freed", HeldTwice: "freed"}
	p.End.Annihilation, p.End.AnnihilationAt = "pieces", 1
}

func seneca(p *rules.Params, ludii bool) {
	p.Board, p.Pieces.Men = rules.Board{Rows: 8, Cols: 8}, 20
	m := &p.Movement.Men
	m.HopOver = []string{"own-free", "own-bound", "enemy-bound"}
	m.HopDirections, m.HopChain = "orthogonal", true
	p.Capture.Effect, p.Capture.CornerPair = "bind", true
	p.Binding = rules.Binding{Removal: "before-move", RemovalNumber: "one", RemovalCompulsory: true, CornerRescue: true, GuardLeaves: "freed", HeldTwice: "freed"}
	if ludii {
		p.Binding.RemovalNumber, p.Binding.RemovalCompulsory = "any", false
	} else {
		p.Movement.Undo = "forbidden"
	}
	p.End.Annihilation, p.End.AnnihilationAt = "pieces", 1
	p.End.Blocked = "count"
}

func falkener(p *rules.Params) {
	p.Board, p.Pieces.Men = rules.Board{Rows: 12, Cols: 12}, 30
	var top []string
	for row := 11; row >= 0; row-- {
		line := ""
		for col := range 12 {
			switch {
			case (row+col)%2 == 0 && row <= 4:
				line += "a"
			case (row+col)%2 == 0 && row >= 7:
				line += "b"
			default:
				line += "."
			}
		}
		top = append(top, line)
	}
	array(p, top...)
	m := &p.Movement.Men
	m.Directions, m.HopOver, m.HopDirections = "all", []string{"enemy-free"}, "all"
	p.Capture.Axes = "all"
	p.End.Blocked = "loses"
}

func kowalski(p *rules.Params) {
	p.Movement.Men.Range = "slide"
	p.Movement.Leaders = p.Movement.Men
	p.Capture.Leader, p.Capture.CornerPair = "immune", true
	p.End.Blocked = "loses"
}

func bell(p *rules.Params, ludii bool) {
	p.Pieces = rules.Pieces{Men: 16, Leaders: 1}
	p.Setup.PerTurn, p.Setup.Leader = 2, "after-all-men"
	p.Movement.Leaders = p.Movement.Men
	p.Movement.Leaders.HopOver, p.Movement.Leaders.HopDirections = []string{"enemy-free"}, "orthogonal"
	p.Capture.Leader, p.Capture.Corner = "as-man", "hostile"
	p.Bonus = rules.Bonus{After: "capture", Piece: "same", Compulsory: ludii}
	p.End.Annihilation = "pieces"
	p.End.NoCaptureLimit, p.End.NoCaptureResult = 30, "count"
}

func luductus(p *rules.Params) {
	p.Board, p.Pieces = rules.Board{Rows: 7, Cols: 13}, rules.Pieces{Men: 11, Leaders: 1}
	p.Setup.Zone, p.Setup.ZoneRows, p.Setup.Leader, p.Setup.FirstMover = "own-rows", 2, "first-or-last", "last-placer"
	p.Movement.Men.Range = "slide"
	p.Movement.Leaders = p.Movement.Men
	p.Movement.Leaders.HopOver, p.Movement.Leaders.HopDirections = []string{"own-men"}, "orthogonal"
	p.Capture.Axes, p.Capture.Line = "all", "row"
	p.Capture.Leader, p.Capture.LeaderInRow = "surrounded", "shields"
	p.Repetition.Rule = "none"
	p.End.Annihilation, p.End.LeaderCaptured, p.End.Blocked = "men", "loses", "loses"
	p.End.NoCaptureLimit, p.End.NoCaptureResult = 30, "count"
}

func webdux(p *rules.Params) {
	p.Board, p.Pieces = rules.Board{Rows: 8, Cols: 12}, rules.Pieces{Men: 12, Leaders: 1}
	empty := strings.Repeat(".", 12)
	array(p, ".....B......", strings.Repeat("b", 12), empty, empty, empty, empty, strings.Repeat("a", 12), "......A.....")
	p.Movement.Men.Range = "slide"
	p.Movement.Leaders = p.Movement.Men
	p.Capture.Edge, p.Capture.Leader, p.Capture.LeaderAsCaptor = "hostile", "as-man", "none"
	p.Repetition.Rule = "none"
	p.End.Annihilation, p.End.LeaderCaptured, p.End.Blocked = "men", "loses", "loses"
	p.End.NoCaptureLimit, p.End.NoCaptureResult = 100, "count"
}

// seegaClassic is traditional Seega as RULES.md section 4 sketches it (A24c), on the odd boards of the parent
// games: all squares but the centre are filled, and all enemy pieces must be captured.
func seegaClassic(p *rules.Params, n int) {
	p.Board, p.Pieces.Men = rules.Board{Rows: n, Cols: n}, (n*n-1)/2
	p.Setup.PerTurn, p.Setup.Forbidden, p.Setup.FirstMover = 2, []string{"centre"}, "last-placer"
	p.Capture.Immune = []string{"centre"}
	p.Bonus = rules.Bonus{After: "capture", Piece: "same", MustCapture: true}
	p.End.Annihilation, p.End.Blocked = "pieces", "opponent-opens"
}

// table is the twenty rulesets of RULES.md section 4.
func table(p *rules.Params, id string) bool {
	for _, b := range tableBoards {
		size := fmt.Sprintf("%dx%d-", b[0], b[1])
		kind, ok := strings.CutPrefix(id, size)
		if !ok || kind != "seega" && kind != "kharebga" {
			continue
		}
		p.Board = rules.Board{Rows: b[0], Cols: b[1]}
		p.Pieces.Men = (b[0]*b[1] - 2) / 2
		p.Setup.PerTurn, p.Setup.Forbidden = 2, []string{"centre"}
		if kind == "kharebga" {
			p.Movement.Men.Range = "slide"
		}
		p.End.Annihilation, p.End.AnnihilationAt = "pieces", 1
		return true
	}
	return false
}
