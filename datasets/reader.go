package datasets

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"
)

// Options say how a data file is read. The zero value is the strict default.
type Options struct {
	// Expect is what the manifest says of the file. If set, length and SHA-256 are
	// verified before anything is decoded.
	Expect *ShardInfo
	// Recover reads every whole batch of a damaged or cut file and then ends as if
	// the file ended there; [Reader.Lost] tells what was wrong. With Expect a file
	// whose hash differs is still refused, so leave that out.
	Recover bool
	Limits  Limits
}

// Reader reads the rows of one data file in order, holding one batch in memory.
// It is for one goroutine. Every failure is an error that names the file;
// damaged or hostile files can make it neither panic nor allocate beyond its
// limits.
type Reader[R any] struct {
	path   string
	schema *schemaOf[R]
	cols   []column[R]
	opts   Options

	file  io.Closer
	msgs  *messageStream
	alloc *budgetAllocator
	ipc   *ipc.Reader

	n, i    int // rows of the batch, next row
	read    uint64
	batches int
	raw     int64 // decompressed bytes so far
	err     error
	lost    error
	end     bool

	unchecked bool // rows that break an invariant are handed out
	older     bool // the file lacks columns of the current version
}

// OpenSamples opens a shard of samples.
func OpenSamples(path string, opts Options) (*Reader[Sample], error) {
	return open(path, sampleSchema, sampleSchema.fixed, opts)
}

// OpenGames opens a shard of games.
func OpenGames(path string, opts Options) (*Reader[Game], error) {
	return open(path, gameSchema, gameSchema.fixed, opts)
}

func open[R any](path string, s *schemaOf[R], cols columnsFor[R], opts Options) (*Reader[R], error) {
	f, size, err := openFile(path, opts.Expect)
	if err != nil {
		return nil, err
	}
	r, err := newReader(f, size, path, s, cols, opts)
	if err != nil {
		f.Close()
		return nil, err
	}
	r.file = f
	return r, nil
}

// openStream reads the schema of a stream of size bytes.
func openStream(src io.Reader, size int64, path string, l Limits) (*messageStream, *budgetAllocator, *ipc.Reader, error) {
	msgs := newMessageStream(src, size, path)
	// Arrow rounds each buffer up, and grows it through one copy.
	alloc := newBudgetAllocator(2*l.BatchBytes + 1<<20)
	rd, err := ipc.NewReaderFromMessageReader(msgs, ipc.WithAllocator(alloc))
	if err == nil {
		if msgs.shape.nodes, msgs.shape.buffers = nodeCount(rd.Schema()); msgs.shape.nodes > maxFields {
			err = fmt.Errorf("more than %d columns", maxFields)
		}
		msgs.shape.rows, msgs.shape.bytes = l.BatchRows, l.BatchBytes
	}
	switch {
	case msgs.err != nil:
		err = msgs.err
	case err != nil:
		err = msgs.fail(ErrDamaged, fixRestore, "%v", err)
	}
	return msgs, alloc, rd, err
}

// columnsFor gives the columns for a file's schema; only metrics depend on it.
type columnsFor[R any] func(*arrow.Schema) []column[R]

func newReader[R any](src io.Reader, size int64, path string, s *schemaOf[R], cols columnsFor[R], opts Options) (*Reader[R], error) {
	opts.Limits = opts.Limits.filled()
	r := &Reader[R]{path: path, schema: s, opts: opts}
	var err error
	r.msgs, r.alloc, r.ipc, err = openStream(src, size, path, opts.Limits)
	if err != nil {
		return nil, err
	}
	r.cols = cols(r.ipc.Schema())
	if what, fix := s.match(r.cols, r.ipc.Schema()); what != "" {
		return nil, &FileError{Path: path, Offset: -1, What: what, Fix: fix, Err: ErrSchema}
	}
	if v, ok := s.versionOf(r.ipc.Schema()); ok {
		r.older = v < s.version
	}
	return r, nil
}

// Metadata returns the schema metadata, the keys of this package included.
func (r *Reader[R]) Metadata() map[string]string { return metadataOf(r.ipc.Schema()) }

// Next stores the next row in dst and reports whether there was one. At the end
// and after an error it returns false; [Reader.Err] tells them apart.
func (r *Reader[R]) Next(dst *R) bool {
	for r.i >= r.n {
		if !r.nextBatch() {
			return false
		}
	}
	for _, c := range r.cols {
		c.get(r.i, dst)
	}
	if r.older {
		r.schema.absent(dst)
	}
	if !r.sound(dst) {
		return false
	}
	r.i++
	r.read++
	return true
}

// sound checks a row's invariants, so that nobody computes with lists of
// different lengths, and ends the file at a row that breaks them.
func (r *Reader[R]) sound(row *R) bool {
	if r.unchecked {
		return true
	}
	err := rowError(row, r.schema, r.read)
	if err == nil {
		return true
	}
	err = &FileError{Path: r.path, Offset: r.msgs.start, What: err.Error(), Fix: fixRestore, Err: err}
	r.n, r.i, r.end = 0, 0, true
	if r.opts.Recover {
		r.lost = err
	} else {
		r.err = err
	}
	return false
}

// nextBatch decodes the next batch into the columns.
func (r *Reader[R]) nextBatch() bool {
	if r.err != nil || r.end {
		return false
	}
	rec, err := r.nextRecord()
	if err != nil || rec == nil {
		r.n, r.i, r.end = 0, 0, true
		if err != nil && r.opts.Recover && errors.Is(err, ErrDamaged) {
			r.lost = err
		} else {
			r.err = err
		}
		return false
	}
	r.n, r.i = int(rec.NumRows()), 0
	r.batches++
	r.msgs.batches = r.batches
	r.raw += r.msgs.raw
	return true
}

// nextRecord returns the next batch bound to the columns, nil at the end.
func (r *Reader[R]) nextRecord() (rec arrow.Record, err error) {
	fail := func(format string, args ...any) error {
		return r.msgs.fail(ErrDamaged, r.msgs.fix(), format, args...)
	}
	// The library recovers from its own panics while it decodes; this covers the
	// arrays that it hands out.
	defer func() {
		if p := recover(); p != nil {
			rec, err = nil, fail("does not decode: %v", p)
		}
	}()
	if !r.ipc.Next() {
		switch {
		case r.msgs.err != nil:
			return nil, r.msgs.err
		case r.ipc.Err() != nil:
			return nil, fail("does not decode: %v", r.ipc.Err())
		case !r.msgs.ended:
			return nil, fail("does not decode")
		}
		return nil, nil
	}
	rec = r.ipc.Record()
	if rec == nil || rec.NumRows() != r.msgs.rows {
		return nil, fail("does not decode")
	}
	for i, c := range r.cols {
		if err := c.load(rec.Column(i).Data(), int(rec.NumRows())); err != nil {
			return nil, fail("column %q: %v", c.field().Name, err)
		}
	}
	return rec, nil
}

// Err returns the first error, nil if the file was read to its end or its end is
// not reached yet.
func (r *Reader[R]) Err() error { return r.err }

// Lost returns, in recovery mode and after the last row, what made the rest of
// the file unreadable; nil if the file was whole.
func (r *Reader[R]) Lost() error { return r.lost }

// Rows returns the number of rows read so far.
func (r *Reader[R]) Rows() uint64 { return r.read }

// All iterates over the remaining rows. The pair of the last step carries the
// error, if any, with a zero row. The reader stays open.
func (r *Reader[R]) All() iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		for {
			var row R
			if !r.Next(&row) {
				break
			}
			if !yield(row, nil) {
				return
			}
		}
		if r.err != nil {
			var zero R
			yield(zero, r.err)
		}
	}
}

// Close closes the file. Rows that were read stay valid.
func (r *Reader[R]) Close() error {
	if r.file == nil {
		return nil
	}
	f := r.file
	r.file = nil
	if err := f.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

// maxHint bounds the rows that are reserved on a manifest's word.
const maxHint = 1 << 15

// collect reads all rows within the total limit.
func (r *Reader[R]) collect() ([]R, error) {
	var rows []R
	if e := r.opts.Expect; e != nil {
		// The hash agreed, but a manifest may come from a stranger as well: what it
		// says of the rows is a hint.
		rows = make([]R, 0, min(e.Rows, maxHint))
	}
	for r.nextBatch() {
		if r.raw > r.opts.Limits.TotalBytes {
			return rows, &FileError{Path: r.path, Offset: r.msgs.start, Err: ErrTooLarge,
				What: fmt.Sprintf("holds more than %d bytes of rows", r.opts.Limits.TotalBytes),
				Fix:  "read it row by row, or raise the limit"}
		}
		rows = slices.Grow(rows, r.n)
		for r.i < r.n {
			// In place: a row passed through a variable would be on the heap.
			n := len(rows)
			rows = rows[:n+1]
			if !r.Next(&rows[n]) {
				rows = rows[:n]
				break
			}
		}
	}
	return rows, r.err
}

// ReadSamples reads a whole shard. With expect, which comes from a manifest, its
// length and SHA-256 are verified before anything is decoded. A damaged file
// gives an error and no rows; see [RecoverSamples].
func ReadSamples(path string, expect *ShardInfo) ([]Sample, error) {
	r, err := OpenSamples(path, Options{Expect: expect})
	return readAll(r, expect, err)
}

// ReadGames reads a whole shard of games, as [ReadSamples] does. Files that may
// be large are read row by row with [OpenGames].
func ReadGames(path string, expect *ShardInfo) ([]Game, error) {
	r, err := OpenGames(path, Options{Expect: expect})
	return readAll(r, expect, err)
}

func readAll[R any](r *Reader[R], expect *ShardInfo, err error) ([]R, error) {
	if err != nil {
		return nil, err
	}
	defer r.Close()
	rows, err := r.collect()
	if err != nil {
		return nil, err
	}
	if expect != nil && uint64(len(rows)) != expect.Rows {
		return nil, &FileError{Path: r.path, Offset: -1, Err: ErrDamaged, Fix: "rebuild the manifest",
			What: fmt.Sprintf("holds %d rows, the manifest says %d", len(rows), expect.Rows)}
	}
	return rows, nil
}

// RecoverSamples returns the rows of every whole batch before the damage. Lost
// says what is wrong with the rest, nil if the file is whole; err is set where
// nothing can be read, as with a missing file or one of another kind.
//
// Only the structure is checked: without a hash a changed bit inside a batch can
// go unnoticed, so recovered rows should pass [Verify] before they are used.
func RecoverSamples(path string) (rows []Sample, lost, err error) {
	r, err := OpenSamples(path, Options{Recover: true})
	return recoverAll(r, err)
}

// RecoverGames is [RecoverSamples] for games.
func RecoverGames(path string) (rows []Game, lost, err error) {
	r, err := OpenGames(path, Options{Recover: true})
	return recoverAll(r, err)
}

func recoverAll[R any](r *Reader[R], err error) ([]R, error, error) {
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	rows, err := r.collect()
	return rows, r.lost, err
}
