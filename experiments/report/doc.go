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
// [Standard] composes the usual page for one experiment. The page needs nothing
// from outside: style and figures are inline, and no attribute makes a browser
// fetch anything. Every figure has a sentence with its uncertainty and its data
// as a table. Beside the page, Write puts results.json, metrics.csv, tests.csv and
// each figure as SVG and PNG.
//
// A report is a pure function of its analyses: no clock, no machine, no order of
// a map enters it, so rebuilding gives the same bytes.
package report
