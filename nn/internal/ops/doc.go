// Package ops holds the Gorgonia operations that the network's training graph
// is made of: convolution (also 1×1 and dense layers) with scale, bias,
// residual and ReLU in one, global pooling, a bias per board, and the losses.
// The stock ones are 8 to 20 times slower, allocate every intermediate result
// anew in every run, and some fail in their gradient.
//
// Each operation implements gorgonia.SDOp: SymDiff adds a backward operation
// that computes all gradients at once into buffers it owns, and small "part"
// operations that hand them out, because a Gorgonia operation has one result.
//
// Rules that make this safe with Gorgonia's tape machine:
//
//   - A result is the operation's own tensor, the same in every run. Whoever
//     wants to keep it copies it.
//   - All that a backward operation computes, it computes when it runs; the
//     machine may let a later addition overwrite a result in place, but only
//     after its last reader.
//   - Operations hash by a number that is unique in their graph (from [Serial]):
//     the machine merges nodes of equal hash, and two operations with buffers
//     must never be merged.
//   - Borders of board buffers (see package kernel) are zero in every result
//     and every gradient.
//
// Operations are not safe for concurrent use; a graph belongs to one goroutine.
// Within an operation the work is spread over a fixed number of threads, and
// every sum has a fixed order, so the result does not depend on that number.
package ops
