// Package env is latro's games as environments, in the sense of Gymnasium and PettingZoo, and the encodings
// through which networks see them.
//
// # One game
//
// An Env plays one game of a compiled ruleset (engine.Game) at a time:
//
//	e, err := env.New(game, env.DefaultConfig())
//	obs, info := e.Reset(seed)
//	for !e.Done() {
//		legal := e.LegalActions(nil)
//		r, err := e.Step(choose(obs, legal))
//		obs = r.Observation
//	}
//	returns := e.Returns() // +1/-1, or zeros
//
// Two players act by turns, and a turn may be several plies: two placements, a hop chain, a capture's bonus
// ply, a removal and then a move. Ask CurrentPlayer (or Observation.Player) whose ply it is; never assume
// that it alternates. Each Step returns the rewards of both players, which are zero until the last ply.
//
// A game ends terminated (the rules gave a result) or truncated (a length cap stopped it: Config.MaxPlies,
// Config.MaxTurns, or the ruleset's own turn limit). A truncated game has no result; it is not a draw.
//
// An illegal action is an error and changes nothing; the forced pass of a blocked player is a legal action,
// so there is always one until the end. Envs can be cloned, saved and restored in mid-game, and rendered.
// They have no hidden randomness: the seed of Reset decides the random opening, if the Config asks for one.
//
// # Many games
//
// A VectorEnv steps N games at once into buffers that the caller owns, without allocation, on one or several
// goroutines, and begins the next game of a row in the step that ended the last (Gymnasium's SAME_STEP mode).
//
// # The mover's frame
//
// Observations are always seen from the side of the player who moves: for player 1 the board is turned by 180
// degrees and owners are swapped. The board is never reflected. Actions are absolute (engine.Action) by
// default; a network's policy is in the mover's frame like its observation, and Encoder.ToFrame and
// Encoder.FromFrame translate through one table. With Config.Frame set to FrameMover the environment speaks
// the mover's frame throughout, masks and actions included, which is what an agent with a network of its
// own wants.
//
// # Actions
//
// An action is plane*(rows*cols) + square, and one more, the last, is the pass (also the stop of a hop chain or
// the waiving of a bonus). The planes are those of engine.Game.Planes: moves and hops by direction and
// distance from the square they leave ("n1": one square towards higher rows), "place-man", "place-leader",
// "remove", "raise".
//
// # Observation planes
//
// An observation is [planes][rows][cols], each value 0 or 1. A ruleset has only the planes that it can use, in
// this order (EncodingVersion 2); networks carry weights from one ruleset to another by name.
//
//	on-board        every square (zero padding around the board then shows the network where the board ends)
//	                [all rulesets]
//	own-men         free men of the player to move
//	                [all rulesets]
//	enemy-men       free men of the opponent
//	                [all rulesets]
//	own-leader      the leader of the player to move
//	                [pieces.leaders 1]
//	enemy-leader    the leader of the opponent
//	                [pieces.leaders 1]
//	own-bound       bound men of the player to move
//	                [capture.effect bind]
//	enemy-bound     bound men of the opponent
//	                [capture.effect bind]
//	active          the piece that alone may go on in this turn: it has just hopped in a chain, or captured and has a bonus ply
//	                [a hop chain, or bonus.piece same]
//	visited         squares that a hop may no longer land on in this turn (used by the chain, or freed by a removal where that bars them)
//	                [a hop chain, or movement.removal_square barred]
//	last-from       the square that the last ply left (a step, slide or hop) or emptied (a removal)
//	                [all rulesets]
//	last-to         the square that the last ply reached (a step, slide, hop or placement)
//	                [all rulesets]
//	placeable       empty squares on which the player to move may place a piece now; empty outside the placement phase
//	                [setup.kind placement]
//	barred          squares that some ply could reach were it not for the repetition rule or the ban on undoing one's last move
//	                [a superko rule, or movement.undo forbidden]
//	hostile-corner  the four corners, where they act as a captor
//	                [capture.corner not neutral]
//	exposed-edge    the squares of the board's edge, on which one captor on the inner side is enough
//	                [capture.edge hostile]
//	immune          squares on which nothing can be captured
//	                [capture.immune not empty]
//
// # Global inputs
//
// Next to the planes there is one vector of global inputs, the same list for every ruleset and board: counters
// and phase of the position, then the ruleset's parameters, so that one network can learn several rulesets.
// AllGlobals and docs/encodings.md list them.
//
// # Symmetry
//
// Encoder.Symmetries gives the ruleset's symmetries as they act on observation and policy, for augmentation.
//
// Package envtest is the conformance suite for rulesets and wrappers.
package env
