package report

import (
	"os"
	"path/filepath"
	"testing"
)

// TestDump writes the pages of the made-up experiments where LATRO_REPORT says, to
// look at them.
func TestDump(t *testing.T) {
	dir := os.Getenv("LATRO_REPORT")
	if dir == "" {
		t.Skip("set LATRO_REPORT to look at the pages")
	}
	for name, r := range map[string]Report{"crossed": Standard(crossed(t), nil), "ordered": Standard(ordered(t, 5, 7), nil)} {
		if err := os.WriteFile(filepath.Join(dir, name+".html"), []byte(r.HTML()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
