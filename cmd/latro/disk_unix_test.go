//go:build linux || darwin

package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// diskJobs are the commands that write much, each into a directory below dir.
func diskJobs(dir string) []struct {
	name, out string
	args      []string
} {
	run, experiment := filepath.Join(dir, "run"), filepath.Join(dir, "experiment")
	return []struct {
		name, out string
		args      []string
	}{
		{"learn", run, []string{"learn", run, "--config", tinyRun, "--generations", "2", "--workers", "1"}},
		{"experiment", experiment, []string{"experiment", "run", tinyDesign, "--out", experiment, "--workers", "1", "--no-report"}},
	}
}

// TestFullDisk: where files cannot grow beyond some size the program ends with exit code 1 and an error that
// names the file; what was finished stays, nothing is left half written, and with room again the same command
// ends in the same bytes.
func TestFullDisk(t *testing.T) {
	whole := t.TempDir()
	for i, job := range diskJobs(whole) {
		latro(t, exitDone, job.args...)
		want := bytesBelow(t, job.out)
		// Limits at which different files are the first that fails: from the smallest to the largest.
		sizes := map[int]bool{}
		for _, data := range want {
			sizes[len(data)] = true
		}
		sorted := slices.Sorted(maps.Keys(sizes))
		for _, k := range []int{0, 2 * len(sorted) / 3, len(sorted) - 1} {
			limit := sorted[k] - 1
			t.Run(fmt.Sprintf("%s/%d", job.name, limit), func(t *testing.T) {
				dir := t.TempDir()
				job := diskJobs(dir)[i]
				p := start(t, []string{envFileSize + "=" + strconv.Itoa(limit)}, job.args...)
				if code := p.wait(t); code != exitFailed {
					t.Fatalf("exit code %d\n%s", code, p.err.String())
				}
				wantIn(t, p.err.String(), "latro: ", "file too large", job.out)
				resumes(t, job.out, want, job.args)
			})
		}
	}
}

// resumes checks a directory after a failure: no temporary files, sound data, and the same command ends in the
// bytes of a run that nothing disturbed.
func resumes(t *testing.T, dir string, want map[string]string, args []string) {
	t.Helper()
	for _, f := range slices.Concat(glob(t, dir, ".*"), glob(t, dir, "*", ".*")) {
		if strings.HasSuffix(f, ".atomic-tmp") {
			t.Errorf("%s is left half written", f)
		}
	}
	if len(glob(t, dir, "*", "*.arrow*")) > 0 {
		latro(t, exitDone, "data", "verify", dir)
	}
	for name, data := range bytesBelow(t, dir) {
		if (strings.HasPrefix(name, "shards/") || strings.HasPrefix(name, "games/")) && data != want[name] {
			t.Errorf("%s is not what it must be", name)
		}
	}
	latro(t, exitDone, args...)
	sameBytes(t, "with room again", bytesBelow(t, dir), want)
}

// TestFullDiskReport: a report for which there is no room is a failure, and no half of a page is left.
func TestFullDiskReport(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "experiment")
	latro(t, exitDone, "experiment", "run", tinyDesign, "--out", dir, "--no-report")
	p := start(t, []string{envFileSize + "=20000"}, "experiment", "report", dir)
	if code := p.wait(t); code != exitFailed {
		t.Fatalf("exit code %d\n%s", code, p.err.String())
	}
	wantIn(t, p.err.String(), "latro: ", "file too large")
	if p.out.String() != "" {
		t.Errorf("standard output has %q", p.out.String())
	}
	for _, page := range glob(t, dir, "*.html") {
		t.Errorf("%s is left", page)
	}
	latro(t, exitDone, "experiment", "report", dir)
}

// TestFullStandardOutput uses the device whose every write fails with "no space left on device".
func TestFullStandardOutput(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("the system has no /dev/full")
	}
	defer full.Close()
	var errs strings.Builder
	if code := run(t.Context(), []string{"rules", "list", "--json"}, strings.NewReader(""), full, &errs); code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	wantIn(t, errs.String(), "no space left on device")
}
