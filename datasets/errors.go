package datasets

import (
	"errors"
	"fmt"
)

// The kinds of failure that a caller may want to tell apart with [errors.Is].
// Every one of them means wrong or damaged input; failures of the disk are
// passed on as the operating system reports them.
var (
	// ErrDamaged means that a file's bytes are not what was written: its hash
	// or length differs, it is cut off, or it does not decode.
	ErrDamaged = errors.New("damaged data file")
	// ErrTruncated is the case of [ErrDamaged] in which the file ends before
	// its end marker; the batches before the cut can be recovered.
	ErrTruncated = fmt.Errorf("truncated stream: %w", ErrDamaged)
	// ErrSchema means that the file is whole but holds something else than
	// was asked for: another kind of rows or another schema version.
	ErrSchema = errors.New("unexpected schema")
	// ErrTooLarge means that a file or a row asks for more memory than the
	// limits in force allow.
	ErrTooLarge = errors.New("data larger than the limit")
	// ErrInvalid means that a row breaks an invariant of its kind.
	ErrInvalid = errors.New("invalid row")
)

// FileError is the error of one data file. It names the file, the byte where
// the trouble was noticed, what is wrong and what can be done.
type FileError struct {
	Path   string // as given by the caller
	Offset int64  // byte offset of the message that was being read, -1 if unknown
	What   string // what is wrong
	Fix    string // what to do about it, may be empty
	Err    error  // one of the sentinel errors, or an error of the system
}

// Error returns one line that names the file, the place, the fault and the cure.
func (e *FileError) Error() string {
	s := e.Path
	if e.Offset >= 0 {
		s = fmt.Sprintf("%s: byte %d", s, e.Offset)
	}
	s += ": " + e.What
	if e.Fix != "" {
		s += " (" + e.Fix + ")"
	}
	return s
}

// Unwrap returns the sentinel or system error, for [errors.Is].
func (e *FileError) Unwrap() error { return e.Err }

// RowError says which row of a file breaks an invariant. It satisfies
// errors.Is(err, [ErrInvalid]).
type RowError struct {
	Row    uint64 // number of the row in the file, from 0
	GameID uint64 // game of the row
	Field  string // Arrow column
	What   string // what is wrong, with the values
}

// Error returns one line with the row, its game, the column and the fault.
func (e *RowError) Error() string {
	return fmt.Sprintf("row %d (game %d): %s: %s", e.Row, e.GameID, e.Field, e.What)
}

// Unwrap returns [ErrInvalid].
func (e *RowError) Unwrap() error { return ErrInvalid }

const (
	fixRestore = "restore the file from a copy or generate it again"
	fixRecover = "the whole batches before this byte can be read in recovery mode; generate the rest again"
)
