package onnx

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Field numbers and enumerations of the public schema, onnx.proto3 (IR version
// 8), as far as a network needs them.
const (
	modelIRVersion       = 1
	modelProducerName    = 2
	modelProducerVersion = 3
	modelDomain          = 4
	modelDoc             = 6
	modelGraph           = 7
	modelOpsetImport     = 8
	modelMetadata        = 14

	opsetVersion = 2

	entryKey   = 1
	entryValue = 2

	graphNode        = 1
	graphName        = 2
	graphInitializer = 5
	graphDoc         = 10
	graphInput       = 11
	graphOutput      = 12

	nodeInput     = 1
	nodeOutput    = 2
	nodeName      = 3
	nodeOpType    = 4
	nodeAttribute = 5

	attributeName = 1
	attributeInt  = 3
	attributeInts = 8
	attributeType = 20

	attributeTypeInt  = 2
	attributeTypeInts = 7

	tensorDims     = 1
	tensorDataType = 2
	tensorName     = 8
	tensorRaw      = 9

	valueName = 1
	valueType = 2
	valueDoc  = 3

	typeTensor  = 1
	tensorElem  = 1
	tensorShape = 2
	shapeDim    = 1
	dimValue    = 1
	dimParam    = 2

	elemFloat = 1
	elemInt64 = 7
)

// message is a protocol buffer under construction.
type message []byte

func (m *message) varint(field protowire.Number, v int64) {
	*m = protowire.AppendTag(*m, field, protowire.VarintType)
	*m = protowire.AppendVarint(*m, uint64(v))
}

func (m *message) text(field protowire.Number, s string) {
	if s != "" {
		*m = protowire.AppendTag(*m, field, protowire.BytesType)
		*m = protowire.AppendString(*m, s)
	}
}

func (m *message) message(field protowire.Number, sub message) {
	*m = protowire.AppendTag(*m, field, protowire.BytesType)
	*m = protowire.AppendBytes(*m, sub)
}

// packed appends a repeated integer field.
func (m *message) packed(field protowire.Number, v []int64) {
	var list []byte
	for _, x := range v {
		list = protowire.AppendVarint(list, uint64(x))
	}
	m.message(field, list)
}

// dim is one dimension of an input or output: a number, or a name for one that
// the model leaves open.
type dim struct {
	value int64
	name  string
}

// attribute is a node's attribute: a number, or a list of numbers.
type attribute struct {
	name string
	int  int64
	ints []int64
}

func (a attribute) encode() (m message) {
	m.text(attributeName, a.name)
	if a.ints != nil {
		m.packed(attributeInts, a.ints)
		m.varint(attributeType, attributeTypeInts)
	} else {
		m.varint(attributeInt, a.int)
		m.varint(attributeType, attributeTypeInt)
	}
	return m
}

// graph collects the parts of a GraphProto in the order in which they are
// added.
type graph struct {
	nodes, initializers, inputs, outputs message
}

// node adds a node whose name is that of its output, and returns that name.
func (g *graph) node(op, output string, inputs []string, attributes ...attribute) string {
	var m message
	for _, in := range inputs {
		m.text(nodeInput, in)
	}
	m.text(nodeOutput, output)
	m.text(nodeName, output)
	m.text(nodeOpType, op)
	for _, a := range attributes {
		m.message(nodeAttribute, a.encode())
	}
	g.nodes.message(graphNode, m)
	return output
}

// floats adds a constant and returns its name.
func (g *graph) floats(name string, data []float32, dims ...int64) string {
	raw := make([]byte, 0, 4*len(data))
	for _, v := range data {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return g.tensor(name, elemFloat, raw, dims)
}

// int64s adds a vector of integers and returns its name.
func (g *graph) int64s(name string, data ...int64) string {
	var raw []byte
	for _, v := range data {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	return g.tensor(name, elemInt64, raw, []int64{int64(len(data))})
}

func (g *graph) tensor(name string, elem int64, raw []byte, dims []int64) string {
	var m message
	m.packed(tensorDims, dims)
	m.varint(tensorDataType, elem)
	m.text(tensorName, name)
	m.message(tensorRaw, raw)
	g.initializers.message(graphInitializer, m)
	return name
}

// value encodes a ValueInfoProto of floats.
func value(name, doc string, dims ...dim) (m message) {
	var shape message
	for _, d := range dims {
		var one message
		if d.name != "" {
			one.text(dimParam, d.name)
		} else {
			one.varint(dimValue, d.value)
		}
		shape.message(shapeDim, one)
	}
	var tensor, typ message
	tensor.varint(tensorElem, elemFloat)
	tensor.message(tensorShape, shape)
	typ.message(typeTensor, tensor)
	m.text(valueName, name)
	m.message(valueType, typ)
	m.text(valueDoc, doc)
	return m
}

func (g *graph) input(name, doc string, dims ...dim) string {
	g.inputs.message(graphInput, value(name, doc, dims...))
	return name
}

func (g *graph) output(name, doc string, dims ...dim) {
	g.outputs.message(graphOutput, value(name, doc, dims...))
}

// encode returns the GraphProto.
func (g *graph) encode(name, doc string) message {
	size := len(g.nodes) + len(g.initializers) + len(g.inputs) + len(g.outputs)
	m := make(message, 0, size+len(name)+len(doc)+32)
	m = append(m, g.nodes...)
	m.text(graphName, name)
	m = append(m, g.initializers...)
	m.text(graphDoc, doc)
	m = append(m, g.inputs...)
	return append(m, g.outputs...)
}
