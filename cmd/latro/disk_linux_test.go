package main

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// TestFullFileSystem fills a real file system, a small one in memory, and then makes it larger. Only root can.
func TestFullFileSystem(t *testing.T) {
	whole := t.TempDir()
	for i, job := range diskJobs(whole) {
		t.Run(job.name, func(t *testing.T) {
			latro(t, exitDone, job.args...)
			want := bytesBelow(t, job.out)
			total := 0
			for _, data := range want {
				// A file takes whole pages.
				total += (len(data) + 4095) / 4096 * 4096
			}
			mount := filepath.Join(t.TempDir(), "disk")
			if err := os.Mkdir(mount, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := unix.Mount("tmpfs", mount, "tmpfs", 0, "size="+strconv.Itoa(total/2)); err != nil {
				t.Skipf("no file system can be mounted: %v", err)
			}
			t.Cleanup(func() {
				if err := unix.Unmount(mount, 0); err != nil {
					t.Error(err)
				}
			})
			job := diskJobs(mount)[i]
			o := latro(t, exitFailed, job.args...)
			wantIn(t, o.err, "latro: ", "no space left on device", job.out)
			if err := unix.Mount("tmpfs", mount, "tmpfs", unix.MS_REMOUNT, "size="+strconv.Itoa(4*total)); err != nil {
				t.Fatal(err)
			}
			resumes(t, job.out, want, job.args)
		})
	}
}
