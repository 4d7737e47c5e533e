package nn

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Layout of the parameters, in which files of other formats hold them too.
// Every tensor is row-major, its last dimension the output:
//
//	3×3 convolution   [3 3 in out]   [row offset][column offset][in][out]
//	1×1 convolution   [in out]
//	dense             [in out]
//	scale, bias       [out]
//
// A dense layer with 2C inputs reads pooled features: the C means, then the C
// maxima. The frameworks that want [out in 3 3] get it by the axes (3, 2, 0, 1).

// Validate returns nil when the tensors are those of Config and Shape, in their
// order, and every value is finite.
func (n *Network) Validate() error { return n.validate() }

// WithBoard returns the network for a board of another size: no parameter
// depends on it. The parameters are shared with n; planes, globals and the names
// of the action planes stay.
func (n *Network) WithBoard(rows, cols int) (*Network, error) {
	w := *n
	w.Shape = n.Shape.clone()
	w.Shape.Rows, w.Shape.Cols = rows, cols
	if err := w.Shape.Validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrShape, err)
	}
	w.Meta = maps.Clone(n.Meta)
	return &w, nil
}

// FromTensors makes a network of the given architecture from tensors in any
// order. Missing, unknown and repeated tensors, wrong dimensions and values that
// are not finite are refused, all of them in one error that wraps ErrShape. The
// values are copied; nothing is allocated that the tensors do not fill.
func FromTensors(cfg Config, shape Shape, tensors []Tensor) (*Network, error) {
	if err := errors.Join(cfg.Validate(), shape.Validate()); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrShape, err)
	}
	var wrong []string
	have := map[string]Tensor{}
	for _, t := range tensors {
		if _, ok := have[t.Name]; ok {
			wrong = append(wrong, fmt.Sprintf("tensor %q is there twice", t.Name))
		}
		have[t.Name] = t
	}
	n := &Network{Config: cfg, Shape: shape.clone(), Meta: map[string]string{}}
	for _, s := range specs(cfg, shape) {
		t, ok := have[s.name]
		delete(have, s.name)
		switch j := firstNonFinite(t.Data); {
		case !ok:
			wrong = append(wrong, fmt.Sprintf("tensor %q %v is missing", s.name, s.dims))
		case !slices.Equal(t.Dims, s.dims) || int64(len(t.Data)) != s.size():
			wrong = append(wrong, fmt.Sprintf("tensor %q is %v with %d values, not %v", s.name, t.Dims, len(t.Data), s.dims))
		case j >= 0:
			wrong = append(wrong, fmt.Sprintf("tensor %q holds %v at index %d", s.name, t.Data[j], j))
		default:
			n.Tensors = append(n.Tensors, Tensor{Name: s.name, Dims: s.dims, Data: slices.Clone(t.Data)})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(have)) {
		wrong = append(wrong, fmt.Sprintf("tensor %q %v is none of a %s", name, have[name].Dims, cfg.describe()))
	}
	if len(wrong) > 0 {
		// A file of something else has hundreds; the first say enough.
		const shown = 8
		more := ""
		if len(wrong) > shown {
			more = fmt.Sprintf("; and %d more", len(wrong)-shown)
			wrong = wrong[:shown]
		}
		return nil, fmt.Errorf("%w: %s%s", ErrShape, strings.Join(wrong, "; "), more)
	}
	return n, nil
}

// TensorStats describes the values of one parameter tensor.
type TensorStats struct {
	Name string `json:"name"`
	Dims []int  `json:"dims"`
	// Values is the number of scalars.
	Values int `json:"values"`
	// Norm is the Euclidean norm.
	Norm float64 `json:"norm"`
	// RMS is the root of the mean square, by which tensors of different sizes
	// compare.
	RMS float64 `json:"rms"`
	Min float64 `json:"min"`
	Max float64 `json:"max"`
}

// Stats summarises the tensor's values.
func (t Tensor) Stats() TensorStats {
	s := TensorStats{Name: t.Name, Dims: slices.Clone(t.Dims), Values: len(t.Data)}
	if len(t.Data) == 0 {
		return s
	}
	s.Min, s.Max = math.Inf(1), math.Inf(-1)
	sum := 0.0
	for _, v := range t.Data {
		x := float64(v)
		sum += x * x
		s.Min, s.Max = min(s.Min, x), max(s.Max, x)
	}
	s.Norm, s.RMS = math.Sqrt(sum), math.Sqrt(sum/float64(len(t.Data)))
	return s
}

// TensorDifference compares the tensor of one name in two networks.
type TensorDifference struct {
	Name string `json:"name"`
	// DimsA and DimsB are the dimensions; nil where the network has no such
	// tensor.
	DimsA []int `json:"dims_a"`
	DimsB []int `json:"dims_b"`
	// MaxAbs is the greatest absolute difference of two values.
	MaxAbs float64 `json:"max_abs"`
	// Relative is the norm of the difference over the greater of the two
	// norms: 0 for equal tensors, about 1.4 for unrelated ones.
	Relative float64 `json:"relative"`
}

// Comparable reports whether both networks have the tensor with the same
// dimensions; otherwise MaxAbs and Relative are 0.
func (d TensorDifference) Comparable() bool {
	return d.DimsA != nil && slices.Equal(d.DimsA, d.DimsB)
}

// CompareTensors compares the parameters of two networks by name: those of a in
// their order, then those that only b has.
func CompareTensors(a, b *Network) []TensorDifference {
	var out []TensorDifference
	for i := range a.Tensors {
		ta := &a.Tensors[i]
		d := TensorDifference{Name: ta.Name, DimsA: slices.Clone(ta.Dims)}
		if tb := b.Tensor(ta.Name); tb != nil {
			d.DimsB = slices.Clone(tb.Dims)
			if d.Comparable() {
				d.MaxAbs, d.Relative = difference(ta.Data, tb.Data)
			}
		}
		out = append(out, d)
	}
	for _, tb := range b.Tensors {
		if a.Tensor(tb.Name) == nil {
			out = append(out, TensorDifference{Name: tb.Name, DimsB: slices.Clone(tb.Dims)})
		}
	}
	return out
}

func difference(a, b []float32) (maxAbs, relative float64) {
	var sum, na, nb float64
	for i, v := range a {
		x, y := float64(v), float64(b[i])
		d := x - y
		maxAbs = max(maxAbs, math.Abs(d))
		sum += d * d
		na += x * x
		nb += y * y
	}
	if sum > 0 {
		relative = math.Sqrt(sum / max(na, nb))
	}
	return maxAbs, relative
}

// OptimizerState says what a trainer state holds beside the parameters.
type OptimizerState struct {
	// Optimizer is the update rule, such as "adam".
	Optimizer string `json:"optimizer"`
	// Iteration is the number of steps that the moments have seen.
	Iteration int64 `json:"iteration"`
	// MomentNorms are the Euclidean norms of the first and second moments
	// over all parameters.
	MomentNorms [2]float64 `json:"moment_norms"`
}

// Inspect reads a network from a checkpoint or from a trainer state; the second
// result is nil for a checkpoint. Errors are those of Load.
func Inspect(path string) (*Network, *OptimizerState, error) {
	n, err := Load(path)
	if err == nil || !errors.Is(err, ErrNotCheckpoint) {
		return n, nil, err
	}
	head, body, stateErr := readContainer(path, stateMagic)
	if errors.Is(stateErr, ErrNotCheckpoint) {
		return nil, nil, err
	}
	if stateErr != nil {
		return nil, nil, fmt.Errorf("load trainer state: %w", stateErr)
	}
	damaged := func(err error) error {
		return fmt.Errorf("load trainer state: %s: %w: %w", path, ErrDamaged, err)
	}
	var h stateHead
	if err := json.Unmarshal(head, &h); err != nil {
		return nil, nil, damaged(fmt.Errorf("header: %w", err))
	}
	if n, err = networkFromHead(h.Network, body, 3); err != nil {
		return nil, nil, damaged(err)
	}
	size := 4 * n.Parameters()
	decodeFloats(body[:size], n.data())
	if err := n.validate(); err != nil {
		return nil, nil, damaged(err)
	}
	s := &OptimizerState{Optimizer: h.Optimizer, Iteration: h.Iteration}
	moment := make([]float32, n.Parameters())
	for i := range s.MomentNorms {
		decodeFloats(body[(i+1)*size:][:size], [][]float32{moment})
		if j := firstNonFinite(moment); j >= 0 {
			return nil, nil, damaged(fmt.Errorf("moment %d holds %v at index %d", i+1, moment[j], j))
		}
		s.MomentNorms[i] = Tensor{Data: moment}.Stats().Norm
	}
	return n, s, nil
}
