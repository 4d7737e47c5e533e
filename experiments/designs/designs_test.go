package designs_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"latro/experiments"
	"latro/experiments/designs"
	"latro/experiments/report"
	"latro/selfplay"
)

// TestDesignsRunEndToEnd: every design that ships, at a small size: it is frozen, its games are played, analysed and
// reported, and all of it comes out the same a second time, games included.
func TestDesignsRunEndToEnd(t *testing.T) {
	for _, name := range designs.Names() {
		t.Run(name, func(t *testing.T) {
			text, err := designs.Read(name)
			if err != nil {
				t.Fatal(err)
			}
			d, err := experiments.ParseDesign(name+".yaml", text)
			if err != nil {
				t.Fatal(err)
			}
			if testing.Short() && len(d.Cells()) > 40 {
				t.Skip("has a page of many cells")
			}
			q := d.Quickly()
			q.Pairs, q.UnitPairs, q.Cap = 1, 1, min(q.Cap, 12)
			// The pages of the largest designs take seconds: their weakest and their strongest player stand for all.
			if n := len(q.Agents); len(q.Cells()) > 60 {
				q.Agents, q.Matches = []experiments.AgentRef{q.Agents[0], q.Agents[n-1]}, nil
			}
			cells := len(q.Cells())
			dir := t.TempDir()
			agents := new(selfplay.Agents).New
			if q, err = experiments.Freeze(dir, q, agents); err != nil {
				t.Fatal(err)
			}
			if err := experiments.Run(context.Background(), dir, q, experiments.RunOptions{Factory: agents}); err != nil {
				t.Fatal(err)
			}
			build := func() (*experiments.Analysis, []byte) {
				a, err := experiments.Analyse(dir)
				if err != nil {
					t.Fatal(err)
				}
				r := report.Standard(a, nil)
				b, err := r.JSON()
				if err != nil {
					t.Fatal(err)
				}
				return a, append(b, r.HTML()...)
			}
			a, page := build()
			if !a.Complete || len(a.Cells) != cells || len(a.Findings) == 0 {
				t.Errorf("%d of %d cells, %d findings, complete: %v", len(a.Cells), cells, len(a.Findings), a.Complete)
			}
			if !bytes.Contains(page, []byte("This is a quick trial")) {
				t.Error("the report does not say that it is a trial")
			}
			if cells <= 24 {
				if _, again := build(); !bytes.Equal(page, again) {
					t.Error("the report comes out differently a second time")
				}
			}
			again, err := experiments.Replay(context.Background(), dir, experiments.ReplayOptions{Games: 4, Seed: 1, Factory: agents})
			if err != nil || again.Games != 4 || len(again.Differences) > 0 {
				t.Errorf("replayed: %+v, %v", again, err)
			}
		})
	}
}

// TestEveryDesignOfTheSeriesIsThere: E0 to E11, each under its own id, each with its cost, and each but the two that say why
// not meant to answer its question.
func TestEveryDesignOfTheSeriesIsThere(t *testing.T) {
	for i := range 12 {
		short := fmt.Sprintf("e%d", i)
		name, ok := designs.Find(short)
		if !ok {
			t.Errorf("there is no %s", short)
			continue
		}
		text, err := designs.Read(short)
		if err != nil {
			t.Fatal(err)
		}
		d, err := experiments.ParseDesign(name+".yaml", text)
		if err != nil {
			t.Fatal(err)
		}
		if d.ID != name || !strings.HasPrefix(d.Title, fmt.Sprintf("E%d: ", i)) {
			t.Errorf("%s has the id %s and the title %s", name, d.ID, d.Title)
		}
		if d.Exploratory && !strings.Contains(string(text), "exploratory:") {
			t.Errorf("%s does not say why it is exploratory", name)
		}
	}
	for _, name := range designs.Names() {
		text, err := designs.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		if h, ok := designs.Hours(text); !ok || h <= 0 || h > 4 {
			t.Errorf("%s costs %v hours (stated: %v)", name, h, ok)
		}
		onDisk, err := os.ReadFile(filepath.Join(".", name+".yaml"))
		if err != nil || !bytes.Equal(onDisk, text) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUnknownDesign(t *testing.T) {
	for _, name := range []string{"", "e12", "e", "bell", "e5-dux.yaml", "../e5-dux"} {
		if full, ok := designs.Find(name); ok {
			t.Errorf("%q is taken for %s", name, full)
		}
	}
	if _, err := designs.Read("e12"); err == nil || !strings.Contains(err.Error(), "e11-luductus") {
		t.Errorf("error %v", err)
	}
	if _, ok := designs.Hours([]byte("# cost: many hours on two cores\n")); ok {
		t.Error("a cost in words is taken for a number")
	}
}
