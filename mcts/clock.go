package mcts

import (
	"fmt"
	"runtime"
	"time"
)

// Clock names the time that a limit in seconds is counted in.
type Clock string

// The clocks.
const (
	// CPUClock is the processor time of the thread that searches: what else the machine does takes nothing away, so that
	// two agents with the same limit do the same amount of work. On systems other than Linux it is the wall clock.
	CPUClock Clock = "cpu"
	// WallClock is the time that a person waits.
	WallClock Clock = "wall"
)

// validate returns nil or an error that wraps ErrConfig.
func (c Clock) validate() error {
	if c != "" && c != CPUClock && c != WallClock {
		return fmt.Errorf("%w: Clock is %q; it must be %q or %q", ErrConfig, c, CPUClock, WallClock)
	}
	return nil
}

// stopwatch measures a choice that a limit in seconds ends. While it runs its goroutine is bound to its thread.
type stopwatch struct {
	clock Clock
	limit time.Duration // 0 while it does not run
	from  time.Duration
}

// start begins to measure; seconds of 0 are no limit.
func (w *stopwatch) start(clock Clock, seconds float64) {
	*w = stopwatch{clock: clock, limit: time.Duration(seconds * float64(time.Second))}
	if w.limit > 0 {
		if clock != WallClock {
			runtime.LockOSThread()
		}
		w.from = w.now()
	}
}

// out says whether the limit is reached. It costs up to half a microsecond.
func (w *stopwatch) out() bool { return w.limit > 0 && w.elapsed() >= w.limit }

// elapsed is the time since start.
func (w *stopwatch) elapsed() time.Duration { return w.now() - w.from }

// stop ends what start began.
func (w *stopwatch) stop() {
	if w.limit > 0 && w.clock != WallClock {
		runtime.UnlockOSThread()
	}
	w.limit = 0
}

func (w *stopwatch) now() time.Duration {
	if w.clock == WallClock {
		return wallTime()
	}
	return threadTime()
}

// epoch is where wall time is counted from: it is monotonic.
var epoch = time.Now()

func wallTime() time.Duration { return time.Since(epoch) }
