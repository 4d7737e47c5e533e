// Package luditrial reads and writes trials: the text files in which the general game system Ludii keeps a game that
// was played. A game recorded here can so be loaded and replayed there, and a game played there becomes a row of a
// games shard here.
//
// # Rulesets
//
// [Rulesets] are the thirty that Ludii has as settings of its game "Ludus Latrunculorum", each in the reading
// "ludii" of the catalogue. Other games cannot be told in trials, since Ludii has no rules to replay them by.
//
// # The format
//
// Lines of text, in this order:
//
//	game=/lud/board/war/custodial/Ludus Latrunculorum.lud
//	START GAME OPTIONS
//	Repetition of states/No
//	Suggested Variants/Bell 8x8
//	END GAME OPTIONS
//	RNG internal state=0,0,0,0,0,0,0,0
//	Move=[Move:mover=0,from=64,to=64,actions=[Add:type=Cell,to=64,what=1,count=16]]
//	…
//	Move=[Move:mover=1,from=64,to=4,actions=[Move:typeFrom=Cell,from=64,typeTo=Cell,to=4,decision=true],[SetNextPlayer:player=1]]
//	…
//	numInitialPlacementMoves=4
//	winner=1
//	endtype=NaturalEnd
//	rankings=0.0,1.0,2.0
//
// The state of the random numbers is bytes, of -128 to 127; Ludii insists on the line. Players are 1 and 2, and 0
// makes the moves that set up the board. A move is a ply with everything that it changes: first the player's own
// action, marked decision=true, then its consequences. Ludii applies them as they stand when it loads a trial, so they
// have to be complete.
//
// Sites are numbers: the squares by rows from player 1's left-hand corner (row*columns+column), then the hand of
// player 1, then that of player 2; a hand has one site for men and, in the rulesets in which a leader is placed, one
// more for the leader. Pieces are numbers too: 1 and 2 are the men of player 1 and 2, 3 and 4 their leaders. The actions
// in these rulesets:
//
//	Add            a piece on a site, or count of them in a hand, at the start
//	Move           from a site, which may be a hand's, to another
//	Remove         a piece goes off the board: a capture, or a player's removal of a bound man
//	SetState       a man is bound (state=1) or free again (state=0)
//	SetNextPlayer  the same player goes on
//	Pass           forced=true if there was no other move; without it the stop of a chain of hops, or an agreement
//	Select         one man more a side (schadler-2001), with a SetCount for either hand
//	SetCounter     -1: the count of plies without capture begins again (Bell)
//	SetPending     after a removal that is followed by a move (locus-ludi-seneca)
//
// A trial that was saved before the game was over has neither winner nor endtype, and rankings=0.0,0.0,0.0. endtype
// is NaturalEnd, TurnLimit (2,500 turns, a draw: winner=0) or MoveLimit (10,000 moves, likewise). Ludii's program adds
// the lines SANDBOX= and LUDII_VERSION= when it saves, and may keep lists of legal moves, as
// "LEGAL MOVES LIST SIZE = " or in blocks from "NEW LEGAL MOVES LIST" to "END LEGAL MOVES LIST"; these are passed over.
//
// # What is checked
//
// [Parse] bounds the memory that hostile input can take. [Codec.Replay] checks every ply against the rules: that it is
// the player's turn, that exactly one legal ply fits, that its consequences are those of the rules; and the end. So a
// trial that is read without an error is a game by the rules, and writing it again gives the same moves, byte by byte.
// Trials of schadler-1994, schadler-2001 and locus-ludi-seneca ([Ruleset.Deviates]) that Ludii played often fail this
// check, because Ludii's rules have a bug there in the first hop of a chain, which no reading here imitates; the
// message shows the ply at which it strikes.
//
// # What was verified
//
// The description above was made from trials that Ludii 1.3.12 wrote, and checked in both directions: trials of random
// and greedy games that Ludii played were read and written again without a difference, and trials written here were
// loaded by Ludii, which found every move among its legal ones, stored the same text for it, and came to the same end.
// The page docs/ludii-trials.md has the figures, and says what could not be verified. TestForeignTrials repeats the
// first direction on a directory of trials that the variable LATRO_LUDII_TRIALS names.
package luditrial
