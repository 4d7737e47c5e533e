//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestKillWear: a comparison that is killed goes on, whether it was freezing, playing, or comparing.
func TestKillWear(t *testing.T) {
	killed(t, 14, killJob{
		args: func(dir string) []string { return tinyWear(dir, "--workers", "2") },
		finished: func(t *testing.T, dir string) (map[string]string, []string) {
			all := map[string]string{}
			games := glob(t, dir, "games", "*.arrows")
			for _, g := range games {
				data, err := os.ReadFile(g)
				if err != nil {
					t.Fatal(err)
				}
				all[filepath.Base(g)] = string(data)
			}
			return all, games
		},
	})
}
