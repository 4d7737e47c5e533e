package main

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"latro/env"
	"latro/nn"
	"latro/nn/safetensors"
)

// learnedNet is the newest checkpoint of a finished run, and the run.
func learnedNet(t *testing.T) (run, checkpoint string) {
	t.Helper()
	run = learned(t)
	return run, filepath.Join(run, "checkpoints", "gen-0001.latro")
}

const (
	tinyBoard   = "bell-8x7+board.rows=5+board.cols=5+pieces.men=4"
	bellPlanes  = "on-board own-men enemy-men own-leader enemy-leader active last-from last-to placeable hostile-corner"
	bellActions = "n1 n2 e1 e2 s1 s2 w1 w2 place-man place-leader"
)

func TestNetInfo(t *testing.T) {
	run, checkpoint := learnedNet(t)
	n, err := nn.Load(checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	var info netInfo
	latroJSON(t, &info, "net", "info", run, "--tensors")
	if info.File != checkpoint || info.Kind != "checkpoint" || info.Network != "1x16" || info.Parameters != n.Parameters() || info.Hash != n.Hash() ||
		info.Board != "5x5" || info.Ruleset != tinyBoard || info.RulesetHash != n.RulesetHash || info.RulesetName == "" || info.Step != n.Step || info.Step == 0 ||
		info.Encoding != env.EncodingVersion || info.Actions != 251 || info.Config != n.Config {
		t.Errorf("%+v", info)
	}
	if got := strings.Join(info.PlaneNames, " "); got != bellPlanes || info.Planes != 10 {
		t.Errorf("planes %d: %s", info.Planes, got)
	}
	if got := strings.Join(info.ActionPlanes, " "); got != bellActions {
		t.Errorf("action planes: %s", got)
	}
	if len(info.GlobalNames) != info.Globals || info.Globals == 0 {
		t.Errorf("%d names of %d globals", len(info.GlobalNames), info.Globals)
	}
	if o := info.Optimiser; o == nil || o.Optimizer != nn.Adam || o.Iteration != n.Step || o.MomentNorms[0] <= 0 || filepath.Base(o.File) != "gen-0001.optimiser" {
		t.Errorf("optimiser %+v", o)
	}
	if len(info.Tensors) != len(n.Tensors) || info.Tensors[0].Name != "stem.weight" || info.Tensors[0].Norm <= 0 {
		t.Errorf("%d tensors of %d", len(info.Tensors), len(n.Tensors))
	}
	out := latro(t, exitDone, "net", "info", checkpoint).out
	wantIn(t, out, "1x16", "5x5", tinyBoard, bellPlanes, bellActions, "adam after", n.Hash())
	if strings.Contains(out, "TENSOR") {
		t.Error("tensors are listed without --tensors")
	}
	wantIn(t, latro(t, exitDone, "net", "info", checkpoint, "--tensors").out, "TENSOR", "block0.conv1.weight   [3 3 16 16]")
	// The trainer's own file.
	latroJSON(t, &info, "net", "info", filepath.Join(run, "checkpoints", "gen-0001.optimiser"))
	if info.Kind != "trainer state" || info.Optimiser == nil || info.Optimiser.Iteration != n.Step {
		t.Errorf("trainer state: %+v", info)
	}

	// A file from a stranger: unknown ruleset, escape sequences in its texts, outside of any run.
	n.RulesetID, n.Meta["note"] = "no-such-rules", "\x1b[2Jcleared"
	alone := filepath.Join(t.TempDir(), "alone.latro")
	delete(n.Meta, nn.MetaPlanes)
	delete(n.Meta, netMetaEncoding)
	if err := n.Save(alone); err != nil {
		t.Fatal(err)
	}
	out = latro(t, exitDone, "net", "info", alone).out
	wantIn(t, out, "names unknown", "no-such-rules", "[2Jcleared", "encoding version  not recorded", "no state beside the file")
	if strings.Contains(out, "\x1b") {
		t.Errorf("a file's text moves the cursor: %q", out)
	}
}

func TestNetExportImport(t *testing.T) {
	run, checkpoint := learnedNet(t)
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	before, err := nn.Load(checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	var e netExport
	latroJSON(t, &e, "net", "export", run, "--out", at("a.onnx"))
	st, err := os.Stat(at("a.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	if e.Format != "onnx" || e.Board != "5x5" || e.Network != "1x16" || e.Bytes != st.Size() || st.Size() < 4*int64(before.Parameters()) {
		t.Errorf("%+v", e)
	}
	data, err := os.ReadFile(at("a.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	// Names of the inputs for readers of the model, in its metadata.
	wantIn(t, string(data), "latro.planes", bellPlanes, "latro.globals", "phase-placement", "latro.encoding_version", "latro.ruleset", tinyBoard)
	for board, args := range map[string][]string{
		"any": {"--board", "any"}, "7x4": {"--board", "7x4"}, "8x7": {"--ruleset", "bell-8x7"},
	} {
		latroJSON(t, &e, append([]string{"net", "export", checkpoint, "--out", at("b"), "--format", "onnx"}, args...)...)
		if e.Board != board {
			t.Errorf("%v gives board %s", args, e.Board)
		}
	}

	// There and back again.
	wantIn(t, latro(t, exitDone, "net", "export", checkpoint, "--out", at("a.safetensors")).out, "a.safetensors: safetensors, network 1x16, board 5x5")
	wantIn(t, latro(t, exitDone, "net", "import", at("a.safetensors"), "--out", at("a.latro")).out, "network 1x16")
	is, err := nn.Load(at("a.latro"))
	if err != nil {
		t.Fatal(err)
	}
	if before.Hash() != is.Hash() || before.RulesetHash != is.RulesetHash || before.Step != is.Step {
		t.Errorf("%+v came back", is)
	}
	// Another program keeps the tensors and drops the rest.
	f, err := safetensors.ReadFile(at("a.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	var tensors []safetensors.Tensor
	for i := range f.Tensors {
		v, err := f.Tensors[i].Float32s()
		if err != nil {
			t.Fatal(err)
		}
		v[0] += 1
		tensors = append(tensors, safetensors.Tensor{Name: f.Tensors[i].Name, Dims: f.Tensors[i].Dims, Data: v})
	}
	if err := safetensors.WriteFile(at("plain.safetensors"), tensors, nil); err != nil {
		t.Fatal(err)
	}
	wantIn(t, latro(t, exitInput, "net", "import", at("plain.safetensors"), "--out", at("c.latro")).err, "plain.safetensors", "metadata")
	latro(t, exitDone, "net", "import", at("plain.safetensors"), "--config-from", run, "--out", at("c.latro"))
	latro(t, exitDone, "match", "net:path="+at("c.latro")+",simulations=2", "random", "--games", "2", "--max-plies", "20", "-r", tinyBoard)
}

func TestNetNew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new.latro")
	var e, again, other netExport
	latroJSON(t, &e, "net", "new", "-r", tinyBoard, "--net", "2x16", "--out", path)
	latroJSON(t, &again, "net", "new", "-r", tinyBoard, "--net", "2x16", "--out", path)
	latroJSON(t, &other, "net", "new", "-r", tinyBoard, "--net", "2x16", "--out", path, "--seed", "2")
	if e.Network != "2x16" || e.Board != "5x5" || e != again || e.Hash == other.Hash {
		t.Errorf("%+v, again %+v, other seed %+v", e, again, other)
	}
	var info netInfo
	latroJSON(t, &info, "net", "info", path)
	if info.Step != 0 || info.Encoding != env.EncodingVersion || info.Ruleset != tinyBoard || info.Optimiser != nil || info.PlaneNames == nil {
		t.Errorf("%+v", info)
	}
	latro(t, exitDone, "match", "net:path="+path+",simulations=2", "random", "--games", "2", "--max-plies", "10", "-r", tinyBoard)
	wantIn(t, latro(t, exitInput, "net", "new", "-r", tinyBoard, "--net", "0x16", "--out", path).err, "blocks is 0")
}

func TestNetDiff(t *testing.T) {
	dir, checkpoint := learnedNet(t)
	first := filepath.Join(dir, "checkpoints", "gen-0000.latro")
	var d netDiff
	latroJSON(t, &d, "net", "diff", checkpoint, dir, "--positions", "70")
	if !d.Same || len(d.Fields) != 0 || d.Play == nil || d.Play.Top1 != 1 || d.Play.MaxKL != 0 || d.Play.MaxValue != 0 || d.Play.Positions != 70 || d.Play.Ruleset != tinyBoard {
		t.Errorf("of itself: %+v, play %+v", d, d.Play)
	}
	latroJSON(t, &d, "net", "diff", first, dir, "--positions", "70", "--seed", "3")
	p := d.Play
	if d.Same || len(d.Fields) != 1 || d.Fields[0].Field != "step" || p.KL <= 0 || p.KL > p.MaxKL || p.Value <= 0 || p.Value > p.MaxValue || p.Top1 < 0 || p.Top1 >= 1 || p.Material <= 0 {
		t.Errorf("of the beginning: %+v, play %+v", d, p)
	}
	for _, x := range d.Tensors {
		if !x.Comparable() || x.MaxAbs <= 0 || x.Relative <= 0 || x.Relative > 2 {
			t.Errorf("%+v", x)
		}
	}
	var again, other netDiff
	latroJSON(t, &again, "net", "diff", first, dir, "--positions", "70", "--seed", "3")
	latroJSON(t, &other, "net", "diff", first, dir, "--positions", "70", "--seed", "4")
	if *again.Play != *p || other.Play.KL == p.KL {
		t.Errorf("the seed does not decide: %+v, %+v, other seed %+v", p, again.Play, other.Play)
	}
	wantIn(t, latro(t, exitDone, "net", "diff", first, dir, "-n", "40").out, "step", "stem.weight", "RELATIVE", "same preferred ply", "nats")
	wantIn(t, latro(t, exitDone, "net", "diff", checkpoint, dir, "-n", "0").out, "The same network")

	// Another architecture of another game: no comparison of play, and a reason.
	moved := filepath.Join(t.TempDir(), "moved.latro")
	latro(t, exitDone, "net", "transfer", dir, "-r", "luductus", "--net", "2x16", "--out", moved)
	d = netDiff{}
	latroJSON(t, &d, "net", "diff", dir, moved)
	fields := map[string]bool{}
	for _, f := range d.Fields {
		fields[f.Field] = true
	}
	if d.Play != nil || !strings.Contains(d.PlayNote, "moved.latro cannot play") || !fields["blocks"] || !fields["board"] || !fields["action_planes"] || fields["channels"] {
		t.Errorf("%v, %q", d.Fields, d.PlayNote)
	}
	wantIn(t, latro(t, exitDone, "net", "diff", dir, moved).out, "only in B", "[3 3 10 16] and [3 3 8 16]", "Play was not compared")
	wantIn(t, latro(t, exitInput, "net", "diff", dir, moved, "-r", "luductus").err, "gen-0001.latro cannot play luductus")

	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("interrupt signal received"))
	var out, errs strings.Builder
	if code := run(ctx, []string{"net", "diff", first, checkpoint}, strings.NewReader(""), &out, &errs); code != exitInterrupted {
		t.Errorf("exit code %d after an interrupt: %s", code, errs.String())
	}
}

// TestNetTransfer carries a network over to rules of another board, and back to the same rules with more blocks,
// with which it must play as before.
func TestNetTransfer(t *testing.T) {
	run, checkpoint := learnedNet(t)
	dir := t.TempDir()
	moved, deeper := filepath.Join(dir, "moved.latro"), filepath.Join(dir, "deeper.latro")
	out := latro(t, exitDone, "net", "transfer", run, "--ruleset", "luductus", "--out", moved).out
	wantIn(t, out, "stem.weight: kept in part: inputs kept [on-board own-men enemy-men own-leader enemy-leader last-from last-to placeable], dropped [active hostile-corner]\n",
		"block0.conv1.weight: kept\n", "policy.out.weight: kept in part: planes kept [n1 n2 ", "board 7x13, ruleset luductus\n")
	n, err := nn.Load(moved)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out, "\n"); got != len(n.Tensors)+3 {
		t.Errorf("%d lines for %d tensors", got, len(n.Tensors))
	}
	if n.RulesetID != "luductus" || n.Step != 0 || n.Meta["parent_ruleset"] != tinyBoard || n.Meta["encoding_version"] != strconv.Itoa(env.EncodingVersion) {
		t.Errorf("%q step %d %v", n.RulesetID, n.Step, n.Meta)
	}
	// The agent of the new rules takes it without rules=any.
	latro(t, exitDone, "match", "net:path="+moved+",simulations=2", "random", "--games", "2", "--max-plies", "10", "-r", "luductus")

	var r netTransfer
	latroJSON(t, &r, "net", "transfer", checkpoint, "-r", tinyBoard, "--net", "3x16", "--out", deeper)
	if r.Network != "3x16" || r.Board != "5x5" || r.Ruleset != tinyBoard || r.Counts["dropped"] != 0 || r.Counts["initialised"] == 0 || r.Counts["kept"] == 0 {
		t.Errorf("%+v", r)
	}
	var d netDiff
	latroJSON(t, &d, "net", "diff", checkpoint, deeper, "-n", "40")
	if d.Play == nil || d.Play.Top1 != 1 || d.Play.MaxKL > 1e-9 || d.Play.MaxValue > 1e-5 {
		t.Errorf("the deeper network plays differently: %+v %s", d.Play, d.PlayNote)
	}

	// The file names what it reads, so its ruleset may be gone.
	n.RulesetID, n.RulesetHash = "gone.yaml", "0"
	if err := n.Save(moved); err != nil {
		t.Fatal(err)
	}
	latro(t, exitDone, "net", "transfer", moved, "-r", "webdux", "--out", filepath.Join(dir, "again.latro"))
	wantIn(t, latro(t, exitDone, "net", "info", moved).out, "gone.yaml", "its ruleset cannot be opened", "own-leader enemy-leader last-from")
	// Eight planes each, but others.
	wantIn(t, latro(t, exitInput, "net", "export", moved, "-r", "webdux", "-o", filepath.Join(dir, "x.onnx")).err, "net transfer")

	// A parent whose rules are gone and that names nothing says so, and can be told them.
	n, err = nn.Load(checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	n.RulesetID, n.Meta = "gone.yaml", nil
	orphan := filepath.Join(dir, "orphan.latro")
	if err := n.Save(orphan); err != nil {
		t.Fatal(err)
	}
	wantIn(t, latro(t, exitInput, "net", "transfer", orphan, "-r", "luductus", "--out", moved).err, "orphan.latro", "gone.yaml", "--trained-on")
	latro(t, exitDone, "net", "transfer", orphan, "-r", "luductus", "--out", moved, "--trained-on", tinyBoard)
	wantIn(t, latro(t, exitInput, "net", "transfer", orphan, "-r", "luductus", "--out", moved, "--trained-on", "webdux").err, "orphan.latro", "planes")
}

func TestNetBadInput(t *testing.T) {
	run, checkpoint := learnedNet(t)
	dir := t.TempDir()
	data, err := os.ReadFile(checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	put := func(name string, data []byte) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	cut, other := put("cut.latro", data[:len(data)/2]), put("other.latro", []byte("something else"))
	flipped := append([]byte(nil), data...)
	flipped[len(data)/2] ^= 1
	flip := put("flipped.latro", flipped)
	lies := put("lies.safetensors", append([]byte{40, 0, 0, 0, 0, 0, 0, 0}, `{"a":{"dtype":"F32","shape":[9999]}}    `...))
	huge, err := nn.Load(checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	for i := range huge.Tensors {
		for k := range huge.Tensors[i].Data {
			huge.Tensors[i].Data[k] = math.MaxFloat32
		}
	}
	big := filepath.Join(dir, "huge.latro")
	if err := huge.Save(big); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out.onnx")
	before := len(glob(t, dir, "*"))
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"info", filepath.Join(dir, "none.latro")}, []string{"none.latro"}},
		{[]string{"info", dir}, []string{dir, "manifest.json"}},
		{[]string{"info", os.DevNull}, []string{os.DevNull, "regular file"}},
		{[]string{"info", other}, []string{"other.latro", "not a latro network"}},
		{[]string{"info", cut}, []string{"cut.latro", "damaged"}},
		{[]string{"info", flip}, []string{"flipped.latro", "damaged"}},
		{[]string{"export", flip, "--out", out}, []string{"flipped.latro", "damaged"}},
		{[]string{"export", run, "--out", filepath.Join(dir, "out.bin")}, []string{"--out", "--format"}},
		{[]string{"export", run, "--out", out, "--board", "8"}, []string{"--board", "8x7"}},
		{[]string{"export", run, "--out", out, "--board", "900x900"}, []string{"900"}},
		{[]string{"export", run, "--out", filepath.Join(dir, "o.safetensors"), "--board", "any"}, []string{"--board is for onnx"}},
		{[]string{"export", run, "--out", out, "--set", "board.rows=6"}, []string{"--set", "--ruleset"}},
		{[]string{"export", run, "--out", out, "--board", "6x6", "--ruleset", "bell-8x7"}, []string{"--board"}},
		{[]string{"export", run, "--out", out, "--ruleset", "luductus"}, []string{"planes", "net transfer"}},
		{[]string{"export", run, "--out", out, "--ruleset", "no-such-rules"}, []string{"no-such-rules"}},
		{[]string{"export", checkpoint, "--out", checkpoint, "--format", "onnx"}, []string{"--out", "lost"}},
		{[]string{"export", run, "--out", os.DevNull, "--format", "onnx"}, []string{os.DevNull, "regular file"}},
		{[]string{"import", checkpoint, "--out", out}, []string{"gen-0001.latro", "safetensors"}},
		{[]string{"import", lies, "--out", out}, []string{"lies.safetensors", `"a"`}},
		{[]string{"import", lies, "--out", lies}, []string{"--out", "lost"}},
		{[]string{"import", lies, "--out", checkpoint, "--config-from", checkpoint}, []string{"--out", "lost"}},
		{[]string{"import", os.DevNull, "--out", out}, []string{os.DevNull, "regular file"}},
		{[]string{"diff", run, cut}, []string{"cut.latro"}},
		{[]string{"diff", run, run, "--positions=-1"}, []string{"--positions is -1"}},
		{[]string{"diff", run, run, "--set", "board.rows=6"}, []string{"--set", "--ruleset"}},
		{[]string{"diff", run, run, "--ruleset", "webdux"}, []string{"gen-0001.latro cannot play webdux"}},
		{[]string{"diff", run, big}, []string{"not finite"}},
		{[]string{"transfer", run, "-r", "luductus", "--net", "1x32", "--out", out}, []string{"gen-0001.latro", "32 channels"}},
		{[]string{"transfer", run, "-r", "luductus", "--net", "big", "--out", out}, []string{`"big"`, "4x32"}},
		{[]string{"transfer", run, "-r", "no-such-rules", "--out", out}, []string{"no-such-rules"}},
		{[]string{"transfer", checkpoint, "-r", "luductus", "--out", checkpoint}, []string{"--out", "lost"}},
	} {
		o := latro(t, exitInput, append([]string{"net"}, c.args...)...)
		if o.out != "" {
			t.Errorf("latro net %v writes to standard output: %s", c.args, o.out)
		}
		wantIn(t, o.err, append(c.want, "latro: ")...)
		if strings.Contains(o.err, "goroutine") || strings.Count(o.err, "invalid input") > 1 {
			t.Errorf("latro net %v: not an error for people:\n%s", c.args, o.err)
		}
	}
	if after := glob(t, dir, "*"); len(after) != before {
		t.Errorf("bad input left files: %v", after)
	}
	if now, err := os.ReadFile(checkpoint); err != nil || string(now) != string(data) {
		t.Errorf("bad input changed the checkpoint (%v)", err)
	}
}
