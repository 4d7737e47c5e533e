// Package cputime measures the processor time of this process, which a busy
// machine distorts far less than it does the clock on the wall.
package cputime
