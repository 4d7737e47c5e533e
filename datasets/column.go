package datasets

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// column is one Arrow column of row type R, in both directions: it collects
// the values of rows for the next record batch, and it serves the values of the
// batch that was read last. One description of a row type therefore defines its
// schema, its writer, its reader and its text exports, and they cannot drift
// apart. A column is used by one writer or one reader, not by both.
//
// Values are kept in Go slices that become Arrow buffers without a copy. This is
// faster than Arrow's builders, keeps the memory between batches, and avoids
// their traps with nested non-nullable types.
type column[R any] interface {
	field() arrow.Field

	append(r *R)                 // takes the row's value
	size() int                   // bytes collected so far
	build(n int) arrow.ArrayData // the n collected values, as a view valid until reset
	reset()

	load(d arrow.ArrayData, n int) error // binds to n values of a batch, checking every bound
	get(i int, r *R)                     // stores value i into the row; slices alias the batch
	text(dst []byte, i int) []byte       // value i as CSV text
	json(dst []byte, i int) []byte       // value i as JSON
}

// number is a fixed-width value of a column or of a list's items.
type number interface {
	uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// numberType returns the Arrow type of T.
func numberType[T number]() arrow.DataType {
	var z T
	switch any(z).(type) {
	case uint8:
		return arrow.PrimitiveTypes.Uint8
	case uint16:
		return arrow.PrimitiveTypes.Uint16
	case uint32:
		return arrow.PrimitiveTypes.Uint32
	case uint64:
		return arrow.PrimitiveTypes.Uint64
	case float32:
		return arrow.PrimitiveTypes.Float32
	default:
		return arrow.PrimitiveTypes.Float64
	}
}

// appendNumber writes v in the shortest decimal form that reads back exactly.
func appendNumber[T number](dst []byte, v T) []byte {
	switch v := any(v).(type) {
	case float32:
		return strconv.AppendFloat(dst, float64(v), 'g', -1, 32)
	case float64:
		return strconv.AppendFloat(dst, v, 'g', -1, 64)
	default:
		return strconv.AppendUint(dst, toUint(v), 10)
	}
}

// toUint widens an unsigned integer.
func toUint(v any) uint64 {
	switch v := v.(type) {
	case uint8:
		return uint64(v)
	case uint16:
		return uint64(v)
	case uint32:
		return uint64(v)
	case uint64:
		return v
	}
	return 0
}

// appendJSONNumber writes v as JSON. 64-bit integers become strings, since many
// readers of JSON hold numbers as doubles and would change the last digits of an
// id; NaN and infinities, which JSON lacks, become null.
func appendJSONNumber[T number](dst []byte, v T) []byte {
	switch f := any(v).(type) {
	case uint64:
		dst = append(dst, '"')
		dst = strconv.AppendUint(dst, f, 10)
		return append(dst, '"')
	case float32:
		if math.IsNaN(float64(f)) || math.IsInf(float64(f), 0) {
			return append(dst, "null"...)
		}
	case float64:
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return append(dst, "null"...)
		}
	}
	return appendNumber(dst, v)
}

// bufferBytes returns buffer i of d, which must hold at least want bytes, and
// that no value is null is checked as well.
func bufferBytes(d arrow.ArrayData, i, want int) ([]byte, error) {
	if d.NullN() != 0 {
		return nil, fmt.Errorf("holds %d null values where none are allowed", d.NullN())
	}
	bufs := d.Buffers()
	if i >= len(bufs) {
		return nil, fmt.Errorf("has %d buffers instead of at least %d", len(bufs), i+1)
	}
	var b []byte
	if bufs[i] != nil {
		b = bufs[i].Bytes()
	}
	if want < 0 || len(b) < want {
		return nil, fmt.Errorf("buffer of %d bytes where %d are needed", len(b), want)
	}
	return b[:want:want], nil
}

// loadOffsets returns the n+1 offsets of a list or binary column after checking
// that they ascend.
func loadOffsets(d arrow.ArrayData, n int) ([]int32, error) {
	if n == 0 {
		return []int32{0}, nil
	}
	b, err := bufferBytes(d, 1, 4*(n+1))
	if err != nil {
		return nil, err
	}
	offs := arrow.GetData[int32](b)
	if offs[0] < 0 {
		return nil, fmt.Errorf("negative offset %d", offs[0])
	}
	for i := range n {
		if offs[i+1] < offs[i] {
			return nil, fmt.Errorf("offset %d of value %d is below its predecessor %d", offs[i+1], i, offs[i])
		}
	}
	return offs, nil
}

// checkLen refuses a column whose length is not that of its batch.
func checkLen(d arrow.ArrayData, n int) error {
	if d.Len() != n || d.Offset() != 0 {
		return fmt.Errorf("has %d values from %d, its batch has %d rows", d.Len(), d.Offset(), n)
	}
	return nil
}

// numCol is a column of fixed-width numbers.
type numCol[R any, T number] struct {
	name string
	at   func(*R) *T
	vals []T
}

func num[R any, T number](name string, at func(*R) *T) column[R] {
	return &numCol[R, T]{name: name, at: at}
}

func (c *numCol[R, T]) field() arrow.Field {
	return arrow.Field{Name: c.name, Type: numberType[T]()}
}
func (c *numCol[R, T]) append(r *R) { c.vals = append(c.vals, *c.at(r)) }
func (c *numCol[R, T]) size() int   { return len(arrow.GetBytes(c.vals)) }
func (c *numCol[R, T]) reset()      { c.vals = c.vals[:0] }
func (c *numCol[R, T]) build(n int) arrow.ArrayData {
	return array.NewData(numberType[T](), n, []*memory.Buffer{nil, memory.NewBufferBytes(arrow.GetBytes(c.vals))}, nil, 0, 0)
}
func (c *numCol[R, T]) load(d arrow.ArrayData, n int) error {
	if err := checkLen(d, n); err != nil {
		return err
	}
	var z T
	b, err := bufferBytes(d, 1, n*widthOf(z))
	if err != nil {
		return err
	}
	c.vals = arrow.GetData[T](b)
	return nil
}
func (c *numCol[R, T]) get(i int, r *R)               { *c.at(r) = c.vals[i] }
func (c *numCol[R, T]) text(dst []byte, i int) []byte { return appendNumber(dst, c.vals[i]) }
func (c *numCol[R, T]) json(dst []byte, i int) []byte { return appendJSONNumber(dst, c.vals[i]) }

// widthOf returns the bytes of one value.
func widthOf[T number](z T) int {
	switch any(z).(type) {
	case uint8:
		return 1
	case uint16:
		return 2
	case uint32, float32:
		return 4
	default:
		return 8
	}
}

// boolCol is a column of bits.
type boolCol[R any] struct {
	name string
	at   func(*R) *bool
	bits []byte
	n    int
}

func boolean[R any](name string, at func(*R) *bool) column[R] {
	return &boolCol[R]{name: name, at: at}
}

func (c *boolCol[R]) field() arrow.Field {
	return arrow.Field{Name: c.name, Type: arrow.FixedWidthTypes.Boolean}
}
func (c *boolCol[R]) append(r *R) {
	if c.n%8 == 0 {
		c.bits = append(c.bits, 0)
	}
	if *c.at(r) {
		c.bits[c.n/8] |= 1 << (c.n % 8)
	}
	c.n++
}
func (c *boolCol[R]) size() int { return len(c.bits) }
func (c *boolCol[R]) reset()    { c.bits, c.n = c.bits[:0], 0 }
func (c *boolCol[R]) build(n int) arrow.ArrayData {
	return array.NewData(arrow.FixedWidthTypes.Boolean, n, []*memory.Buffer{nil, memory.NewBufferBytes(c.bits)}, nil, 0, 0)
}
func (c *boolCol[R]) load(d arrow.ArrayData, n int) (err error) {
	if err := checkLen(d, n); err != nil {
		return err
	}
	c.bits, err = bufferBytes(d, 1, (n+7)/8)
	return err
}
func (c *boolCol[R]) bit(i int) bool                { return c.bits[i/8]>>(i%8)&1 != 0 }
func (c *boolCol[R]) get(i int, r *R)               { *c.at(r) = c.bit(i) }
func (c *boolCol[R]) text(dst []byte, i int) []byte { return strconv.AppendBool(dst, c.bit(i)) }
func (c *boolCol[R]) json(dst []byte, i int) []byte { return strconv.AppendBool(dst, c.bit(i)) }

// varCol holds what text and binary columns share.
type varCol struct {
	name string
	data []byte
	offs []int32
}

func (c *varCol) size() int { return len(c.data) + 4*len(c.offs) }
func (c *varCol) reset()    { c.data, c.offs = c.data[:0], c.offs[:0] }
func (c *varCol) end() {
	if len(c.offs) == 0 {
		c.offs = append(c.offs, 0)
	}
	c.offs = append(c.offs, int32(len(c.data)))
}
func (c *varCol) data3(dt arrow.DataType, n int) arrow.ArrayData {
	return array.NewData(dt, n, []*memory.Buffer{nil, memory.NewBufferBytes(arrow.GetBytes(c.offs)), memory.NewBufferBytes(c.data)}, nil, 0, 0)
}
func (c *varCol) load(d arrow.ArrayData, n int) (err error) {
	if err := checkLen(d, n); err != nil {
		return err
	}
	if c.offs, err = loadOffsets(d, n); err != nil {
		return err
	}
	c.data, err = bufferBytes(d, 2, int(c.offs[n]))
	return err
}
func (c *varCol) at(i int) []byte { return c.data[c.offs[i]:c.offs[i+1]:c.offs[i+1]] }

// maxInterned bounds the table of repeated strings of one column, so that a file
// of distinct strings does not keep them all.
const maxInterned = 1024

// strCol is a column of UTF-8 text. The same few values come again and again
// (hashes, agents, outcomes), so a reader hands out one string for each of them
// instead of one for each row.
type strCol[R any] struct {
	varCol
	ptr   func(*R) *string
	last  string            // reading: value handed out last
	known map[string]string // reading: values seen

	checked string // writing: last value found valid
	bad     bool   // writing
}

func str[R any](name string, at func(*R) *string) column[R] {
	return &strCol[R]{varCol: varCol{name: name}, ptr: at}
}

func (c *strCol[R]) field() arrow.Field {
	return arrow.Field{Name: c.name, Type: arrow.BinaryTypes.String}
}
func (c *strCol[R]) append(r *R) {
	s := *c.ptr(r)
	if s != c.checked {
		if !utf8.ValidString(s) {
			c.bad = true
		}
		c.checked = s
	}
	c.data = append(c.data, s...)
	c.end()
}

// invalid reports whether a text that is not UTF-8 was appended, which readers
// in other languages would refuse.
func (c *strCol[R]) invalid() bool               { return c.bad }
func (c *strCol[R]) build(n int) arrow.ArrayData { return c.data3(arrow.BinaryTypes.String, n) }
func (c *strCol[R]) value(i int) string {
	b := c.varCol.at(i)
	if string(b) == c.last {
		return c.last
	}
	s, ok := c.known[string(b)]
	if !ok {
		s = string(b)
		if c.known == nil {
			c.known = make(map[string]string)
		}
		if len(c.known) < maxInterned {
			c.known[s] = s
		}
	}
	c.last = s
	return s
}
func (c *strCol[R]) get(i int, r *R)               { *c.ptr(r) = c.value(i) }
func (c *strCol[R]) text(dst []byte, i int) []byte { return append(dst, c.varCol.at(i)...) }
func (c *strCol[R]) json(dst []byte, i int) []byte { return appendJSONString(dst, c.value(i)) }

// appendJSONString appends s quoted.
func appendJSONString(dst []byte, s string) []byte {
	b, err := json.Marshal(s)
	if err != nil { // a string always marshals
		panic(err)
	}
	return append(dst, b...)
}

// binCol is a column of byte strings.
type binCol[R any] struct {
	varCol
	ptr func(*R) *[]byte
}

func bin[R any](name string, at func(*R) *[]byte) column[R] {
	return &binCol[R]{varCol: varCol{name: name}, ptr: at}
}

func (c *binCol[R]) field() arrow.Field {
	return arrow.Field{Name: c.name, Type: arrow.BinaryTypes.Binary}
}
func (c *binCol[R]) append(r *R) {
	c.data = append(c.data, *c.ptr(r)...)
	c.end()
}
func (c *binCol[R]) build(n int) arrow.ArrayData { return c.data3(arrow.BinaryTypes.Binary, n) }
func (c *binCol[R]) get(i int, r *R) {
	if b := c.varCol.at(i); len(b) > 0 {
		*c.ptr(r) = b
	} else {
		*c.ptr(r) = nil
	}
}
func (c *binCol[R]) text(dst []byte, i int) []byte { return hex.AppendEncode(dst, c.varCol.at(i)) }
func (c *binCol[R]) json(dst []byte, i int) []byte {
	dst = append(dst, '"')
	dst = hex.AppendEncode(dst, c.varCol.at(i))
	return append(dst, '"')
}

// listCol is a column of flat lists of numbers.
type listCol[R any, T number] struct {
	name string
	at   func(*R) *[]T
	vals []T
	offs []int32
}

func list[R any, T number](name string, at func(*R) *[]T) column[R] {
	return &listCol[R, T]{name: name, at: at}
}

func (c *listCol[R, T]) dataType() arrow.DataType {
	return arrow.ListOfField(arrow.Field{Name: "item", Type: numberType[T]()})
}
func (c *listCol[R, T]) field() arrow.Field { return arrow.Field{Name: c.name, Type: c.dataType()} }
func (c *listCol[R, T]) append(r *R) {
	if len(c.offs) == 0 {
		c.offs = append(c.offs, 0)
	}
	c.vals = append(c.vals, *c.at(r)...)
	c.offs = append(c.offs, int32(len(c.vals)))
}
func (c *listCol[R, T]) size() int { return len(arrow.GetBytes(c.vals)) + 4*len(c.offs) }
func (c *listCol[R, T]) reset()    { c.vals, c.offs = c.vals[:0], c.offs[:0] }
func (c *listCol[R, T]) build(n int) arrow.ArrayData {
	items := array.NewData(numberType[T](), len(c.vals), []*memory.Buffer{nil, memory.NewBufferBytes(arrow.GetBytes(c.vals))}, nil, 0, 0)
	defer items.Release()
	return array.NewData(c.dataType(), n, []*memory.Buffer{nil, memory.NewBufferBytes(arrow.GetBytes(c.offs))}, []arrow.ArrayData{items}, 0, 0)
}
func (c *listCol[R, T]) load(d arrow.ArrayData, n int) (err error) {
	if err := checkLen(d, n); err != nil {
		return err
	}
	if c.offs, err = loadOffsets(d, n); err != nil {
		return err
	}
	if len(d.Children()) != 1 {
		return fmt.Errorf("list with %d item columns", len(d.Children()))
	}
	items := d.Children()[0]
	last := int(c.offs[n])
	if items.Offset() != 0 || items.Len() < last {
		return fmt.Errorf("list of %d items from %d where %d are needed", items.Len(), items.Offset(), last)
	}
	var z T
	b, err := bufferBytes(items, 1, last*widthOf(z))
	if err != nil {
		return err
	}
	c.vals = arrow.GetData[T](b)
	return nil
}
func (c *listCol[R, T]) value(i int) []T { return c.vals[c.offs[i]:c.offs[i+1]:c.offs[i+1]] }
func (c *listCol[R, T]) get(i int, r *R) {
	if v := c.value(i); len(v) > 0 {
		*c.at(r) = v
	} else {
		*c.at(r) = nil
	}
}
func (c *listCol[R, T]) text(dst []byte, i int) []byte {
	for j, v := range c.value(i) {
		if j > 0 {
			dst = append(dst, ' ')
		}
		dst = appendNumber(dst, v)
	}
	return dst
}
func (c *listCol[R, T]) json(dst []byte, i int) []byte {
	dst = append(dst, '[')
	for j, v := range c.value(i) {
		if j > 0 {
			dst = append(dst, ',')
		}
		dst = appendJSONNumber(dst, v)
	}
	return append(dst, ']')
}

// nodeCount returns the number of field nodes and buffers that a record batch of
// schema s has in its metadata.
func nodeCount(s *arrow.Schema) (nodes, buffers int) {
	var walk func(t arrow.DataType)
	walk = func(t arrow.DataType) {
		nodes++
		switch t := t.(type) {
		case *arrow.StringType, *arrow.BinaryType:
			buffers += 3
		case *arrow.ListType:
			buffers += 2
			walk(t.Elem())
		default:
			buffers += 2
		}
	}
	for _, f := range s.Fields() {
		walk(f.Type)
	}
	return nodes, buffers
}

// sortedKeys returns the keys of m in ascending order.
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
