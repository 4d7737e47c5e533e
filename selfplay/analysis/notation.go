package analysis

import (
	"strings"

	"latro/env/engine"
	"latro/env/oracle"
)

func (n Notation) valid() bool { return n == Latro || n == Oracle }

// format writes a legal ply of s.
func (n Notation) format(s *engine.State, a engine.Action) string {
	if n == Oracle {
		return oracle.FormatPly(s, a)
	}
	return s.Format(a)
}

// parse reads a legal ply of s.
func (n Notation) parse(s *engine.State, text string) (engine.Action, error) {
	if n == Oracle {
		if len(text) > 20 {
			text = text[:20] + "…"
		}
		return oracle.ParsePly(s, text)
	}
	return s.Parse(text)
}

// formatAll writes the legal plies of s, in their canonical order.
func (n Notation) formatAll(s *engine.State, legal []engine.Action) []string {
	out := make([]string, len(legal))
	for i, a := range legal {
		out[i] = n.format(s, a)
	}
	return out
}

// formatLine writes a line of plies from s, which is left as it was.
func (n Notation) formatLine(s *engine.State, line []engine.Action) []string {
	out := make([]string, len(line))
	for i, a := range line {
		out[i] = n.format(s, a)
		s.Play(a)
	}
	for range line {
		s.Undo()
	}
	return out
}

// plain is an error of the engine without the words that say where in the program it comes from.
func plain(err error) string {
	text := strings.TrimPrefix(err.Error(), engine.ErrInvalid.Error()+": ")
	return strings.TrimPrefix(text, "engine: ")
}
