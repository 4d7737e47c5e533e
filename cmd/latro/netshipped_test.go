package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"latro/nn"
	"latro/nn/shipped"
)

// TestShippedNetworks: every command that takes a network takes one that ships.
func TestShippedNetworks(t *testing.T) {
	var all []netShipped
	latroJSON(t, &all, "net", "info")
	if len(all) != len(shipped.IDs()) {
		t.Fatalf("%d networks, %v ship", len(all), shipped.IDs())
	}
	for _, s := range all {
		if s.Name != "shipped:"+s.Ruleset || s.RulesetHash == "" || s.Bytes == 0 || s.Origin == nil || s.Origin.Generation == 0 {
			t.Errorf("%+v", s)
		}
	}
	name := all[0].Name
	table := latro(t, exitDone, "net", "info", "shipped").out
	wantIn(t, table, all[0].Ruleset, all[0].Hash[:12], name)
	wantIn(t, latro(t, exitDone, "net", "info", name).out, all[0].Hash, "generations", "trained")
	dir := t.TempDir()
	latro(t, exitDone, "net", "export", name, "--out", filepath.Join(dir, "x.safetensors"))
	latro(t, exitDone, "net", "import", filepath.Join(dir, "x.safetensors"), "--out", filepath.Join(dir, "x.latro"))
	n, err := nn.Load(filepath.Join(dir, "x.latro"))
	if err != nil || n.Hash() != all[0].Hash {
		t.Errorf("exported and imported it is another network: %v", err)
	}
	for _, args := range [][]string{
		{"net", "info", "shipped:nosuch"},
		{"net", "info", "--tensors"},
		{"net", "export", "shipped", "--out", filepath.Join(dir, "y.onnx")},
	} {
		wantIn(t, latro(t, exitInput, args...).err, shipped.IDs()[0])
	}
}

// TestNetworksPage: docs/networks.md shows what latro net info prints. LATRO_UPDATE=1 writes it there.
func TestNetworksPage(t *testing.T) {
	const page, begin, end = "../../docs/networks.md", "<!-- latro net info -->\n```\n", "```\n<!-- end -->\n"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, okBegin := strings.Cut(string(text), begin)
	shown, after, okEnd := strings.Cut(rest, end)
	if !okBegin || !okEnd {
		t.Fatal("docs/networks.md has no place for the list")
	}
	table, _, _ := strings.Cut(latro(t, exitDone, "net", "info").out, "\n\n")
	table += "\n"
	if shown == table {
		return
	}
	if os.Getenv("LATRO_UPDATE") != "1" {
		t.Fatalf("docs/networks.md shows\n%s, latro net info prints\n%s; LATRO_UPDATE=1 go test ./cmd/latro -run NetworksPage writes it there", shown, table)
	}
	if err := os.WriteFile(page, []byte(before+begin+table+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestMatchOfShippedNetwork: an agent without a file is the network of the ruleset, and only of that.
func TestMatchOfShippedNetwork(t *testing.T) {
	id := shipped.IDs()[0]
	args := []string{"match", "net:simulations=2", "random", "--games", "2", "--max-plies", "40"}
	var plain, named matchResult
	latroJSON(t, &plain, append(args, "-r", id)...)
	args[1] = "net:path=shipped:" + id + ",simulations=2"
	latroJSON(t, &named, append(args, "-r", id)...)
	if plain.A != "net:simulations=2" {
		t.Errorf("agent A is %q", plain.A)
	}
	if named.A = plain.A; plain.Games != 2 || plain.Score != named.Score || plain.Wins != named.Wins || plain.Unique != named.Unique {
		t.Errorf("%+v without a name, %+v with it", plain, named)
	}
	changed := []string{"-r", "bell-8x7", "--set", "end.no_capture_limit=61"}
	args[1] = "net:simulations=2"
	wantIn(t, latro(t, exitInput, append(args, changed...)...).err, "no network ships for these rules", id, "latro learn")
	args[1] = "net:path=shipped:bell-8x7,simulations=2,rules=any"
	latro(t, exitDone, append(args, changed...)...)
}

// TestLearnFromShipped: a run may begin with the network that ships for its ruleset, or with another's.
func TestLearnFromShipped(t *testing.T) {
	id := shipped.IDs()[0]
	dir := t.TempDir()
	run := filepath.Join(dir, "run")
	args := []string{"selfplay", run, "--ruleset", id, "--init-from", "shipped", "--games", "1", "--simulations", "1", "--max-plies", "4"}
	latro(t, exitDone, args...)
	latro(t, exitDone, args...) // goes on with it
	config, err := os.ReadFile(filepath.Join(run, "run.yaml"))
	if err != nil || !strings.Contains(string(config), "init_from: shipped:"+id) {
		t.Errorf("the configuration is\n%s", config)
	}
	ships, _, err := shipped.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	first, err := nn.Load(glob(t, run, "checkpoints", "*.latro")[0])
	// The run's network has heads for training beside.
	if err != nil || first.Playing().Hash() != ships.Hash() {
		t.Errorf("the run begins with another network: %v", err)
	}
	if _, ok := shipped.OriginOf(first); ok {
		t.Error("the run's network claims the origin of its parent")
	}
	other := []string{"selfplay", filepath.Join(dir, "other"), "--ruleset", "bell-8x8", "--games", "1", "--simulations", "1", "--max-plies", "4", "--init-from"}
	wantIn(t, latro(t, exitInput, append(other, "shipped")...).err, "no network ships for these rules", id)
	latro(t, exitDone, append(other, "shipped:"+id)...)
}
