package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"latro/datasets"
	"latro/datasets/atomicfile"
	"latro/env/engine"
	"latro/selfplay"
)

// ladderVersion is the version of the results file.
const ladderVersion = 1

// ladderSettings is what all games of a results file have in common.
type ladderSettings struct {
	Version     int    `json:"ladder"`
	Engine      string `json:"engine"`
	Ruleset     string `json:"ruleset"`
	RulesetHash string `json:"ruleset_hash"`
	Seed        uint64 `json:"seed"`
	Opening     int    `json:"opening"`
	MaxPlies    int    `json:"max_plies"`
}

// ladderRecord is the results file of a ladder. Matches stay in it that the present pool does not have.
type ladderRecord struct {
	path     string // "" keeps nothing
	settings ladderSettings
	matches  []*ladderPlayed
	saved    time.Time
}

// ladderPlayed is the pairs of a match that were played, in order and without gaps.
type ladderPlayed struct {
	a, b string // keys
	// pairs are two letters for the games' results of a (W, D, L, or C for capped) and the two hashes of the games,
	// "WL 0123456789abcdef 0123456789abcdef". In the first game a was player 0.
	pairs []string
}

// ladderFile is the form of the file.
type ladderFile struct {
	ladderSettings
	Matches []ladderFileMatch `json:"matches"`
}

type ladderFileMatch struct {
	A     string   `json:"a"`
	B     string   `json:"b"`
	Pairs []string `json:"pairs"`
}

// openLadderRecord reads the results at path, if there are any, and checks that games with these settings belong
// to them.
func openLadderRecord(path string, want ladderSettings) (*ladderRecord, error) {
	r := &ladderRecord{path: path, settings: want}
	if path == "" {
		return r, nil
	}
	if err := atomicfile.Check(path); err != nil {
		return nil, err
	}
	data, err := selfplay.ReadText(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, r.save() // what cannot be written is better known before the games
	}
	if err != nil {
		return nil, err
	}
	fail := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s: %s; give --out another name, or restore the file", errInput, path, fmt.Sprintf(format, args...))
	}
	var f ladderFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fail("not the results of a ladder: %v", err)
	}
	for _, c := range []struct {
		name      string
		had, want any
	}{
		{"version", f.Version, want.Version}, {"engine", f.Engine, want.Engine}, {"ruleset", f.Ruleset, want.Ruleset},
		{"ruleset's hash", f.RulesetHash, want.RulesetHash}, {"seed", f.Seed, want.Seed},
		{"opening", f.Opening, want.Opening}, {"max-plies", f.MaxPlies, want.MaxPlies},
	} {
		if c.had != c.want {
			return nil, fail("its games have %s %s, and those asked for %v", c.name, printable(fmt.Sprint(c.had)), c.want)
		}
	}
	seen := map[[2]string]bool{}
	for i, m := range f.Matches {
		if m.A >= m.B || seen[[2]string{m.A, m.B}] {
			return nil, fail("matches[%d] is out of order or there twice", i)
		}
		seen[[2]string{m.A, m.B}] = true
		p := &ladderPlayed{m.A, m.B, m.Pairs}
		if len(p.pairs) > maxMatchGames/2 {
			return nil, fail("matches[%d] has %d pairs, more than %d", i, len(p.pairs), maxMatchGames/2)
		}
		if _, err := p.result(len(p.pairs)); err != nil {
			return nil, fail("matches[%d]: %v", i, err)
		}
		r.matches = append(r.matches, p)
	}
	return r, nil
}

// match is the match of two agents, a new one if they did not meet; a is the lesser key.
func (r *ladderRecord) match(a, b string) *ladderPlayed {
	for _, m := range r.matches {
		if m.a == a && m.b == b {
			return m
		}
	}
	m := &ladderPlayed{a: a, b: b}
	r.matches = append(r.matches, m)
	return m
}

// saveEvery is the time between two writes while games go on.
const saveEvery = 2 * time.Second

func (r *ladderRecord) saveSoon() error {
	if time.Since(r.saved) < saveEvery {
		return nil
	}
	return r.save()
}

// save replaces the file in one step.
func (r *ladderRecord) save() error {
	if r.path == "" {
		return nil
	}
	f := ladderFile{ladderSettings: r.settings, Matches: []ladderFileMatch{}}
	for _, m := range r.matches {
		if len(m.pairs) > 0 {
			f.Matches = append(f.Matches, ladderFileMatch{m.a, m.b, m.pairs})
		}
	}
	data, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		return err
	}
	if err := atomicfile.WriteBytes(r.path, append(data, '\n')); err != nil {
		return err
	}
	r.saved = time.Now()
	return nil
}

// pairRecord is a pair as the file has it.
func pairRecord(p selfplay.PairResult) string {
	var letters [2]byte
	for leg, score := range p.Scores() {
		letters[leg] = "LDW"[int(2*score)]
		if p.Games[leg].Outcome == engine.Capped.String() {
			letters[leg] = 'C'
		}
	}
	return fmt.Sprintf("%s %016x %016x", letters[:], p.Games[0].CanonicalHash, p.Games[1].CanonicalHash)
}

// result is the first n pairs as a match.
func (m *ladderPlayed) result(n int) (selfplay.MatchResult, error) {
	var out selfplay.MatchResult
	outcomes := [2]map[byte]string{
		{'W': engine.Win0.String(), 'L': engine.Win1.String(), 'D': engine.Draw.String(), 'C': engine.Capped.String()},
		{'W': engine.Win1.String(), 'L': engine.Win0.String(), 'D': engine.Draw.String(), 'C': engine.Capped.String()},
	}
	for i, text := range m.pairs[:n] {
		p := selfplay.PairResult{Pair: i}
		fields := strings.Split(text, " ")
		bad := len(fields) != 3 || len(fields[0]) != 2
		for leg := 0; leg < 2 && !bad; leg++ {
			outcome, known := outcomes[leg][fields[0][leg]]
			hash, err := strconv.ParseUint(fields[1+leg], 16, 64)
			bad = !known || err != nil
			p.Games[leg] = datasets.Game{Outcome: outcome, CanonicalHash: hash}
		}
		if bad {
			return out, fmt.Errorf("pairs[%d] is %q; it must be like \"WL 0123456789abcdef 0123456789abcdef\"", i, text)
		}
		out.Pairs = append(out.Pairs, p)
	}
	return out, nil
}
