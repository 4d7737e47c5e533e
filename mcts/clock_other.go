//go:build !linux

package mcts

import "time"

// threadTime is the wall clock: this system does not tell a thread's processor time in a way that is the same everywhere.
func threadTime() time.Duration { return wallTime() }
