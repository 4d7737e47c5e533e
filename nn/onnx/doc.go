// Package onnx writes a network as an ONNX model, for the runtimes and the tools
// of other languages.
//
//	err := onnx.WriteFile("net.onnx", network, onnx.Options{})
//
// The model is the whole network in 32-bit floats, opset 17, IR version 8, with a
// free batch axis. Its inputs and outputs are those of nn.Instance.Run, everything
// in the frame of the player to move:
//
//	input   observation  [batch, planes, rows, cols]  the planes of env.Encoder
//	input   globals      [batch, globals]             absent if the network reads none
//	output  policy       [batch, actions]             logits, illegal actions included, pass last
//	output  wdl          [batch, 3]                   logits of win, draw and loss
//	output  material     [batch]                      expected final material difference, -1 to 1
//
// Auxiliary heads, which only training uses, are left out.
//
// The board is the network's own, another of a given size, or left open
// ([Options]): no parameter depends on it.
//
// Scales are folded into the convolutions as nn.Compile folds them, so that the
// two agree to rounding: a test compares onnxruntime with nn on the same inputs
// (at most 1e-4 apart). The constants are named after the network's tensors;
// "block0.conv1.kernel" is block0.conv1.weight times block0.conv1.scale, with the
// axes in ONNX's order [out, in, row, column].
//
// Only operators that every runtime has are used: Conv, Relu, Add, Gemm, Concat,
// Flatten, Unsqueeze, Squeeze, GlobalAveragePool, GlobalMaxPool and Tanh.
//
// The same network gives the same bytes. The metadata of the model (metadata_props)
// holds what [Metadata] returns.
package onnx
