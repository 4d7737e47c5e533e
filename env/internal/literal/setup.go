package literal

import "strconv"

// start is the position before the first ply: setup.kind, setup.array, setup.agreement_max.
func (g *Game) start() *position {
	p := g.params
	pos := &position{
		board:       make(board, p.Board.Rows),
		firstPlacer: -1,
		turn:        1,
		opening:     -1,
		visited:     map[square]bool{},
		freed:       map[square]bool{},
		moved:       map[square]square{},
		bans:        [2]map[square]square{{}, {}},
	}
	for r := range pos.board {
		pos.board[r] = make([]byte, p.Board.Cols)
		for c := range pos.board[r] {
			pos.board[r][c] = '.'
		}
	}
	if p.Setup.Kind == "array" {
		for line, row := range p.Setup.Array { // the top row is written first
			copy(pos.board[p.Board.Rows-1-line], row)
		}
		pos.phase = "movement"
		return pos
	}
	for player := range 2 {
		pos.hands[player] = hand{p.Pieces.Men, p.Pieces.Leaders}
	}
	pos.phase = "placement"
	if p.Setup.AgreementMax > 0 {
		pos.phase = "agreement"
	}
	return pos
}

// agreementPlies: setup.agreement_max.
func (g *Game) agreementPlies(pos *position) []ply {
	list := []ply{{kind: '-'}}
	if pos.hands[0].men < g.params.Setup.AgreementMax {
		list = append(list, ply{kind: 'R'})
	}
	return list
}

// placementPlies: which kinds of piece may be placed (setup.leader) times where (setup.zone, .forbidden).
func (g *Game) placementPlies(pos *position) []ply {
	manNow, leaderNow := g.placeable(pos)
	var list []ply
	for _, s := range pos.board.squares() {
		if pos.board.at(s) != '.' || !g.inZone(pos.mover, s) || g.named(g.params.Setup.Forbidden, s) {
			continue
		}
		if manNow {
			list = append(list, ply{kind: 'P', to: s})
		}
		if leaderNow {
			list = append(list, ply{kind: 'D', to: s})
		}
	}
	return list
}

// placeable: setup.leader.
func (g *Game) placeable(pos *position) (manNow, leaderNow bool) {
	mine := pos.hands[pos.mover]
	hasMan, hasLeader := mine.men > 0, mine.leaders > 0
	switch g.params.Setup.Leader {
	case "after-all-men":
		allMenPlaced := pos.hands[0].men == 0 && pos.hands[1].men == 0
		return hasMan, hasLeader && allMenPlaced
	case "last":
		return hasMan, hasLeader && !hasMan
	case "first":
		return hasMan && !hasLeader, hasLeader
	case "first-or-last":
		nothingPlaced := true
		for _, s := range pos.board.squares() {
			if owner(pos.board.at(s)) == pos.mover {
				nothingPlaced = false
			}
		}
		return hasMan, hasLeader && (nothingPlaced || !hasMan)
	}
	return hasMan, hasLeader // "any", and "none", which has no leaders
}

// inZone: setup.zone, setup.zone_rows.
func (g *Game) inZone(player int, s square) bool {
	if g.params.Setup.Zone == "anywhere" {
		return true
	}
	if player == 0 {
		return s.row < g.params.Setup.ZoneRows
	}
	return s.row >= g.params.Board.Rows-g.params.Setup.ZoneRows
}

// named says whether a list of square names ("c3", "centre") holds the square.
func (g *Game) named(names []string, s square) bool {
	own := string(rune('a'+s.col)) + strconv.Itoa(s.row+1)
	isCentre := s.row == (g.params.Board.Rows-1)/2 && s.col == (g.params.Board.Cols-1)/2
	for _, name := range names {
		if name == own || name == "centre" && isCentre {
			return true
		}
	}
	return false
}

// place does a placement ply: setup.per_turn, setup.first_mover. It returns whether the turn goes on.
func (g *Game) place(pos *position, p ply) (goesOn bool) {
	me := pos.mover
	if pos.firstPlacer < 0 {
		pos.firstPlacer = me
	}
	leaderStage := g.params.Setup.Leader == "after-all-men" && pos.hands[0].men == 0 && pos.hands[1].men == 0
	if p.kind == 'P' {
		pos.board.put(p.to, man(me))
		pos.hands[me].men--
	} else {
		pos.board.put(p.to, leader(me))
		pos.hands[me].leaders--
	}

	if pos.hands == ([2]hand{}) {
		pos.phase = "movement"
		return g.params.Setup.FirstMover == "last-placer"
	}
	if leaderStage { // one ply a turn
		return false
	}
	placedThisTurn := 1
	for _, earlier := range pos.turnPlies {
		if earlier.kind == 'P' || earlier.kind == 'D' {
			placedThisTurn++
		}
	}
	manNext, leaderNext := g.placeable(pos)
	return placedThisTurn < g.params.Setup.PerTurn && (manNext || leaderNext) &&
		(manNext || g.params.Setup.Leader != "after-all-men")
}
