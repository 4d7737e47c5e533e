package datasets

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
)

// anyReader is a [Reader] of whatever kind a file turned out to be.
type anyReader interface {
	Err() error
	Lost() error
	Close() error
	Metadata() map[string]string

	nextBatch() bool
	batch() (rec arrow.Record, rows int)
	checkBatch() bool
	arrowSchema() *arrow.Schema
	cell(dst []byte, col, i int, json bool) []byte
	decoded() (batches int, bytes int64)
}

var (
	_ anyReader = (*Reader[Sample])(nil)
	_ anyReader = (*Reader[Game])(nil)
	_ anyReader = (*Reader[metricRow])(nil)
)

func (r *Reader[R]) batch() (arrow.Record, int)          { return r.ipc.Record(), r.n }
func (r *Reader[R]) arrowSchema() *arrow.Schema          { return r.ipc.Schema() }
func (r *Reader[R]) decoded() (batches int, bytes int64) { return r.batches, r.raw }

func (r *Reader[R]) cell(dst []byte, col, i int, json bool) []byte {
	if json {
		return r.cols[col].json(dst, i)
	}
	return r.cols[col].text(dst, i)
}

// checkBatch reads every row of the current batch, checks its invariants and
// reports whether all of them hold; if not, the batch is the end of the file.
func (r *Reader[R]) checkBatch() bool {
	var row R
	for r.i < r.n {
		if !r.Next(&row) {
			return false
		}
	}
	return true
}

// KindOf returns what the rows of a file are, from its schema.
func KindOf(path string) (Kind, error) {
	f, size, err := openFile(path, nil)
	if err != nil {
		return "", err
	}
	defer f.Close()
	_, _, rd, err := openStream(f, size, path, DefaultLimits())
	if err != nil {
		return "", err
	}
	switch k := Kind(metadataOf(rd.Schema())[MetaKind]); k {
	case Samples, Games, MetricRows:
		return k, nil
	case "":
		return "", &FileError{Path: path, Offset: -1, What: "an Arrow stream that latro did not write", Err: ErrSchema}
	default:
		return "", &FileError{Path: path, Offset: -1, What: fmt.Sprintf("holds rows of unknown kind %q", k), Err: ErrSchema}
	}
}

// openAny opens a file of any kind.
func openAny(path string, opts Options) (anyReader, Kind, error) {
	kind, err := KindOf(path)
	if err != nil {
		return nil, "", err
	}
	var r anyReader
	switch kind {
	case Samples:
		r, err = OpenSamples(path, opts)
	case Games:
		r, err = OpenGames(path, opts)
	default:
		r, err = open(path, metricSchema, metricColumnsFor, opts)
	}
	if err != nil {
		return nil, "", err
	}
	return r, kind, nil
}

// RecordReader gives the batches of a data file of any kind as Arrow records,
// for conversion to other formats. It satisfies the method set of Arrow's
// array.RecordReader. Rows are checked as [Reader] does.
type RecordReader struct {
	r   anyReader
	rec arrow.Record
}

// OpenRecords opens a data file of any kind.
func OpenRecords(path string, opts Options) (*RecordReader, error) {
	r, _, err := openAny(path, opts)
	if err != nil {
		return nil, err
	}
	return &RecordReader{r: r}, nil
}

// Schema returns the file's schema with its metadata.
func (r *RecordReader) Schema() *arrow.Schema { return r.r.arrowSchema() }

// Next goes to the next batch and reports whether there is one.
func (r *RecordReader) Next() bool {
	r.rec = nil
	if !r.r.nextBatch() {
		return false
	}
	rec, _ := r.r.batch()
	if !r.r.checkBatch() {
		return false
	}
	r.rec = rec
	return true
}

// Record returns the current batch, valid until Next.
func (r *RecordReader) Record() arrow.Record { return r.rec }

// Err returns the first error, nil at the end.
func (r *RecordReader) Err() error { return r.r.Err() }

// Retain and Release exist for Arrow's interface; Close ends the reader.
func (r *RecordReader) Retain()  {}
func (r *RecordReader) Release() {}

// Close closes the file.
func (r *RecordReader) Close() error { return r.r.Close() }
