package env

import "latro/env/rules"

// EncodingVersion numbers the observation and action encodings of this package. It grows whenever a plane
// or a global input is added, dropped, renamed or given another meaning, or the action numbering changes.
// A network file records it, and a network of another version is refused or converted, never fed.
const EncodingVersion = 2

// A planeID is the position of a plane in the full list of planes, planeTable. A ruleset's encoder has only
// those that the ruleset can use, in this order.
type planeID int

const (
	planeOnBoard planeID = iota
	planeOwnMen
	planeEnemyMen
	planeOwnLeader
	planeEnemyLeader
	planeOwnBound
	planeEnemyBound
	planeActive
	planeVisited
	planeLastFrom
	planeLastTo
	planePlaceable
	planeBarred
	planeHostileCorner
	planeExposedEdge
	planeImmune
	numPlanes
)

// A PlaneInfo documents one observation plane.
type PlaneInfo struct {
	// Name identifies the plane in network files; weights move between rulesets by it.
	Name string
	// Meaning says on which squares the plane is 1. It is 0 elsewhere.
	Meaning string
	// When says which rulesets have the plane.
	When string

	used func(p *rules.Params) bool
}

func always(*rules.Params) bool       { return true }
func hasLeaders(p *rules.Params) bool { return p.Pieces.Leaders > 0 }
func hasBinding(p *rules.Params) bool { return p.Capture.Effect == "bind" }
func hasChains(p *rules.Params) bool {
	return p.Movement.Men.HopChain || (hasLeaders(p) && p.Movement.Leaders.HopChain)
}
func hasSuperko(p *rules.Params) bool {
	return p.Repetition.Rule == "positional-superko" || p.Repetition.Rule == "situational-superko"
}

// planeTable is the full list of planes, in the order in which they appear in an observation.
var planeTable = [numPlanes]PlaneInfo{
	planeOnBoard: {"on-board", "every square (zero padding around the board then shows the network where the board ends)",
		"all rulesets", always},
	planeOwnMen:   {"own-men", "free men of the player to move", "all rulesets", always},
	planeEnemyMen: {"enemy-men", "free men of the opponent", "all rulesets", always},
	planeOwnLeader: {"own-leader", "the leader of the player to move",
		"pieces.leaders 1", hasLeaders},
	planeEnemyLeader: {"enemy-leader", "the leader of the opponent",
		"pieces.leaders 1", hasLeaders},
	planeOwnBound: {"own-bound", "bound men of the player to move",
		"capture.effect bind", hasBinding},
	planeEnemyBound: {"enemy-bound", "bound men of the opponent",
		"capture.effect bind", hasBinding},
	planeActive: {"active", "the piece that alone may go on in this turn: it has just hopped in a chain, or captured and has a bonus ply",
		"a hop chain, or bonus.piece same",
		func(p *rules.Params) bool { return hasChains(p) || p.Bonus.Piece == "same" }},
	planeVisited: {"visited", "squares that a hop may no longer land on in this turn (used by the chain, or freed by a removal where that bars them)",
		"a hop chain, or movement.removal_square barred",
		func(p *rules.Params) bool { return hasChains(p) || p.Movement.RemovalSquare == "barred" }},
	planeLastFrom: {"last-from", "the square that the last ply left (a step, slide or hop) or emptied (a removal)", "all rulesets", always},
	planeLastTo:   {"last-to", "the square that the last ply reached (a step, slide, hop or placement)", "all rulesets", always},
	planePlaceable: {"placeable", "empty squares on which the player to move may place a piece now; empty outside the placement phase",
		"setup.kind placement", func(p *rules.Params) bool { return p.Setup.Kind == "placement" }},
	planeBarred: {"barred", "squares that some ply could reach were it not for the repetition rule or the ban on undoing one's last move",
		"a superko rule, or movement.undo forbidden",
		func(p *rules.Params) bool { return hasSuperko(p) || p.Movement.Undo == "forbidden" }},
	planeHostileCorner: {"hostile-corner", "the four corners, where they act as a captor",
		"capture.corner not neutral",
		func(p *rules.Params) bool { return p.Capture.Corner != "neutral" && p.Capture.Corner != "" }},
	planeExposedEdge: {"exposed-edge", "the squares of the board's edge, on which one captor on the inner side is enough",
		"capture.edge hostile", func(p *rules.Params) bool { return p.Capture.Edge == "hostile" }},
	planeImmune: {"immune", "squares on which nothing can be captured",
		"capture.immune not empty", func(p *rules.Params) bool { return len(p.Capture.Immune) > 0 }},
}

// AllPlanes returns the documentation of every plane of this encoding version, in order. A ruleset's
// encoder has a subset of them in the same order: see Encoder.Planes.
func AllPlanes() []PlaneInfo {
	return append([]PlaneInfo(nil), planeTable[:]...)
}
