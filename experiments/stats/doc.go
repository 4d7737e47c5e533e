// Package stats holds the statistics of balance experiments: intervals, tests,
// multiplicity, power and survival, as pure functions on numbers.
//
// Nothing here knows a game, a file or an agent. Every function states its
// formula and its source; the tests compare it with scipy, statsmodels and
// lifelines (testdata/fixtures.py made the fixtures and records the versions)
// and measure its coverage or its error rate by simulation.
//
// # What to use when
//
//   - a share of games (wins, draws, capped): [Wilson]; [ClopperPearson] when the
//     coverage must be guaranteed; [Jeffreys] for the Bayesian reader.
//   - the first player's score: never a binomial interval, since a draw counts
//     one half and the two games of a pair are not independent. Give one number
//     a pair to [PairScore] (Student's t on the pairs) or [BootstrapMean].
//   - capped games: [Tally] keeps them apart from draws and gives the score
//     with its bounds (every capped game lost, every capped game won).
//   - two cells on common starts: [PairedDifference] and [PermutationPaired];
//     on unrelated starts: [WelchDifference] and [PermutationTwoSample].
//   - "balanced": only [TOST], with a margin fixed in advance. A difference that
//     is not significant proves nothing.
//   - several tests: [Holm] for claims, [BenjaminiHochberg] for screening.
//   - strength: [Elo] of a score; at 0 % or 100 % it is one-sided and says so;
//     [Rate] for a pool; [SPRT] to stop a match as soon as it has answered.
//   - repeated games: [EffectiveSize] and [UniqueShare].
//   - lengths under a cap: [KaplanMeier], never a mean over all games alone.
//   - planning: [SampleSize], [Power], [SampleSizeTOST], [PowerTOST].
//
// # Conventions
//
// A level is a confidence level in (0, 1), as 0.95. A score lies in [0, 1]. An
// empty sample gives an estimate of NaN with the widest possible interval, so
// that "no data" can never read as "no effect". Impossible arguments (a negative
// count, a level outside (0, 1)) are mistakes of the caller and panic. Functions
// that need chance take a *rand.Rand; one seed gives one result. All functions
// are safe for concurrent use as long as the generator is not shared.
package stats
