// Package cputime tells how much processor time this process has used. What else a
// machine is doing lengthens the time on the clock, but hardly the processor time.
package cputime

import "time"

// Process is the processor time of all threads of this process so far, in user and
// system mode. On a system that does not tell it, it is the time since the program began. Safe for
// concurrent use.
func Process() time.Duration { return process() }
