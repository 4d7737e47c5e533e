// Command widen writes the engine's kernels for boards of two and four words from those of one word: each file
// whose name ends in _w1.go, but for the sets of squares themselves, is copied with W1 replaced by W2 and W4. Run
// it through go generate in the engine's directory; a test says when the copies are out of step.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"latro/env/engine/internal/widen/widening"
)

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "widen:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*_w1.go"))
	if err != nil {
		return err
	}
	for _, file := range files {
		name := filepath.Base(file)
		if name == "bits_w1.go" {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, width := range []string{"2", "4"} {
			out := filepath.Join(dir, strings.TrimSuffix(name, "_w1.go")+"_w"+width+".go")
			if err := os.WriteFile(out, widening.Widen(source, name, width), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}
