package onnx_test

import (
	"bytes"
	"fmt"

	"latro/nn"
	"latro/nn/onnx"
)

// A model for boards of every size.
func ExampleWrite() {
	cfg, err := nn.ParsePreset("2x16")
	if err != nil {
		panic(err)
	}
	network, err := nn.New(cfg, nn.Shape{Rows: 8, Cols: 7, Planes: 5, Globals: 3, ActionPlanes: []string{"n1", "place-man"}}, 1)
	if err != nil {
		panic(err)
	}
	var model bytes.Buffer
	if err := onnx.Write(&model, network, onnx.Options{AnyBoard: true}); err != nil {
		panic(err)
	}
	fmt.Println("opset", onnx.Opset, "with", onnx.Metadata(network)["latro.network"])
	fmt.Println("larger than its parameters:", model.Len() > 4*network.Parameters())
	// Output:
	// opset 17 with 2x16
	// larger than its parameters: true
}
