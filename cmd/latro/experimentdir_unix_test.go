//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"latro/experiments"
)

// TestNoExperimentThere: what is no experiment's directory is refused in a sentence, without waiting for it or reading
// it whole.
func TestNoExperimentThere(t *testing.T) {
	t.Chdir(t.TempDir())
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(path, text string) {
		t.Helper()
		must(os.MkdirAll(filepath.Dir(path), 0o777))
		must(os.WriteFile(path, []byte(text), 0o666))
	}
	must(os.Mkdir("empty", 0o777))
	write("file", "x")
	write("manifest-only/"+experiments.ManifestFile, "{}")
	write("design-only/"+experiments.DesignFile, "{}")
	write("no-json/"+experiments.DesignFile, "\x00\x01")
	write("no-json/"+experiments.ManifestFile, "{}")
	for _, name := range []string{"zero", "pipe", "folder", "large"} {
		write(name+"/"+experiments.DesignFile, "{}")
	}
	must(os.Symlink("/dev/zero", "zero/"+experiments.ManifestFile))
	must(unix.Mkfifo("pipe/"+experiments.ManifestFile, 0o666))
	must(os.Mkdir("folder/"+experiments.ManifestFile, 0o777))
	write("large/"+experiments.ManifestFile, "")
	must(os.Truncate("large/"+experiments.DesignFile, 1<<40)) // a file without blocks
	must(os.Symlink("nowhere", "dangling"))
	cases := map[string]string{
		"empty": "empty holds no experiment: it has no manifest.json", "file": "file is not a directory", "/dev/zero": "/dev/zero is not a directory",
		"/dev/null": "/dev/null is not a directory", "absent": "there is no directory absent", "dangling": "there is no directory dangling", "file/x": "not a directory",
		"manifest-only": "manifest-only has a manifest.json but no design.json", "design-only": "holds a frozen design but no manifest.json",
		"no-json": "no-json/design.json cannot be read", "zero": "zero/manifest.json is not a file", "pipe": "pipe/manifest.json is not a file",
		"folder": "folder/manifest.json is not a file", "large": "large/design.json has 1099511627776 bytes",
	}
	must(os.Mkdir("locked", 0))
	if _, err := os.ReadDir("locked"); err != nil {
		cases["locked"] = "permission denied"
	}
	for dir, want := range cases {
		for _, command := range []string{"repro", "report"} {
			o := latro(t, exitInput, "experiment", command, dir)
			if first, _, _ := strings.Cut(o.err, "\nThe system does not allow"); !strings.Contains(first, want) || strings.Count(strings.TrimSpace(first), "\n") > 0 || o.out != "" {
				t.Errorf("%s %s: %q is missing in one line: %s%s", command, dir, want, o.err, o.out)
			}
		}
	}
	if _, err := os.Stat("empty/report.html"); err == nil {
		t.Error("a report of nothing was written")
	}
}
