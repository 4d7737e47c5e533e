package report

import (
	"regexp"
	"strings"
)

// Violation is a phrase that a report may not use.
type Violation struct {
	// Phrase is what was found and Sentence where.
	Phrase, Sentence string
	// Why says what is wrong with it.
	Why string
}

// rule forbids a pattern. Patterns work on lower-case text with plain spaces.
type wordRule struct {
	pattern *regexp.Regexp
	why     string
	// except, if not nil, lets a phrase stand when it matches the sentence.
	except *regexp.Regexp
}

const (
	whyGame   = "a result is about an agent, its budget and its starts, never about the game as such"
	whyRomans = "no reconstruction is known to be what was played"
	whyProof  = "games give evidence within an interval, not proof"
	whyNull   = "a difference that was not found may still be there; only an equivalence test within a margin says that it is small"
	whyCapped = "a capped game has no result; it is not a draw"
	whyNumber = "a number that is none"
	whyPlay   = "nothing here plays perfectly"
)

var wordRules = []wordRule{
	{regexp.MustCompile(`\b(is|are|was|were|seems?|appears?|looks?|be|being|been|remains?)( (perfectly|well|nearly|almost|quite|truly|fairly|very|not|completely|inherently|probably|clearly))* (balanced|unbalanced|imbalanced|fair|unfair|drawn|drawish|solved|broken|sound|unplayable)\b`), whyGame, regexp.MustCompile(`\bgames? (were|was|that were) drawn\b|\b(of|from) \d+ games\b.*\bdrawn\b`)},
	{regexp.MustCompile(`\b(game|games|ruleset|rulesets|rules|reconstruction|reconstructions)( as such)? (is|are|was|were) (perfectly |exactly |almost |nearly )?(even|better|best|worse|equal|superior|inferior)\b`), whyGame, regexp.MustCompile(`\bfresh games are better\b`)},
	{regexp.MustCompile(`\b(balanced|fair|unfair|unbalanced|imbalanced|drawish) (game|games|ruleset|rulesets|rules|reconstruction|reconstructions)\b`), whyGame, nil},
	{regexp.MustCompile(`\b(perfect|ideal) balance\b|\bperfectly (even|fair|balanced)\b`), whyGame, nil},
	{regexp.MustCompile(`\b(better|best|worse|worst|true|real|original|authentic|correct) (game|ruleset|rules|reconstruction)\b`), whyRomans, nil},
	{regexp.MustCompile(`\bromans?\b[^.;]*\b(played|play|used|knew|preferred|would have|must have|did|had)\b`), whyRomans, nil},
	{regexp.MustCompile(`\b(really|actually|originally|historically|in antiquity) (was |were )?(played|correct|accurate|authentic)\b|\bhistorical(ly)? (truth|fact|correct|accurate)\b|\bauthentic\b`), whyRomans, nil},
	{regexp.MustCompile(`\b(proves?|proved|proven|proof|disproves?|disproved|certainly|undoubtedly|without doubt|beyond doubt|conclusive(ly)?|definitely|demonstrates? that|confirms that)\b`), whyProof, regexp.MustCompile(`\b(not|no|never|nothing) (a )?(proof|proved|proven|proves?|certainly)\b`)},
	{regexp.MustCompile(`\b(there (is|was)|makes?|made|has|have|had|shows?|showed|finds?|found) no (difference|effect|advantage|influence|trend)\b|\bdoes not (matter|differ|affect)\b|\b(is|are) (the same|equal|identical) (in|under) (both|all)\b`), whyNull, nil},
	{regexp.MustCompile(`\bno (difference|effect)\b`), whyNull, regexp.MustCompile(`\bno (difference|effect) (within|beyond|of interest)\b|"no (difference|effect)"|would mean "?no (difference|effect)|"no difference within (the )?margin"`)},
	{regexp.MustCompile(`\b(capped|cap) (games? )?(is|are|was|were|counts?|counted) (as )?(a )?draws?\b|\bdrawn by (the )?cap\b`), whyCapped, nil},
	{regexp.MustCompile(`\b(best|perfect|optimal|ideal) play\b|\b(theoretical|game-theoretic) (value|draw|win|result)\b`), whyPlay, nil},
	{regexp.MustCompile(`(^|[^a-z])(nan|[+-]?inf|infinity|null|undefined|%!\w?)([^a-z]|$)`), whyNumber, nil},
}

var sentenceEnd = regexp.MustCompile(`[.!?;](\s|$)`)

// CheckWords finds what a generated text may not say: that a game as such is even,
// fair or drawn, what was played in antiquity, that games prove something, that
// there is no difference because none was found, that a capped game is a draw. It
// looks at claims sentence by sentence and knows no context beyond; texts that
// others wrote (a design's question, a ruleset's prose) are not for it.
func CheckWords(text string) []Violation {
	var out []Violation
	text = strings.NewReplacer("\u00a0", " ", "\n", " ", "’", "'", "“", `"`, "”", `"`).Replace(text)
	for at := 0; at < len(text); {
		end := len(text)
		if m := sentenceEnd.FindStringIndex(text[at:]); m != nil {
			end = at + m[1]
		}
		s := strings.TrimSpace(text[at:end])
		at = end
		lower := strings.ToLower(s)
		for _, r := range wordRules {
			m := r.pattern.FindString(lower)
			if m == "" || r.except != nil && r.except.MatchString(lower) {
				continue
			}
			out = append(out, Violation{strings.TrimSpace(m), s, r.why})
		}
	}
	return out
}

// Generated lists the texts of the report that the program wrote: all but the
// report's title and lead, the designs' titles and questions, and the rulesets' own
// words.
func (r Report) Generated() []string {
	var out []string
	for _, s := range r.Sections {
		walk(s.Blocks, func(b Block) {
			switch x := b.(type) {
			case paragraph:
				if !x.foreign {
					out = append(out, x.text)
				}
			case heading:
				out = append(out, x.text)
			case items:
				out = append(out, x.lines...)
			case box:
				out = append(out, x.title)
			case folded:
				out = append(out, x.summary, leftOut(x.summary, x.where))
			case screenOnly:
				out = append(out, leftOut(x.what, x.where))
			case findingList:
				for _, f := range x.all {
					out = append(out, f.Sentence)
				}
			case terms:
				for _, t := range x {
					out = append(out, t.Word, t.Meaning)
				}
			case Picture:
				out = append(out, x.Figure.Title, x.Figure.Desc)
				out = append(out, x.Sentences...)
			case Table:
				out = append(out, x.Caption)
				out = append(out, x.Head...)
				if !x.foreign {
					for _, row := range x.Rows {
						out = append(out, row...)
					}
				}
			}
		})
	}
	return out
}
