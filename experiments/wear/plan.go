package wear

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"latro/datasets/atomicfile"
	"latro/env/rules"
	"latro/experiments"
)

// Names within the directory of a comparison, which is that of an experiment too.
const (
	// PlanFile is the frozen plan of the comparison, MapFile the map as it was given.
	PlanFile = "wear-plan.json"
	MapFile  = "map.csv"
	// PageFile is the page for people, ResultsFile everything in it as JSON, RowsFile one
	// row a prediction and null, CellsFile one row a place of the map.
	PageFile    = "wear.html"
	ResultsFile = "wear.json"
	RowsFile    = "wear.csv"
	CellsFile   = "wear-cells.csv"
)

// Settings are what a comparison is asked.
type Settings struct {
	// Rulesets are references as rules.Open reads them; the catalogue's with a board of
	// the map's size if empty.
	Rulesets []string
	// Agent plays both sides, as mcts.ParseSpec reads it.
	Agent string
	// Games is the number of games of each ruleset by the agent, and again by random play.
	Games int
	// Cap stops a game after so many plies.
	Cap  int
	Seed uint64
	// Control is the ruleset that cannot be right; pieces on one colour that move
	// diagonally if empty.
	Control string
	// Distance, Count and Null are how maps are compared; Draws the maps of each null.
	Distance Distance
	Count    Count
	Null     Null
	Draws    int
}

// DefaultSettings are those of the command line.
func DefaultSettings() Settings {
	return Settings{Agent: "uct:simulations=100", Games: 200, Cap: 400, Seed: 1, Distance: JensenShannon, Count: Contact, Null: Smooth, Draws: 999}
}

// Limits of settings.
const (
	maxGames = 1_000_000
	minDraws = 99
	maxDraws = 100_000
)

// Plan is a comparison as it is frozen in its directory.
type Plan struct {
	// Format is the version of this file, 1.
	Format int `json:"format"`
	// Map and MapSHA256 are the name and the hash of the map's file.
	Map       string `json:"map"`
	MapSHA256 string `json:"map_sha256"`
	// Agent is the name of the agent and Control that of the ruleset that cannot be right.
	Agent    string   `json:"agent"`
	Control  string   `json:"control"`
	Distance Distance `json:"distance"`
	Count    Count    `json:"count"`
	Null     Null     `json:"null"`
	Draws    int      `json:"draws"`
	Seed     uint64   `json:"seed"`
}

// randomAgent is the name of the control of random play.
const randomAgent = "random"

// controlName is the name of the built-in control in the design.
const controlName = "impossible"

func setting(field, hint, format string, args ...any) error {
	return experiments.Problems{{Field: field, Message: fmt.Sprintf(format, args...), Hint: hint}}
}

// check refuses settings out of range; fields are named as on the command line.
func (s Settings) check() error {
	known := func(list []string) string { return "one of " + strings.Join(list, ", ") }
	switch {
	case s.Games < 2 || s.Games > maxGames:
		return setting("--games", fmt.Sprintf("2 to %d", maxGames), "is %d", s.Games)
	case s.Draws < minDraws || s.Draws > maxDraws:
		return setting("--draws", fmt.Sprintf("%d to %d; 999 gives p-values in steps of a thousandth", minDraws, maxDraws), "is %d", s.Draws)
	case !slices.Contains(Distances(), s.Distance):
		return setting("--distance", known(texts(Distances())), "is %q", clip(string(s.Distance)))
	case !slices.Contains(Counts(), s.Count):
		return setting("--count", known(texts(Counts())), "is %q", clip(string(s.Count)))
	case !slices.Contains(Nulls(), s.Null):
		return setting("--null", known(texts(Nulls())), "is %q", clip(string(s.Null)))
	}
	return nil
}

func texts[T ~string](list []T) []string {
	var out []string
	for _, x := range list {
		out = append(out, string(x))
	}
	return out
}

// fitsBoard says whether a board of the map's size, either way round, has these rows and
// columns.
func (m *Map) fitsBoard(rows, cols int) bool {
	return rows == m.Rows && cols == m.Cols || rows == m.Cols && cols == m.Rows
}

// Candidates lists the catalogue's rulesets whose board has the map's size.
func (m *Map) Candidates() ([]string, error) {
	var out []string
	for _, id := range rules.Catalogue() {
		r, err := rules.Open(id)
		if err != nil {
			return nil, err
		}
		if m.fitsBoard(r.Params.Board.Rows, r.Params.Board.Cols) {
			out = append(out, id)
		}
	}
	return out, nil
}

// impossible are rules that cannot have worn a whole board: pieces that begin on the
// squares of one colour of the two nearest rows and move one step diagonally, so that half
// of the squares, and every line between squares that share a side, are never touched.
func impossible(rows, cols int) experiments.RulesetRef {
	var array []string
	men := 0
	deep := 2
	if rows < 5 {
		deep = 1
	}
	for row := rows - 1; row >= 0; row-- {
		line := make([]byte, cols)
		for col := range line {
			line[col] = '.'
			if (row+col)%2 == 0 && row < deep {
				line[col] = 'a'
				men++
			}
		}
		array = append(array, string(line))
	}
	// The second player gets as many, on the same colour.
	left := men
	for i := range array {
		row := rows - 1 - i
		line := []byte(array[i])
		for col := range line {
			if (row+col)%2 == 0 && left > 0 && line[col] == '.' && row >= deep {
				line[col] = 'b'
				left--
			}
		}
		array[i] = string(line)
	}
	return experiments.RulesetRef{Name: controlName, Ref: "museum-quintana", Set: []string{
		fmt.Sprintf("board.rows=%d", rows), fmt.Sprintf("board.cols=%d", cols), fmt.Sprintf("pieces.men=%d", men), "pieces.leaders=0",
		"setup.kind=array", "setup.array=" + strings.Join(array, "/"),
		"movement.men.range=step", "movement.men.directions=diagonal", "capture.axes=diagonal",
	}}
}

var notID = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// Design is the experiment whose games a comparison needs, and the plan for holding them
// against the map. Nothing is written.
func (m *Map) Design(s Settings) (experiments.Design, Plan, error) {
	d := experiments.DefaultDesign()
	if err := s.check(); err != nil {
		return d, Plan{}, err
	}
	refs := s.Rulesets
	if len(refs) == 0 {
		var err error
		if refs, err = m.Candidates(); err != nil {
			return d, Plan{}, err
		}
		if len(refs) == 0 {
			return d, Plan{}, setting("--rulesets", "name some, with their boards set to that size, as --rulesets bell-8x7+board.rows=9", "no ruleset of the catalogue has a board of %d by %d", m.Rows, m.Cols)
		}
	}
	control := impossible(m.Rows, m.Cols)
	if s.Control != "" {
		control = experiments.RulesetRef{Name: s.Control, Ref: s.Control}
	}
	for _, ref := range append(slices.Clone(refs), control.Name) {
		open, set := ref, []string(nil)
		field := "--rulesets"
		if ref == control.Name {
			open, set, field = control.Ref, control.Set, "--control"
		}
		r, err := rules.Open(open, set...)
		if err != nil {
			return d, Plan{}, fmt.Errorf("%s: %w", field, err)
		}
		if b := r.Params.Board; !m.fitsBoard(b.Rows, b.Cols) {
			fit, _ := m.Candidates()
			hint := "none of the catalogue fits"
			if len(fit) > 0 {
				hint = "of the catalogue fit: " + strings.Join(fit, ", ")
			}
			return d, Plan{}, setting(field, hint, "%s is played on %d by %d squares, the map has %d by %d", ref, b.Rows, b.Cols, m.Rows, m.Cols)
		}
		if slices.Contains(refs, control.Name) {
			return d, Plan{}, setting("--control", "another ruleset, or leave it out", "%s is among the rulesets that are compared", control.Name)
		}
		if field == "--rulesets" {
			d.Rulesets = append(d.Rulesets, experiments.RulesetRef{Name: ref, Ref: ref})
		}
	}
	d.Rulesets = append(d.Rulesets, control)
	name := strings.TrimSuffix(m.Name, filepath.Ext(m.Name))
	d.ID = strings.Trim(notID.ReplaceAllString("wear-"+strings.TrimPrefix(name, "wear-"), "-"), "-.")
	d.ID = d.ID[:min(len(d.ID), 60)]
	d.Title = "Traffic for the map of wear " + name
	d.Question = "Where do pieces travel under each ruleset, to be held against the map of wear " + name + "?"
	d.Agents = []experiments.AgentRef{{Name: s.Agent, Spec: s.Agent}}
	if s.Agent != randomAgent {
		d.Agents = append(d.Agents, experiments.AgentRef{Name: randomAgent, Spec: randomAgent})
	}
	d.Starts = experiments.Starts{Kind: "initial"}
	d.Pairs, d.UnitPairs = (s.Games+1)/2, 2
	d.Seed, d.Cap, d.Exploratory = s.Seed, s.Cap, true
	if ps := d.Validate(); len(ps) > 0 {
		return d, Plan{}, ps
	}
	return d, Plan{Format: 1, Map: m.Name, MapSHA256: m.SHA256, Agent: s.Agent, Control: control.Name,
		Distance: s.Distance, Count: s.Count, Null: s.Null, Draws: s.Draws, Seed: s.Seed}, nil
}

// Same checks that the comparison in a directory, if there is one, is this one. A directory
// is for one comparison: trying maps or distances until one fits would make every p-value
// meaningless.
func (p Plan) Same(dir string) error {
	was, _, err := Read(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !Present(dir):
		return nil
	case err != nil:
		return err
	case was != p:
		return setting("--out", "name another directory, or give what the first run was given", "%s holds another comparison: %s", dir, was.differs(p))
	}
	return nil
}

// Freeze writes the plan and the map into the directory of an experiment that was frozen,
// unless they are there; those there must be the same.
func (m *Map) Freeze(dir string, p Plan) error {
	if err := p.Same(dir); err != nil || Present(dir) {
		return err
	}
	// The plan comes last: when it is there, so is its map.
	if err := atomicfile.WriteBytes(filepath.Join(dir, MapFile), m.data); err != nil {
		return err
	}
	b, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(filepath.Join(dir, PlanFile), append(b, '\n'))
}

// differs says in what two plans differ.
func (p Plan) differs(o Plan) string {
	for _, x := range []struct {
		what string
		a, b any
	}{
		{"map", p.MapSHA256, o.MapSHA256}, {"map's name", p.Map, o.Map}, {"agent", p.Agent, o.Agent}, {"control", p.Control, o.Control},
		{"distance", p.Distance, o.Distance}, {"count", p.Count, o.Count}, {"null", p.Null, o.Null}, {"draws", p.Draws, o.Draws}, {"seed", p.Seed, o.Seed},
	} {
		if x.a != x.b {
			return fmt.Sprintf("its %s is %.20v, not %.20v", x.what, x.a, x.b)
		}
	}
	return "its format differs"
}

// Present says whether a directory holds a comparison.
func Present(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, PlanFile))
	return err == nil
}

// Read reads the plan and the map of a comparison's directory; the error satisfies
// fs.ErrNotExist if it holds none, and experiments.ErrInvalid if it is damaged.
func Read(dir string) (Plan, *Map, error) {
	var p Plan
	path := filepath.Join(dir, PlanFile)
	f, size, err := atomicfile.Open(path)
	if err != nil {
		return p, nil, fmt.Errorf("read the comparison: %w", err)
	}
	defer f.Close()
	if size > maxMapBytes {
		return p, nil, experiments.Problems{{File: path, Message: "is too long for a plan", Hint: "restore it"}}
	}
	b, err := io.ReadAll(io.LimitReader(f, maxMapBytes))
	if err != nil {
		return p, nil, fmt.Errorf("read the comparison: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil {
		return p, nil, experiments.Problems{{File: path, Message: "is damaged: " + err.Error(), Hint: "restore it, or use another directory"}}
	}
	if p.Format != 1 {
		return p, nil, experiments.Problems{{File: path, Field: "format", Message: fmt.Sprintf("is %d", p.Format), Hint: "this program reads format 1"}}
	}
	if err := (Settings{Games: 2, Draws: p.Draws, Distance: p.Distance, Count: p.Count, Null: p.Null}).check(); err != nil {
		return p, nil, experiments.Problems{{File: path, Message: err.Error(), Hint: "restore it"}}
	}
	m, err := ReadMap(filepath.Join(dir, MapFile))
	if err != nil {
		return p, nil, err
	}
	if m.SHA256 != p.MapSHA256 {
		return p, nil, experiments.Problems{{File: filepath.Join(dir, MapFile), Message: "is not the map that the comparison began with: its hash differs", Hint: "restore it, or use another directory"}}
	}
	m.Name = p.Map
	return p, m, nil
}
