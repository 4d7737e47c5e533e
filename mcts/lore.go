package mcts

import "latro/env/engine"

// lore is what an alpha-beta search knows of a game beyond its State: estimates, what a ply takes, and under which key
// results may be kept. It follows the State from ply to ply.
type lore interface {
	// begin takes over the root. An iteration looks at most horizon plies ahead, quiescence aside; it is set anew by
	// deepen.
	begin(s State)
	deepen(horizon int)
	// played and undone follow the State: a is the ply just made on it, by mover.
	played(a engine.Action, mover uint8)
	undone()
	// estimate is the worth of the position for player 0 in thousandths of a logit.
	estimate() int32
	// calm says, after estimate was asked, that no ply seems to take anything.
	calm() bool
	// takes estimates what ply a takes, before it is made; 0 for a quiet ply.
	takes(a engine.Action, mover uint8) int
	// key and context name the position: positions with the same key have the same board and the same plies but for what
	// history forbids, and positions with the same key and context have the same results within the horizon.
	key() uint64
	context() uint32
}

// step of the line from the root to the position, as gameLore keeps it.
type mark struct {
	board board
	hash  uint64
	// The squares where the player whose turn it is may take something, worked out when it is first asked for.
	spots   [4]uint64
	spotted bool
	seen    uint64 // of the positions since the last irreversible ply, this one included
	twice   uint64 // of those among them that have occurred before
	since   int    // index of the position after the last irreversible ply, 0 if there was none
	// The turns that decide what a ban on undoing forbids and whether two passes end the game.
	last    [2]uint64
	now     uint64
	plies   int
	first   bool // the turn of the root
	passing [2]uint8
}

// gameLore is the lore of the engine's games.
//
// Results in these games depend on more than the board: on the count of plies without capture, on the turn counter near a
// limit, on passes, on what a ban on undoing remembers, and on the positions that a repetition rule remembers. The part
// of it that lies before the root is the same for the whole search, and the table is emptied between searches. The rest
// is the context:
//
//   - the quiet count, where there is a limit to it; the turn counter, where its limit is within the horizon;
//   - whose latest turn was a pass, where two passes end the game (no game is known where lines that differ in this alone have
//     different results; it is here because the rule speaks of it, and it separates few lines);
//   - the plies of the turn in progress and of each player's last one, where undoing is banned;
//   - under a threefold rule, the positions of the line since the last irreversible ply that have occurred before. Those
//     seen for the first time matter only to a line that brings them back twice: at the earliest in 8 plies, for each
//     return takes two turns of either player. They belong to the context if they lie that far from the horizon;
//   - under a superko rule every position of the line since the last irreversible ply that can come back before the
//     horizon: at the earliest after 3 plies (out, the other passes, back).
//
// So two lines share a result only if it does not depend on which of them was played. The price is that under superko
// few lines share anything; the best ply of an entry with another context still serves to order plies.
type gameLore struct {
	ev      *Evaluation
	l       *layout
	s       *engine.State
	marks   []mark
	horizon int

	quiet, passes, undo bool
	turnLimit           int
	returns             int // plies a position needs to matter again; 0 if repetition does not
	threefold           bool
	slack               int
}

func newGameLore(g *engine.Game, w *Weights) *gameLore {
	k := &gameLore{ev: NewEvaluation(g, w)}
	k.l = k.ev.l
	p := g.Params()
	k.quiet = p.End.NoCaptureLimit > 0
	k.passes = p.End.TwoPasses == "draw" && (p.End.Blocked == "pass" || p.End.Blocked == "opponent-opens")
	k.undo = p.Movement.Undo == "forbidden"
	k.turnLimit = p.End.TurnLimit
	switch p.Repetition.Rule {
	case "threefold-draw":
		k.returns, k.threefold = 8, true
	case "positional-superko", "situational-superko":
		k.returns = 3
	}
	if k.l.bind {
		// Binding can be undone, so quiescence may come back to earlier positions.
		k.slack = maxQuiescence
	}
	return k
}

func (k *gameLore) begin(s State) {
	k.s = s.(*engine.State)
	if len(k.marks) == 0 {
		k.marks = make([]mark, 1, maxLine+1)
	}
	k.marks = k.marks[:1]
	m := &k.marks[0]
	*m = mark{hash: k.s.Hash(), first: true, last: [2]uint64{1, 2}}
	m.board.read(k.l, k.s)
}

func (k *gameLore) deepen(horizon int) { k.horizon = horizon + k.slack }

// scatter is the finaliser of SplitMix64.
func scatter(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

func (k *gameLore) played(a engine.Action, mover uint8) {
	n := len(k.marks)
	k.marks = k.marks[:n+1]
	was, m := &k.marks[n-1], &k.marks[n]
	m.board = was.board
	m.spotted = false
	irreversible := m.board.follow(k.l, k.s, a, int(mover))
	m.hash = k.s.Hash()
	m.since, m.seen, m.twice = was.since, was.seen, was.twice
	if irreversible {
		m.since, m.seen, m.twice = n, 0, 0
	}
	if k.returns > 0 {
		x := scatter(m.hash)
		m.seen += x
		if k.threefold && k.s.RepetitionCount() > 1 {
			m.twice += x
		}
	}
	if !k.passes && !k.undo {
		return
	}
	m.last, m.passing, m.first, m.plies = was.last, was.passing, was.first, was.plies+1
	m.now = scatter(was.now + uint64(a) + 1)
	if k.s.ToMove() == int(mover) {
		return
	}
	m.last[mover] = m.now
	m.passing[mover] = 1
	if a == k.l.pass && m.plies == 1 {
		m.passing[mover] = 2
	}
	if m.first {
		// What the root's turn began with is not known here, but the same for all.
		m.last[mover]++
		m.passing[mover] += 2
	}
	m.now, m.plies, m.first = 0, 0, false
}

func (k *gameLore) undone() { k.marks = k.marks[:len(k.marks)-1] }

func (k *gameLore) estimate() int32 {
	return k.ev.estimate(&k.marks[len(k.marks)-1].board, k.s)
}

func (k *gameLore) calm() bool { return k.ev.calm }

func (k *gameLore) takes(a engine.Action, mover uint8) int {
	m := &k.marks[len(k.marks)-1]
	if x := &k.l.shape[a]; x.kind == engine.Move || x.kind == engine.Hop {
		// Most plies end where nothing can be taken.
		if !m.spotted {
			m.spots, m.spotted = k.ev.sheet.spots(&m.board, mover), true
		}
		if m.spots[uint16(x.to)>>6&3]>>(uint16(x.to)&63)&1 == 0 {
			return 0
		}
	}
	return k.l.takes(&m.board, a, mover)
}

func (k *gameLore) key() uint64 { return k.marks[len(k.marks)-1].hash }

func (k *gameLore) context() uint32 {
	n := len(k.marks) - 1
	m := &k.marks[n]
	x := uint64(0)
	if k.quiet {
		x = scatter(x + uint64(k.s.Quiet()))
	}
	if k.turnLimit > 0 && k.s.Turn()+k.horizon+maxQuiescence >= k.turnLimit {
		x = scatter(x ^ uint64(k.s.Turn()))
	}
	if k.passes {
		x = scatter(x ^ uint64(m.passing[0])<<8 ^ uint64(m.passing[1]))
		if m.plies > 0 {
			x++
		}
	}
	if k.undo {
		x = scatter(scatter(scatter(x^m.last[0])+m.last[1]) + m.now)
	}
	if k.returns > 0 {
		x = scatter(x ^ m.twice)
		if at := min(n, k.horizon-k.returns); at >= m.since && at > 0 {
			x = scatter(x ^ k.marks[at].seen)
		}
	}
	return uint32(x >> 32)
}
