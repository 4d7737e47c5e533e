package luditrial

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// ErrTrial is wrapped by every error about the content of a trial: what is not in the format, and what is not
// according to the rules.
var ErrTrial = errors.New("not a trial of this game")

// Limits of one trial. Ludii itself stops a game after 10,000 moves, and the longest line of such a game has some
// 600 bytes.
const (
	maxLine    = 1 << 14 // bytes of a line
	maxMoves   = 20_000
	maxActions = 64 // of one move
	maxOptions = 64
)

// Trial is one game as Ludii stores it. Nothing in it is checked against any rules; [Codec.Replay] does that.
type Trial struct {
	Name    string   // of the file, for messages
	Game    string   // the text after "game="
	Options []string // the lines of the options block
	// Moves are all moves, those that set up the board first. InitialPlacements is their number as the file has it,
	// or -1 if it does not say.
	Moves             []Move
	InitialPlacements int
	// Winner is 1 or 2, 0 for nobody, and -1 where the file has none: the game was not over.
	Winner  int
	EndType string // "NaturalEnd", "TurnLimit", "MoveLimit", … or "" where the file has none
	// Rankings are Ludii's ranks, of nobody, player 1 and player 2; empty if the file has none.
	Rankings []float64

	optionLine int // of the first option
	endLine    int // of winner, or the last line
}

// Move is one move of a trial: a ply with everything that it changes.
type Move struct {
	Line     int   // in the file, from 1
	Mover    int   // 1 or 2, 0 for the moves that set up the board
	From, To int32 // sites, -1 where the move has none
	Actions  []Action
}

// Action is one atomic change. A number that the text does not have is [None].
type Action struct {
	Name     string // "Move", "Add", "Remove", "SetState", …
	From, To int32  // sites
	What     int32  // number of the piece
	Count    int32
	State    int32
	Player   int32 // of SetNextPlayer
	Counter  int32 // of SetCounter
	Decision bool  // the player's own choice, of which the other actions are consequences
	Forced   bool  // of Pass: there was no other move
}

// None is the value of a number that is not in the text.
const None = math.MinInt32

// lineError is an error about a line.
func lineError(name string, line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s: %w", name, line, fmt.Sprintf(format, args...), ErrTrial)
}

func (t *Trial) errorf(line int, format string, args ...any) error {
	return lineError(t.Name, line, format, args...)
}

// clip shortens hostile text for a message.
func clip(text string) string {
	if len(text) > 80 {
		text = text[:80] + "…"
	}
	return strings.ToValidUTF8(text, "?")
}

// Parse reads one trial. name is the file's, for messages. The memory taken is bounded whatever the input: lines have
// at most 16 KiB, a trial at most 20,000 moves of at most 64 actions. Lists of legal moves, which a trial may have, are
// passed over. Errors about the content wrap [ErrTrial] and name the line.
func Parse(name string, r io.Reader) (*Trial, error) {
	t := &Trial{Name: name, InitialPlacements: -1, Winner: -1}
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 4096), maxLine)
	const (
		atStart = iota
		atHead
		inOptions
		inMoves
		inLegal
		atEnd
	)
	where, line, seen := atStart, 0, map[string]int{}
	for in.Scan() {
		line++
		text := strings.TrimSuffix(in.Text(), "\r")
		if line == 1 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		key, value, isPair := strings.Cut(text, "=")
		if where == atStart {
			if key != "game" || !isPair || value == "" {
				return nil, t.errorf(line, "the first line must be game=NAME; it is %q", clip(text))
			}
			t.Game, where = value, atHead
			continue
		}
		if where == inOptions {
			switch {
			case text == "END GAME OPTIONS":
				where = atHead
			case len(t.Options) == maxOptions:
				return nil, t.errorf(line, "more than %d options", maxOptions)
			default:
				if t.optionLine == 0 {
					t.optionLine = line
				}
				t.Options = append(t.Options, text)
			}
			continue
		}
		if where == inLegal {
			if text == "END LEGAL MOVES LIST" {
				where = inMoves
			}
			continue
		}
		switch {
		case text == "":
			continue
		case text == "START GAME OPTIONS":
			if where != atHead || seen[text] > 0 {
				return nil, t.errorf(line, "a second options block, or one after the moves")
			}
			seen[text] = line
			where = inOptions
			continue
		case text == "NEW LEGAL MOVES LIST":
			where = inLegal
			continue
		case strings.HasPrefix(text, "LEGAL MOVES LIST SIZE"):
			continue
		case !isPair:
			return nil, t.errorf(line, "%q is no line of a trial", clip(text))
		}
		if key == "Move" {
			switch {
			case where == atEnd:
				return nil, t.errorf(line, "a move after line %d, which tells the end", t.endLine)
			case len(t.Moves) == maxMoves:
				return nil, t.errorf(line, "more than %d moves", maxMoves)
			}
			where = inMoves
			m, err := parseMove(value)
			if err != nil {
				return nil, t.errorf(line, "%v in %q", err, clip(text))
			}
			m.Line = line
			t.Moves = append(t.Moves, m)
			continue
		}
		if at := seen[key]; at > 0 {
			return nil, t.errorf(line, "%s a second time, after line %d", clip(key), at)
		}
		if err := t.field(key, value); err != nil {
			return nil, t.errorf(line, "%v", err)
		}
		switch key {
		case "numInitialPlacementMoves", "winner", "endtype", "rankings":
			seen[key] = line
			where = atEnd
			if t.endLine == 0 || key == "winner" {
				t.endLine = line
			}
		}
	}
	switch err := in.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, t.errorf(line+1, "the line has more than %d bytes", maxLine)
	case err != nil:
		return nil, fmt.Errorf("%s:%d: %w", name, line+1, err)
	case where == atStart:
		return nil, t.errorf(1, "the file is empty; the first line must be game=NAME")
	case where == inOptions || where == inLegal:
		return nil, t.errorf(line+1, "the file ends inside a block")
	}
	if t.endLine == 0 {
		t.endLine = line
	}
	return t, nil
}

// field takes a line that is no move. Lines that later versions of Ludii may add are passed over.
func (t *Trial) field(key, value string) error {
	switch key {
	case "numInitialPlacementMoves":
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n > len(t.Moves) {
			return fmt.Errorf("numInitialPlacementMoves is %q; there are %d moves before it", clip(value), len(t.Moves))
		}
		t.InitialPlacements = n
	case "winner":
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n > 2 {
			return fmt.Errorf("winner is %q, not 0, 1 or 2", clip(value))
		}
		t.Winner = n
	case "endtype":
		t.EndType = value
	case "rankings":
		parts := strings.Split(value, ",")
		if len(parts) > 8 {
			return fmt.Errorf("rankings has %d numbers; a game of two players has 3", len(parts))
		}
		for _, p := range parts {
			x, err := strconv.ParseFloat(p, 64)
			if err != nil {
				return fmt.Errorf("rankings has %q, which is no number", clip(p))
			}
			t.Rankings = append(t.Rankings, x)
		}
	}
	return nil
}

// parseMove reads "[Move:mover=1,from=64,to=4,actions=[…],[…]]".
func parseMove(text string) (Move, error) {
	m := Move{From: None, To: None, Mover: -1}
	inner, ok := strings.CutPrefix(text, "[Move:")
	if ok {
		inner, ok = strings.CutSuffix(inner, "]")
	}
	if !ok {
		return m, errors.New("a move that is not written [Move:…]")
	}
	head, actions, ok := strings.Cut(inner, "actions=")
	if !ok {
		return m, errors.New("a move without actions")
	}
	var a Action
	if err := a.fields(strings.TrimSuffix(head, ","), func(key, value string) error {
		if key == "mover" {
			n, err := strconv.Atoi(value)
			if err != nil || n < 0 || n > 2 {
				return fmt.Errorf("mover is %q, not 0, 1 or 2", clip(value))
			}
			m.Mover = n
		}
		return nil
	}); err != nil {
		return m, err
	}
	if m.Mover < 0 {
		return m, errors.New("a move without mover")
	}
	m.From, m.To = a.From, a.To
	for actions != "" {
		if len(m.Actions) == maxActions {
			return m, fmt.Errorf("more than %d actions", maxActions)
		}
		end := strings.IndexByte(actions, ']')
		if actions[0] != '[' || end < 0 {
			return m, errors.New("an action that is not written [Name:…]")
		}
		name, fields, ok := strings.Cut(actions[1:end], ":")
		if !ok || name == "" || strings.ContainsAny(name, "[=, ") || strings.Contains(fields, "[") {
			return m, errors.New("an action that is not written [Name:…]")
		}
		a := Action{Name: strings.Clone(name)}
		if err := a.fields(fields, nil); err != nil {
			return m, fmt.Errorf("%w of action %s", err, clip(name))
		}
		m.Actions = append(m.Actions, a)
		actions = actions[end+1:]
		if actions != "" {
			if actions[0] != ',' || len(actions) == 1 {
				return m, errors.New("actions that are not divided by commas")
			}
			actions = actions[1:]
		}
	}
	if len(m.Actions) == 0 {
		return m, errors.New("a move without actions")
	}
	return m, nil
}

// fields reads "key=value,key=value". other, if not nil, gets the keys that are no field of an action.
func (a *Action) fields(text string, other func(key, value string) error) error {
	a.From, a.To, a.What, a.Count, a.State, a.Player, a.Counter = None, None, None, None, None, None, None
	for text != "" {
		var item string
		item, text, _ = strings.Cut(text, ",")
		if item == "" {
			continue // as in "[Pass:,forced=true]"
		}
		key, value, ok := strings.Cut(item, "=")
		if !ok {
			return fmt.Errorf("%q, which is not key=value,", clip(item))
		}
		var into *int32
		switch key {
		case "from":
			into = &a.From
		case "to":
			into = &a.To
		case "what":
			into = &a.What
		case "count":
			into = &a.Count
		case "state":
			into = &a.State
		case "player":
			into = &a.Player
		case "counter":
			into = &a.Counter
		case "decision":
			a.Decision = value == "true"
		case "forced":
			a.Forced = value == "true"
		case "type", "typeFrom", "typeTo":
			if value != "Cell" {
				return fmt.Errorf("%s is %q; pieces of this game stand on cells,", key, clip(value))
			}
		default:
			if other != nil {
				if err := other(key, value); err != nil {
					return err
				}
			}
		}
		if into == nil {
			continue
		}
		n, err := strconv.ParseInt(value, 10, 32)
		if err != nil || n == None {
			return fmt.Errorf("%s is %q, which is no number,", key, clip(value))
		}
		*into = int32(n)
	}
	return nil
}
