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

// recordVersion is the version of the results files of ladders and matches.
const recordVersion = 1

// recordSettings is what all games of a results file have in common.
type recordSettings struct {
	// One of them is the version of the file, which says whose it is: a ladder's matches have seeds of their own.
	Ladder      int    `json:"ladder,omitempty"`
	Match       int    `json:"match,omitempty"`
	Engine      string `json:"engine"`
	Ruleset     string `json:"ruleset"`
	RulesetHash string `json:"ruleset_hash"`
	Seed        uint64 `json:"seed"`
	Opening     int    `json:"opening"`
	MaxPlies    int    `json:"max_plies"`
}

// pairsRecord is the results file of a ladder or a match. Matches stay in a ladder's that the present pool does not have.
type pairsRecord struct {
	path     string // "" keeps nothing
	settings recordSettings
	matches  []*playedPairs
	saved    time.Time
}

// playedPairs is the pairs of a match that were played, in order and without gaps.
type playedPairs struct {
	a, b string // keys
	// pairs are two letters for the games' results of a (W, D, L, or C for capped) and the two hashes of the games,
	// "WL 0123456789abcdef 0123456789abcdef". In the first game a was player 0.
	pairs []string
}

// recordFile is the form of the file.
type recordFile struct {
	recordSettings
	Matches []recordFileMatch `json:"matches"`
}

type recordFileMatch struct {
	A     string   `json:"a"`
	B     string   `json:"b"`
	Pairs []string `json:"pairs"`
}

// openPairsRecord reads the results at path, if there are any, and checks that games with these settings belong
// to them.
func openPairsRecord(path string, want recordSettings) (*pairsRecord, error) {
	r := &pairsRecord{path: path, settings: want}
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
	whose := "ladder"
	if want.Match != 0 {
		whose = "match"
	}
	var f recordFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fail("not the results of a %s: %v", whose, err)
	}
	if (f.Ladder == 0) != (want.Ladder == 0) || (f.Match == 0) != (want.Match == 0) {
		return nil, fail("not the results of a %s", whose)
	}
	for _, c := range []struct {
		name      string
		had, want any
	}{
		{"version", f.Ladder + f.Match, want.Ladder + want.Match}, {"engine", f.Engine, want.Engine}, {"ruleset", f.Ruleset, want.Ruleset},
		{"ruleset's hash", f.RulesetHash, want.RulesetHash}, {"seed", f.Seed, want.Seed},
		{"opening", f.Opening, want.Opening}, {"max-plies", f.MaxPlies, want.MaxPlies},
	} {
		if c.had != c.want {
			return nil, fail("its games have %s %s, and those asked for %v", c.name, printable(fmt.Sprint(c.had)), c.want)
		}
	}
	seen := map[[2]string]bool{}
	for i, m := range f.Matches {
		if want.Ladder != 0 && m.A >= m.B || seen[[2]string{m.A, m.B}] {
			return nil, fail("matches[%d] is out of order or there twice", i)
		}
		seen[[2]string{m.A, m.B}] = true
		p := &playedPairs{m.A, m.B, m.Pairs}
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
func (r *pairsRecord) match(a, b string) *playedPairs {
	for _, m := range r.matches {
		if m.a == a && m.b == b {
			return m
		}
	}
	m := &playedPairs{a: a, b: b}
	r.matches = append(r.matches, m)
	return m
}

// saveEvery is the time between two writes while games go on.
const saveEvery = 2 * time.Second

func (r *pairsRecord) saveSoon() error {
	if time.Since(r.saved) < saveEvery {
		return nil
	}
	return r.save()
}

// save replaces the file in one step.
func (r *pairsRecord) save() error {
	if r.path == "" {
		return nil
	}
	f := recordFile{recordSettings: r.settings, Matches: []recordFileMatch{}}
	for _, m := range r.matches {
		if len(m.pairs) > 0 {
			f.Matches = append(f.Matches, recordFileMatch{m.a, m.b, m.pairs})
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

// keeper puts the pairs of a match that is being played into its record, in their order: what is kept has no gaps, so that
// a resumed match goes on at its end. It is not safe for concurrent use.
type keeper struct {
	record  *pairsRecord
	match   *playedPairs
	waiting map[int]selfplay.PairResult
	failed  error
}

// played is what the record has of the first n pairs.
func (k *keeper) played(n int) (selfplay.MatchResult, error) {
	if k.record == nil {
		return selfplay.MatchResult{}, nil
	}
	return k.match.result(min(n, len(k.match.pairs)))
}

// add keeps a pair; false says that the record cannot be written. A keeper without a record keeps nothing.
func (k *keeper) add(p selfplay.PairResult) bool {
	if k.record == nil {
		return true
	}
	if k.waiting == nil {
		k.waiting = map[int]selfplay.PairResult{}
	}
	k.waiting[p.Pair] = p
	for k.failed == nil {
		at := len(k.match.pairs)
		next, ok := k.waiting[at]
		if !ok {
			break
		}
		delete(k.waiting, at)
		k.match.pairs = append(k.match.pairs, pairRecord(next))
		k.failed = k.record.saveSoon()
	}
	return k.failed == nil
}

// end writes what is not written yet. err is how the match ended.
func (k *keeper) end(err error) error {
	if k.record == nil {
		return err
	}
	if saved := k.record.save(); k.failed == nil {
		k.failed = saved
	}
	if k.failed != nil {
		return k.failed
	}
	return err
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
func (m *playedPairs) result(n int) (selfplay.MatchResult, error) {
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
