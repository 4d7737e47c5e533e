package main

import (
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows how far a long job is: a bar on a terminal, a log line now and then elsewhere. It writes to
// standard error, so that standard output stays a result. Not for concurrent use.
type progress struct {
	bar   *progressbar.ProgressBar
	log   *slog.Logger
	what  string
	total int
	done  int
	every time.Duration
	last  time.Time
}

// logEvery is the time between two lines of progress where there is no terminal.
const logEvery = 10 * time.Second

// newProgress starts a bar over total steps, of which done were made before.
func (a *app) newProgress(what string, total, done int) *progress {
	p := &progress{what: what, total: total, done: done, every: logEvery, last: time.Now()}
	if f, ok := a.stderr.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(f),
			progressbar.OptionSetDescription(what),
			progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionSetWidth(30),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(),
		)
		_ = p.bar.Set(done) // as in add
		return p
	}
	p.log = logger(a.stderr)
	p.log.Info(what, "done", done, "of", total)
	return p
}

// add moves on by n steps.
func (p *progress) add(n int) {
	p.done += n
	if p.bar != nil {
		_ = p.bar.Add(n) // a bar that cannot be drawn is no reason to stop the work
		return
	}
	if time.Since(p.last) >= p.every {
		p.last = time.Now()
		p.log.Info(p.what, "done", p.done, "of", p.total)
	}
}

// finish ends the bar.
func (p *progress) finish() {
	if p.bar != nil {
		_ = p.bar.Finish()
		return
	}
	p.log.Info(p.what, "done", p.done, "of", p.total)
}

// logger writes log lines with the time, for people who look later what happened.
func logger(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }
