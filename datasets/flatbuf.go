package datasets

import (
	"encoding/binary"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// The metadata of an Arrow message is a flatbuffer. The Arrow library trusts it:
// it allocates vectors of the declared length, follows offsets that wrap around
// and recurses as deep as the file says, which in Go cannot be recovered from.
// The functions here walk the few tables that matter first, with every offset
// and length checked, and refuse what latro's files never contain. They follow
// the format descriptions Message.fbs and Schema.fbs of Apache Arrow; slot
// numbers are the positions of the fields there.

// fbTable is a flatbuffer table at pos of b. Its methods panic with a fbError or
// by an index out of range; [guard] turns both into an error.
type fbTable struct {
	b   []byte
	pos int64
}

type fbError string

func fbFail(format string, args ...any) { panic(fbError(fmt.Sprintf(format, args...))) }

// guard runs f and returns its panic as an error.
func guard(f func()) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case fbError:
			err = fmt.Errorf("%s", string(p))
		default:
			err = fmt.Errorf("malformed message: %v", p)
		}
	}()
	f()
	return nil
}

func u16(b []byte, at int64) int64 { return int64(binary.LittleEndian.Uint16(b[at : at+2])) }
func u32(b []byte, at int64) int64 { return int64(binary.LittleEndian.Uint32(b[at : at+4])) }
func i64(b []byte, at int64) int64 { return int64(binary.LittleEndian.Uint64(b[at : at+8])) }

// fbRoot returns the root table.
func fbRoot(b []byte) fbTable { return fbTable{b, u32(b, 0)} }

// slot returns the position of field n, or 0 if the table has none.
func (t fbTable) slot(n int64) int64 {
	vt := t.pos - int64(int32(u32(t.b, t.pos)))
	size := u16(t.b, vt)
	if 4+2*n+2 > size {
		return 0
	}
	o := u16(t.b, vt+4+2*n)
	if o == 0 {
		return 0
	}
	return t.pos + o
}

// table returns the table that field n refers to.
func (t fbTable) table(n int64) (fbTable, bool) {
	at := t.slot(n)
	if at == 0 {
		return fbTable{}, false
	}
	return t.indirect(at), true
}

// indirect follows the offset at a position. Offsets point forward; zero, which
// would be a table made of its own offset, is refused.
func (t fbTable) indirect(at int64) fbTable {
	o := u32(t.b, at)
	if o == 0 {
		fbFail("malformed message: offset zero")
	}
	return fbTable{t.b, at + o}
}

// vector returns the place of the first element and the number of elements of
// field n, whose elements have size bytes each.
func (t fbTable) vector(n, size int64) (at, length int64) {
	s := t.slot(n)
	if s == 0 {
		return 0, 0
	}
	at = s + u32(t.b, s)
	length = u32(t.b, at)
	at += 4
	if at+length*size > int64(len(t.b)) {
		fbFail("malformed message: a vector of %d elements in %d bytes", length, len(t.b))
	}
	return at, length
}

func (t fbTable) byteAt(n int64) byte {
	if s := t.slot(n); s != 0 {
		return t.b[s]
	}
	return 0
}

func (t fbTable) int64At(n int64) int64 {
	if s := t.slot(n); s != 0 {
		return i64(t.b, s)
	}
	return 0
}

// Values of the unions MessageHeader and Type.
const (
	fbSchema      = 1
	fbRecordBatch = 3

	fbInt, fbFloat, fbBinary, fbUtf8, fbBool, fbList = 2, 3, 4, 5, 6, 12
)

// fbHeader is what the stream reader needs to know of a message.
type fbHeader struct {
	kind    byte
	bodyLen int64
	header  fbTable
}

// parseHeader reads the head of a message.
func parseHeader(meta []byte) (h fbHeader, err error) {
	err = guard(func() {
		m := fbRoot(meta)
		h.kind = m.byteAt(1)
		h.bodyLen = m.int64At(3)
		var ok bool
		if h.header, ok = m.table(2); !ok {
			fbFail("malformed message: no header")
		}
	})
	return h, err
}

// maxFields bounds the columns of a file, list items included.
const maxFields = 4096

// checkSchemaMessage makes sure that the Arrow library can decode the schema
// without running away: only the types of latro's files, no dictionaries, lists
// of plain items only, vectors inside the message.
func checkSchemaMessage(schema fbTable) error {
	return guard(func() {
		total := 0
		var walk func(f fbTable, depth int)
		walk = func(f fbTable, depth int) {
			if total++; total > maxFields {
				fbFail("more than %d columns", maxFields)
			}
			if _, ok := f.table(4); ok {
				fbFail("a dictionary column, which latro's files never have")
			}
			typ := f.byteAt(2)
			switch typ {
			case fbInt, fbFloat, fbBinary, fbUtf8, fbBool, fbList:
			default:
				fbFail("a column of Arrow type number %d, which latro's files never have", typ)
			}
			f.vector(6, 4)
			at, n := f.vector(5, 4)
			if typ == fbList && (n != 1 || depth > 0) || typ != fbList && n != 0 {
				fbFail("a nested column, which latro's files never have")
			}
			for i := range n {
				walk(f.indirect(at+4*i), depth+1)
			}
		}
		at, n := schema.vector(1, 4)
		for i := range n {
			walk(schema.indirect(at+4*i), 0)
		}
		schema.vector(2, 4)
		schema.vector(3, 8)
	})
}

// batchShape is what a batch may be: the nodes and buffers of its schema, the
// most rows and the most decompressed bytes.
type batchShape struct {
	nodes, buffers int
	rows, bytes    int64
}

// checkBatchMessage makes sure that a record batch lies inside its body, asks
// for no more memory than allowed and declares no nulls. It returns the
// number of rows and the decompressed size.
func checkBatchMessage(batch fbTable, body []byte, shape batchShape) (rows, size int64, err error) {
	err = guard(func() {
		rows = batch.int64At(0)
		if rows < 0 || rows > shape.rows {
			fbFail("a batch of %d rows, the limit is %d", rows, shape.rows)
		}
		at, n := batch.vector(1, 16)
		if n != int64(shape.nodes) {
			fbFail("a batch of %d nodes, its schema has %d", n, shape.nodes)
		}
		for i := range n {
			length, nulls := i64(batch.b, at+16*i), i64(batch.b, at+16*i+8)
			if length < 0 || nulls != 0 {
				fbFail("a column of length %d with %d nulls", length, nulls)
			}
		}
		at, n = batch.vector(2, 16)
		if n != int64(shape.buffers) {
			fbFail("a batch of %d buffers, its schema has %d", n, shape.buffers)
		}
		compressed := false
		if c, ok := batch.table(3); ok {
			compressed = true
			// Codec 1 is zstd, and method 0 is the only one there is.
			if codec, method := c.byteAt(0), c.byteAt(1); codec != 1 || method != 0 {
				fbFail("compression codec %d with method %d instead of zstd", codec, method)
			}
		}
		for i := range n {
			off, length := i64(batch.b, at+16*i), i64(batch.b, at+16*i+8)
			if off < 0 || length < 0 || off > int64(len(body)) || length > int64(len(body))-off {
				fbFail("a buffer at %d of %d bytes in a body of %d bytes", off, length, len(body))
			}
			if length == 0 {
				continue
			}
			raw := length
			if compressed {
				b := body[off : off+length]
				if length < 8 {
					fbFail("a compressed buffer of %d bytes", length)
				}
				raw = i64(b, 0)
				if raw == -1 {
					raw = length - 8
				} else {
					if raw < 0 || raw > shape.bytes {
						fbFail("a buffer that declares %d bytes, the limit is %d", raw, shape.bytes)
					}
					if err := checkZstd(b[8:], raw); err != nil {
						fbFail("compressed buffer: %v", err)
					}
				}
			}
			if size += raw; size > shape.bytes {
				fbFail("a batch of more than %d bytes", shape.bytes)
			}
		}
	})
	return rows, size, err
}

// maxZstdWindow bounds the history that a decompressor must keep. The encoders
// in use (levels 1 to 19 of the reference implementation at these sizes) need
// at most 8 MiB.
const maxZstdWindow = 8 << 20

// checkZstd makes sure that b is one zstd frame of the size that Arrow's prefix
// declares, with a window of bearable size, and nothing behind it. It does not
// decompress; RFC 8878 section 3.1 describes the layout.
func checkZstd(b []byte, size int64) error {
	var h zstd.Header
	if err := h.Decode(b); err != nil {
		return err
	}
	switch {
	case h.Skippable:
		return fmt.Errorf("a skippable frame")
	case h.DictionaryID != 0:
		return fmt.Errorf("a frame that needs dictionary %d", h.DictionaryID)
	case h.HasFCS && h.FrameContentSize != uint64(size):
		return fmt.Errorf("a frame of %d bytes where %d are declared", h.FrameContentSize, size)
	case !h.SingleSegment && h.WindowSize > maxZstdWindow:
		return fmt.Errorf("a window of %d bytes, the limit is %d", h.WindowSize, maxZstdWindow)
	}
	pos := int64(h.HeaderSize)
	for {
		if pos+3 > int64(len(b)) {
			return fmt.Errorf("a frame cut off")
		}
		head := int64(b[pos]) | int64(b[pos+1])<<8 | int64(b[pos+2])<<16
		pos += 3
		switch head >> 1 & 3 {
		case 1: // one byte repeated
			pos++
		case 3:
			return fmt.Errorf("a block of the reserved type")
		default:
			pos += head >> 3
		}
		if head&1 != 0 {
			break
		}
	}
	if h.HasCheckSum {
		pos += 4
	}
	if pos != int64(len(b)) {
		return fmt.Errorf("a frame of %d bytes in a buffer of %d", pos, len(b))
	}
	return nil
}
