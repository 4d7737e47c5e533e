package datasets

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"
)

// Count is a value of a column and the number of rows that have it.
type Count struct {
	Value string `json:"value"`
	Rows  uint64 `json:"rows"`
}

// Spread describes the distribution of a whole number.
type Spread struct {
	Min    uint32  `json:"min"`
	Median uint32  `json:"median"`
	Mean   float64 `json:"mean"`
	P90    uint32  `json:"p90"` // 90 % of the rows have at most this
	Max    uint32  `json:"max"`
}

// ColumnInfo is a column of a file.
type ColumnInfo struct {
	Name string `json:"name"`
	Type string `json:"type"` // in Arrow's notation
}

// CurveInfo is a learning curve of a metrics file.
type CurveInfo struct {
	Name   string  `json:"name"`
	Points uint64  `json:"points"`
	Last   float64 `json:"last"`
}

// Summary is what [Inspect] finds in a data file. Parts that do not apply to the
// file's kind are empty.
type Summary struct {
	Path     string            `json:"path"`
	Kind     Kind              `json:"kind"`
	Version  string            `json:"schema_version"`
	Bytes    int64             `json:"bytes"`
	SHA256   string            `json:"sha256"`
	Rows     uint64            `json:"rows"`
	Batches  int               `json:"batches"`
	Decoded  int64             `json:"decoded_bytes"`    // of the rows, before compression
	Damage   string            `json:"damage,omitempty"` // what is wrong behind the rows counted here
	Metadata map[string]string `json:"metadata"`
	Columns  []ColumnInfo      `json:"columns"`

	Games         uint64      `json:"games,omitempty"`
	DistinctGames uint64      `json:"distinct_games,omitempty"` // different canonical hashes
	Outcomes      []Count     `json:"outcomes,omitempty"`       // of games; of samples in a file of samples
	EndReasons    []Count     `json:"end_reasons,omitempty"`
	Rulesets      []Count     `json:"rulesets,omitempty"`
	Agents        []Count     `json:"agents,omitempty"` // as either player
	Networks      []Count     `json:"networks,omitempty"`
	Versions      []Count     `json:"engine_versions,omitempty"`
	Plies         *Spread     `json:"plies,omitempty"`  // length of games
	Legal         *Spread     `json:"legal,omitempty"`  // legal actions of samples
	Visits        *Spread     `json:"visits,omitempty"` // simulations of samples
	FullSearches  uint64      `json:"full_searches,omitempty"`
	PolicyEntropy *float64    `json:"policy_entropy,omitempty"`     // mean of samples with a policy, nats
	FirstScore    *float64    `json:"first_player_score,omitempty"` // (W + D/2)/(W + D + L) of games, capped ones left out
	Curves        []CurveInfo `json:"curves,omitempty"`
}

// Inspect reads a data file of any kind row by row and summarises it. A damaged
// file is summarised up to the damage, which the summary then names; a file that
// cannot be read at all is an error.
func Inspect(path string) (*Summary, error) {
	r, kind, err := openAny(path, Options{Recover: true})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	s := &Summary{Path: path, Kind: kind, Metadata: r.Metadata()}
	s.Version = s.Metadata[MetaVersion]
	for _, f := range r.arrowSchema().Fields() {
		s.Columns = append(s.Columns, ColumnInfo{f.Name, f.Type.String()})
	}
	switch r := r.(type) {
	case *Reader[Sample]:
		err = s.samples(r)
	case *Reader[Game]:
		err = s.games(r)
	case *Reader[metricRow]:
		err = s.metrics(r)
	}
	if err != nil {
		return nil, err
	}
	if r.Lost() != nil {
		s.Damage = r.Lost().Error()
	}
	s.Batches, s.Decoded = r.decoded()
	if s.Bytes, s.SHA256, err = HashFile(path); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Summary) samples(r *Reader[Sample]) error {
	outcomes, ends, rules, nets, versions := tally{}, tally{}, tally{}, tally{}, tally{}
	legal, visits, plies := histogram{}, histogram{}, histogram{}
	entropy, policies := 0.0, 0
	var last uint64
	var x Sample
	for r.Next(&x) {
		if s.Rows == 0 || x.GameID != last {
			s.Games++
			last = x.GameID
			plies[x.Ply+x.PliesLeft]++
		}
		s.Rows++
		outcomes.add(x.Outcome)
		ends.add(x.EndReason)
		rules.add(x.RulesetHash)
		nets.add(x.NetworkHash)
		versions.add(x.EngineVersion)
		legal[uint32(x.LegalCount)]++
		visits[x.Simulations]++
		if x.Full {
			s.FullSearches++
		}
		if len(x.Policy) > 0 {
			policies++
			for _, p := range x.Policy {
				if p > 0 {
					entropy -= float64(p) * math.Log(float64(p))
				}
			}
		}
	}
	s.Outcomes, s.EndReasons, s.Rulesets, s.Networks, s.Versions = outcomes.counts(), ends.counts(), rules.counts(), nets.counts(), versions.counts()
	s.Legal, s.Visits, s.Plies = legal.spread(), visits.spread(), plies.spread()
	if policies > 0 {
		entropy /= float64(policies)
		s.PolicyEntropy = &entropy
	}
	return r.Err()
}

func (s *Summary) games(r *Reader[Game]) error {
	outcomes, ends, rules, agents, nets, versions := tally{}, tally{}, tally{}, tally{}, tally{}, tally{}
	plies := histogram{}
	distinct := make(map[uint64]struct{})
	var g Game
	for r.Next(&g) {
		s.Rows++
		outcomes.add(g.Outcome)
		ends.add(g.EndReason)
		rules.add(g.Ruleset + " " + g.RulesetHash)
		agents.add(g.Agent0)
		agents.add(g.Agent1)
		nets.add(g.NetworkHash0)
		nets.add(g.NetworkHash1)
		versions.add(g.EngineVersion)
		plies[g.Plies]++
		distinct[g.CanonicalHash] = struct{}{}
	}
	s.Games, s.DistinctGames = s.Rows, uint64(len(distinct))
	if n := outcomes[Win0] + outcomes[Win1] + outcomes[Draw]; n > 0 {
		score := (float64(outcomes[Win0]) + float64(outcomes[Draw])/2) / float64(n)
		s.FirstScore = &score
	}
	s.Outcomes, s.EndReasons, s.Rulesets, s.Agents, s.Networks, s.Versions = outcomes.counts(), ends.counts(), rules.counts(),
		agents.counts(), nets.counts(), versions.counts()
	s.Plies = plies.spread()
	return r.Err()
}

func (s *Summary) metrics(r *Reader[metricRow]) error {
	for _, c := range s.Columns[2:] {
		s.Curves = append(s.Curves, CurveInfo{Name: c.Name})
	}
	var row metricRow
	for r.Next(&row) {
		s.Rows++
		for i, v := range row.values {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				s.Curves[i].Points++
				s.Curves[i].Last = v
			}
		}
	}
	return r.Err()
}

// WriteText writes the summary for people.
func (s *Summary) WriteText(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(key, format string, args ...any) { fmt.Fprintf(t, "%s\t%s\n", key, fmt.Sprintf(format, args...)) }
	line("file", "%s", s.Path)
	line("rows", "%d %s rows in %d batches (schema version %s)", s.Rows, s.Kind, s.Batches, s.Version)
	per := ""
	if s.Rows > 0 {
		per = fmt.Sprintf(", %.1f a row", float64(s.Bytes)/float64(s.Rows))
	}
	line("bytes", "%d%s; %d before compression", s.Bytes, per, s.Decoded)
	line("sha256", "%s", s.SHA256)
	if s.Damage != "" {
		line("DAMAGED", "%s", s.Damage)
	}
	for _, k := range sortedKeys(s.Metadata) {
		line("meta "+k, "%s", s.Metadata[k])
	}
	if s.Games > 0 && s.Kind == Games {
		line("games", "%d, %d of them different", s.Games, s.DistinctGames)
	} else if s.Games > 0 {
		line("games", "%d", s.Games)
	}
	counts := func(key string, cs []Count) {
		total := uint64(0)
		for _, c := range cs {
			total += c.Rows
		}
		for _, c := range cs {
			v := c.Value
			if v == "" {
				v = "(none)"
			}
			line(key, "%s: %d (%.1f %%)", v, c.Rows, 100*float64(c.Rows)/float64(total))
		}
	}
	counts("outcome", s.Outcomes)
	if s.FirstScore != nil {
		line("first player", "scores %.3f where the game was finished", *s.FirstScore)
	}
	counts("end reason", s.EndReasons)
	counts("ruleset", s.Rulesets)
	counts("agent", s.Agents)
	counts("network", s.Networks)
	counts("engine", s.Versions)
	spread := func(key string, d *Spread) {
		if d != nil {
			line(key, "%d to %d, mean %.1f, median %d, 90 %% at most %d", d.Min, d.Max, d.Mean, d.Median, d.P90)
		}
	}
	spread("plies", s.Plies)
	spread("legal actions", s.Legal)
	spread("simulations", s.Visits)
	if s.Kind == Samples && s.Rows > 0 {
		line("full searches", "%d (%.1f %%)", s.FullSearches, 100*float64(s.FullSearches)/float64(s.Rows))
	}
	if s.PolicyEntropy != nil {
		line("policy entropy", "%.3f nats", *s.PolicyEntropy)
	}
	for _, c := range s.Curves {
		line("curve", "%s: %d points, last %g", c.Name, c.Points, c.Last)
	}
	for _, c := range s.Columns {
		line("column", "%s: %s", c.Name, c.Type)
	}
	return t.Flush()
}

// tally counts values. Beyond maxTally different ones it counts them together,
// so that a column of unique values does not fill the memory.
type tally map[string]uint64

const (
	maxTally   = 1000
	otherTally = "(other values)"
)

func (t tally) add(v string) {
	if _, ok := t[v]; !ok && len(t) >= maxTally {
		v = otherTally
	}
	t[v]++
}

// counts returns the values by falling number, then name.
func (t tally) counts() []Count {
	out := make([]Count, 0, len(t))
	for v, n := range t {
		out = append(out, Count{v, n})
	}
	slices.SortFunc(out, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Rows, a.Rows), cmp.Compare(a.Value, b.Value))
	})
	return out
}

// histogram counts whole numbers.
type histogram map[uint32]uint64

func (h histogram) spread() *Spread {
	if len(h) == 0 {
		return nil
	}
	values := make([]uint32, 0, len(h))
	total, sum := uint64(0), 0.0
	for v, n := range h {
		values = append(values, v)
		total += n
	}
	slices.Sort(values)
	// Summed in order, so that the mean does not depend on the map's order.
	for _, v := range values {
		sum += float64(v) * float64(h[v])
	}
	quantile := func(num, den uint64) uint32 {
		rank := (total*num + den - 1) / den // least rank that has the share, from 1
		seen := uint64(0)
		for _, v := range values {
			if seen += h[v]; seen >= rank {
				return v
			}
		}
		return values[len(values)-1]
	}
	return &Spread{Min: values[0], Median: quantile(1, 2), Mean: sum / float64(total), P90: quantile(9, 10), Max: values[len(values)-1]}
}

// VerifyOptions say how a file is verified.
type VerifyOptions struct {
	Expect *ShardInfo // length, hash and rows from a manifest
	// CheckSample and CheckGame are further checks, for example that the engine
	// decodes the state or replays the moves to the recorded outcome. The column
	// that their error is filed under is "engine".
	CheckSample func(*Sample) error
	CheckGame   func(*Game) error
	// MaxProblems bounds the problems that are listed; 20 if zero.
	MaxProblems int
}

// Report is the result of [Verify].
type Report struct {
	Path     string   `json:"path"`
	Kind     Kind     `json:"kind"`
	Rows     uint64   `json:"rows"` // rows that decoded
	Games    uint64   `json:"games"`
	SHA256   string   `json:"sha256"`
	Count    uint64   `json:"problem_count"`
	Problems []string `json:"problems"` // the first ones
}

// OK reports whether no problem was found.
func (r *Report) OK() bool { return r.Count == 0 }

// Verify checks a data file of any kind: hash and length against what is
// expected, every batch and row decoded, the invariants of every row, and those
// between rows: each game is one run of rows (once in a file of games), its plies
// ascend, and its outcome, end reason, ruleset and length are the same in all
// its samples. Faults of the data are in the report, and the error is for files
// that cannot be read at all.
func Verify(path string, opts VerifyOptions) (*Report, error) {
	if opts.MaxProblems <= 0 {
		opts.MaxProblems = 20
	}
	rep := &Report{Path: path, Problems: []string{}}
	add := func(err error) {
		if rep.Count++; len(rep.Problems) < opts.MaxProblems {
			rep.Problems = append(rep.Problems, err.Error())
		}
	}
	var err error
	if _, rep.SHA256, err = HashFile(path); err != nil {
		return nil, err
	}
	if opts.Expect != nil {
		f, _, err := openFile(path, opts.Expect)
		if err != nil {
			add(err)
		} else {
			f.Close()
		}
	}
	r, kind, err := openAny(path, Options{Recover: true})
	if err != nil {
		if errors.Is(err, ErrDamaged) || errors.Is(err, ErrSchema) {
			add(err)
			return rep, nil
		}
		return nil, err
	}
	defer r.Close()
	rep.Kind = kind
	switch r := r.(type) {
	case *Reader[Sample]:
		r.unchecked = true
		verifySamples(r, rep, opts.CheckSample, add)
	case *Reader[Game]:
		r.unchecked = true
		verifyGames(r, rep, opts.CheckGame, add)
	case *Reader[metricRow]:
		var row metricRow
		last := uint64(0)
		for r.Next(&row) {
			if row.step < last {
				add(&RowError{Row: rep.Rows, Field: metricStep, What: fmt.Sprintf("goes back from %d to %d", last, row.step)})
			}
			last = row.step
			rep.Rows++
		}
	}
	if r.Err() != nil {
		return nil, r.Err()
	}
	if r.Lost() != nil {
		add(r.Lost())
	}
	if e := opts.Expect; e != nil && (e.Rows != rep.Rows || e.Kind != kind) {
		add(&FileError{Path: path, Offset: -1, Err: ErrDamaged,
			What: fmt.Sprintf("holds %d %s rows, the manifest says %d %s rows", rep.Rows, kind, e.Rows, e.Kind)})
	}
	return rep, nil
}

func verifySamples(r *Reader[Sample], rep *Report, check func(*Sample) error, add func(error)) {
	seen := make(map[uint64]struct{})
	var s, first, last Sample
	for ; r.Next(&s); rep.Rows++ {
		fail := func(field, format string, args ...any) {
			add(&RowError{Row: rep.Rows, GameID: s.GameID, Field: field, What: fmt.Sprintf(format, args...)})
		}
		if err := rowError(&s, sampleSchema, rep.Rows); err != nil {
			add(err)
		}
		if check != nil {
			if err := check(&s); err != nil {
				fail("engine", "%v", err)
			}
		}
		if rep.Rows == 0 || s.GameID != last.GameID {
			rep.Games++
			if _, ok := seen[s.GameID]; ok {
				fail("game_id", "comes again after another game")
			}
			seen[s.GameID] = struct{}{}
			first, last = s, s
			continue
		}
		switch {
		case s.Ply <= last.Ply:
			fail("ply", "is %d after %d", s.Ply, last.Ply)
		case s.Outcome != first.Outcome:
			fail("outcome", "is %s, the game's first sample says %s", s.Outcome, first.Outcome)
		case s.EndReason != first.EndReason:
			fail("end_reason", "is %q, the game's first sample says %q", s.EndReason, first.EndReason)
		case s.RulesetHash != first.RulesetHash:
			fail("ruleset_hash", "is %s, the game's first sample says %s", s.RulesetHash, first.RulesetHash)
		case uint64(s.Ply)+uint64(s.PliesLeft) != uint64(first.Ply)+uint64(first.PliesLeft):
			fail("plies_left", "gives a game of %d plies, the game's first sample one of %d",
				uint64(s.Ply)+uint64(s.PliesLeft), uint64(first.Ply)+uint64(first.PliesLeft))
		}
		last = s
	}
}

func verifyGames(r *Reader[Game], rep *Report, check func(*Game) error, add func(error)) {
	seen := make(map[uint64]struct{})
	var g Game
	for ; r.Next(&g); rep.Rows++ {
		rep.Games++
		if err := rowError(&g, gameSchema, rep.Rows); err != nil {
			add(err)
		}
		if check != nil {
			if err := check(&g); err != nil {
				add(&RowError{Row: rep.Rows, GameID: g.GameID, Field: "engine", What: err.Error()})
			}
		}
		if _, ok := seen[g.GameID]; ok {
			add(&RowError{Row: rep.Rows, GameID: g.GameID, Field: "game_id", What: "comes twice"})
		}
		seen[g.GameID] = struct{}{}
	}
}
