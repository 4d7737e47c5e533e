package datasets

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Limits bound what a file may ask of its reader, whatever it declares. The zero
// value means [DefaultLimits] for each field that is zero.
type Limits struct {
	BatchBytes int64 // decompressed bytes of one record batch
	BatchRows  int64 // rows of one record batch
	TotalBytes int64 // decompressed bytes that a function returning all rows at once may collect
}

// DefaultLimits are eight times what the writers of this package ever put into
// a batch, and 1 GiB for files that are read whole. Streaming readers, which
// hold one batch, have no total limit.
func DefaultLimits() Limits {
	return Limits{BatchBytes: 64 << 20, BatchRows: 1 << 16, TotalBytes: 1 << 30}
}

func (l Limits) filled() Limits {
	d := DefaultLimits()
	if l.BatchBytes <= 0 {
		l.BatchBytes = d.BatchBytes
	}
	if l.BatchRows <= 0 {
		l.BatchRows = d.BatchRows
	}
	if l.TotalBytes <= 0 {
		l.TotalBytes = d.TotalBytes
	}
	return l
}

// maxMessage bounds the metadata of one message. A schema of a thousand columns
// with long descriptions stays below 1 MiB.
const maxMessage = 4 << 20

// messageStream reads the messages of an Arrow stream for the Arrow library. In
// contrast to the library's own reader it knows how many bytes the file has, so
// it never allocates more than is there, checks every message before the library
// sees it, refuses what latro's files never contain, and tells a stream that was
// ended from one that was cut off exactly between two messages.
type messageStream struct {
	r     *bufio.Reader
	name  string
	size  int64 // bytes of the whole file
	pos   int64 // bytes read
	start int64 // where the current message starts

	shape batchShape // set once the schema is known
	msg   *ipc.Message
	body  []byte // reused: the library copies or decompresses out of it

	schema  bool
	batches int
	rows    int64 // of the current batch
	raw     int64 // decompressed bytes of the current batch
	ended   bool
	err     error // first error, a *FileError
}

func newMessageStream(r io.Reader, size int64, name string) *messageStream {
	return &messageStream{r: bufio.NewReaderSize(r, 1<<16), name: name, size: size}
}

// Retain and Release satisfy ipc.MessageReader; memory is left to the collector.
func (s *messageStream) Retain()  {}
func (s *messageStream) Release() {}

// fail records and returns an error at the start of the current message.
func (s *messageStream) fail(kind error, fix, format string, args ...any) error {
	if s.err == nil {
		s.err = &FileError{Path: s.name, Offset: s.start, What: fmt.Sprintf(format, args...), Fix: fix, Err: kind}
	}
	return s.err
}

// read fills b, which the caller has checked to be no longer than the file.
func (s *messageStream) read(b []byte) error {
	n, err := io.ReadFull(s.r, b)
	s.pos += int64(n)
	if err == nil {
		return nil
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return s.fail(ErrTruncated, s.fix(), "the file became shorter while it was read")
	}
	if s.err == nil {
		s.err = &FileError{Path: s.name, Offset: s.pos, What: "cannot be read: " + err.Error(), Err: err}
	}
	return s.err
}

func (s *messageStream) fix() string {
	if s.batches > 0 {
		return fixRecover
	}
	return fixRestore
}

// Message returns the next message, valid until the next call, io.EOF at the end
// marker, or the error that is also kept in s.err.
func (s *messageStream) Message() (*ipc.Message, error) {
	if s.err != nil {
		return nil, s.err
	}
	if s.ended {
		return nil, io.EOF
	}
	s.start = s.pos
	var head [8]byte
	if left := s.size - s.pos; left < int64(len(head)) {
		return nil, s.fail(ErrTruncated, s.fix(), "the stream is cut off: %d bytes where a message or the end marker should start", left)
	}
	if err := s.read(head[:]); err != nil {
		return nil, err
	}
	if binary.LittleEndian.Uint32(head[:4]) != 0xFFFFFFFF {
		if s.start == 0 {
			return nil, s.fail(ErrDamaged, fixRestore, "not an Arrow stream")
		}
		return nil, s.fail(ErrDamaged, s.fix(), "no message starts here")
	}
	n := int64(binary.LittleEndian.Uint32(head[4:]))
	if n == 0 {
		if s.pos != s.size {
			return nil, s.fail(ErrDamaged, s.fix(), "%d bytes after the end marker", s.size-s.pos)
		}
		s.ended = true
		return nil, io.EOF
	}
	switch left := s.size - s.pos; {
	case n > maxMessage:
		return nil, s.fail(ErrDamaged, s.fix(), "a message head of %d bytes, the limit is %d", n, maxMessage)
	case n > left:
		return nil, s.fail(ErrTruncated, s.fix(), "the stream is cut off: a message head of %d bytes where %d are left", n, left)
	}
	// The library keeps the metadata of the schema, so it is not reused.
	meta := make([]byte, n)
	if err := s.read(meta); err != nil {
		return nil, err
	}
	h, err := parseHeader(meta)
	if err != nil {
		return nil, s.fail(ErrDamaged, s.fix(), "%v", err)
	}
	limit := int64(0)
	if h.kind == fbRecordBatch {
		// A body holds compressed buffers, which zstd never makes much longer.
		limit = s.shape.bytes + s.shape.bytes/8
	}
	switch left := s.size - s.pos; {
	case h.bodyLen < 0 || h.bodyLen > limit:
		return nil, s.fail(ErrDamaged, s.fix(), "a message body of %d bytes, the limit is %d", h.bodyLen, limit)
	case h.bodyLen > left:
		return nil, s.fail(ErrTruncated, s.fix(), "the stream is cut off: a message body of %d bytes where %d are left", h.bodyLen, left)
	}
	if int64(cap(s.body)) < h.bodyLen {
		s.body = make([]byte, h.bodyLen)
	}
	s.body = s.body[:h.bodyLen]
	if err := s.read(s.body); err != nil {
		return nil, err
	}
	switch {
	case h.kind == fbSchema && !s.schema:
		if err := checkSchemaMessage(h.header); err != nil {
			return nil, s.fail(ErrSchema, "", "%v", err)
		}
		s.schema = true
	case h.kind == fbRecordBatch && s.schema:
		s.rows, s.raw, err = checkBatchMessage(h.header, s.body, s.shape)
		if err != nil {
			return nil, s.fail(ErrDamaged, s.fix(), "%v", err)
		}
	default:
		return nil, s.fail(ErrDamaged, s.fix(), "a message of type %d, which does not belong here", h.kind)
	}
	if err := guard(func() {
		s.msg = ipc.NewMessage(memory.NewBufferBytes(meta), memory.NewBufferBytes(s.body))
	}); err != nil {
		return nil, s.fail(ErrDamaged, s.fix(), "%v", err)
	}
	return s.msg, nil
}

// budgetAllocator is Go's allocator with a limit on the bytes in use. What is
// over it panics, which the Arrow library turns into an error. It is the second
// line behind the checks of messageStream.
type budgetAllocator struct {
	memory.Allocator
	limit int64
	used  atomic.Int64
	peak  atomic.Int64
}

func newBudgetAllocator(limit int64) *budgetAllocator {
	return &budgetAllocator{Allocator: memory.NewGoAllocator(), limit: limit}
}

func (a *budgetAllocator) take(n int64) {
	used := a.used.Add(n)
	if n > 0 && used > a.limit {
		a.used.Add(-n)
		panic(fmt.Sprintf("%d bytes of memory asked for, the limit is %d", used, a.limit))
	}
	for {
		p := a.peak.Load()
		if used <= p || a.peak.CompareAndSwap(p, used) {
			return
		}
	}
}

// Allocate returns size zeroed bytes.
func (a *budgetAllocator) Allocate(size int) []byte {
	if size < 0 {
		panic(fmt.Sprintf("%d bytes of memory asked for", size))
	}
	a.take(int64(size))
	return a.Allocator.Allocate(size)
}

// Reallocate resizes b.
func (a *budgetAllocator) Reallocate(size int, b []byte) []byte {
	if size < 0 {
		panic(fmt.Sprintf("%d bytes of memory asked for", size))
	}
	a.take(int64(size) - int64(len(b)))
	return a.Allocator.Reallocate(size, b)
}

// Free gives b's bytes back to the budget; the collector takes the memory once
// no row refers to it.
func (a *budgetAllocator) Free(b []byte) {
	a.used.Add(-int64(len(b)))
	a.Allocator.Free(b)
}
