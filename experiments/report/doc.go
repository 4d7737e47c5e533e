// Package report turns analyses of experiments into one self-contained HTML page
// for people and tidy tables for programs.
//
// A [Report] is a list of sections made by the constructors of this package
// ([Findings], [Experiment], [Strength], [Learning], [Rules], [Method],
// [Provenance]), so that one page can hold several experiments:
//
//	r := report.Report{Title: "…", Analyses: []*experiments.Analysis{a, b}}
//	r.Sections = append(r.Sections, report.Findings(a, b), report.Experiment(a), report.Experiment(b), …)
//	files, err := report.Write(dir, r)
//
// [Standard] composes the usual page of one experiment: the answer on a first page (what
// limits it, a sentence, the main figure, the assumed rules it rests on), how to read it,
// every finding, the results, an appendix on the games, the strength of the agents, the
// rules with what is assumed in them, each statistic with its source, a glossary, and what
// is needed to make it again.
//
// # The page
//
// It needs nothing from outside: style and figures are inline, there is no script,
// and no attribute makes a browser fetch anything. Every figure has sentences with
// their uncertainty and its data as a table, folded. On a screen narrower than 34 rem
// figures show a drawing of their own for phones, and tables become cards, so that a page
// of 360 pixels does not scroll sideways. Figures tell things apart by place, mark, dash,
// hatching and words, not by colour alone.
//
// In print what is folded is left out, and a line names the file that holds it; what the
// reader has opened is printed, and everything is if the box at the top is ticked. The
// results and the appendix stand in two columns there, with the drawings for phones. A test
// holds nine cells to twelve pages and the answer to one.
//
// # What it may say
//
// A result is about an agent, its budget and its starts; no game as such is even,
// fair or drawn, and nothing is said of what was played in antiquity. [CheckWords]
// refuses such sentences, and the tests hold all that [Report.Generated] lists
// against it. Results are called exploratory where the design says so, provisional
// where a check of strength failed, and no claim is made from too many capped games
// or copies.
//
// # Files
//
// Beside report.html [Write] puts results.json, metrics.csv, tests.csv, squares.csv
// and edges.csv (their columns are in the header lines; package traffic says what the
// last two count), and each figure as SVG and PNG.
//
// A report is a pure function of its analyses and of [Version], which the page carries: no
// clock, no machine, no number of cores, no order of a map enters it, so rebuilding gives
// the same bytes.
package report
