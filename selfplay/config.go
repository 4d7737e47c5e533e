package selfplay

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"latro/datasets"
	"latro/env/rules"
	"latro/mcts"
	"latro/nn"
)

// ErrInput is wrapped by every error that the caller's input caused: a configuration, a file, a name. The
// command line turns it into exit code 2.
var ErrInput = errors.New("invalid input")

// Config is all that decides a run's bytes: with the same Config and the same program, the same shards and
// checkpoints come out, whatever the number of workers and wherever it was killed. It is frozen into the
// run directory as run.yaml. Take DefaultConfig and change what you need.
type Config struct {
	// Ruleset names the game as rules.Open does: an id, id@reading, or a file. Set are overrides.
	Ruleset string   `yaml:"ruleset"`
	Set     []string `yaml:"set,omitempty"`
	// Rulesets, which then takes the place of Ruleset, are several games that one network learns (Variants). A
	// generation's games are dealt to them by turns. Set is applied to each.
	Rulesets []string `yaml:"rulesets,omitempty"`
	// Network is the preset blocks×channels, such as "4x32".
	Network string `yaml:"network"`
	// InitFrom is the file of a network whose weights the first one of the run takes over, whatever the board and
	// the rules it was trained on (nn.Network.Carry), or a name of Shipped's form; empty draws the first network afresh. The file is read once:
	// the run keeps the result as its generation 0.
	InitFrom string `yaml:"init_from,omitempty"`
	// Seed is the root of every random stream of the run.
	Seed uint64 `yaml:"seed"`
	// Generations is how many rounds of self-play and training the run has; 0 is no end (use a time limit).
	Generations int `yaml:"generations"`
	// Games is the number of games a generation, all of them played by the same network.
	Games int `yaml:"games"`
	// GamesPerShard is the number of games written together; at most so many finished games, and those
	// in flight, are lost by a kill.
	GamesPerShard int `yaml:"games_per_shard"`
	// MaxPlies is the length cap of a self-play game. A capped game's value target is the search's value of
	// its last position (training it as a draw would teach stalling).
	MaxPlies int `yaml:"max_plies"`

	Search   SearchConfig   `yaml:"search"`
	Opening  OpeningConfig  `yaml:"opening"`
	Opponent OpponentConfig `yaml:"opponent,omitempty"`
	Resign   ResignConfig   `yaml:"resign,omitempty"`
	Training TrainingConfig `yaml:"training"`
	Gating   GatingConfig   `yaml:"gating,omitempty"`

	// places says where the text of a field stands, by the field's name; set by DecodeConfig.
	places map[string]place
}

// place is where a configuration's text gives a field its value.
type place struct {
	at    string // file:line:column
	value string // as it is written
}

// locate puts the place before a message about a field, if the message is about the value that stands there: a flag may have
// taken its place.
func (c Config) locate(message string) string {
	name, rest, _ := strings.Cut(message, " is ")
	p, ok := c.places[name]
	if !ok {
		return message
	}
	values := []string{p.value, strconv.Quote(p.value)}
	if f, err := strconv.ParseFloat(strings.TrimPrefix(p.value, "."), 64); err == nil && math.IsNaN(f) {
		values = append(values, "NaN")
	} else if f, err := strconv.ParseFloat(p.value, 64); err == nil {
		values = append(values, fmt.Sprint(f))
	}
	for _, v := range values {
		if strings.HasPrefix(rest, v+";") || strings.HasPrefix(rest, v+" ") {
			return p.at + ": " + message
		}
	}
	return message
}

// SearchConfig is the search of self-play, Gumbel AlphaZero.
type SearchConfig struct {
	// Simulations is the budget of a full search.
	Simulations int `yaml:"simulations"`
	// FullShare is the probability that a ply gets a full search; the others get CheapSimulations and
	// are not used as policy targets (playout-cap randomisation, Wu 2019 section 3.1). 1 switches it off.
	FullShare float64 `yaml:"full_share"`
	// CheapSimulations is the budget of the other plies.
	CheapSimulations int `yaml:"cheap_simulations"`
	// MaxConsidered is Gumbel's m, the number of root actions considered.
	MaxConsidered int `yaml:"max_considered"`
	// MaterialWeight mixes the expected final material into the leaf's value, in [0, 1). It gives a
	// direction where games seldom end; 0 plays for the result alone.
	MaterialWeight float64 `yaml:"material_weight"`
	// Probe, if above 0, looks so many plies ahead by alpha-beta at each leaf (mcts.Prober, with its default weights).
	Probe int `yaml:"probe,omitempty"`
	// Arithmetic is what the playing network multiplies, float32 or int16 (nn.Int16, faster for 64 channels and more);
	// empty is float32. It changes the games, since it changes last digits.
	Arithmetic nn.Arithmetic `yaml:"arithmetic,omitempty"`
}

// OpeningConfig makes games differ from one another.
type OpeningConfig struct {
	// RandomShare of the games begin with random plies.
	RandomShare float64 `yaml:"random_share"`
	// RandomPlies is the largest number of those; each such game draws its own number from 1 up to it.
	RandomPlies int `yaml:"random_plies"`
	// Temperature, if above 0, lets a searched ply among the first TemperaturePlies plies of a game (random ones count)
	// be drawn with probability proportional to the improved policy to the power 1/Temperature (mcts.Result.Sample),
	// instead of the ply that Gumbel's search chooses. Training targets are the same.
	Temperature      float64 `yaml:"temperature,omitempty"`
	TemperaturePlies int     `yaml:"temperature_plies,omitempty"`
}

// TrainingConfig is the learner's part.
type TrainingConfig struct {
	BatchSize int `yaml:"batch_size"`
	// Optimizer is nn.Adam, also if empty, or nn.SGD with Momentum (0.9 if left out).
	Optimizer string   `yaml:"optimizer,omitempty"`
	Momentum  *float64 `yaml:"momentum,omitempty"`
	// LearningRate is the rate after warm-up; usual are 0.001 to 0.003 for Adam, 0.02 to 0.1 for SGD.
	LearningRate float64 `yaml:"learning_rate"`
	// WarmupSteps is the number of first steps in which the rate rises (20 if left out).
	WarmupSteps *int `yaml:"warmup_steps,omitempty"`
	// Schedule is how the rate goes on, counted in the run's training steps: nn.Constant, also if empty, or nn.Cosine or
	// nn.Linear, which come down to FinalRate at ScheduleSteps and stay there.
	Schedule      string  `yaml:"schedule,omitempty"`
	ScheduleSteps int     `yaml:"schedule_steps,omitempty"`
	FinalRate     float64 `yaml:"final_rate,omitempty"`

	WeightDecay  float64 `yaml:"weight_decay"`
	GradientClip float64 `yaml:"gradient_clip"`
	// Reuse is how often a sample is trained on, on average: a generation makes
	// new samples × Reuse / BatchSize steps.
	Reuse float64 `yaml:"reuse"`
	// MinSamples is the number of samples in the window below which no step is made.
	MinSamples int `yaml:"min_samples"`
	// Window says how far back the replay window reaches.
	Window WindowConfig `yaml:"window"`
	// Augment draws a symmetry of the ruleset for every sample.
	Augment bool `yaml:"augment"`
	// Averaging is the decay, per step, of the moving average of the weights that plays; 0 plays the weights
	// of the last step.
	Averaging float64 `yaml:"averaging"`
	// MaterialLoss is the weight of the final-material head's loss.
	MaterialLoss float64 `yaml:"material_loss"`
	// Surprise is the share, in [0, 1], of the full searches' weight in the replay window that is dealt out again within
	// each game by how much the search overruled the network (datasets.SurpriseWeights); 0 draws all samples alike.
	Surprise float64 `yaml:"surprise"`
	// ValueLoss is the weight of the loss of win, draw and loss (1 if left out).
	ValueLoss *float64 `yaml:"value_loss,omitempty"`
	// SurvivalLoss, PliesLoss and ReplyLoss are the weights of the auxiliary heads' losses (nn.TrainConfig): which pieces
	// will be on the board at the end, how many plies are left, what the opponent will play. If any of them is above
	// 0 the run's networks have these heads; playing passes over them.
	SurvivalLoss float64 `yaml:"survival_loss"`
	PliesLoss    float64 `yaml:"plies_loss"`
	ReplyLoss    float64 `yaml:"reply_loss"`
}

// auxiliary says whether the networks have auxiliary heads.
func (t TrainingConfig) auxiliary() bool {
	return t.SurvivalLoss > 0 || t.PliesLoss > 0 || t.ReplyLoss > 0
}

// architecture is that of the run's networks.
func (c Config) architecture() (nn.Config, error) {
	a, err := nn.ParsePreset(c.Network)
	if err != nil {
		return a, fmt.Errorf("%w: %w", ErrInput, err)
	}
	a.Auxiliary = c.Training.auxiliary()
	return a, nil
}

// solver is what the trainer of a network is told.
func (t TrainingConfig) solver() nn.TrainConfig {
	c := nn.DefaultTrainConfig()
	c.BatchSize, c.LearningRate, c.WeightDecay = t.BatchSize, t.LearningRate, t.WeightDecay
	c.GradClip, c.MaterialLoss = t.GradientClip, t.MaterialLoss
	c.SurvivalLoss, c.PliesLoss, c.ReplyLoss = t.SurvivalLoss, t.PliesLoss, t.ReplyLoss
	if t.ValueLoss != nil {
		c.ValueLoss = *t.ValueLoss
	}
	c.Schedule, c.ScheduleSteps, c.FinalRate = t.Schedule, t.ScheduleSteps, t.FinalRate
	if t.Optimizer != "" {
		c.Optimizer = t.Optimizer
	}
	if t.Momentum != nil {
		c.Momentum = *t.Momentum
	}
	if t.WarmupSteps != nil {
		c.WarmupSteps = *t.WarmupSteps
	}
	return c
}

// WindowConfig is the growth of the replay window (see datasets.WindowConfig): everything up to Base samples,
// then a number that grows with the Alpha-th power of their count, at first with slope Beta.
type WindowConfig struct {
	Base    float64 `yaml:"base"`
	Alpha   float64 `yaml:"alpha"`
	Beta    float64 `yaml:"beta"`
	MaxRows int     `yaml:"max_rows"`
}

func (c WindowConfig) config() datasets.WindowConfig { return datasets.WindowConfig(c) }

// DefaultConfig is a configuration that learns something within minutes on two cores.
func DefaultConfig(ruleset string) Config {
	return Config{
		Ruleset: ruleset, Network: "4x32", Seed: 1,
		Generations: 0, Games: 64, GamesPerShard: 8, MaxPlies: 400,
		Search: SearchConfig{
			Simulations: 32, FullShare: 1, CheapSimulations: 8, MaxConsidered: 16,
		},
		Opening: OpeningConfig{RandomShare: 0.5, RandomPlies: 8},
		Training: TrainingConfig{
			BatchSize: 128, LearningRate: 2e-3, WeightDecay: 1e-2, GradientClip: 5, Reuse: 3,
			MinSamples: 512, Window: WindowConfig(datasets.DefaultWindowConfig()), Augment: true, Averaging: 0.99, MaterialLoss: 0.5,
			// What the ablation of docs/methods.md supports.
			Surprise: 0.5, SurvivalLoss: 0.1, PliesLoss: 0.1, ReplyLoss: 0.15,
		},
	}
}

// Validate returns every problem at once, each naming its field, or nil.
func (c Config) Validate() error {
	var problems []error
	bad := func(format string, args ...any) {
		problems = append(problems, errors.New(c.locate(fmt.Sprintf(format, args...))))
	}
	between := func(field string, v, lo, hi float64) {
		if math.IsNaN(v) || v < lo || v > hi {
			bad("%s is %v; it must be %v to %v", field, v, lo, hi)
		}
	}
	var games []Variant
	switch {
	case c.Ruleset == "" && len(c.Rulesets) == 0:
		bad("ruleset is missing: name an id of the catalogue (latro rules list) or a file")
	case c.Ruleset != "" && len(c.Rulesets) > 0:
		bad("ruleset is %q and rulesets is %q; leave one of them out", c.Ruleset, c.Rulesets)
	case len(c.Rulesets) > maxRulesets:
		bad("rulesets has %d entries; it must be at most %d", len(c.Rulesets), maxRulesets)
	default:
		var err error
		if games, err = c.Variants(); err != nil {
			problems = append(problems, err)
		}
	}
	if _, err := nn.ParsePreset(c.Network); err != nil {
		problems = append(problems, err)
	}
	between("generations", float64(c.Generations), 0, 1e6)
	between("games", float64(c.Games), 1, 1e6)
	between("games_per_shard", float64(c.GamesPerShard), 1, 4096)
	between("max_plies", float64(c.MaxPlies), 1, 1e5)
	between("search.simulations", float64(c.Search.Simulations), 1, mcts.MaxSimulations)
	between("search.full_share", c.Search.FullShare, 0.01, 1)
	between("search.cheap_simulations", float64(c.Search.CheapSimulations), 1, mcts.MaxSimulations)
	between("search.max_considered", float64(c.Search.MaxConsidered), 1, 1024)
	between("search.material_weight", c.Search.MaterialWeight, 0, 0.99)
	between("search.probe", float64(c.Search.Probe), 0, maxTrainedProbe)
	if a := c.Search.Arithmetic; a != "" && !slices.Contains(nn.Arithmetics(), a) {
		bad("search.arithmetic is %q; it must be one of %v", a, nn.Arithmetics())
	}
	between("opening.random_share", c.Opening.RandomShare, 0, 1)
	between("opening.random_plies", float64(c.Opening.RandomPlies), 0, 1e4)
	between("opening.temperature", c.Opening.Temperature, 0, 10)
	between("opening.temperature_plies", float64(c.Opening.TemperaturePlies), 0, 1e4)
	if (c.Opening.Temperature > 0) != (c.Opening.TemperaturePlies > 0) {
		bad("opening.temperature is %v and opening.temperature_plies %d; give both, or neither", c.Opening.Temperature, c.Opening.TemperaturePlies)
	}
	c.Opponent.check(games, bad)
	between("resign.threshold", c.Resign.Threshold, 0, 0.99)
	between("resign.plies", float64(c.Resign.Plies), 0, 1000)
	if c.Resign.AuditShare != 0 {
		between("resign.audit_share", c.Resign.AuditShare, 0.01, 1)
	}
	between("resign.max_false_rate", c.Resign.MaxFalseRate, 0, 1)
	if c.Resign != (ResignConfig{}) && !c.Resign.on() {
		bad("resign.threshold is missing; without it nobody resigns")
	}
	between("training.batch_size", float64(c.Training.BatchSize), 1, 2048)
	between("training.learning_rate", c.Training.LearningRate, 1e-9, 10)
	between("training.weight_decay", c.Training.WeightDecay, 0, 1)
	between("training.gradient_clip", c.Training.GradientClip, 0, 1e9)
	between("training.reuse", c.Training.Reuse, 0, 1000)
	between("training.min_samples", float64(c.Training.MinSamples), 1, 1e9)
	if err := c.Training.Window.config().Validate(); err != nil {
		problems = append(problems, fmt.Errorf("training.window: %w", err))
	}
	between("training.averaging", c.Training.Averaging, 0, 0.9999)
	between("training.material_loss", c.Training.MaterialLoss, 0, 100)
	between("training.surprise", c.Training.Surprise, 0, 1)
	if v := c.Training.ValueLoss; v != nil {
		between("training.value_loss", *v, 0, 100)
	}
	between("training.survival_loss", c.Training.SurvivalLoss, 0, 100)
	between("training.plies_loss", c.Training.PliesLoss, 0, 100)
	between("training.reply_loss", c.Training.ReplyLoss, 0, 100)
	between("gating.games", float64(c.Gating.Games), 0, 1e5)
	if c.Gating.Games%2 != 0 {
		bad("gating.games is %d; it must be even, for pairs of games with the colours changed over", c.Gating.Games)
	}
	between("gating.min_score", c.Gating.MinScore, 0, 1)
	between("gating.simulations", float64(c.Gating.Simulations), 0, mcts.MaxSimulations)
	if c.Gating != (GatingConfig{}) && !c.Gating.on() {
		bad("gating.games is missing; without it there is no gate")
	}
	// The rest is the trainer's own; what is asked above has narrower limits here and must not be reported twice.
	own, usual := c.Training.solver(), nn.DefaultTrainConfig()
	own.BatchSize, own.WeightDecay, own.GradClip, own.MaterialLoss = usual.BatchSize, usual.WeightDecay, usual.GradClip, usual.MaterialLoss
	own.ValueLoss, own.SurvivalLoss, own.PliesLoss, own.ReplyLoss = usual.ValueLoss, 0, 0, 0
	if !(own.LearningRate >= 1e-9 && own.LearningRate <= 10) {
		own.LearningRate, own.FinalRate = usual.LearningRate, 0
	}
	if err := own.Validate(); err != nil {
		for _, line := range strings.Split(err.Error(), "\n") {
			bad("training.%s", line)
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrInput, errors.Join(problems...))
}

// Open opens the configuration's ruleset, of several the first.
func (c Config) Open() (*rules.Ruleset, error) { return rules.Open(c.names()[0], c.Set...) }

// DecodeConfig reads strict YAML over base, so that a text may name only what it changes. An unknown key is an
// error that names file, line and column. The result is not yet validated: the caller may have more to say.
func DecodeConfig(filename string, data []byte, base Config) (c Config, err error) {
	if len(data) > 1<<20 {
		return Config{}, fmt.Errorf("%w: %s: %d bytes is too long for a run's configuration", ErrInput, filename, len(data))
	}
	// The YAML parser is not ours; a panic on a broken file must stay an error about that file.
	defer func() {
		if r := recover(); r != nil {
			c, err = Config{}, fmt.Errorf("%w: %s: is not readable as YAML", ErrInput, filename)
		}
	}()
	if data, err = rules.CheckYAML(filename, data); err != nil {
		return Config{}, fmt.Errorf("%w: %w", ErrInput, err)
	}
	places, err := checkShape(filename, data)
	if err != nil {
		return Config{}, err
	}
	c = base
	c.places = places
	dec := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict())
	if err := dec.Decode(&c); err != nil && !errors.Is(err, io.EOF) {
		return Config{}, fmt.Errorf("%w: %s: %s", ErrInput, filename, yaml.FormatError(err, false, true))
	}
	return c, nil
}

// checkShape refuses what the YAML decoder lets pass: a second document, of which it reads nothing; a list or a
// single value in place of the keys; and a fraction where a whole number belongs, which it would cut off. It returns where
// the values stand.
func checkShape(filename string, data []byte) (map[string]place, error) {
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %s", ErrInput, filename, yaml.FormatError(err, false, true))
	}
	at := func(n ast.Node) string {
		if t := n.GetToken(); t != nil && t.Position != nil {
			return fmt.Sprintf("%s:%d:%d", filename, t.Position.Line, t.Position.Column)
		}
		return filename
	}
	refuse := func(n ast.Node, format string, args ...any) error {
		return fmt.Errorf("%w: %s: %s", ErrInput, at(n), fmt.Sprintf(format, args...))
	}
	places := map[string]place{}
	var body ast.Node
	for _, doc := range file.Docs {
		if doc == nil || doc.Body == nil {
			continue
		}
		if body != nil {
			return nil, refuse(doc.Body, "a second document; a configuration is one, without --- between parts")
		}
		body = doc.Body
	}
	var walk func(n ast.Node, t reflect.Type, name string) error
	walk = func(n ast.Node, t reflect.Type, name string) error {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct {
			if _, fraction := n.(*ast.FloatNode); fraction && t.Kind() != reflect.Float64 {
				return refuse(n, "%s is %s; it must be a whole number", name, n.GetToken().Value)
			}
			return nil
		}
		var values []*ast.MappingValueNode
		switch n := n.(type) {
		case *ast.MappingNode:
			values = n.Values
		case *ast.MappingValueNode:
			values = []*ast.MappingValueNode{n}
		case *ast.SequenceNode:
			return refuse(n, "a list, where keys belong (network: 4x32 and so on)")
		}
		for _, v := range values {
			key := v.Key.GetToken().Value
			for i := range t.NumField() {
				f := t.Field(i)
				if tag, _, _ := strings.Cut(f.Tag.Get("yaml"), ","); tag != key {
					continue
				}
				full := key
				if name != "" {
					full = name + "." + key
				}
				if t := v.Value.GetToken(); t != nil {
					places[full] = place{at(v.Value), t.Value}
				}
				if f.Type.Kind() == reflect.String || f.Type.Kind() == reflect.Slice {
					continue
				}
				if err := walk(v.Value, f.Type, full); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if body == nil {
		return nil, nil
	}
	return places, walk(body, reflect.TypeFor[Config](), "")
}

// ParseConfig reads a whole configuration: DecodeConfig over the defaults, validated.
func ParseConfig(filename string, data []byte) (Config, error) {
	return parseConfig(filename, data, DefaultConfig(""))
}

func parseConfig(filename string, data []byte, base Config) (Config, error) {
	c, err := DecodeConfig(filename, data, base)
	if err != nil {
		return Config{}, err
	}
	if err := c.Validate(); err != nil {
		return Config{}, fmt.Errorf("%s: %w", filename, err)
	}
	return c, nil
}

// maxText bounds the text files of a run. A manifest has a few hundred bytes a shard and checkpoint.
const maxText = 256 << 20

// ReadText reads a configuration or a manifest: a regular file of a length that fits in memory.
func ReadText(path string) ([]byte, error) {
	// Asked before opening: a pipe waits for whoever writes to it, and a device may never end.
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if st.IsDir() {
		return nil, fmt.Errorf("%w: %s: is a directory, not a file", ErrInput, path)
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %s: is not a regular file", ErrInput, path)
	}
	if st.Size() > maxText {
		return nil, fmt.Errorf("%w: %s: %d bytes is too long", ErrInput, path, st.Size())
	}
	return os.ReadFile(path)
}

// ReadConfig reads the frozen configuration of a run. What it does not name was not there when the run began, and is off
// whatever the default is now.
func ReadConfig(path string) (Config, error) {
	data, err := ReadText(path)
	if err != nil {
		return Config{}, err
	}
	base := DefaultConfig("")
	t := &base.Training
	t.Surprise, t.SurvivalLoss, t.PliesLoss, t.ReplyLoss = 0, 0, 0, 0
	return parseConfig(path, data, base)
}

func (c Config) marshal() ([]byte, error) {
	body, err := yaml.Marshal(c)
	if err != nil {
		return nil, err
	}
	return append([]byte("# The frozen configuration of this run: editing it would make the run's data a mixture.\n"), body...), nil
}
