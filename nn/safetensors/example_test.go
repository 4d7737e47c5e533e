package safetensors_test

import (
	"bytes"
	"fmt"

	"latro/nn/safetensors"
)

func ExampleParse() {
	var file bytes.Buffer
	tensors := []safetensors.Tensor{{Name: "w", Dims: []int{2, 2}, Data: []float32{1, 2, 3, 4}}}
	if err := safetensors.Write(&file, tensors, map[string]string{"made by": "an example"}); err != nil {
		panic(err)
	}
	f, err := safetensors.Parse(file.Bytes())
	if err != nil {
		panic(err)
	}
	w := f.Tensor("w")
	values, err := w.Float32s()
	fmt.Println(f.Metadata["made by"], w.DType, w.Dims, values, err)
	// Output: an example F32 [2 2] [1 2 3 4] <nil>
}
