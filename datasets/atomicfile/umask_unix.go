//go:build unix

package atomicfile

import (
	"os"
	"strconv"
	"strings"
	"sync"
)

// umask returns the process's file mode creation mask. Reading it through
// umask(2) means setting it, which would race with other goroutines creating
// files, so Linux's /proc is asked, and elsewhere the usual mask is assumed.
var umask = sync.OnceValue(func() os.FileMode {
	const usual = 0o022
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return usual
	}
	for line := range strings.Lines(string(status)) {
		if v, ok := strings.CutPrefix(line, "Umask:"); ok {
			m, err := strconv.ParseUint(strings.TrimSpace(v), 8, 32)
			if err != nil {
				return usual
			}
			return os.FileMode(m) & os.ModePerm
		}
	}
	return usual
})
