package datasets

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
)

// ExportOptions say what an export takes from a file.
type ExportOptions struct {
	Options
	// Columns are the columns to write, in this order; all of the file if empty.
	Columns []string
}

// ExportCSV writes the rows of a data file of any kind as CSV with a header line
// (RFC 4180 with \n line ends) and returns their number. Lists become numbers
// separated by spaces, byte strings hexadecimal digits, and text is quoted where
// needed. Memory use does not depend on the file's length.
func ExportCSV(w io.Writer, path string, opts ExportOptions) (rows uint64, err error) {
	e, err := newExport(path, opts)
	if err != nil {
		return 0, err
	}
	defer e.r.Close()
	out := bufio.NewWriterSize(w, 1<<16)
	var line, cell []byte
	for i, c := range e.cols {
		if i > 0 {
			line = append(line, ',')
		}
		line = appendCSV(line, []byte(e.names[c]))
	}
	out.Write(append(line, '\n'))
	err = e.each(func(row int) error {
		line = line[:0]
		for i, c := range e.cols {
			if i > 0 {
				line = append(line, ',')
			}
			cell = e.r.cell(cell[:0], c, row, false)
			line = appendCSV(line, cell)
		}
		_, err := out.Write(append(line, '\n'))
		rows++
		return err
	})
	if err == nil {
		err = out.Flush()
	}
	return rows, err
}

// appendCSV appends a field, quoted if it holds what CSV gives a meaning.
func appendCSV(dst, field []byte) []byte {
	if !bytes.ContainsAny(field, ",\"\r\n") {
		return append(dst, field...)
	}
	dst = append(dst, '"')
	for _, b := range field {
		if b == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, b)
	}
	return append(dst, '"')
}

// ExportJSON writes the rows of a data file of any kind as JSON lines, one object
// a row, and returns their number. 64-bit integers are strings, since many
// readers of JSON would round them; byte strings are hexadecimal digits; NaN is
// null. Memory use does not depend on the file's length.
func ExportJSON(w io.Writer, path string, opts ExportOptions) (rows uint64, err error) {
	e, err := newExport(path, opts)
	if err != nil {
		return 0, err
	}
	defer e.r.Close()
	keys := make([][]byte, len(e.cols))
	for i, c := range e.cols {
		keys[i] = append(appendJSONString(nil, e.names[c]), ':')
	}
	out := bufio.NewWriterSize(w, 1<<16)
	var line []byte
	err = e.each(func(row int) error {
		line = append(line[:0], '{')
		for i, c := range e.cols {
			if i > 0 {
				line = append(line, ',')
			}
			line = append(line, keys[i]...)
			line = e.r.cell(line, c, row, true)
		}
		_, err := out.Write(append(line, '}', '\n'))
		rows++
		return err
	})
	if err == nil {
		err = out.Flush()
	}
	return rows, err
}

// export is a file with the chosen columns.
type export struct {
	r     anyReader
	names []string
	cols  []int
}

func newExport(path string, opts ExportOptions) (*export, error) {
	r, kind, err := openAny(path, opts.Options)
	if err != nil {
		return nil, err
	}
	e := &export{r: r}
	for _, f := range r.arrowSchema().Fields() {
		e.names = append(e.names, f.Name)
	}
	if len(opts.Columns) == 0 {
		for i := range e.names {
			e.cols = append(e.cols, i)
		}
		return e, nil
	}
	var unknown []string
	for _, name := range opts.Columns {
		i := slices.Index(e.names, name)
		if i < 0 {
			unknown = append(unknown, name)
		}
		e.cols = append(e.cols, i)
	}
	if unknown != nil {
		r.Close()
		return nil, &FileError{Path: path, Offset: -1, Err: ErrSchema, What: fmt.Sprintf("%s rows have no column %s",
			kind, strings.Join(unknown, ", ")), Fix: "the columns are " + strings.Join(e.names, ", ")}
	}
	return e, nil
}

// each calls f for every row of every batch.
func (e *export) each(f func(row int) error) error {
	for e.r.nextBatch() {
		_, n := e.r.batch()
		if !e.r.checkBatch() {
			break
		}
		for i := range n {
			if err := f(i); err != nil {
				return err
			}
		}
	}
	return e.r.Err()
}
