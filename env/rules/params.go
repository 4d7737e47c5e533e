package rules

// Params is the whole of a game's rules: every rule difference between two rulesets is a difference
// between two Params. It is a plain value: copy it freely. The yaml tag path of a field, joined with
// dots ("capture.effect"), is the parameter's name everywhere: in ruleset files, in --set overrides, in
// designs, in reports.
//
// Two engines are built from this text (env/engine and env/internal/literal), so each field
// states exactly what it means. "P" is the player who makes the ply, "Q" the opponent. Player 0 acts
// first. Row 0 is player 0's side.
//
// A parameter that the others leave without meaning has one fixed value, which Validate enforces, so that
// games that are played alike have one canonical form: the neutral value of Neutral, which the comments
// below call "none", 0, false or empty.
type Params struct {
	Board      Board      `yaml:"board"`
	Pieces     Pieces     `yaml:"pieces"`
	Setup      Setup      `yaml:"setup"`
	Movement   Movement   `yaml:"movement"`
	Capture    Capture    `yaml:"capture"`
	Binding    Binding    `yaml:"binding"`
	Bonus      Bonus      `yaml:"bonus"`
	Repetition Repetition `yaml:"repetition"`
	End        End        `yaml:"end"`
}

// Board is the playing field, a full rectangle of squares.
type Board struct {
	Rows int `yaml:"rows"` // 3..16
	Cols int `yaml:"cols"` // 3..16
}

// Pieces is the number of pieces a side.
type Pieces struct {
	Men     int `yaml:"men"`     // 1..127 a side
	Leaders int `yaml:"leaders"` // 0 or 1 a side
}

// Setup says how the pieces come onto the board.
type Setup struct {
	// Kind: "placement" (pieces start in hand and are placed, one ply each) or "array" (fixed start).
	Kind string `yaml:"kind"`
	// Array (kind array only): the start position as one sees it, TOP row (player 1's back row) first, one
	// string a row, one character a square: '.' empty, 'a'/'b' man of player 0/1, 'A'/'B' leader.
	// Its piece counts must equal pieces.men and pieces.leaders.
	Array []string `yaml:"array"`
	// PerTurn: pieces placed a turn, 1 or 2 (a player who has only one left places one). Placement never
	// captures or binds.
	PerTurn int `yaml:"per_turn"`
	// Zone: "anywhere" (any empty square) or "own-rows" (the ZoneRows rows nearest the player's own side:
	// rows 0..n-1 for player 0, the last n rows for player 1).
	Zone string `yaml:"zone"`
	// ZoneRows: number of rows of zone own-rows; 0 with zone anywhere.
	ZoneRows int `yaml:"zone_rows"`
	// Forbidden: squares on which nothing may be placed (in the movement phase they do nothing): square names ("c3")
	// or "centre" = row floor((rows-1)/2), column floor((cols-1)/2).
	Forbidden []string `yaml:"forbidden"`
	// Leader: when the leader is placed: "none" (no leaders, or kind array), "after-all-men" (after all men of both
	// sides: player 0's leader, then player 1's, one ply a turn), "last" (each player's last piece), "first"
	// (each player's first piece), "first-or-last" (each player chooses at the first placement: a leader
	// placed first, or else it is the last piece), "any" (any time).
	Leader string `yaml:"leader"`
	// FirstMover: who makes the first ply after placement: "first-placer" or "last-placer". Kind array:
	// "first-placer", and player 0 begins.
	FirstMover string `yaml:"first_mover"`
	// AgreementMax: 0 = none. n > 0: before placement the players alternate, each ply either raises both
	// hands by one man (while the count is below n) or passes; two passes in a row end it and the next
	// player in turn order places first (schadler-2001 as in Ludii).
	AgreementMax int `yaml:"agreement_max"`
}

// Movement says how pieces move, in the movement phase.
type Movement struct {
	Men     Mover `yaml:"men"`
	Leaders Mover `yaml:"leaders"` // must equal Men's zero-effect form (all "none") when pieces.leaders is 0
	// BetweenEnemies: "allowed" (and safe, see capture.moving_between) or "only-if-it-captures": a step,
	// slide or hop to a DANGEROUS square is legal only if its arrival captures (binds) at least one enemy.
	// Dangerous: the two orthogonal neighbours on one line (left and right, or below and above) both hold
	// enemy pieces; bound enemies count as BetweenBound says; squares off the board never do. The capture test
	// is made on the board with the piece lifted from its origin (which therefore is no partner).
	BetweenEnemies string `yaml:"between_enemies"`
	// BetweenBound (between_enemies only-if-it-captures, capture.effect bind): bound enemies "count" among the
	// two that make a square dangerous (A11), or are "ignored". "count" otherwise.
	BetweenBound string `yaml:"between_bound"`
	// Undo: "allowed" or "forbidden" (A7): the piece that moved in its owner's previous turn may not land,
	// by step, slide or any hop, on the square where it stood before that turn's move (origin of the turn's
	// first ply). Squares in the middle of that turn's chain are not banned, nor the square for other
	// pieces. Lifted when a player who must move (not inside a chain, and no removal legal) has no other ply.
	Undo string `yaml:"undo"`
	// ChainOffer: when the continuation of a hop chain is decided: "after-effects" (on the board after the
	// hop's captures/bindings; offered iff a legal further hop exists) or "before-effects" (Ludii, Q3: on
	// the board before them, also asking whether the next hop alone, without its effects, would repeat a
	// remembered position; if offered and no legal hop remains, only the stop ply is there).
	ChainOffer string `yaml:"chain_offer"`
	// RemovalSquare: may a square freed by a removal in this turn be the landing square of a hop in the
	// same turn: "allowed" or "barred" (Ludii, Q6). Steps onto it are always fine.
	RemovalSquare string `yaml:"removal_square"`
}

// Mover says how one kind of piece moves. A piece may step/slide or hop; a bound piece does neither.
type Mover struct {
	// Range: "none", "step" (one square), "slide" (any number of empty squares, at least one).
	Range string `yaml:"range"`
	// Directions of Range: "orthogonal", "diagonal" or "all"; "none" with range none.
	Directions string `yaml:"directions"`
	// HopOver: the pieces that may be hopped over: any of "own-free", "own-bound", "enemy-free",
	// "enemy-bound" (men and leaders alike), or "own-men" (own men only, free or bound). Empty: no hop. A hop
	// goes over exactly one adjacent piece to the empty square directly behind it (see HopLength); the piece
	// hopped over is never captured by the hop.
	HopOver []string `yaml:"hop_over"`
	// HopDirections: "none" (no hop), "orthogonal", "diagonal", "all".
	HopDirections string `yaml:"hop_directions"`
	// HopLength: "one", or "row": over an unbroken row of one or more pieces of HopOver to the empty square
	// directly behind the row.
	HopLength string `yaml:"hop_length"`
	// HopChain: true: after a hop the same piece may hop on (each hop a ply, effects at every landing,
	// A6), to squares that were neither origin nor landing square of this turn; the stop ply "-" ends it.
	// While the chain goes on the legal plies are the further hops and the stop ply.
	HopChain bool `yaml:"hop_chain"`
}

// Capture is custodial capture: the piece that arrived on T is always one of the captors. Directions are
// looked at together on the board right after arrival; then everything happens at once. Nothing is
// captured in the placement phase.
type Capture struct {
	// Effect: "remove" (at once) or "bind" (see Binding).
	Effect string `yaml:"effect"`
	// Axes of custodial capture: "orthogonal", "diagonal", "all".
	Axes string `yaml:"axes"`
	// Line: "single" (one enemy piece between the captors, a direction) or "row": an unbroken line of one
	// or more enemy pieces between the arriving piece and another captor is taken whole; a gap or the board's
	// edge (neutral) saves all of it.
	Line string `yaml:"line"`
	// LineAxes (line row): directions in which MORE than one piece may be taken: "same" (as Axes) or
	// "horizontal" (along rows only; elsewhere single capture).
	LineAxes string `yaml:"line_axes"`
	// Leader: how a leader is captured: "none" (no leaders in the game), "as-man", "immune", or
	// "surrounded": taken when every on-board orthogonal neighbour holds an enemy piece (of any kind, free),
	// the last of which has just arrived (that is: the arriving piece is one of them).
	Leader string `yaml:"leader"`
	// LeaderInRow (line row and leader immune or surrounded): an enemy leader in the line: "shields" (the
	// whole line in that direction is saved) or "spans" (the line goes on through it: the men are taken, the
	// leader stays). With leader "as-man" the leader is an ordinary piece of the line; then "none". Also
	// "none" with line single or without leaders.
	LeaderInRow string `yaml:"leader_in_row"`
	// LeaderAsCaptor: "none", "arriving", "standing" or "both": in which role a leader may be one of the two
	// captors (also counts for corner pairs and for edge captures, as arriving). Says nothing about
	// "surrounded", for which every piece counts. "both" without leaders.
	LeaderAsCaptor string `yaml:"leader_as_captor"`
	// Edge: "neutral", or "hostile": the board's edge is a standing captor: an enemy on an edge square is
	// taken when a captor arrives next to it on the inner side, on the line perpendicular to that edge
	// (orthogonal directions only; a corner piece from either of its neighbours, along that edge). With line
	// row a whole line that reaches the edge is taken.
	Edge string `yaml:"edge"`
	// Corner: "neutral"; "hostile": the four corner squares act as a standing captor for everybody,
	// whatever stands on them, in orthogonal directions (Bell); "hostile-unless-own": not while a piece of
	// the victim's side stands there (A19). With line row a whole line that reaches the corner is taken.
	Corner string `yaml:"corner"`
	// CornerPair: true: a piece (of a kind that is captured as-man) on a corner is also captured when both
	// orthogonal neighbours of the corner hold captors, one of which has just arrived.
	CornerPair bool `yaml:"corner_pair"`
	// Immune: squares on which no piece can be captured, square names or "centre".
	Immune []string `yaml:"immune"`
	// MovingBetween: "safe", or "taken": after P's own captures, the arriving piece itself is removed if it
	// stands between two standing captors of Q on one line of Axes (hostile edge and corners included; only
	// single capture; leader only if as-man; immune squares save). The ply counts as a capture.
	MovingBetween string `yaml:"moving_between"`
}

// Binding is the immobilising capture (capture.effect bind). With effect remove every
// field has its "none"/false value. Effect bind requires: no leaders, line single, edge and corner neutral,
// moving_between safe, no immune squares, no bonus.
type Binding struct {
	// Removal: when bound enemies may be taken off: "none", "instead-of-move" (a whole turn: one enemy),
	// "before-move" (plies at the start of the turn; then a move is compulsory).
	Removal string `yaml:"removal"`
	// RemovalNumber: "none", "one", "any" (one a ply), or "all" (every bound enemy goes as the turn
	// begins, without a ply: as part of the ply that hands the turn over, before end rules and repetition
	// are looked at). instead-of-move requires "one".
	RemovalNumber string `yaml:"removal_number"`
	// RemovalCompulsory: true: while an enemy is bound at the start of the turn and none was removed yet in
	// this turn, the legal plies are the removals only. True for "all".
	RemovalCompulsory bool `yaml:"removal_compulsory"`
	// CornerRescue: with corner_pair: step 3 (rescue) also frees a man bound in a corner when one of its
	// two guards is bound: true (Q7 repaired) or false (Ludii).
	CornerRescue bool `yaml:"corner_rescue"`
	// ReleaseByLanding: in step 1 (release) the square "behind" may be the landing square T: true (Ludii),
	// false (default: a man hopping over an enemy bound on that very axis frees nobody, for no guard has left).
	ReleaseByLanding bool `yaml:"release_by_landing"`
	// GuardLeaves: what becomes of a bound man when one of its guards leaves by its own move (step 1): it is
	// "freed", or it "stays" bound (A4), so that only a guard that is itself bound lets it go (step 3). "freed"
	// with effect remove.
	GuardLeaves string `yaml:"guard_leaves"`
	// HeldTwice: a man that step 1 or 3 would free is "freed" whatever else stands around it, or "stays" bound
	// while, on the board right after the arrival, free enemies stand on both sides of it on some line of Axes,
	// those bound by this very ply not counting (A3). "freed" with effect remove.
	HeldTwice string `yaml:"held_twice"`
}

// Bonus is an extra ply after a capture (by effect remove). Not together with hop chains.
type Bonus struct {
	// After: "none" or "capture": a ply that captured is followed by a bonus ply of the same player; if
	// that captures, by another one.
	After string `yaml:"after"`
	// Piece: "none", "same" (the piece that captured) or "any".
	Piece string `yaml:"piece"`
	// Compulsory: true: the stop ply "-" is legal only when no bonus ply exists; false: always legal.
	Compulsory bool `yaml:"compulsory"`
	// MustCapture: true: only plies that capture are bonus plies (and without one there is no stop ply
	// either: the turn simply ends).
	MustCapture bool `yaml:"must_capture"`
}

// Repetition says what happens when positions recur.
type Repetition struct {
	// Rule: "none"; "threefold-draw": the third occurrence of the same position (board, bound marks,
	// hands, player whose turn comes next; compared after the last ply of a turn, passes included; the
	// starting position is its first occurrence) is a draw; "positional-superko": no position recurs (board, bound
	// marks, hands; remembered: the start and the position after the FIRST ply of each turn; a ply other
	// than pass/stop/raise that leads, effects included, to a remembered position is illegal);
	// "situational-superko": the same with the player to move next as part of the position.
	Rule string `yaml:"rule"`
}

// End says when a game ends and who wins. Order of the checks after every ply of the movement phase (and
// after the ply that ends the setup): annihilation, leader captured, leader immobilised, blocked,
// no-capture limit, two passes, repetition, turn limit. The first that fires decides.
type End struct {
	// Checked: "every-ply": annihilation looks at both sides after every ply, Q first; "next-player"
	// (Ludii 7.4): only at the player who makes the next ply, who then loses. "every-ply" without
	// annihilation.
	Checked string `yaml:"checked"`
	// Annihilation: "none" or what is counted: "pieces" (men and leader, hands included) or "men".
	Annihilation string `yaml:"annihilation"`
	// AnnihilationAt: a side with this many or fewer loses (0 or 1).
	AnnihilationAt int `yaml:"annihilation_at"`
	// AnnihilationExact: true: with exactly this many (Ludii). False with AnnihilationAt 0.
	AnnihilationExact bool `yaml:"annihilation_exact"`
	// LeaderCaptured: "none" (game goes on, or cannot happen), "loses" (its owner loses), "count" (the
	// side with more captures, i.e. with more pieces left, wins; equal: Tie).
	LeaderCaptured string `yaml:"leader_captured"`
	// LeaderImmobilised: "none" or "loses": after a ply by P, if Q's leader is on the board and has no
	// step, slide or hop (repetition rules and bans aside), Q loses (A15).
	LeaderImmobilised string `yaml:"leader_immobilised"`
	// Blocked: a player who must make the next ply and has none (superko counts): "pass" (the only ply is
	// the forced pass "-"), "loses", "count" (more pieces wins; equal: Tie), or "opponent-opens": he passes,
	// and of the plies his opponent then has only those are legal after which the blocked player has a ply, if
	// there are such (A24c).
	Blocked string `yaml:"blocked"`
	// NoCaptureLimit: 0 = none; n: after n plies in a row of the movement phase without capture (bonus,
	// stop and pass plies count; bindings do not reset it, removals do) the game ends by NoCaptureResult.
	NoCaptureLimit int `yaml:"no_capture_limit"`
	// NoCaptureResult: "none" (no limit), "count" (more pieces, leader included; equal: Tie) or "draw".
	NoCaptureResult string `yaml:"no_capture_result"`
	// Tie: who wins when a count is equal: "draw", "player-0", "player-1" (Ludii's "player 2"). "draw" when
	// no rule counts.
	Tie string `yaml:"tie"`
	// TwoPasses: "draw" (the latest turn of each player was a single ply, and that was a pass; a stop
	// ply never qualifies) or "ignored". "draw" when nobody ever passes (Blocked loses or count).
	TwoPasses string `yaml:"two_passes"`
	// TurnLimit: 0 = none; n: a turn counter starts at 1 and grows by one whenever the mover changes; if
	// it is at least n after a ply that did not end the game, the game stops with outcome CAPPED (only
	// the reading "ludii" has it).
	TurnLimit int `yaml:"turn_limit"`
}
