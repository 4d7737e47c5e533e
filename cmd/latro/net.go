package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"

	"latro/env"
	"latro/env/engine"
	"latro/env/rules"
	"latro/env/seed"
	"latro/nn"
	"latro/nn/onnx"
	"latro/nn/safetensors"
	"latro/nn/shipped"
	"latro/selfplay"
)

// netCmd is latro net.
type netCmd struct {
	Info     netInfoCmd     `cmd:"" help:"Describe a network: size, board, ruleset, inputs, tensors."`
	New      netNewCmd      `cmd:"" help:"Make a network with random parameters."`
	Export   netExportCmd   `cmd:"" help:"Write a network as ONNX or safetensors, for other programs."`
	Import   netImportCmd   `cmd:"" help:"Read a network back from safetensors."`
	Diff     netDiffCmd     `cmd:"" help:"Compare two networks: architecture, parameters, play."`
	Transfer netTransferCmd `cmd:"" help:"Carry a network over to another ruleset, board or number of blocks."`
	Grade    netGradeCmd    `cmd:"" help:"Compare a network with the exact values of a solved game."`
}

// Help is shown by --help.
func (netCmd) Help() string {
	return `A network is named by its file, or by the directory of a run, which means the run's newest checkpoint. shipped:ID is
a network that is part of the program; latro net info lists them.

Examples:
  latro net info
  latro net info runs/bell
  latro net export runs/bell --out bell.onnx
  latro net diff runs/bell/checkpoints/gen-0004.latro runs/bell`
}

// netMetaEncoding is the key of nn.Network.Meta for the version of the encodings that a network reads.
const netMetaEncoding = selfplay.MetaEncoding

// netFile is a network that was read, and what is known of where it comes from.
type netFile struct {
	path    string
	network *nn.Network
	state   *nn.OptimizerState // nil for a checkpoint
	run     *selfplay.Manifest // of the run that the file belongs to; nil if it belongs to none
	runDir  string
}

// openNet reads the network at ref: a checkpoint, a trainer state, a run's directory, or shipped:ID.
func openNet(ref string) (*netFile, error) {
	if id, ok := selfplay.ShippedID(ref); ok {
		if id == "" {
			return nil, fmt.Errorf("%w: which of the networks that ship? Write one of %s:%s", errInput, ref, strings.Join(shipped.IDs(), ", "+ref+":"))
		}
		n, err := selfplay.LoadNetwork(ref)
		return &netFile{path: ref, network: n}, err
	}
	st, err := os.Stat(ref)
	if err != nil {
		return nil, err
	}
	f := &netFile{path: ref, runDir: filepath.Dir(filepath.Dir(filepath.Clean(ref)))}
	switch {
	case st.IsDir():
		f.runDir = ref
		if f.path, err = selfplay.LatestCheckpoint(ref); err != nil {
			return nil, err
		}
	case !st.Mode().IsRegular():
		// Asked before opening: a pipe waits for whoever writes to it.
		return nil, fmt.Errorf("%s: %w: it is no regular file", ref, nn.ErrNotCheckpoint)
	}
	if f.network, f.state, err = nn.Inspect(f.path); err != nil {
		return nil, err
	}
	// Files that lie in a run are told more of by its manifest; others need none.
	if data, err := selfplay.ReadText(filepath.Join(f.runDir, manifestName)); err == nil {
		var m selfplay.Manifest
		if json.Unmarshal(data, &m) == nil && m.RulesetHash == f.network.RulesetHash {
			f.run = &m
		}
	}
	return f, nil
}

// initFrom reads the network that a run begins with, for the ruleset of c, and gives the name by which the run finds it
// from wherever it is gone on with.
func initFrom(ref string, c selfplay.Config) (name string, n *nn.Network, err error) {
	if id, ok := selfplay.ShippedID(ref); ok {
		if id == "" {
			r, err := c.Open()
			if err != nil {
				return "", nil, err
			}
			if ref, err = selfplay.ResolveNetwork(ref, r.Hash()); err != nil {
				return "", nil, err
			}
		}
		n, err = selfplay.LoadNetwork(ref)
		return ref, n, err
	}
	f, err := openNet(ref)
	if err != nil {
		return "", nil, err
	}
	name, err = filepath.Abs(f.path)
	return name, f.network, err
}

// optimiser finds the trainer state that goes with the file: its own, or the one beside it.
func (f *netFile) optimiser() (path string, state *nn.OptimizerState, err error) {
	if f.state != nil {
		return f.path, f.state, nil
	}
	if _, ships := selfplay.ShippedID(f.path); ships {
		return "", nil, nil
	}
	path = strings.TrimSuffix(f.path, filepath.Ext(f.path)) + ".optimiser"
	if st, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || err == nil && !st.Mode().IsRegular() {
		return "", nil, nil
	}
	_, state, err = nn.Inspect(path)
	return path, state, err
}

// encoding is the version of the encodings that the network was trained with, or 0 if nothing says.
func (f *netFile) encoding() int {
	if v, err := strconv.Atoi(f.network.Meta[netMetaEncoding]); err == nil {
		return v
	}
	if f.run != nil {
		return f.run.Encoding
	}
	return 0
}

// netGame is a ruleset with the encodings that its networks have.
type netGame struct {
	rules   *rules.Ruleset
	encoder *env.Encoder
	shape   nn.Shape
}

func openNetGame(ref string, sets ...string) (*netGame, error) {
	r, err := rules.Open(ref, sets...)
	if err != nil {
		return nil, err
	}
	g, err := engine.Compile(r.Params)
	if err != nil {
		return nil, err
	}
	e := env.NewEncoder(g)
	return &netGame{r, e, selfplay.ShapeOf(e)}, nil
}

// inputs are the names of what the game's networks read.
func (g *netGame) inputs() nn.InputNames {
	return nn.InputNames{Planes: g.encoder.Planes(), Globals: g.encoder.Globals()}
}

// game is the ruleset that the network was trained on, if it is still to be had and still the same.
func (f *netFile) game() (*netGame, error) {
	n := f.network
	if n.RulesetID == "" {
		return nil, errors.New("the network does not say on which ruleset it was trained")
	}
	if v := f.encoding(); v != 0 && v != env.EncodingVersion {
		return nil, fmt.Errorf("the network was trained with version %d of the encodings; this program has version %d", v, env.EncodingVersion)
	}
	g, err := openNetGame(n.RulesetID)
	if err != nil {
		return nil, fmt.Errorf("its ruleset cannot be opened: %w", err)
	}
	if g.rules.Hash() != n.RulesetHash {
		return nil, fmt.Errorf("its ruleset %s has changed since (hash %.12s, trained on %.12s)", n.RulesetID, g.rules.Hash(), n.RulesetHash)
	}
	if err := n.CheckShape(g.shape); err != nil {
		return nil, err
	}
	return g, nil
}

// inputs are the names of what the network reads: as its file says, or as its ruleset has them.
func (f *netFile) inputs() (nn.InputNames, error) {
	if names, ok := f.network.RecordedInputs(); ok {
		return names, nil
	}
	g, err := f.game()
	if err != nil {
		return nn.InputNames{}, err
	}
	return g.inputs(), nil
}

// checkInputs refuses a game whose inputs are as many as the network's but others.
func (f *netFile) checkInputs(g *netGame) error {
	own, err := f.inputs()
	if err != nil {
		return nil // nothing says what they are
	}
	game := g.inputs()
	for _, c := range []struct {
		what    string
		own, is []string
	}{{"plane", own.Planes, game.Planes}, {"global input", own.Globals, game.Globals}} {
		for i := range min(len(c.own), len(c.is)) {
			if c.own[i] != c.is[i] {
				return fmt.Errorf("%w: its %s %d is %s, that of %s is %s", nn.ErrShape, c.what, i, c.own[i], g.rules.Ref(), c.is[i])
			}
		}
	}
	return nil
}

// netInfoCmd is latro net info.
type netInfoCmd struct {
	Net     string `arg:"" optional:"" placeholder:"FILE|RUN" help:"Network file, trainer state, directory of a run, or shipped:ID; left out, all networks that ship."`
	Tensors bool   `help:"List the tensors with dimensions and norms."`
	JSON    bool   `help:"Print JSON."`
}

// Help is shown by --help.
func (netInfoCmd) Help() string {
	return `Input planes are named where the file names them, or where the network's ruleset can be opened and is still the
one it was trained on.

Examples:
  latro net info                        # the networks that ship
  latro net info shipped:bell-8x7
  latro net info runs/bell
  latro net info runs/bell/checkpoints/gen-0004.latro --tensors
  latro net info runs/bell --json`
}

// netInfo is what latro net info prints.
type netInfo struct {
	File string `json:"file"`
	// Kind is "checkpoint" or "trainer state".
	Kind         string            `json:"kind"`
	Network      string            `json:"network"`
	Config       nn.Config         `json:"config"`
	Parameters   int               `json:"parameters"`
	Hash         string            `json:"hash"`
	Board        string            `json:"board"`
	Ruleset      string            `json:"ruleset"`
	RulesetHash  string            `json:"ruleset_hash"`
	RulesetName  string            `json:"ruleset_name,omitempty"`
	RulesetNote  string            `json:"ruleset_note,omitempty"` // why it cannot be had
	Step         int64             `json:"step"`
	Encoding     int               `json:"encoding_version"` // 0: the file does not say
	Planes       int               `json:"planes"`
	PlaneNames   []string          `json:"plane_names"`
	Globals      int               `json:"globals"`
	GlobalNames  []string          `json:"global_names"`
	ActionPlanes []string          `json:"action_planes"`
	Actions      int               `json:"actions"`
	Optimiser    *netOptimiser     `json:"optimiser"`
	Origin       *netOrigin        `json:"origin,omitempty"` // of a network that ships
	Meta         map[string]string `json:"meta"`
	Tensors      []nn.TensorStats  `json:"tensors,omitempty"`
}

// netOptimiser is the state of the optimiser that goes with a network.
type netOptimiser struct {
	File string `json:"file"`
	nn.OptimizerState
}

// Run does it.
func (c *netInfoCmd) Run(a *app) error {
	if c.Net == "" || c.Net == selfplay.Shipped {
		return c.list(a)
	}
	f, err := openNet(c.Net)
	if err != nil {
		return err
	}
	n := f.network
	info := netInfo{
		File: f.path, Kind: "checkpoint", Network: n.Config.Name(), Config: n.Config, Parameters: n.Parameters(), Hash: n.Hash(),
		Board: boardName(n.Shape), Ruleset: n.RulesetID, RulesetHash: n.RulesetHash, Step: n.Step, Encoding: f.encoding(),
		Planes: n.Shape.Planes, Globals: n.Shape.Globals, ActionPlanes: n.Shape.ActionPlanes, Actions: n.Shape.Actions(), Meta: n.Meta,
	}
	if f.state != nil {
		info.Kind = "trainer state"
	}
	if o, ok := shipped.OriginOf(n); ok {
		info.Origin = &netOrigin{o}
	}
	if g, err := f.game(); err != nil {
		info.RulesetNote = err.Error()
	} else {
		info.RulesetName = g.rules.Name
	}
	if names, err := f.inputs(); err == nil {
		info.PlaneNames, info.GlobalNames = names.Planes, names.Globals
	}
	path, state, err := f.optimiser()
	if err != nil {
		return err
	}
	if state != nil {
		info.Optimiser = &netOptimiser{path, *state}
	}
	if c.Tensors {
		for _, t := range n.Tensors {
			info.Tensors = append(info.Tensors, t.Stats())
		}
	}
	if c.JSON {
		return a.printJSON(info)
	}
	return info.write(a)
}

func (i *netInfo) write(a *app) error {
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%s\t%s\n", name, printable(fmt.Sprintf(format, args...)))
	}
	row("file", "%s (%s)", i.File, i.Kind)
	row("network", "%s, %d parameters", i.Network, i.Parameters)
	row("", "a pooled bias in every %d. block and in the last, %d hidden value units", i.Config.PoolEvery, i.Config.ValueHidden)
	row("hash", "%s", i.Hash)
	row("board", "%s", i.Board)
	switch {
	case i.Ruleset == "":
		row("ruleset", "not recorded")
	case i.RulesetName != "":
		row("ruleset", "%s (%s), hash %s", i.Ruleset, i.RulesetName, i.RulesetHash)
	default:
		row("ruleset", "%s, hash %s", i.Ruleset, i.RulesetHash)
		row("", "%s", i.RulesetNote)
	}
	row("steps", "%d", i.Step)
	if i.Encoding != 0 {
		row("encoding version", "%d", i.Encoding)
	} else {
		row("encoding version", "not recorded")
	}
	if i.PlaneNames != nil {
		row("input planes", "%d: %s", i.Planes, strings.Join(i.PlaneNames, " "))
	} else {
		row("input planes", "%d, names unknown", i.Planes)
	}
	row("global inputs", "%d", i.Globals)
	row("action planes", "%d: %s", len(i.ActionPlanes), strings.Join(i.ActionPlanes, " "))
	row("actions", "%d, pass included", i.Actions)
	if o := i.Optimiser; o != nil {
		row("optimiser", "%s after %d steps, moments of norm %.4g and %.4g (%s)", o.Optimizer, o.Iteration, o.MomentNorms[0], o.MomentNorms[1], o.File)
	} else {
		row("optimiser", "no state beside the file")
	}
	if i.Origin != nil {
		i.Origin.write(row)
	}
	for _, k := range slices.Sorted(maps.Keys(i.Meta)) {
		if k == nn.MetaPlanes || k == nn.MetaGlobals || k == netMetaEncoding || i.Origin != nil && shipped.IsOrigin(k) {
			continue // told above
		}
		row("note", "%s: %s", k, i.Meta[k])
	}
	if len(i.Tensors) > 0 {
		fmt.Fprintln(w, "\nTENSOR\tDIMENSIONS\tNORM\tRMS\tLEAST\tGREATEST")
		for _, t := range i.Tensors {
			fmt.Fprintf(w, "%s\t%v\t%.5g\t%.5g\t%.5g\t%.5g\n", t.Name, t.Dims, t.Norm, t.RMS, t.Min, t.Max)
		}
	}
	return w.Flush()
}

// printable keeps control characters in a file's texts away from the terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

func boardName(s nn.Shape) string { return fmt.Sprintf("%dx%d", s.Rows, s.Cols) }

// parseBoard reads "RxC".
func parseBoard(text string) (rows, cols int, err error) {
	r, c, ok := strings.Cut(text, "x")
	rows, errR := strconv.Atoi(r)
	cols, errC := strconv.Atoi(c)
	if !ok || errR != nil || errC != nil || rows < 1 || cols < 1 {
		return 0, 0, fmt.Errorf("%w: --board is %q; want rows and columns, such as 8x7", errInput, text)
	}
	return rows, cols, nil
}

// otherFile refuses to write over what is read.
func otherFile(out, in string) error {
	to, errTo := os.Stat(out)
	from, errFrom := os.Stat(in)
	if errTo == nil && errFrom == nil && os.SameFile(to, from) {
		return fmt.Errorf("%w: --out is %s itself, which would be lost; name another file", errInput, in)
	}
	return nil
}

// netNewCmd is latro net new.
type netNewCmd struct {
	Ruleset string   `short:"r" required:"" placeholder:"RULESET" help:"Ruleset that the network is for: an id, id@reading, or a file."`
	Set     []string `placeholder:"PARAM=VALUE" sep:"none" help:"Override a rule; may be repeated."`
	Net     string   `default:"4x32" placeholder:"BxC" help:"Preset, residual blocks × channels."`
	Out     string   `short:"o" required:"" placeholder:"FILE" help:"Network file to write."`
	Seed    uint64   `default:"1" help:"Root of the random streams."`
	JSON    bool     `help:"Print what was written as JSON."`
}

// Help is shown by --help.
func (netNewCmd) Help() string {
	return `A network that has learned nothing: to train elsewhere, to measure other runtimes, to compare with.

Examples:
  latro net new --ruleset bell-8x8 --net 6x64 --out new.latro
  latro net new -r bell-8x7 --set board.rows=6 --set board.cols=6 --set pieces.men=8 --out small.latro`
}

// Run does it.
func (c *netNewCmd) Run(a *app) error {
	g, err := openNetGame(c.Ruleset, c.Set...)
	if err != nil {
		return err
	}
	cfg, err := nn.ParsePreset(c.Net)
	if err != nil {
		return fmt.Errorf("%w: %w", errInput, err)
	}
	n, err := nn.New(cfg, g.shape, seed.Derive(c.Seed, seed.Network))
	if err != nil {
		return err
	}
	n.RulesetID, n.RulesetHash = g.rules.Ref(), g.rules.Hash()
	n.Meta[netMetaEncoding] = strconv.Itoa(env.EncodingVersion)
	n.RecordInputs(g.inputs())
	return writeNet(a, n, c.Out, c.JSON)
}

// writeNet saves a network and says so.
func writeNet(a *app, n *nn.Network, path string, json bool) error {
	if err := n.Save(path); err != nil {
		return err
	}
	st, err := os.Stat(path)
	if err != nil {
		return err
	}
	out := netExport{File: path, Format: "latro", Bytes: st.Size(), Network: n.Config.Name(), Board: boardName(n.Shape), Hash: n.Hash()}
	if json {
		return a.printJSON(out)
	}
	_, err = fmt.Fprintf(a.stdout, "%s: network %s, board %s, %d parameters\n", out.File, out.Network, out.Board, n.Parameters())
	return err
}

// netExportCmd is latro net export.
type netExportCmd struct {
	Net     string   `arg:"" placeholder:"FILE|RUN" help:"Network file or directory of a run."`
	Out     string   `short:"o" required:"" placeholder:"FILE" help:"File to write."`
	Format  string   `short:"f" enum:",onnx,safetensors" default:"" help:"onnx or safetensors; by the ending of --out if left out."`
	Board   string   `placeholder:"RxC" help:"Board of the model: rows x columns, or any (onnx only); the network's own if left out."`
	Ruleset string   `short:"r" placeholder:"RULESET" help:"Ruleset whose board the model gets and whose inputs the network must have."`
	Set     []string `placeholder:"PARAM=VALUE" sep:"none" help:"Override a rule; may be repeated."`
	JSON    bool     `help:"Print what was written as JSON."`
}

// Help is shown by --help.
func (netExportCmd) Help() string {
	return `ONNX holds the whole network with a free batch axis: inputs observation [batch, planes, rows, cols] and globals
[batch, globals], outputs policy (logits), wdl (logits of win, draw, loss) and material. Opset 17. safetensors
holds the parameters alone, which latro net import reads back. docs/networks.md tells more.

Examples:
  latro net export runs/bell --out bell.onnx
  latro net export runs/bell --out any-board.onnx --board any
  latro net export gen-0004.latro --format safetensors --out bell.safetensors`
}

// netExport is what latro net export, import and new print: what was written.
type netExport struct {
	File    string `json:"file"`
	Format  string `json:"format"`
	Bytes   int64  `json:"bytes"`
	Network string `json:"network"`
	Board   string `json:"board"`
	Hash    string `json:"hash"`
}

// Run does it.
func (c *netExportCmd) Run(a *app) error {
	format := c.Format
	if format == "" {
		format = strings.TrimPrefix(filepath.Ext(c.Out), ".")
		if format != "onnx" && format != "safetensors" {
			return fmt.Errorf("%w: --out %s does not end in .onnx or .safetensors; say which with --format", errInput, c.Out)
		}
	}
	f, err := openNet(c.Net)
	if err != nil {
		return err
	}
	if err := otherFile(c.Out, f.path); err != nil {
		return err
	}
	o := onnx.Options{ProducerVersion: version, Metadata: map[string]string{}}
	n := f.network
	switch {
	case c.Ruleset != "" && c.Board != "":
		return fmt.Errorf("%w: --ruleset has a board of its own; leave --board out", errInput)
	case c.Ruleset == "" && len(c.Set) > 0:
		return fmt.Errorf("%w: --set needs --ruleset", errInput)
	case c.Board != "" && format != "onnx":
		return fmt.Errorf("%w: --board is for onnx; no parameter of a network depends on the board, so %s fits every one", errInput, format)
	case c.Ruleset != "":
		if n, err = c.forRuleset(f); err != nil {
			return err
		}
	case c.Board == "any":
		o.AnyBoard = true
	case c.Board != "":
		rows, cols, err := parseBoard(c.Board)
		if err != nil {
			return err
		}
		if n, err = n.WithBoard(rows, cols); err != nil {
			return err
		}
	}
	out := netExport{File: c.Out, Format: format, Network: n.Config.Name(), Board: boardName(n.Shape), Hash: n.Hash()}
	if o.AnyBoard {
		out.Board = "any"
	}
	if v := f.encoding(); v != 0 {
		o.Metadata["latro.encoding_version"] = strconv.Itoa(v)
	}
	if names, err := f.inputs(); err == nil {
		o.Metadata["latro.planes"] = strings.Join(names.Planes, " ")
		o.Metadata["latro.globals"] = strings.Join(names.Globals, " ")
	}
	if format == "onnx" {
		err = onnx.WriteFile(c.Out, n, o)
	} else {
		err = safetensors.SaveNetwork(c.Out, n)
	}
	if err != nil {
		return err
	}
	st, err := os.Stat(c.Out)
	if err != nil {
		return err
	}
	out.Bytes = st.Size()
	if c.JSON {
		return a.printJSON(out)
	}
	_, err = fmt.Fprintf(a.stdout, "%s: %s, network %s, board %s, %d bytes\n", out.File, out.Format, out.Network, out.Board, out.Bytes)
	return err
}

// forRuleset is the network on another ruleset's board, whose inputs and outputs it must have already.
func (c *netExportCmd) forRuleset(f *netFile) (*nn.Network, error) {
	g, err := openNetGame(c.Ruleset, c.Set...)
	if err != nil {
		return nil, err
	}
	n, err := f.network.WithBoard(g.shape.Rows, g.shape.Cols)
	if err != nil {
		return nil, err
	}
	if err := n.CheckShape(g.shape); err != nil {
		return nil, fmt.Errorf("%s: %w; or use latro net transfer", f.path, err)
	}
	if err := f.checkInputs(g); err != nil {
		return nil, fmt.Errorf("%s: %w; use latro net transfer", f.path, err)
	}
	n.RulesetID, n.RulesetHash = g.rules.Ref(), g.rules.Hash()
	return n, nil
}

// netImportCmd is latro net import.
type netImportCmd struct {
	File       string `arg:"" help:"safetensors file."`
	Out        string `short:"o" required:"" placeholder:"FILE" help:"Network file to write."`
	ConfigFrom string `placeholder:"FILE|RUN" help:"Network whose architecture, board and ruleset the file has; needed where the file's metadata do not say."`
	JSON       bool   `help:"Print what was written as JSON."`
}

// Help is shown by --help.
func (netImportCmd) Help() string {
	return `For networks that another program trained further. The tensors must have the names and dimensions that latro net
export gave them; values may be F32, F16, BF16 or F64.

Examples:
  latro net import bell.safetensors --out bell.latro
  latro net import mine.safetensors --config-from runs/bell --out mine.latro`
}

// Run does it.
func (c *netImportCmd) Run(a *app) error {
	var model *nn.Network
	if c.ConfigFrom != "" {
		f, err := openNet(c.ConfigFrom)
		if err != nil {
			return err
		}
		if err := otherFile(c.Out, f.path); err != nil {
			return err
		}
		model = f.network
	}
	if err := otherFile(c.Out, c.File); err != nil {
		return err
	}
	n, err := safetensors.LoadNetwork(c.File, model)
	if errors.Is(err, safetensors.ErrInvalid) {
		return fmt.Errorf("%w: %w", errInput, err)
	}
	if err != nil {
		return err
	}
	return writeNet(a, n, c.Out, c.JSON)
}

// netTransferCmd is latro net transfer.
type netTransferCmd struct {
	From      string   `arg:"" placeholder:"FILE|RUN" help:"Network to start from."`
	Ruleset   string   `short:"r" required:"" placeholder:"RULESET" help:"Ruleset of the new network."`
	Set       []string `placeholder:"PARAM=VALUE" sep:"none" help:"Override a rule; may be repeated."`
	Out       string   `short:"o" required:"" placeholder:"FILE" help:"Network file to write."`
	Net       string   `placeholder:"BxC" help:"Preset of the new network: more or fewer blocks of the same width; as it was if left out."`
	TrainedOn string   `placeholder:"RULESET" help:"Ruleset that the old network was trained on, where the recorded one cannot be opened any more."`
	Seed      uint64   `default:"1" help:"Root of the random stream for what is drawn afresh."`
	JSON      bool     `help:"Print JSON."`
}

// Help is shown by --help.
func (netTransferCmd) Help() string {
	return `Prints one line for each tensor: kept, kept in part, initialised or dropped, and why. No tensor depends on the
board's size. Planes are carried over by their names; an input that the old network never read begins with
weight 0, and a block that it lacks as the identity, so that the new network plays at first as the old one did.

Examples:
  latro net transfer runs/bell --ruleset luductus --out start.latro
  latro net transfer runs/bell -r bell-8x7 --net 6x32 --out deeper.latro --json`
}

// netTransfer is what latro net transfer prints.
type netTransfer struct {
	From        string            `json:"from"`
	FromRuleset string            `json:"from_ruleset"`
	File        string            `json:"file"`
	Ruleset     string            `json:"ruleset"`
	RulesetHash string            `json:"ruleset_hash"`
	Network     string            `json:"network"`
	Board       string            `json:"board"`
	Hash        string            `json:"hash"`
	Counts      map[string]int    `json:"counts"` // tensors by action
	Tensors     []netTransferLine `json:"tensors"`
}

type netTransferLine struct {
	Name   string `json:"name"`
	Action string `json:"action"`
	Detail string `json:"detail"`
}

// Run does it.
func (c *netTransferCmd) Run(a *app) error {
	f, err := openNet(c.From)
	if err != nil {
		return err
	}
	if err := otherFile(c.Out, f.path); err != nil {
		return err
	}
	cfg := f.network.Config
	if c.Net != "" {
		preset, err := nn.ParsePreset(c.Net)
		if err != nil {
			return fmt.Errorf("%w: %w", errInput, err)
		}
		// The rest of the architecture is the old network's, whatever presets have now.
		cfg.Blocks, cfg.Channels = preset.Blocks, preset.Channels
	}
	to, err := openNetGame(c.Ruleset, c.Set...)
	if err != nil {
		return err
	}
	from, err := c.parentInputs(f)
	if err != nil {
		return err
	}
	n, lines, err := f.network.Carry(cfg, to.shape, from, to.inputs(), c.Seed)
	if err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	n.RulesetID, n.RulesetHash = to.rules.Ref(), to.rules.Hash()
	n.Meta[netMetaEncoding] = strconv.Itoa(env.EncodingVersion)
	if err := n.Save(c.Out); err != nil {
		return err
	}
	out := netTransfer{
		From: f.path, FromRuleset: f.network.RulesetID, File: c.Out, Ruleset: n.RulesetID, RulesetHash: n.RulesetHash,
		Network: n.Config.Name(), Board: boardName(n.Shape), Hash: n.Hash(), Counts: map[string]int{},
	}
	for _, l := range lines {
		out.Counts[l.Action]++
		out.Tensors = append(out.Tensors, netTransferLine{l.Tensor, l.Action, l.Detail})
	}
	if c.JSON {
		return a.printJSON(out)
	}
	for _, l := range lines {
		fmt.Fprintln(a.stdout, l)
	}
	_, err = fmt.Fprintf(a.stdout, "\n%s: network %s, board %s, ruleset %s\ntensors: %d kept, %d kept in part, %d initialised, %d dropped\n", out.File, out.Network, out.Board, out.Ruleset,
		out.Counts["kept"], out.Counts["kept in part"], out.Counts["initialised"], out.Counts["dropped"])
	return err
}

// parentInputs says what the old network's inputs mean.
func (c *netTransferCmd) parentInputs(f *netFile) (nn.InputNames, error) {
	if c.TrainedOn == "" {
		names, err := f.inputs()
		if err != nil {
			return names, fmt.Errorf("%w: %s: %w; name the ruleset whose inputs it reads with --trained-on", errInput, f.path, err)
		}
		return names, nil
	}
	g, err := openNetGame(c.TrainedOn)
	if err != nil {
		return nn.InputNames{}, err
	}
	if err := f.network.CheckShape(g.shape); err != nil {
		return nn.InputNames{}, fmt.Errorf("%s: %w", f.path, err)
	}
	return g.inputs(), nil
}
