package report

import (
	"slices"
	"strings"

	"latro/experiments"
)

// Method explains how the numbers came about: what was done, each statistic with
// its source, the agents, and a glossary.
func Method(as ...*experiments.Analysis) Section {
	s := Section{ID: "method", Title: "How the numbers were made", Appendix: true}
	s.Blocks = append(s.Blocks, List([]string{
		"Pairs. When an agent plays itself, each start position is played twice: as it is, and as its twin, with the colours of all pieces exchanged and the same side to move. What the position favours cancels within the pair, and what moving first favours stays. When two agents meet, both play each start from both sides.",
		"Common starts. Rulesets are compared from the same start positions wherever their openings allow it, pair by pair, so that the luck of a position does not count as an effect of the rules.",
		"Scores. A win counts 1, a draw ½. A score's interval comes from the pairs, never from the formula for proportions, which would be wrong because of draws and because the games of a pair belong together.",
		"Capped games. A game stopped by the length cap has no result. It is a class of its own, never a draw. It enters a score as ½ with bounds beside it (all such games lost, all won); where more than 5 % are capped no claim is made from the score.",
		"Even. That a score differs from 50 % by no more than chance says little. It is called equivalent to even only if an equivalence test shows that it lies within a margin fixed in advance.",
		"Several comparisons. The more comparisons are made, the more often chance alone looks like a finding. P-values are adjusted for that within families that the design names. Intervals are not adjusted.",
		"Strength. Agents of several budgets play every ruleset, because a weak agent may make a game look longer, shorter or more one-sided than it is among good players. A trend over budgets says more than one number, and where the checks of strength fail the results are called provisional.",
	}))
	s.Blocks = append(s.Blocks, Heading("The statistics and their sources"), statistics(as), Heading("The agents"), agents(as), Heading("Glossary"), Terms(glossary))
	return s
}

type statistic struct {
	what, method, source string
	// used says whether the report has it; nil is always.
	used func(a *experiments.Analysis) bool
}

var statisticList = []statistic{
	{"shares of wins, draws, losses and capped games", "Wilson's score interval", "E. B. Wilson, Journal of the American Statistical Association 22 (1927) 209", nil},
	{"the same shares, in metrics.csv", "Dirichlet posterior with Jeffreys' prior, copies of games counted once", "H. Jeffreys, Theory of Probability, 3rd ed. 1961, 3.10", nil},
	{"first player's score", "Student's t on the pairs' scores", "W. S. Gosset (Student), Biometrika 6 (1908) 1", nil},
	{"first player's score, second opinion", "bootstrap of the pairs, bias-corrected and accelerated (BCa), 2,000 resamples", "B. Efron, Journal of the American Statistical Association 82 (1987) 171", nil},
	{"whether a score is within the margin", "two one-sided tests (TOST), 5 % each", "D. J. Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15 (1987) 657", nil},
	{"differences between rulesets", "Student's t on the differences pair by pair", "W. S. Gosset (Student), Biometrika 6 (1908) 1", hasContrasts},
	{"differences, second opinion", "permutation test: signs of the pairs' differences flipped at random, 2,000 times", "R. A. Fisher, The Design of Experiments, 1935, section 21; B. Phipson and G. K. Smyth, Statistical Applications in Genetics and Molecular Biology 9 (2010) 39", hasContrasts},
	{"length differences, effect size", "Cliff's delta", "N. Cliff, Psychological Bulletin 114 (1993) 494", func(a *experiments.Analysis) bool {
		return slices.ContainsFunc(a.Contrasts, func(k experiments.Contrast) bool { return k.Cliff != nil })
	}},
	{"effects of rules in a factorial", "least squares over all combinations within each start pair; Student's t over the start pairs, which are the clusters", "R. A. Fisher, The Design of Experiments, 1935; G. E. P. Box, W. G. Hunter and J. S. Hunter, Statistics for Experimenters, 1978", hasEffects},
	{"effects of rules, second opinion", "proportional-odds model of loss, draw and win, errors robust to clusters of start pairs", "P. McCullagh, Journal of the Royal Statistical Society B 42 (1980) 109; K.-Y. Liang and S. L. Zeger, Biometrika 73 (1986) 13", hasEffects},
	{"confirmatory tests, which the design names", "Holm's correction over all of them", "S. Holm, Scandinavian Journal of Statistics 6 (1979) 65", nil},
	{"screening tests, all others", "Benjamini and Hochberg's correction within their group", "Y. Benjamini and Y. Hochberg, Journal of the Royal Statistical Society B 57 (1995) 289", nil},
	{"stopping as soon as the answer is there", "sequential test with three decisions on pairs of games; the estimate afterwards is corrected for the stop", "M. Sobel and A. Wald, Annals of Mathematical Statistics 20 (1949) 502; A. B. Owen, Biometrika 75 (1988) 237", func(a *experiments.Analysis) bool { return a.Design.Sequential() }},
	{"lengths under a cap", "Kaplan and Meier's survival curve with Greenwood's errors; complementary log-log bands", "E. L. Kaplan and P. Meier, Journal of the American Statistical Association 53 (1958) 457", nil},
	{"how games had ended by each length", "cumulative incidence, the cap being one of the competing ends", "O. O. Aalen and S. Johansen, Scandinavian Journal of Statistics 5 (1978) 141", nil},
	{"mean length up to the cap", "restricted mean: the area under the survival curve", "J. P. Klein and M. L. Moeschberger, Survival Analysis, 2nd ed. 2003, section 4.5", nil},
	{"strength of agents", "logistic (Elo) scale of the score", "A. E. Elo, The Rating of Chessplayers, 1978", hasMatches},
	{"change of the score with the budget", "slope over the logarithm of the budget, on common starts", "least squares pair by pair; the deviation from even by bootstrap of the pairs", func(a *experiments.Analysis) bool {
		return slices.ContainsFunc(a.Strength, func(s experiments.Strength) bool { return len(s.Trends) > 0 })
	}},
	{"stability of the rulesets' order", "Kendall's τ, with an interval that allows for the errors of the scores", "M. G. Kendall, Rank Correlation Methods, 4th ed. 1970", func(a *experiments.Analysis) bool { return len(a.Stability) > 0 }},
	{"rulesets in order", "empirical-Bayes shrinkage towards their mean, between-ruleset variance by Paule and Mandel", "B. Efron and C. Morris, Journal of the American Statistical Association 70 (1975) 311; R. C. Paule and J. Mandel, Journal of Research of the National Bureau of Standards 87 (1982) 377", func(a *experiments.Analysis) bool { return len(a.Ranking) > 0 }},
	{"measures of the games", "means and shares with Student's t over start pairs, which are the clusters (ratio estimates); definitions in docs/metrics.md", "W. G. Cochran, Sampling Techniques, 3rd ed. 1977, sections 2.11 and 6.3", hasMeasures},
	{"what pieces and special rules go along with", "proportional-odds model with errors robust to clusters of start pairs; worth in men as a ratio with Fieller's interval", "P. McCullagh, Journal of the Royal Statistical Society B 42 (1980) 109; E. C. Fieller, Journal of the Royal Statistical Society B 16 (1954) 175", hasMeasures},
	{"what a rule is worth to its player", "restricted play: an agent against itself without the rule", "A. Jaffe and others, Evaluating competitive game balance with restricted play, AIIDE 2012", hasMatches},
	{"variety of openings and placements", "entropy in bits, symmetric choices as one, with Miller and Madow's correction", "G. A. Miller, in Information Theory in Psychology, ed. H. Quastler, 1955, 95", func(a *experiments.Analysis) bool { return hasMeasures(a) && a.Design.Starts.Kind == "initial" }},
	{"copies of games", "share of different games; effective sample size", "L. Kish, Survey Sampling, 1965", nil},
}

func hasContrasts(a *experiments.Analysis) bool { return len(a.Contrasts) > 0 }

func hasEffects(a *experiments.Analysis) bool { return len(a.Effects) > 0 }

func hasMatches(a *experiments.Analysis) bool {
	for _, c := range a.Cells {
		if !c.SelfPlay {
			return true
		}
	}
	return false
}

func statistics(as []*experiments.Analysis) Block {
	t := Table{Caption: "What was computed how", Words: 3, Head: []string{"what", "method", "source"}}
	for _, x := range statisticList {
		used := x.used == nil
		for _, a := range as {
			used = used || x.used(a)
		}
		if used {
			t.Rows = append(t.Rows, []string{x.what, x.method, x.source})
		}
	}
	return t
}

func agents(as []*experiments.Analysis) Block {
	t := Table{Caption: "Agents", Words: 4, Head: []string{"experiment", "agent", "specification", "in words"}}
	seen := map[string]bool{}
	for _, a := range as {
		for _, c := range a.Cells {
			for _, x := range [][2]string{{c.A, c.SpecA}, {c.B, c.SpecB}} {
				key := a.Design.ID + "\x00" + x[0] + "\x00" + x[1]
				if !seen[key] {
					seen[key] = true
					t.Rows = append(t.Rows, []string{a.Design.ID, x[0], x[1], experiments.AgentWords(x[1]) + how(x[1])})
				}
			}
		}
	}
	return t
}

// how explains what the simplest agents do.
func how(spec string) string {
	switch kind, _, _ := strings.Cut(spec, ":"); kind {
	case "random":
		return ": every legal ply is equally likely"
	case "greedy":
		return ": it wins at once or takes the most material, looking one ply ahead"
	case "uct":
		return ": a tree search that judges positions by playing them out at random"
	case "alphabeta":
		return ": a tree search that counts material a few plies ahead"
	case "net", "shipped":
		return ": a tree search that judges positions by a network trained in self-play"
	}
	return ""
}

// glossary explains the report's words to readers who play or dig rather than
// compute, in alphabetical order.
var glossary = []Term{
	{"Agent", "A program that plays. Random chooses any legal ply; greedy takes what it can at once; UCT searches by playing positions out at random; a trained agent searches with a network that learned from its own games."},
	{"Array", "A start position with all pieces standing, as in chess. Other rulesets begin with a placement phase on an empty board."},
	{"Attrition", "How pieces leave the game: the share of them still on the board or in hand."},
	{"Bound", "Said of a piece that is shut in but still stands on the board: it may not move, and is removed later or freed (Schädler's and Seneca's reading of capture)."},
	{"Budget", "How much an agent may think before each ply, in simulations. More budget is a stronger player."},
	{"Capped", "Stopped by the length cap of the experiment, without a result."},
	{"Confidence interval", "A range of values that fit with the games played. At 95 %, such ranges miss the true value once in twenty times."},
	{"Custodial capture", "Capture by enclosing an enemy piece between two of one's own along a line."},
	{"Decided game", "A game with a winner: neither drawn nor capped."},
	{"Drama", "How far behind the winner of a game had been at the worst moment, by a named judge of positions: 0 never, 1 hopelessly."},
	{"Draw", "A game that ends without a winner by a rule of the ruleset."},
	{"Elo", "A scale of playing strength. 100 points more mean a score of about 64 %, 200 points about 76 %."},
	{"Equivalence test", "A test that a value lies within a margin that was fixed in advance. It needs more games than finding a difference does."},
	{"Factor, level", "A rule that an experiment varies, and the values that it takes. A main effect is what changing one rule does on average over the others; an interaction is how far that depends on another rule."},
	{"First player", "The player who acts first in the game. In a game with placement that is who places the first piece."},
	{"Holm's correction", "Makes each of several tests stricter, so that all of them together err as rarely as one."},
	{"Leader", "The special piece that some rulesets have: the dux of Bell's reconstruction and others, the praetorian of Luductus."},
	{"Man", "An ordinary piece, of which a player has many."},
	{"Odds ratio", "How much a rule multiplies the odds of a better result for the first player: 1 is unchanged, 2 doubled, ½ halved."},
	{"p-value", "How often chance alone would give a result at least as far from even as the measured one. Small values speak against chance; a large one says little."},
	{"Ply", "One action of one player: a placement, a step, a hop, a removal."},
	{"Reading", "One way to understand a source where it can be understood in several."},
	{"Restricted mean", "The mean length of games when each is watched up to the cap at most."},
	{"Restricted play", "A match between a player and the same player who may not use one rule. What it loses is what the rule is worth to it."},
	{"Ruleset", "A complete set of rules to play by: a reconstruction with everything settled that its source leaves open."},
	{"Score", "Wins count 1, draws ½, as a share of the games; 50 % is even."},
	{"Simulation", "One line of play that an agent tries out in its search before it chooses."},
	{"Turn", "What a player does before the other plays, often a single ply."},
	{"Twin", "A start position with the colours of all pieces exchanged and the same side to move."},
}
