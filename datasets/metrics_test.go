package datasets

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

func TestMetricsAppendAcrossRestarts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "metrics.arrow")
	m, err := OpenMetrics(path, map[string]string{"run": "a"})
	if err != nil {
		t.Fatal(err)
	}
	want := []MetricPoint{
		{1, 0, map[string]float64{"loss/value": 0.9, "loss/policy": 3}},
		{2, 0, map[string]float64{"loss/value": 0.8}},
		{2, 1, map[string]float64{"elo": 12}},
	}
	add := func(m *Metrics, ps ...MetricPoint) {
		t.Helper()
		for _, p := range ps {
			if err := m.Add(p); err != nil {
				t.Fatal(err)
			}
		}
	}
	add(m, want...)
	if err := m.Flush(); err != nil {
		t.Fatal(err)
	}
	m, err = OpenMetrics(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Points(); !reflect.DeepEqual(got, want) {
		t.Fatalf("%v, want %v", got, want)
	}
	// A killed run made points that no checkpoint has.
	add(m, MetricPoint{9, 1, map[string]float64{"loss/value": 99}})
	m.DropAfter(2)
	more := MetricPoint{3, 2, map[string]float64{"entropy": 1.5, "elo": 20}}
	add(m, more)
	if err := m.Flush(); err != nil {
		t.Fatal(err)
	}
	m, err = OpenMetrics(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Points(); !reflect.DeepEqual(got, append(want, more)) {
		t.Fatalf("%v", got)
	}
	if got := m.Names(); !slices.Equal(got, []string{"elo", "entropy", "loss/policy", "loss/value"}) || m.LastStep() != 3 || m.Len() != 4 {
		t.Fatalf("%v, last step %d", got, m.LastStep())
	}
	steps, values := m.Series("elo")
	if !slices.Equal(steps, []uint64{2, 3}) || !slices.Equal(values, []float64{12, 20}) {
		t.Fatalf("%v %v", steps, values)
	}
	if s, _ := m.Series("absent"); s != nil {
		t.Fatal("a curve that is not there")
	}
}

func TestMetricsRefuse(t *testing.T) {
	dir := t.TempDir()
	m, err := OpenMetrics(filepath.Join(dir, "m"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Add(MetricPoint{Step: 5}); err != nil {
		t.Fatal(err)
	}
	if err := m.Add(MetricPoint{Step: 4}); err == nil {
		t.Fatal("a step went back")
	}
	if err := m.Add(MetricPoint{Step: 6, Values: map[string]float64{"step": 1}}); err == nil {
		t.Fatal("a curve named step")
	}
	if m.Len() != 1 {
		t.Fatal("a refused point was kept")
	}
	path := filepath.Join(dir, "s")
	if _, err := WriteSamples(path, nil, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenMetrics(path, nil); err == nil {
		t.Fatal("samples were read as metrics")
	}
}

// The file does not depend on which curve came first or where it was flushed.
func TestMetricsBytesAreReproducible(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, restart bool) []byte {
		path := filepath.Join(dir, name)
		m, err := OpenMetrics(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range uint64(10) {
			if err := m.Add(MetricPoint{Step: i, Values: map[string]float64{string(rune('j' - i)): float64(i)}}); err != nil {
				t.Fatal(err)
			}
			if restart {
				if err := m.Flush(); err != nil {
					t.Fatal(err)
				}
				if m, err = OpenMetrics(path, nil); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := m.Flush(); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if !bytes.Equal(write("a", false), write("b", true)) {
		t.Fatal("restarts change the bytes")
	}
}
