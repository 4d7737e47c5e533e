package experiments

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"latro/datasets"
	"latro/datasets/atomicfile"
	"latro/experiments/stats"
)

// TrainingInfo is what an experiment knows of the training of a network.
type TrainingInfo struct {
	// Network is its content hash.
	Network string `json:"network"`
	// Generations, Steps and Games are the run's up to it; 0 where the network is a
	// file without a run.
	Generations int    `json:"generations,omitempty"`
	Steps       uint64 `json:"steps,omitempty"`
	Games       uint64 `json:"games,omitempty"`
	// Metric is what Plateau is about, the design's primary metric; "" is the first
	// player's score.
	Metric string `json:"metric,omitempty"`
	// Plateau is how much the metric's mean in the run's own games changed from
	// the fifth part of training before the last to the last fifth, with an interval
	// from the generations; nil where there are too few of them to tell.
	Plateau *stats.Interval `json:"plateau,omitempty"`
}

// minPlateau is the number of generations that each of the two last fifths of
// training must have to be compared.
const minPlateau = 3

// trainingOf reads the learning curves of the runs that the design's networks come
// from. A run without a readable curve just has nothing to say.
func trainingOf(d Design, cells []*cellGame) []TrainingInfo {
	var out []TrainingInfo
	seen := map[string]bool{}
	for _, c := range cells {
		for i, hash := range []string{c.info.NetworkA, c.info.NetworkB} {
			if hash == "" || seen[hash] {
				continue
			}
			seen[hash] = true
			t := TrainingInfo{Network: hash, Metric: d.Metric}
			if t.Metric == "first-player-score" {
				t.Metric = ""
			}
			if run := c.play[i].Options["run"]; run != "" {
				t.readCurve(run, d.Metric, d.Level)
			}
			out = append(out, t)
		}
	}
	return out
}

func (t *TrainingInfo) readCurve(run, metric string, level float64) {
	// OpenMetrics would make a file that is not there.
	path := filepath.Join(run, "metrics.arrow")
	if ok, err := exists(path); err != nil || !ok {
		return
	}
	m, err := datasets.OpenMetrics(path, nil)
	if err != nil {
		return
	}
	var score []float64
	for _, p := range m.Points() {
		if n := p.Values["games"]; n > 0 {
			if v, ok := curveValue(metric, p.Values); ok {
				score = append(score, v)
			}
			t.Games += uint64(n)
		}
		t.Generations, t.Steps = int(p.Generation)+1, p.Step
	}
	part := len(score) / 5
	if part < minPlateau {
		return
	}
	last, before := score[len(score)-part:], score[len(score)-2*part:len(score)-part]
	iv := stats.WelchDifference(last, before, level).Interval
	t.Plateau = &iv
}

// curveValue is a generation's value of a metric, from the shares of its games that
// a run records; ok is false where it records nothing of the kind.
func curveValue(metric string, v map[string]float64) (value float64, ok bool) {
	switch metric {
	case "first-player-score":
		return v["win0"] + (v["draws"]+v["capped"])/2, true
	case "draw-share":
		return v["draws"], true
	case "decisive-share":
		return 1 - v["draws"] - v["capped"], true
	case "undecided-share":
		return v["draws"] + v["capped"], true
	case "capped-share":
		return v["capped"], true
	}
	return 0, false
}

// commit is the source revision of the program, "" where the build does not know
// it.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	revision, dirty := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = " with changes"
		}
	}
	if revision == "" {
		return ""
	}
	return revision + dirty
}

// Session is a session of an experiment: when games were played, on what machine, and
// how many. The log has a line when it begins, without Ended, and another when it ends;
// of a session that was killed only the first is left, whose Seconds and Games are 0
// though games may have been finished.
type Session struct {
	Began   time.Time `json:"began"`
	Seconds float64   `json:"seconds"`
	Workers int       `json:"workers"`
	Games   int       `json:"games"`
	CPU     string    `json:"cpu"`
	Cores   int       `json:"cores"`
	System  string    `json:"system"`
	// Ended is false in the line of a beginning, and stays so where the process was
	// killed.
	Ended bool `json:"ended"`
}

// appendLog adds a session to the log. The log is for people, so a disk that
// refuses it costs nothing but the line.
func appendLog(dir string, s Session) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, LogFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return fmt.Errorf("write log: %w", err)
	}
	_, err = f.Write(append(b, '\n'))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// ReadLog reads an experiment's sessions, in the order in which they began; none if there
// is no log. The end of a session takes the place of its beginning.
func ReadLog(dir string) ([]Session, error) {
	f, _, err := atomicfile.Open(filepath.Join(dir, LogFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	var out []Session
	for _, line := range bytes.Split(b, []byte("\n")) {
		var s Session
		// A line that a kill cut short is no session.
		if len(line) == 0 || json.Unmarshal(line, &s) != nil {
			continue
		}
		// One process at a time holds the directory, so a session that ends is the last that began.
		if n := len(out); s.Ended && n > 0 && !out[n-1].Ended && out[n-1].Began.Equal(s.Began) {
			out[n-1] = s
			continue
		}
		out = append(out, s)
	}
	return out, nil
}

// cpuName is the processor's name where the system tells it.
func cpuName() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.Lines(string(b)) {
			if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
				return strings.TrimSpace(value)
			}
		}
	}
	return runtime.GOARCH
}
