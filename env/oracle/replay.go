package oracle

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// Player plays one game by some implementation of the rules. Plies, boards and hands are in the notation of
// recorded games; players are 0 and 1.
type Player interface {
	// ToMove is the player who makes the next ply.
	ToMove() int
	// Legal is the legal plies in byte order, empty when the game is over.
	Legal() []string
	// Play makes a legal ply; an illegal one is an error and changes nothing.
	Play(ply string) error
	// Board is the board string, row 0 first.
	Board() string
	// Hands is men and leaders of player 0, then of player 1, still to be placed.
	Hands() [4]int
	// Outcome is ongoing, win0, win1, draw or capped; Reason the kind of end, "" while the game goes on.
	Outcome() string
	Reason() string
	// Perft counts the sequences of depth legal plies from here, and leaves the game as it was.
	Perft(depth int) uint64
}

// NewPlayer starts a game of a ruleset (an id) in a reading ("default" for the ruleset as it stands).
type NewPlayer func(ruleset, reading string) (Player, error)

// Options says how a recorded file is to be read.
type Options struct {
	// Ruleset is a ruleset reference; "" takes the file's own: the head's ruleset, or for a perft file the
	// file's name, without the ending "-fixed" or "-default".
	Ruleset string
	// Reading is the reading to replay in; "" takes the one that the file tests (see Reading).
	Reading string
	// Games bounds the number of games or positions, and MaxPly the number of plies of each game; 0 means no
	// bound.
	Games, MaxPly int
	// MaxCount leaves out the depths of a perft check whose recorded count is larger; 0 means no bound.
	MaxCount uint64
}

// Result is what a replay or a perft check found.
type Result struct {
	Ruleset, Reading string // what was replayed
	Games            int    // games, or positions of a perft file
	Plies            int    // plies compared, or sequences counted
	Mismatches       int    // games or positions that differ
	First            *Mismatch
}

// Mismatch is a difference between the recording and the rules. A field that does not apply is empty.
type Mismatch struct {
	File string
	Line int
	Game string // "game 3", or the name of a perft position
	Ply  int    // number of the ply in its game, from 1

	What      string // "mover", "legal plies", "board", "hands", "result", …
	Move      string // the ply that was made or refused
	Want, Got string // what was recorded and what the rules say, as text

	Rows, Cols          int
	WantBoard, GotBoard string   // after the ply (before it, for legal plies)
	Missing, Extra      []string // legal plies recorded only, and by the rules only
}

// Subject is the ruleset id that a recorded name ("schadler-1994-fixed") stands for.
func Subject(recorded string) string {
	return strings.TrimSuffix(strings.TrimSuffix(recorded, "-fixed"), "-default")
}

// Reading is the reading that the recorded games of that name test: "default" for names ending in "-default"
// and for the two games that Ludii does not have (luductus, webdux), else "ludii".
func Reading(recorded string) string {
	if strings.HasSuffix(recorded, "-default") || recorded == "luductus" || recorded == "webdux" {
		return "default"
	}
	return "ludii"
}

// KnownBugs says whether the recorded games of that name show bugs of Ludii's game file that no reading has,
// so that they cannot be replayed without mismatches.
func KnownBugs(recorded string) bool {
	switch recorded {
	case "schadler-1994", "schadler-2001", "locus-ludi-seneca":
		return true
	}
	return false
}

// NameOf is the recorded name in a file's name: "bell-8x7" for "dir/bell-8x7.perft.jsonl.gz".
func NameOf(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	return name
}

func (o Options) settle(recorded, recordedReading string) (ruleset, reading string) {
	ruleset, reading = o.Ruleset, o.Reading
	if ruleset == "" {
		ruleset = Subject(recorded)
	}
	if reading == "" {
		if reading = recordedReading; reading == "" {
			reading = Reading(recorded)
		}
	}
	return ruleset, reading
}

// Replay replays every game of a recorded file and compares, ply by ply, the mover, the legal plies (the
// whole list, its hash, or their number), the board, the hands and at the end the result. A game is left at
// its first mismatch. The error is about the file or the ruleset; a mismatch is no error.
func Replay(path string, start NewPlayer, opts Options) (Result, error) {
	r, err := OpenGames(path)
	if err != nil {
		return Result{}, err
	}
	defer r.Close()
	head := r.Head()
	var res Result
	res.Ruleset, res.Reading = opts.settle(head.Ruleset, head.Reading)
	for opts.Games == 0 || res.Games < opts.Games {
		rec, err := r.Next()
		if err == io.EOF {
			return res, nil
		}
		if err != nil {
			return res, err
		}
		p, err := start(res.Ruleset, res.Reading)
		if err != nil {
			return res, fmt.Errorf("%s: %w", path, err)
		}
		if len(p.Board()) != head.Rows*head.Cols {
			return res, fmt.Errorf("%s: the file has boards of %d by %d, %s has %d squares", path, head.Rows, head.Cols, res.Ruleset, len(p.Board()))
		}
		res.Games++
		g := &gameReplay{reader: r, player: p, head: head, maxPly: opts.MaxPly, name: fmt.Sprintf("game %d", *rec.Game)}
		g.compareStart()
		if err := g.run(); err != nil {
			return res, err
		}
		res.Plies += g.compared
		if g.found != nil {
			res.Mismatches++
			if res.First == nil {
				res.First = g.found
				res.First.File = path
			}
		}
	}
	return res, nil
}

// gameReplay is the comparison of one game.
type gameReplay struct {
	reader   *GameReader
	player   Player
	head     Record
	maxPly   int
	name     string
	ply      int // of the recording
	compared int
	found    *Mismatch
}

// run reads the records of the game to its end, comparing until the first mismatch.
func (g *gameReplay) run() error {
	for {
		rec, err := g.reader.Next()
		if err != nil {
			return err
		}
		if rec.Type == "end" {
			if g.found == nil && (g.maxPly == 0 || g.ply < g.maxPly) {
				g.compareEnd(rec)
			}
			return nil
		}
		g.ply++
		if g.found == nil && (g.maxPly == 0 || g.ply <= g.maxPly) {
			g.comparePly(rec)
		}
	}
}

func (g *gameReplay) differs(what, move string, want, got any) *Mismatch {
	g.found = &Mismatch{
		Line: g.reader.Line(), Game: g.name, Ply: g.ply, What: what, Move: move,
		Want: fmt.Sprint(want), Got: fmt.Sprint(got), Rows: g.head.Rows, Cols: g.head.Cols, GotBoard: g.player.Board(),
	}
	return g.found
}

func (g *gameReplay) compareStart() {
	hands := g.player.Hands()
	switch {
	case g.player.Board() != g.head.Start:
		g.differs("starting board", "", g.head.Start, g.player.Board()).WantBoard = g.head.Start
	case !slices.Equal(g.head.Hand, hands[:]):
		g.differs("hands at the start", "", g.head.Hand, hands)
	}
}

func (g *gameReplay) comparePly(rec *Record) {
	p := g.player
	if p.Outcome() != "ongoing" {
		g.differs("end", rec.Move, "the game goes on", p.Outcome()+" by "+p.Reason())
		return
	}
	if p.ToMove() != rec.Player-1 {
		g.differs("mover", rec.Move, rec.Player-1, p.ToMove())
		return
	}
	if legal := p.Legal(); !sameLegal(rec, legal) {
		m := g.differs("legal plies", rec.Move, rec.Count, len(legal))
		if rec.List != nil {
			m.Missing, m.Extra = difference(strings.Fields(*rec.List), legal)
		} else if rec.Hash != "" {
			m.Want, m.Got = m.Want+" plies, hash "+rec.Hash, m.Got+" plies, hash "+hashOf(legal)
		}
		m.WantBoard = p.Board()
		return
	}
	if err := p.Play(rec.Move); err != nil {
		g.differs("ply", rec.Move, "legal", err.Error())
		return
	}
	g.compared++
	if p.Board() != rec.Board {
		g.differs("board", rec.Move, rec.Board, p.Board()).WantBoard = rec.Board
		return
	}
	hands := p.Hands()
	if rec.Hands == nil && hands != [4]int{} || rec.Hands != nil && !slices.Equal(rec.Hands, hands[:]) {
		g.differs("hands", rec.Move, rec.Hands, hands)
	}
}

func sameLegal(rec *Record, legal []string) bool {
	switch {
	case len(legal) != rec.Count:
		return false
	case rec.List != nil:
		return strings.Join(legal, " ") == *rec.List
	case rec.Hash != "":
		return strings.EqualFold(hashOf(legal), rec.Hash)
	}
	return true
}

func hashOf(legal []string) string {
	h := fnv.New32a()
	io.WriteString(h, strings.Join(legal, " "))
	return fmt.Sprintf("%08x", h.Sum32())
}

// difference is what only the first and only the second of two lists has.
func difference(want, got []string) (missing, extra []string) {
	for _, w := range want {
		if !slices.Contains(got, w) {
			missing = append(missing, w)
		}
	}
	for _, g := range got {
		if !slices.Contains(want, g) {
			extra = append(extra, g)
		}
	}
	return missing, extra
}

// knownEnds is the end kinds that recordings name after the rule and that are therefore compared too.
var knownEnds = [...]string{"one-left", "none-left", "blocked", "no-capture-limit", "two-passes", "repetition"}

func (g *gameReplay) compareEnd(rec *Record) {
	outcome, reason := g.player.Outcome(), g.player.Reason()
	if rec.Result == "unfinished" {
		return // the recording stopped; the rules may or may not have ended the game with the same ply
	}
	want := map[string]string{"1": "win0", "2": "win1", "draw": "draw"}[rec.Result]
	if rec.Result == "draw" && rec.End == "TurnLimit" {
		want = "capped"
	}
	if outcome != want {
		g.differs("result", "", want+" ("+rec.End+")", strings.TrimSuffix(outcome+" ("+reason+")", " ()"))
		return
	}
	if slices.Contains(knownEnds[:], rec.End) && reason != rec.End {
		g.differs("kind of end", "", rec.End, reason)
	}
}

// Perft checks every position of a perft file: it replays the moves from the start, compares mover and board,
// and counts the sequences of plies at each depth. The error is about the file or the ruleset.
func Perft(path string, start NewPlayer, opts Options) (Result, error) {
	r, err := OpenPerft(path)
	if err != nil {
		return Result{}, err
	}
	defer r.Close()
	var res Result
	res.Ruleset, res.Reading = opts.settle(NameOf(path), "")
	for opts.Games == 0 || res.Games < opts.Games {
		pos, err := r.Next()
		if errors.Is(err, io.EOF) {
			return res, nil
		}
		if err != nil {
			return res, err
		}
		p, err := start(res.Ruleset, res.Reading)
		if err != nil {
			return res, fmt.Errorf("%s: %w", path, err)
		}
		res.Games++
		m, counted := comparePerft(p, pos, opts.MaxCount)
		res.Plies += counted
		if m != nil {
			m.File, m.Line, m.Game = path, r.Line(), pos.Name
			res.Mismatches++
			if res.First == nil {
				res.First = m
			}
		}
	}
	return res, nil
}

func comparePerft(p Player, pos *Position, maxCount uint64) (*Mismatch, int) {
	for i, move := range strings.Fields(pos.Moves) {
		if err := p.Play(move); err != nil {
			return &Mismatch{Ply: i + 1, What: "ply", Move: move, Want: "legal", Got: err.Error()}, 0
		}
	}
	if p.ToMove() != pos.Player-1 {
		return &Mismatch{What: "mover", Want: fmt.Sprint(pos.Player - 1), Got: fmt.Sprint(p.ToMove())}, 0
	}
	if p.Board() != pos.Board {
		return &Mismatch{What: "board", Want: pos.Board, Got: p.Board()}, 0
	}
	counted := 0
	for k, want := range pos.Perft {
		if maxCount > 0 && want > maxCount {
			break
		}
		got := p.Perft(k + 1)
		counted += int(got)
		if got != want {
			return &Mismatch{What: fmt.Sprintf("number of sequences of %d plies", k+1), Want: fmt.Sprint(want), Got: fmt.Sprint(got)}, counted
		}
	}
	return nil, counted
}

// String shows the mismatch: where it is, what differs, and, when there are boards, the recorded one and the
// one by the rules side by side, with '*' under every square that differs.
func (m *Mismatch) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s:%d: %s", m.File, m.Line, m.Game)
	if m.Ply > 0 {
		fmt.Fprintf(&out, ", ply %d", m.Ply)
	}
	if m.Move != "" {
		fmt.Fprintf(&out, " (%s)", m.Move)
	}
	fmt.Fprintf(&out, ": %s differs: recorded %s, by the rules %s\n", m.What, m.Want, m.Got)
	if len(m.Missing) > 0 {
		fmt.Fprintf(&out, "  only in the recording: %s\n", strings.Join(m.Missing, " "))
	}
	if len(m.Extra) > 0 {
		fmt.Fprintf(&out, "  only by the rules:     %s\n", strings.Join(m.Extra, " "))
	}
	if n := m.Rows * m.Cols; n > 0 && len(m.GotBoard) == n {
		want := m.WantBoard
		if len(want) != n {
			want = m.GotBoard
		}
		out.WriteString(sideBySide(want, m.GotBoard, m.Rows, m.Cols))
	}
	return out.String()
}

func sideBySide(want, got string, rows, cols int) string {
	var out strings.Builder
	width := 2*cols + 1
	fmt.Fprintf(&out, "     %-*s     %s\n", width, "recorded", "by the rules")
	for r := rows - 1; r >= 0; r-- {
		var left, right strings.Builder
		for c := range cols {
			i := r*cols + c
			mark := byte(' ')
			if want[i] != got[i] {
				mark = '*'
			}
			left.WriteByte(want[i])
			left.WriteByte(mark)
			right.WriteByte(got[i])
			right.WriteByte(mark)
		}
		fmt.Fprintf(&out, "%3d  %-*s  %3d%s\n", r, width, left.String(), r, "  "+strings.TrimRight(right.String(), " "))
	}
	return out.String()
}
