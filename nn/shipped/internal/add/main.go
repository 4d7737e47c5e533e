// Command add makes the newest network of a run one of those that ship:
//
//	go run ./nn/shipped/internal/add -command "latro learn runs/bell -r bell-8x7 --minutes 60" runs/bell
//
// It writes networks/ID.latro and testdata/ID.json of package shipped; ID is the id of the run's ruleset, which has to
// be in the catalogue. The same run gives the same bytes. A run that is going on may be read: the network is the
// newest one that was finished.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"latro/datasets/atomicfile"
	"latro/env/rules"
	"latro/nn"
	"latro/nn/shipped"
	"latro/nn/shipped/internal/golden"
	"latro/selfplay"
)

func main() {
	command := flag.String("command", "", "the command line that made the run; its configuration is recorded anyway")
	note := flag.String("note", "", "what readers should know, such as that the curve still rose")
	workers := flag.Int("workers", 2, "cores that the run had")
	generation := flag.Int("generation", -1, "which network, by its generation; the newest one if left out")
	dir := flag.String("dir", filepath.Join("nn", "shipped"), "folder of the package")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "add: name one run")
		os.Exit(2)
	}
	if err := add(*dir, flag.Arg(0), *generation, shipped.Origin{Command: *command, Note: *note, Workers: *workers}); err != nil {
		fmt.Fprintln(os.Stderr, "add:", err)
		os.Exit(1)
	}
}

func add(dir, run string, generation int, o shipped.Origin) error {
	paths, err := selfplay.Checkpoints(run)
	if err != nil {
		return err
	}
	o.Generation = len(paths) - 1
	if generation >= len(paths) {
		return fmt.Errorf("%s has no generation %d yet; the newest is %d", run, generation, o.Generation)
	}
	if generation >= 0 {
		o.Generation = generation
	}
	n, err := nn.Load(paths[o.Generation])
	if err != nil {
		return err
	}
	if err := describe(run, n, &o); err != nil {
		return err
	}
	n = n.Playing() // what only training needs does not ship
	o.Record(n)
	r, err := rules.Open(n.RulesetID)
	if err != nil {
		return fmt.Errorf("a network ships for a ruleset of the catalogue: %w", err)
	}
	if r.Hash() != n.RulesetHash {
		return fmt.Errorf("the network was trained on other rules than %s has now", n.RulesetID)
	}
	out := filepath.Join(dir, "networks", r.Ref()+".latro")
	if err := n.Save(out); err != nil {
		return err
	}
	st, err := os.Stat(out)
	if err != nil {
		return err
	}
	if st.Size() > shipped.MaxBytes {
		return errors.Join(fmt.Errorf("%s has %d bytes, more than the %d that a network may have", n.Config.Name(), st.Size(), shipped.MaxBytes), os.Remove(out))
	}
	answers, err := golden.Ask(n)
	if err != nil {
		return err
	}
	text, err := json.Marshal(answers)
	if err != nil {
		return err
	}
	if err := atomicfile.WriteBytes(filepath.Join(dir, "testdata", r.Ref()+".json"), append(text, '\n')); err != nil {
		return err
	}
	fmt.Printf("%s: %s, generation %d, %d games, %d samples, %d steps, %.2f hours, %d bytes\n",
		out, n.Config.Name(), o.Generation, o.Games, o.Samples, n.Step, o.Hours, st.Size())
	return nil
}

// withoutFolder leaves the parent's name in a line that says what a run began with: where that lay on the disk of whoever
// made the run says nothing to others.
func withoutFolder(line string) string {
	parent, ok := strings.CutPrefix(line, "init_from: ")
	if !ok {
		return line
	}
	return "init_from: " + filepath.Base(strings.Trim(parent, "\"'\n")) + "\n"
}

// describe fills in what the run's files say, and notes with the network the look ahead that it was trained with.
func describe(run string, n *nn.Network, o *shipped.Origin) error {
	config, err := selfplay.ReadText(filepath.Join(run, "run.yaml"))
	if err != nil {
		return err
	}
	c, err := selfplay.ReadConfig(filepath.Join(run, "run.yaml"))
	if err != nil {
		return err
	}
	o.Seed = c.Seed
	if c.Search.Probe > 0 {
		n.Meta[selfplay.MetaProbe] = strconv.Itoa(c.Search.Probe) // runs of older programs did not keep it
	}
	var lines []string
	for line := range strings.Lines(string(config)) {
		line = withoutFolder(line)
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	o.Config = strings.Join(lines, "")
	data, err := selfplay.ReadText(filepath.Join(run, "manifest.json"))
	if err != nil {
		return err
	}
	var m selfplay.Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return err
	}
	for _, s := range m.Shards {
		if s.Generation < o.Generation {
			o.Games += s.Games.Rows
			o.Samples += s.Samples.Rows
		}
	}
	log, err := selfplay.ReadText(filepath.Join(run, "log"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	o.Hours = hours(log, o.Generation)
	return nil
}

var took = regexp.MustCompile(`msg="?(games played|trained)"? generation=(\d+) .*\bseconds=([0-9.e+-]+)`)

// hours adds up what the log says that the generations before this one took. A generation that was begun again after a
// kill counts as it was finished.
func hours(log []byte, generation int) float64 {
	played, trained := make([]float64, generation), make([]float64, generation)
	for lines := bufio.NewScanner(bytes.NewReader(log)); lines.Scan(); {
		x := took.FindStringSubmatch(lines.Text())
		if x == nil {
			continue
		}
		g, err := strconv.Atoi(x[2])
		if err != nil || g >= generation {
			continue
		}
		part := trained
		if x[1] == "games played" {
			part = played
		}
		if s, err := strconv.ParseFloat(x[3], 64); err == nil {
			part[g] = s
		}
	}
	total := 0.0
	for g := range generation {
		total += played[g] + trained[g]
	}
	return total / 3600
}
