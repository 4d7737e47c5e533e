package oracle

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// ErrFormat is wrapped by every error about the content of a recorded file.
var ErrFormat = errors.New("not in the format of recorded games")

// maxLine bounds one line of a recorded file, in bytes. The longest line of the known files, a whole list of
// legal plies on 11 by 16 squares, has less than 10 kB.
const maxLine = 1 << 20

// Record is one line of a recorded-games file. Type ("t") is "head", "game", "ply" or "end"; which fields a
// type has is said in the package documentation.
type Record struct {
	Type string `json:"t"`

	// head
	Ruleset string `json:"ruleset"`
	Ludii   string `json:"ludii"`   // the name of the ruleset in Ludii; empty if Ludii did not record the file
	Reading string `json:"reading"` // "default", or empty
	Rows    int    `json:"rows"`
	Cols    int    `json:"cols"`
	Start   string `json:"start"`
	Hand    []int  `json:"hand"`

	// game, end
	Game   *int            `json:"g"`
	Policy string          `json:"policy"`
	Full   json.RawMessage `json:"full"`
	Plies  int             `json:"plies"`
	Result string          `json:"result"` // "1", "2", "draw", "unfinished"
	End    string          `json:"end"`

	// ply
	Player int     `json:"p"` // 1 or 2
	Count  int     `json:"n"` // number of legal plies
	List   *string `json:"l"` // the whole sorted list, joined with one space; or nil
	Hash   string  `json:"x"` // FNV-1a, 32 bit, 8 hex digits, of the list; or ""
	Move   string  `json:"m"`
	Board  string  `json:"b"`
	Hands  []int   `json:"h"` // after the ply, while pieces are in hand
}

// Position is one line of a perft file: the position after Moves from the start, and Perft[k-1], the number of
// sequences of k legal plies from it.
type Position struct {
	Name   string   `json:"name"`
	Moves  string   `json:"moves"`
	Player int      `json:"p"`
	Board  string   `json:"b"`
	Perft  []uint64 `json:"perft"`
}

// lines reads a file line by line, gzipped or plain (told apart by the first two bytes), in bounded memory.
type lines struct {
	name   string
	number int
	file   *os.File
	zip    *gzip.Reader
	in     *bufio.Scanner
}

func openLines(path string) (*lines, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	l := &lines{name: path, file: file}
	buffered := bufio.NewReaderSize(file, 1<<16)
	var in io.Reader = buffered
	if magic, _ := buffered.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		if l.zip, err = gzip.NewReader(buffered); err != nil {
			file.Close()
			return nil, fmt.Errorf("%s: damaged gzip file: %v: %w", path, err, ErrFormat)
		}
		in = l.zip
	}
	l.in = bufio.NewScanner(in)
	l.in.Buffer(make([]byte, 1<<16), maxLine)
	return l, nil
}

func (l *lines) close() { l.file.Close() }

// next is the next line; io.EOF after the last.
func (l *lines) next() ([]byte, error) {
	if l.in.Scan() {
		l.number++
		return l.in.Bytes(), nil
	}
	switch err := l.in.Err(); {
	case err == nil:
		return nil, io.EOF
	case errors.Is(err, bufio.ErrTooLong):
		l.number++
		return nil, l.errorf("the line has more than %d bytes", maxLine)
	default:
		l.number++
		return nil, l.errorf("cannot be read on: %v; the file is damaged or cut short", err)
	}
}

func (l *lines) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s: %w", l.name, l.number, fmt.Sprintf(format, args...), ErrFormat)
}

// decode reads one line as one JSON object without unknown fields.
func (l *lines) decode(line []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return l.errorf("the JSON object is cut short")
		}
		return l.errorf("%v", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return l.errorf("text after the JSON object")
	}
	return nil
}

// GameReader reads a recorded-games file record by record and checks each record by itself and in its place.
// It is not safe for concurrent use.
type GameReader struct {
	lines  *lines
	head   Record
	inGame bool
	game   int // the number of the game that is open
	plies  int // its plies so far
}

// OpenGames opens a recorded-games file, gzipped or plain, and reads its head line.
// Errors about the content wrap ErrFormat and name file and line.
func OpenGames(path string) (*GameReader, error) {
	l, err := openLines(path)
	if err != nil {
		return nil, err
	}
	r := &GameReader{lines: l}
	if err := r.readHead(); err != nil {
		l.close()
		return nil, err
	}
	return r, nil
}

func (r *GameReader) readHead() error {
	line, err := r.lines.next()
	if err == io.EOF {
		r.lines.number = 1
		return r.lines.errorf("the file is empty; its first line must be the head")
	}
	if err != nil {
		return err
	}
	if err := r.lines.decode(line, &r.head); err != nil {
		return err
	}
	h := &r.head
	switch {
	case h.Type != "head":
		return r.lines.errorf("the first line has t %q; it must be the head", h.Type)
	case h.Ruleset == "":
		return r.lines.errorf("the head names no ruleset")
	case h.Reading != "" && h.Reading != "default":
		return r.lines.errorf("reading %q; known is only default (or no reading)", h.Reading)
	case h.Rows < 3 || h.Rows > 16 || h.Cols < 3 || h.Cols > 16:
		return r.lines.errorf("a board of %d by %d; it must have 3 to 16 rows and columns", h.Rows, h.Cols)
	case len(h.Hand) != 4:
		return r.lines.errorf("hand has %d numbers, not 4", len(h.Hand))
	}
	return r.checkBoard("start", h.Start)
}

func (r *GameReader) checkBoard(field, board string) error {
	if want := r.head.Rows * r.head.Cols; len(board) != want {
		return r.lines.errorf("%s has %d characters, not %d", field, len(board), want)
	}
	if i := strings.IndexFunc(board, func(c rune) bool { return !strings.ContainsRune(".abABxy", c) }); i >= 0 {
		return r.lines.errorf("%s has %q at place %d; known are . a b A B x y", field, board[i], i)
	}
	return nil
}

// Head is the first record of the file.
func (r *GameReader) Head() Record { return r.head }

// Line is the number of the line of the latest record, from 1.
func (r *GameReader) Line() int { return r.lines.number }

// Close closes the file.
func (r *GameReader) Close() error { r.lines.close(); return nil }

// Next is the next record after the head: game, ply or end. It returns io.EOF after the last, and an error
// that wraps ErrFormat for a line that is malformed or out of place.
func (r *GameReader) Next() (*Record, error) {
	line, err := r.lines.next()
	if err == io.EOF && r.inGame {
		r.lines.number++
		return nil, r.lines.errorf("the file ends inside game %d", r.game)
	}
	if err != nil {
		return nil, err
	}
	rec := new(Record)
	if err := r.lines.decode(line, rec); err != nil {
		return nil, err
	}
	switch rec.Type {
	case "game":
		return rec, r.checkGame(rec)
	case "ply":
		return rec, r.checkPly(rec)
	case "end":
		return rec, r.checkEnd(rec)
	}
	return nil, r.lines.errorf("t is %q; expected game, ply or end", rec.Type)
}

func (r *GameReader) checkGame(rec *Record) error {
	if r.inGame {
		return r.lines.errorf("a game starts inside game %d", r.game)
	}
	if rec.Game == nil {
		return r.lines.errorf("the game has no number g")
	}
	r.inGame, r.game, r.plies = true, *rec.Game, 0
	return nil
}

func (r *GameReader) checkPly(rec *Record) error {
	switch {
	case !r.inGame:
		return r.lines.errorf("a ply outside a game")
	case rec.Player != 1 && rec.Player != 2:
		return r.lines.errorf("p is %d, not 1 or 2", rec.Player)
	case rec.Count < 1:
		return r.lines.errorf("n is %d; a ply needs at least one legal ply", rec.Count)
	case rec.Move == "":
		return r.lines.errorf("the ply has no m")
	case rec.Hands != nil && len(rec.Hands) != 4:
		return r.lines.errorf("h has %d numbers, not 4", len(rec.Hands))
	case rec.List != nil && strings.Count(*rec.List, " ")+1 != rec.Count:
		return r.lines.errorf("l lists %d plies, n is %d", strings.Count(*rec.List, " ")+1, rec.Count)
	case rec.Hash != "" && !isHash(rec.Hash):
		return r.lines.errorf("x is %q, not 8 hexadecimal digits", rec.Hash)
	}
	r.plies++
	return r.checkBoard("b", rec.Board)
}

func isHash(text string) bool {
	return len(text) == 8 && strings.Trim(text, "0123456789abcdefABCDEF") == ""
}

func (r *GameReader) checkEnd(rec *Record) error {
	switch {
	case !r.inGame:
		return r.lines.errorf("an end outside a game")
	case rec.Game == nil || *rec.Game != r.game:
		return r.lines.errorf("the end of another game; game %d is open", r.game)
	case rec.Plies != r.plies:
		return r.lines.errorf("the end says %d plies, the game has %d", rec.Plies, r.plies)
	}
	switch rec.Result {
	case "1", "2", "draw", "unfinished":
	default:
		return r.lines.errorf("result is %q; known are 1, 2, draw, unfinished", rec.Result)
	}
	r.inGame = false
	return nil
}

// PerftReader reads a perft file position by position. It is not safe for concurrent use.
type PerftReader struct{ lines *lines }

// OpenPerft opens a perft file, gzipped or plain.
func OpenPerft(path string) (*PerftReader, error) {
	l, err := openLines(path)
	if err != nil {
		return nil, err
	}
	return &PerftReader{l}, nil
}

// Line is the number of the line of the latest position, from 1.
func (r *PerftReader) Line() int { return r.lines.number }

// Close closes the file.
func (r *PerftReader) Close() error { r.lines.close(); return nil }

// Next is the next position; io.EOF after the last.
func (r *PerftReader) Next() (*Position, error) {
	line, err := r.lines.next()
	if err != nil {
		return nil, err
	}
	pos := new(Position)
	if err := r.lines.decode(line, pos); err != nil {
		return nil, err
	}
	switch {
	case pos.Name == "":
		return nil, r.lines.errorf("the position has no name")
	case pos.Player != 1 && pos.Player != 2:
		return nil, r.lines.errorf("p is %d, not 1 or 2", pos.Player)
	case len(pos.Perft) == 0 || len(pos.Perft) > 64:
		return nil, r.lines.errorf("perft has %d depths; expected 1 to 64", len(pos.Perft))
	case pos.Board == "" || len(pos.Board) > 256:
		return nil, r.lines.errorf("b has %d characters; expected 1 to 256", len(pos.Board))
	}
	return pos, nil
}
