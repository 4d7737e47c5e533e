package experiments

import (
	"context"
	"testing"
	"time"
)

// TestLogKeepsKilledSessions: a session is in the log from its beginning, and its end takes the place of that.
func TestLogKeepsKilledSessions(t *testing.T) {
	dir := t.TempDir()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, s := range []Session{
		{Began: at, Workers: 2},
		{Began: at.Add(time.Hour), Workers: 1},
		{Began: at.Add(time.Hour), Workers: 1, Games: 8, Seconds: 2, Ended: true},
	} {
		if err := appendLog(dir, s); err != nil {
			t.Fatal(err)
		}
	}
	got, err := ReadLog(dir)
	if err != nil || len(got) != 2 || got[0].Ended || got[0].Workers != 2 || !got[1].Ended || got[1].Games != 8 {
		t.Errorf("sessions %+v, %v; want one that was killed and one of 8 games", got, err)
	}
}

// TestLogHasTheSessionWhileItPlays: when the first unit is finished the line of the beginning is there.
func TestLogHasTheSessionWhileItPlays(t *testing.T) {
	dir := t.TempDir()
	d := twoRulesets(4)
	began := 0
	err := Run(context.Background(), dir, d, RunOptions{Workers: 1, Progress: func(p Progress) {
		if p.Games > 0 && p.Games < p.Total {
			if s, err := ReadLog(dir); err == nil && len(s) == 1 && !s[0].Ended && s[0].Workers == 1 {
				began++
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := ReadLog(dir)
	if err != nil || len(s) != 1 || !s[0].Ended || s[0].Games == 0 || began == 0 {
		t.Errorf("sessions %+v, %v; the beginning was seen %d times", s, err, began)
	}
}
