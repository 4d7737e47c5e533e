// Package stats holds the statistics of balance experiments: intervals, tests,
// multiplicity, power and survival, as pure functions on numbers.
//
// Nothing here knows a game, a file or an agent. Every function states its
// formula and its source. The tests compare them with scipy, statsmodels and
// lifelines (testdata/fixtures.py), with R's ordinal, sandwich, survival, MASS and
// metafor (testdata/fixtures.R) and, for sequential tests, with an independent
// calculation (testdata/gsprt.py); the scripts made the fixtures beside them and
// record the versions. They also measure by simulation how often intervals cover,
// how often tests err and whether planted effects are found; LATRO_LONG=1 repeats
// those ten times as often.
//
// # What to use when
//
//   - a share of games (wins, draws, capped): [Wilson]; [ClopperPearson] when the
//     coverage must be guaranteed; [Jeffreys] for the Bayesian reader. All four
//     outcomes at once, and the score from them: [Tally.Posterior], whose
//     [Dirichlet.Score] is exact for independent games.
//   - the first player's score: never a binomial interval, since a draw counts
//     one half and the two games of a pair are not independent. Give one number
//     a pair to [PairScore] (Student's t on the pairs) or [BootstrapMean].
//   - capped games: [Tally] keeps them apart from draws and gives the score
//     with its bounds (every capped game lost, every capped game won).
//   - two cells on common starts: [PairedDifference] and [PermutationPaired], for
//     lengths [PairedMeanDifference]; on unrelated starts: [WelchDifference] and
//     [PermutationTwoSample], for lengths [CliffDelta]. More than two cells on
//     common starts: [PermutationWithin].
//   - rules as factors: [FactorColumns], [Covariate] and [Interaction] make the
//     columns of [LinearEffects] (score points, the plainest) and of
//     [ProportionalOdds] (loss, draw, win as an order); [Logistic] on the decisive
//     games and [Proportionality] check what the latter assumes; [Regression.Joint]
//     tests a factor with more than two levels. Clusters are the start pairs. All
//     wins at some setting make an effect [Effect.Separated], not large.
//   - "balanced": only [TOST], with a margin fixed in advance, or an [EvenTest]. A
//     difference that is not significant proves nothing.
//   - several tests: [Holm] for claims, [BenjaminiHochberg] for screening.
//   - many rulesets in a row: [Shrink], with intervals for ranks, before anybody is
//     called best or worst.
//   - strength: [Elo] of a score; at 0 % or 100 % it is one-sided and says so;
//     [Rate] for a pool. Across rulesets with different shares of draws:
//     [NormalisedElo].
//   - over budgets: [BudgetTrend] for one ruleset, [RankStability] (and
//     [KendallTau]) for the order of several.
//   - training seeds: show each, and [SeedMean].
//   - stopping early: [SPRT] (hypotheses in Elo, or scores with [ScoreSPRT]),
//     [NormalisedSPRT], or [EvenTest] for even against favoured. Then the observed
//     mean is biased: report [SPRT.Estimate] or [EvenTest.Estimate], or confirm on
//     fresh games with [PairScore].
//   - repeated games: [GroupSizes], [EffectiveSize] and [UniqueShare].
//   - lengths under a cap: [KaplanMeier] and its restricted mean, never a mean over
//     all games alone; [RestrictedMeanDifference] between cells. How games end, and
//     when, with the cap as an outcome that competes: [AalenJohansen].
//   - very many games: [Pentanomial] (Interval, TOST), [Moments], [KaplanMeierCounts]
//     and [AalenJohansenCounts] give the same from counts, in memory that does not
//     grow. Regressions hold some 16 bytes a game and column.
//   - planning: [SampleSize], [Power] and [DetectableEffect] (with [DifferenceSD] for
//     pairs of cells), [SampleSizeTOSTAt] and [PowerTOSTAt], [SampleSizeMainEffect]
//     and [PowerMainEffect] for factorials, [SPRT.Length] and [EvenTest.Length] (with
//     [PairDistribution] from a pilot) for sequential tests.
//
// # What they do not cover
//
// Random effects of starts and of training seeds together (three seeds are too few
// to estimate a variance from): start pairs are clusters, seeds have their own
// interval. Robust errors need many more clusters than effects: for one balanced
// two-level factor on twelve start pairs a 5 % test errs in 6.6 % (2,500 simulations),
// on eighty in 5.5 %; many or unbalanced factors need more.
//
// # Conventions
//
// A level is a confidence level in (0, 1), as 0.95. A score lies in [0, 1]. An
// empty sample gives an estimate of NaN with the widest possible interval, so
// that "no data" can never read as "no effect"; shares, scores and effects on them
// that did not vary never get an interval without width. Impossible arguments (a negative count, a level
// outside (0, 1), slices of different lengths) are mistakes of the caller and panic;
// what can be wrong with data is an error that says so. Functions
// that need chance take a *rand.Rand; one seed gives one result. All functions
// are safe for concurrent use as long as the generator is not shared.
package stats
