package audit

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"latro/experiments/stats"
)

// width is the number of columns of the text form.
const width = 110

// thousands writes a number with commas: 2,500.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func ordinal(n int) string {
	words := []string{"zeroth", "first", "second", "third", "fourth", "fifth"}
	if n < len(words) {
		return words[n]
	}
	return strconv.Itoa(n) + "th"
}

// percent writes a share: "63 %", "0.4 %", never 0 or 100 for a share that is neither.
func percent(x float64) string {
	p := 100 * x
	switch {
	case p == 0 || p == 100 || p >= 10 && p <= 90:
		return fmt.Sprintf("%.0f %%", p)
	case p > 99.9:
		return "over 99.9 %"
	case p < 0.1:
		return "under 0.1 %"
	}
	return fmt.Sprintf("%.1f %%", p)
}

// shareText is "63 % (56–69)" with the bounds rounded to whole points.
func shareText(i stats.Interval) string {
	if math.IsNaN(i.Estimate) {
		return "–"
	}
	return fmt.Sprintf("%s (%.0f–%.0f)", percent(i.Estimate), 100*i.Low, 100*i.High)
}

// number writes a mean or median: without a fraction from 100 on.
func number(x float64) string {
	if x >= 100 || x == math.Trunc(x) {
		return thousands(int(math.Round(x)))
	}
	return fmt.Sprintf("%.1f", x)
}

func orDash(x *float64) string {
	if x == nil {
		return "–"
	}
	return number(*x)
}

// ofGames is "63 % (56–69) of the 200 random games", with words where none or all did.
func (g *Group) ofGames(s Share) string {
	n := g.Outcomes.N()
	switch s.Count {
	case 0:
		return fmt.Sprintf("none of %s %s games (at most %s)", thousands(n), g.Name, percent(s.Share.High))
	case n:
		return fmt.Sprintf("all %s %s games (at least %s)", thousands(n), g.Name, percent(s.Share.Low))
	}
	return fmt.Sprintf("%s of %s %s games", shareText(s.Share), thousands(n), g.Name)
}

func find(list []Share, key string) Share {
	for _, s := range list {
		if s.Key == key {
			return s
		}
	}
	return Share{Key: key}
}

// upper makes the first letter a capital.
func upper(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return strings.ToUpper(string(r)) + s[n:]
}

// verdicts says the findings in sentences.
func (r *Report) verdicts() []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, upper(fmt.Sprintf(format, args...))) }
	for i := range r.Groups {
		g := &r.Groups[i]
		capped := find(g.Ends, "end:cap")
		say("%s reached no end within %s plies.", g.ofGames(capped), thousands(r.Cap))
		most := Share{}
		for _, e := range g.Ends {
			if e.Key != "end:cap" && e.Count > most.Count {
				most = e
			}
		}
		if most.Count > 0 {
			text := fmt.Sprintf("the most frequent end of %s play, in %s of the games: %s", g.Name, shareText(most.Share), most.Words)
			if g.MedianEnded != nil {
				text += fmt.Sprintf(" (half of the games that ended were over by ply %s)", number(*g.MedianEnded))
			}
			say("%s.", text)
		}
		if g.Capped != nil {
			say("when the cap stopped a %s game, it had been %s plies since the last capture (median), with %s and %s pieces left, and %s.",
				g.Name, number(g.Capped.Quiet), number(g.Capped.Pieces[0]), number(g.Capped.Pieces[1]), circles(g.Capped.Cycling, g.Outcomes.Capped))
		}
	}
	var never []string
	for _, key := range []string{"blockade", "famine-one", "famine-both", "hopeless", "recurrence"} {
		var parts []string
		words := ""
		for i := range r.Groups {
			g := &r.Groups[i]
			s := find(g.Pathologies, key)
			words = s.Words
			if s.Count > 0 {
				parts = append(parts, fmt.Sprintf("%s of the %s games", shareText(s.Share), g.Name))
			}
		}
		if words == "" {
			continue
		}
		if len(parts) == 0 {
			never = append(never, words)
			continue
		}
		say("in %s %s.", strings.Join(parts, ", "), words)
	}
	if len(never) > 0 {
		say("in no game did it come about that %s.", strings.Join(never, "; or that "))
	}
	for i := range r.Groups {
		if g := &r.Groups[i]; g.NoCapture.Count > 0 {
			say("%s passed without a capture.", g.ofGames(g.NoCapture))
		}
	}
	idle := r.count(NeverMattered)
	say("%d of the %d parameters of which another value can be played never mattered in the %s games that were followed under other rules.",
		idle, idle+r.count(Mattered), thousands(len(r.Groups)*r.Replayed))
	if len(r.Undefined) == 0 {
		say("nothing that the source leaves unsaid decided anything in these games.")
	} else {
		u := r.Undefined[0]
		say("%s on which the source is silent decided something%s; the one that did so in most games is %s (%s).",
			count(len(r.Undefined), "parameter"), r.doubtWords(), u.Name, shareText(u.Share))
	}
	return out
}

// doubts counts the undefined parameters of which the ruleset has other readings.
func (r *Report) doubts() int {
	n := 0
	for i := range r.Undefined {
		if len(r.Undefined[i].Readings) > 0 {
			n++
		}
	}
	return n
}

// doubtWords says how many of these have readings.
func (r *Report) doubtWords() string {
	if n := r.doubts(); n > 0 {
		return fmt.Sprintf(" (for %d of them the ruleset has another reading)", n)
	}
	return ""
}

func count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return thousands(n) + " " + word + "s"
}

// plies writes a number of plies.
func plies(n int) string {
	if n == 1 {
		return "1 ply"
	}
	return thousands(n) + " plies"
}

func circles(n, of int) string {
	switch {
	case of == 0 || n == 0:
		return "no such game was going in circles"
	case n == of:
		return "every such game was going in circles"
	}
	return fmt.Sprintf("%d of %d were going in circles", n, of)
}

func (r *Report) count(status string) int {
	n := 0
	for i := range r.Parameters {
		if r.Parameters[i].Status == status {
			n++
		}
	}
	return n
}

// WriteText writes the report for people.
func (r *Report) WriteText(w io.Writer) error {
	t := &text{w: w}
	t.line("Audit of %s (%s)", r.Ruleset, r.Name)
	t.wrap("", "", fmt.Sprintf("%s games in each of three groups, cap %s plies, seed %d. In brackets: 95 %% intervals (Wilson).", thousands(r.Games), thousands(r.Cap), r.Seed))
	t.line("")
	for _, v := range r.Verdicts {
		t.wrap("- ", "  ", v)
	}
	t.wrap("- ", "  ", r.Hunger)
	r.writeEnds(t)
	r.writeParameters(t)
	r.writeUndefined(t)
	r.writeExamples(t)
	return t.err
}

func (r *Report) writeEnds(t *text) {
	t.title("How the games ended")
	header := []string{""}
	for i := range r.Groups {
		header = append(header, strings.ToUpper(r.Groups[i].Name))
	}
	rows := [][]string{header}
	shares := func(get func(*Group) []Share) {
		for k := range get(&r.Groups[0]) {
			row := []string{shortWords(get(&r.Groups[0])[k])}
			for i := range r.Groups {
				s := get(&r.Groups[i])[k]
				cell := "–"
				if s.Count > 0 {
					cell = fmt.Sprintf("%d: %s", s.Count, shareText(s.Share))
				}
				row = append(row, cell)
			}
			rows = append(rows, row)
		}
	}
	add := func(name string, get func(*Group) string) {
		row := []string{name}
		for i := range r.Groups {
			row = append(row, get(&r.Groups[i]))
		}
		rows = append(rows, row)
	}
	shares(func(g *Group) []Share { return g.Ends })
	rows = append(rows, []string{"Of these games (not exclusive)"})
	shares(func(g *Group) []Share { return append(slices.Clone(g.Pathologies), g.NoCapture) })
	rows = append(rows, []string{"Figures"})
	add("plies, mean / median (capped games count the cap)", func(g *Group) string { return number(g.MeanPlies) + " / " + number(g.MedianPlies) })
	add("plies of the games that ended, median", func(g *Group) string { return orDash(g.MedianEnded) })
	add("plies that led to a position seen before", func(g *Group) string {
		if g.SeenBefore == nil {
			return "–"
		}
		return percent(*g.SeenBefore)
	})
	add("most occurrences of one position", func(g *Group) string { return strconv.Itoa(g.MostOften) })
	add("forced passes, all games", func(g *Group) string { return thousands(g.Passes) })
	add("capped: plies since a capture, median", func(g *Group) string {
		if g.Capped == nil {
			return "–"
		}
		return number(g.Capped.Quiet)
	})
	add("capped: pieces left, median", func(g *Group) string {
		if g.Capped == nil {
			return "–"
		}
		return number(g.Capped.Pieces[0]) + " : " + number(g.Capped.Pieces[1])
	})
	add("first player's score", func(g *Group) string { return scoreText(g.Score, g.ScoreLow, g.ScoreHigh) })
	add("greedy player's score", func(g *Group) string {
		if g.Greedy == nil {
			return "–"
		}
		return scoreText(*g.Greedy, *g.GreedyLow, *g.GreedyHigh)
	})
	t.table(rows)
	t.wrap("", "", "Score: wins, half of the draws and half of the capped games. Where games were capped, the second bracket is the score if all of these were lost, and won.")
}

func scoreText(i stats.Interval, low, high float64) string {
	text := fmt.Sprintf("%.2f (%.2f–%.2f)", i.Estimate, i.Low, i.High)
	if low < high {
		text += fmt.Sprintf(" [%.2f–%.2f]", low, high)
	}
	return text
}

// shortWords names a line of the table of ends.
func shortWords(s Share) string {
	switch s.Key {
	case "cycling":
		return "capped while going in circles"
	case "end:cap":
		return "no end: capped"
	case "blockade":
		return "a player could not move"
	case "famine-one":
		return "one side could never capture again"
	}
	return s.Words
}

func (r *Report) writeParameters(t *text) {
	t.title("Which rules mattered")
	t.wrap("", "", fmt.Sprintf("The first %d games of each group (%d in all, %s plies) were followed under %d other values of the rules. A rule mattered in a game if, after the very same plies, another value gave another board, player to move, set of legal moves or end.",
		r.Replayed, len(r.Groups)*r.Replayed, thousands(r.ReplayedPlies), r.Values))
	t.line("")
	var mattered []Parameter
	for _, p := range r.Parameters {
		if p.Status == Mattered {
			mattered = append(mattered, p)
		}
	}
	slices.SortStableFunc(mattered, func(x, y Parameter) int { return y.Count - x.Count })
	rows := [][]string{{"MATTERED", "AS PLAYED", "CERTAINTY", "GAMES", "FIRST AT PLY (MEDIAN)", "READINGS"}}
	for _, p := range mattered {
		rows = append(rows, []string{p.Name, orNone(p.Value), p.Certainty, shareText(*p.Share), orDash(p.FirstPly)})
		for _, v := range p.Values {
			if v.Start {
				rows = append(rows, []string{"  " + strings.TrimPrefix(v.Key, p.Name), "", "", "changes the start", ""})
				continue
			}
			rows = append(rows, []string{"  " + strings.TrimPrefix(v.Key, p.Name), "", "", shareText(*v.Share), orDash(v.FirstPly), strings.Join(v.Readings, ", ")})
		}
	}
	if len(mattered) > 0 {
		t.table(rows)
	}
	for _, status := range []struct{ status, lead string }{
		{NeverMattered, "Never mattered in these games: "},
		{ChangesStart, "Change the start, and matter by that alone: "},
		{NotVaried, "Not varied: "},
		{Meaningless, "No meaning beside the other rules: "},
	} {
		var names []string
		for _, p := range r.Parameters {
			if p.Status != status.status {
				continue
			}
			name := p.Name
			switch status.status {
			case NeverMattered, ChangesStart:
				if p.Name != "setup.array" {
					name += " = " + orNone(p.Value)
				}
			case NotVaried:
				name += " = " + orNone(p.Value) + " (" + p.Why + ")"
			}
			names = append(names, name)
		}
		if len(names) > 0 {
			t.line("")
			t.wrap("", "  ", status.lead+strings.Join(names, "; ")+".")
		}
	}
}

func orNone(v string) string {
	if v == "" {
		return "none"
	}
	return v
}

func (r *Report) writeUndefined(t *text) {
	t.title("What the source leaves undefined")
	if len(r.Undefined) == 0 && len(r.Unruled) == 0 {
		t.wrap("", "", "Nothing that the source leaves unsaid decided anything in these games.")
		return
	}
	if len(r.Undefined) > 0 {
		t.wrap("", "", "The source is silent on these rules, and what was assumed decided what was legal, what a move did or how a game ended. States are a lower bound: a game is followed until the altered one has become another game.")
		t.line("")
		rows := [][]string{{"ASSUMED", "GAMES FOLLOWED", "STATES", "FIRST AT PLY (MEDIAN)", "EXAMPLE", "READINGS"}}
		for _, u := range r.Undefined {
			rows = append(rows, []string{u.Name + " = " + orNone(u.Value), shareText(u.Share), "≥ " + thousands(u.States), number(u.FirstPly), u.Key, strings.Join(u.Readings, ", ")})
		}
		t.table(rows)
	}
	if len(r.Unruled) > 0 {
		t.line("")
		t.wrap("", "", fmt.Sprintf("Of all %s games:", thousands(len(r.Groups)*r.Games)))
		for _, u := range r.Unruled {
			t.wrap("- ", "  ", fmt.Sprintf("%s: %s (example %s).", shareText(u.Share), u.Words, u.Key))
		}
	}
}

// The plies of a long example that the text shows, from its start and to its end.
const (
	showWhole = 16
	showStart = 4
	showEnd   = 6
)

func (r *Report) writeExamples(t *text) {
	t.title("Shortest examples")
	t.wrap("", "", "Each is the shortest among the games played, not the shortest there is. Players are 0 and 1; player 0 begins. All moves of one: --example KEY; of all: --json.")
	for i := range r.Examples {
		e := &r.Examples[i]
		if e.Difference != nil && !r.isBest(e.Key) {
			continue
		}
		t.line("")
		t.wrap("", "  ", fmt.Sprintf("%s (%s game %d, seed %d, after %s)", e.Key, e.Group, e.Game, r.Seed, plies(e.Plies)))
		if e.Difference == nil {
			t.wrap("  ", "  ", e.Words+".")
		} else {
			for _, line := range e.Difference.lines(true) {
				t.wrap("  ", "  ", line)
			}
		}
		t.wrap("  ", "  ", "Moves: "+shortMoves(e.Moves))
		t.line("  Position: %s", e.Position)
	}
}

// isBest says whether a key is the shortest example of its parameter: the text shows no others.
func (r *Report) isBest(key string) bool {
	for i := range r.Parameters {
		p := &r.Parameters[i]
		best, plies := "", math.MaxInt
		has := false
		for _, v := range p.Values {
			if e := r.Find(v.Key); e != nil && e.Plies < plies {
				best, plies = v.Key, e.Plies
			}
			has = has || v.Key == key
		}
		if has {
			return best == key
		}
	}
	return true
}

// lines tells a difference; brief shortens lists.
func (d *Difference) lines(brief bool) []string {
	list := func(moves []string) string {
		if len(moves) == 0 {
			return "none"
		}
		if brief && len(moves) > 10 {
			return strings.Join(moves[:10], " ") + fmt.Sprintf(" and %d more", len(moves)-10)
		}
		return strings.Join(moves, " ")
	}
	switch d.Kind {
	case byLegal.String():
		return []string{fmt.Sprintf("Legal only as played: %s. Legal only under %s: %s. Legal under both: %s.",
			list(d.OnlyAsPlayed), d.Rule, list(d.OnlyAltered), count(d.Both, "move"))}
	case byEffect.String():
		squares := d.Squares
		if brief && len(squares) > 4 {
			squares = append(slices.Clone(squares[:4]), fmt.Sprintf("and %d squares more", len(d.Squares)-4))
		}
		return []string{fmt.Sprintf("After the last move, %s, the boards differ (altered: %s): %s.", d.Ply, d.Rule, strings.Join(squares, "; "))}
	case byTurn.String():
		return []string{fmt.Sprintf("After the last move, %s: %s; under %s %s.", d.Ply, d.AsPlayed, d.Rule, d.Altered)}
	}
	return []string{fmt.Sprintf("After the last move: %s; under %s: %s.", d.AsPlayed, d.Rule, d.Altered)}
}

func shortMoves(moves []string) string {
	switch {
	case len(moves) == 0:
		return "none"
	case len(moves) <= showWhole:
		return strings.Join(moves, " ")
	}
	return fmt.Sprintf("%s … (%s plies left out) … %s", strings.Join(moves[:showStart], " "), thousands(len(moves)-showStart-showEnd), strings.Join(moves[len(moves)-showEnd:], " "))
}

// WriteText writes one example in full: every move, the board, and how it differs.
func (e *Example) WriteText(w io.Writer) error {
	t := &text{w: w}
	t.line("%s", e.Key)
	t.wrap("", "", fmt.Sprintf("%s (%s game %d, after %s).", upper(e.Words), e.Group, e.Game, plies(e.Plies)))
	t.line("")
	for _, line := range e.Board {
		t.line("%s", line)
	}
	t.line("   (a, b men of players 0 and 1; A, B leaders; x, y bound men)")
	t.line("")
	if e.Difference != nil {
		for _, line := range e.Difference.lines(false) {
			t.wrap("", "", line)
		}
		t.line("")
	}
	t.line("Position: %s", e.Position)
	t.line("")
	t.wrap("Moves: ", "", strings.Join(e.Moves, " "))
	return t.err
}

// text writes lines and keeps the first error.
type text struct {
	w   io.Writer
	err error
}

func (t *text) line(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format+"\n", args...)
	}
}

func (t *text) title(title string) {
	t.line("")
	t.line("%s", title)
	t.line("%s", strings.Repeat("=", utf8.RuneCountInString(title)))
	t.line("")
}

// wrap breaks text at blanks; first and rest begin the lines.
func (t *text) wrap(first, rest, words string) {
	line, used := first, utf8.RuneCountInString(first)
	empty := true
	for word := range strings.FieldsSeq(words) {
		n := utf8.RuneCountInString(word)
		if !empty && used+1+n > width {
			t.line("%s", line)
			line, used, empty = rest, utf8.RuneCountInString(rest), true
		}
		if !empty {
			line += " "
			used++
		}
		line += word
		used += n
		empty = false
	}
	t.line("%s", line)
}

func (t *text) table(rows [][]string) {
	if t.err != nil {
		return
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		// A row of fewer cells would begin a new table with columns of its own.
		for len(row) < len(rows[0]) {
			row = append(row, "")
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	if t.err = w.Flush(); t.err != nil {
		return
	}
	for line := range strings.Lines(b.String()) {
		t.line("%s", strings.TrimRight(line, " \n"))
	}
}
