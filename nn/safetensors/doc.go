// Package safetensors reads and writes files of named tensors in the safetensors
// format, which the tools of other languages read without running code from the
// file.
//
// A file is eight bytes with the length of the header, the header in JSON, and the
// values:
//
//	{"name": {"dtype": "F32", "shape": [3, 4], "data_offsets": [0, 48]}, …,
//	 "__metadata__": {"key": "text", …}}
//
// [Write] stores 32-bit floats, row-major, little-endian, in the order given.
// [Parse] reads files from strangers: the header is bounded, every tensor's range
// must lie in the file and be of the size that its shape says, and the ranges must
// cover the values once, without overlap or gap. Memory use is bounded by a small
// multiple of the file's length, whatever the file claims.
//
// [SaveNetwork] and [LoadNetwork] use the format for networks: the tensors under
// their own names and in nn's layout (see nn.Tensor), and the architecture in the
// metadata.
package safetensors
