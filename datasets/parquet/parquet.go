package parquet

import (
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"

	"latro/datasets"
)

// rowGroupRows is the size of a row group. Readers hold one row group, and the
// writer at most one batch of it.
const rowGroupRows = 64 << 10

// Export writes the rows of a data file of any kind as one Parquet file with
// zstd compression and returns their number. Columns keep their names and
// types: flat lists stay lists, byte strings BYTE_ARRAY, text UTF8. The schema's
// metadata becomes the file's key-value metadata, beside the Arrow schema that
// lets Arrow's readers restore unsigned types exactly.
//
// Memory use does not depend on the file's length. w is not closed. The same
// file gives the same bytes.
func Export(w io.Writer, path string, opts datasets.Options) (rows uint64, err error) {
	r, err := datasets.OpenRecords(path, opts)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	out := &sink{w: w}
	fail := func(err error) error {
		if out.err != nil { // the cause, which the library replaces by its own words
			err = out.err
		}
		return fmt.Errorf("write Parquet from %s: %w", path, err)
	}
	// The library panics on some failures of its writer.
	defer func() {
		if p := recover(); p != nil {
			err = fail(fmt.Errorf("%v", p))
		}
	}()
	fw, err := pqarrow.NewFileWriter(r.Schema(), out,
		parquet.NewWriterProperties(
			parquet.WithCompression(compress.Codecs.Zstd),
			parquet.WithMaxRowGroupLength(rowGroupRows),
			parquet.WithCreatedBy("latro"),
		),
		pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
	if err != nil {
		return 0, fail(err)
	}
	for r.Next() {
		if err := fw.WriteBuffered(r.Record()); err != nil || out.err != nil {
			return rows, fail(err)
		}
		rows += uint64(r.Record().NumRows())
	}
	if err := r.Err(); err != nil {
		return rows, err
	}
	if err := fw.Close(); err != nil || out.err != nil {
		return rows, fail(err)
	}
	return rows, nil
}

// sink remembers the first error of a writer, which the library may drop, and
// hides its Close method, which the library would call.
type sink struct {
	w   io.Writer
	err error
}

func (s *sink) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.w.Write(p)
	s.err = err
	return n, err
}
