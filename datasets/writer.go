package datasets

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"latro/datasets/atomicfile"
)

// Rows of a batch. Samples are small; a game can carry thousands of moves and
// three counts for each square.
const (
	sampleBatchRows = 4096
	gameBatchRows   = 1024
	// batchBytes ends a batch early, so that a reader's memory does not depend on
	// how long games are.
	batchBytes = 8 << 20
	// maxRowBytes bounds one row: a game of a million plies has 6 MB.
	maxRowBytes = 32 << 20
)

// Writer writes one data file row by row, holding one batch of rows in memory.
// Nothing is visible under the file's name before [Writer.Commit], which makes
// it durable; [Writer.Abort] forgets it. Defer Abort: it does nothing after
// Commit. A Writer is for one goroutine.
//
// The same rows with the same metadata give the same bytes, whatever the number
// of processors and however the rows were handed over.
type Writer[R any] struct {
	path    string
	schema  *schemaOf[R]
	arrow   *arrow.Schema
	cols    []column[R]
	rowsMax int

	file  *atomicfile.File
	out   *hashingWriter
	ipc   *ipc.Writer
	n     int // rows in the current batch
	bytes int // bytes in the current batch
	info  ShardInfo
	err   error
	done  bool
}

// hashingWriter counts and hashes what passes through.
type hashingWriter struct {
	w io.Writer
	h hash.Hash
	n int64
	// err is the first error of w. The Arrow writer must not be trusted to pass
	// it on in every path.
	err error
}

func (w *hashingWriter) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	n, err := w.w.Write(p)
	w.h.Write(p[:n])
	w.n += int64(n)
	w.err = err
	return n, err
}

// CreateSamples starts a shard of samples at path. See [Writer]; meta becomes
// schema metadata under the Meta keys or others that do not start with "latro.".
func CreateSamples(path string, meta map[string]string) (*Writer[Sample], error) {
	return create(path, sampleSchema, sampleSchema.columns(), sampleBatchRows, meta)
}

// CreateGames starts a shard of games at path, as [CreateSamples] does.
func CreateGames(path string, meta map[string]string) (*Writer[Game], error) {
	return create(path, gameSchema, gameSchema.columns(), gameBatchRows, meta)
}

func create[R any](path string, s *schemaOf[R], cols []column[R], batchRows int, meta map[string]string) (*Writer[R], error) {
	as, err := s.arrowSchema(cols, meta)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	file, err := atomicfile.Create(path)
	if err != nil {
		return nil, err
	}
	w := &Writer[R]{path: path, schema: s, arrow: as, cols: cols, rowsMax: batchRows, file: file,
		out: &hashingWriter{w: file, h: sha256.New()}, info: ShardInfo{Path: path, Kind: s.kind}}
	w.ipc = ipc.NewWriter(w.out, ipc.WithSchema(as), ipc.WithZstd())
	return w, nil
}

// Append adds one row, which it does not keep. A row that breaks an invariant
// is refused with a [RowError] and changes nothing; after any other error the
// writer is of no further use and Commit returns that error again.
func (w *Writer[R]) Append(r *R) error {
	if w.err != nil {
		return w.err
	}
	if w.done {
		return fmt.Errorf("write %s: append after Commit or Abort", w.path)
	}
	if err := rowError(r, w.schema, w.info.Rows); err != nil {
		return fmt.Errorf("write %s: %w", w.path, err)
	}
	size := 0
	for _, c := range w.cols {
		c.append(r)
		size += c.size()
		if s, ok := c.(interface{ invalid() bool }); ok && s.invalid() {
			return w.fail(&RowError{Row: w.info.Rows, GameID: w.schema.game(r), Field: c.field().Name, What: "is not UTF-8 text"})
		}
	}
	if size-w.bytes > maxRowBytes {
		return w.fail(fmt.Errorf("row %d has %d bytes, the limit is %d: %w", w.info.Rows, size-w.bytes, maxRowBytes, ErrTooLarge))
	}
	w.bytes = size
	w.n++
	id := w.schema.game(r)
	if w.info.Rows == 0 {
		w.info.FirstGame = id
	}
	w.info.LastGame = id
	w.info.Rows++
	if w.n >= w.rowsMax || w.bytes >= batchBytes {
		return w.flush()
	}
	return nil
}

// AppendAll adds rows in order and stops at the first error.
func (w *Writer[R]) AppendAll(rows []R) error {
	for i := range rows {
		if err := w.Append(&rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// Rows returns the number of rows appended so far.
func (w *Writer[R]) Rows() uint64 { return w.info.Rows }

// fail makes err stick.
func (w *Writer[R]) fail(err error) error {
	w.err = fmt.Errorf("write %s: %w", w.path, err)
	return w.err
}

// flush writes the current batch.
func (w *Writer[R]) flush() error {
	if w.n == 0 {
		return nil
	}
	arrays := make([]arrow.Array, len(w.cols))
	for i, c := range w.cols {
		d := c.build(w.n)
		arrays[i] = array.MakeFromData(d)
		d.Release()
	}
	rec := array.NewRecord(w.arrow, arrays, int64(w.n))
	err := w.ipc.Write(rec)
	rec.Release()
	for _, a := range arrays {
		a.Release()
	}
	if w.out.err != nil {
		err = w.out.err
	}
	if err != nil {
		return w.fail(err)
	}
	for _, c := range w.cols {
		c.reset()
	}
	w.n, w.bytes = 0, 0
	return nil
}

// Commit writes the last batch and the end marker, flushes everything to the
// disk and gives the file its name. On an error nothing is left behind and what
// was at the path before is untouched.
func (w *Writer[R]) Commit() (ShardInfo, error) {
	info, err := w.Finish()
	if err != nil {
		return ShardInfo{}, err
	}
	if err := w.file.Commit(); err != nil {
		return ShardInfo{}, errors.Join(err, w.Abort())
	}
	return info, nil
}

// Finish writes the last batch and the end marker and says what the file holds. The file
// gets its name by [CommitAll]; Abort still forgets it. On an error nothing is left behind.
func (w *Writer[R]) Finish() (ShardInfo, error) {
	if w.done {
		return ShardInfo{}, fmt.Errorf("write %s: the writer was already committed or aborted", w.path)
	}
	err := w.err
	if err == nil {
		err = w.flush()
	}
	if err == nil {
		if err = w.ipc.Close(); err == nil {
			err = w.out.err
		}
	}
	if err == nil {
		err = w.file.Flush()
	}
	if err != nil {
		return ShardInfo{}, errors.Join(err, w.Abort())
	}
	w.info.Bytes = w.out.n
	w.info.SHA256 = hex.EncodeToString(w.out.h.Sum(nil))
	// What waits for CommitAll needs no room for rows.
	w.done, w.cols, w.ipc = true, nil, nil
	return w.info, nil
}

// CommitAll flushes the files of writers to the disk, all side by side, and gives them
// their names; each must be finished ([Writer.Finish]). It costs little more time than one
// Commit. It returns the errors of all files; those without one have their names.
func CommitAll[R any](writers []*Writer[R]) error {
	files := make([]*atomicfile.File, len(writers))
	for i, w := range writers {
		if !w.done {
			return fmt.Errorf("write %s: commit before Finish", w.path)
		}
		files[i] = w.file
	}
	return atomicfile.CommitAll(files)
}

// Abort removes what was written. After Commit or Abort it does nothing.
func (w *Writer[R]) Abort() error {
	w.done = true
	return w.file.Abort()
}

// WriteSamples writes rows as one shard at path; see [CreateSamples].
func WriteSamples(path string, rows []Sample, meta map[string]string) (ShardInfo, error) {
	w, err := CreateSamples(path, meta)
	return writeAll(w, rows, err)
}

// WriteGames writes rows as one shard at path; see [CreateGames].
func WriteGames(path string, rows []Game, meta map[string]string) (ShardInfo, error) {
	w, err := CreateGames(path, meta)
	return writeAll(w, rows, err)
}

func writeAll[R any](w *Writer[R], rows []R, err error) (ShardInfo, error) {
	if err != nil {
		return ShardInfo{}, err
	}
	defer w.Abort()
	if err := w.AppendAll(rows); err != nil {
		return ShardInfo{}, err
	}
	return w.Commit()
}
