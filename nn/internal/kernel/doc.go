// Package kernel holds the arithmetic that nearly all of a network's time goes
// into, in play and in training. [Product] is a matrix kernel that serves
// convolutions, 1×1 convolutions and dense layers, and [WeightGradient] sums their
// weight gradients. [Winograd] and [WinogradGradient] do the same for 3×3
// convolutions with down to a quarter of the multiplications. Which of the two a
// layer uses is its owner's choice; both have assembly kernels for x86-64.
//
// # Layout
//
// Activations are float32, pixel-major with the channel inside (NHWC). Boards
// are stored with a border of zeros so that a 3×3 convolution needs no test for
// the edge: a [Layout] of n boards of R×C squares puts the square (b, r, c) at
//
//	pixel b·(R+1)·(C+1) + (r+1)·(C+1) + c + 1
//
// so one empty column separates a row's end from the next row's start and one
// empty row separates two boards; both serve two neighbours at once. Kernels
// write only squares of the board, hence a border that is zero once stays zero.
// A dense layer is the same with one pixel a row of the matrix and no border.
//
// Output channels are computed [Block] at a time, and buffers that kernels
// write have a channel count that is a multiple of Block; surplus channels hold
// zeros because their weights and biases are zero.
//
// Winograd's tiles may reach beyond the board. [NewPaddedBoards] makes borders
// wide enough for them, which are zero like others: the inputs there count for
// nothing, and outputs there are not written.
//
// # Order of operations
//
// Every output of a Product is the sum, from bias (plus residual) on, of its products in the
// fixed order (tap row, tap column, input channel). Where a pixel stands in a
// tile, a chunk or a batch changes nothing, so results are bitwise independent
// of batch size, slot, chunk and number of threads. Winograd's transforms and
// products have fixed orders too, tile by tile, but other roundings: two methods
// agree to about 10⁻⁵ of a layer's largest values. The AVX2 kernels fuse each
// product and sum into one rounding; the portable ones round twice, explicitly,
// so that they agree on every architecture. The two families differ by rounding
// only; [ID] names the one in use, and runs record it.
//
// Layers with [Short] weights round the transformed inputs and weights to 16 bits and
// add exactly, in any order. Their scale is a board's own, so the same independence
// holds; the two families may round an input to different neighbours.
package kernel
