// Package wear holds the traffic that rulesets predict against a map of a real board's
// wear.
//
// A [Map] is a CSV file of scored squares, or of the lines between them ([ReadMap];
// docs/wear.md says how to make one from a photograph). [Map.Design] gives the experiment
// whose games are needed: each ruleset played by an agent and by chance, and a ruleset that
// cannot be right. They are played by package experiments, so a comparison's directory is
// that of an experiment, with all its promises: it can be killed and goes on, and it can be
// rebuilt byte by byte. [Analyse] makes the comparison, [Analysis.Write] the page and the
// tables.
//
//	m, err := wear.ReadMap("board.csv")
//	d, plan, err := m.Design(wear.DefaultSettings())
//	_, err = experiments.Freeze(dir, d, factory)
//	err = m.Freeze(dir, plan)
//	err = experiments.Run(ctx, dir, d, experiments.RunOptions{Factory: factory})
//	a, err := wear.Analyse(ctx, dir, nil)
//
// # The question
//
// Does the predicted traffic lie nearer to the map than maps of chance do? The prediction
// is folded by the symmetries of its rules and laid over the map in every way that the
// board's shape allows, since nobody knows how a board lay; the nearest way counts. Every
// map of chance is searched in the same way, so that the p-value is honest about the
// search. Places that are not scored are left out on both sides.
//
// # Which chance
//
// The three nulls keep the map's weights and differ in what else they keep.
//
// [Shuffled] puts the weights in any order. Wear is smooth (neighbouring squares wear
// alike, whatever was played, through hands, sleeves, weather), and so is traffic; a
// shuffled map is rough. Against it, a smooth map looks like any smooth prediction far too
// often.
//
// [Classes] exchanges the symmetry classes of the board's shape, each with all its
// weights. Shuffling within classes would be no test at all: a prediction that its rules'
// symmetry folds is the same on a whole class, so such a shuffle leaves a folded map as it
// is. But classes of neighbouring squares are smooth too, and there are few of them (ten on
// 8×8), so this null errs even more than the first on smooth maps.
//
// [Smooth] is the one to believe. It draws Gaussian random fields over the places, with an
// exponential or a squared-exponential kernel, of several reaches and shares of noise, each
// chosen as often as its restricted likelihood given the normal scores of the map says (so
// that what the map leaves open about its smoothness stays open), and puts the map's
// weights in the order of the field. The problem is that of Clifford, Richardson and Hémon
// (1989); surrogates that keep spatial autocorrelation are used for it in ecology (Wagner
// and Dray 2015) and for maps of the brain (Burt and others 2020). Randomising the waves of
// the neighbour graph, which these authors also use, was tried here and erred twice as
// often as it should (10 % for 5 %) on small boards, since waves with a free rim do not have
// independent signs. The package's tests simulate smooth maps that have nothing to do with
// any ruleset and check the rate of errors of all three.
//
// # Negative controls
//
// Always in the output: the same rules played by chance; rules that cannot be right; even
// traffic; an even slope from rim to centre whose steepness is fitted to the map; and
// shuffled maps put through the whole procedure. A ruleset is compatible only if it beats
// chance after Holm's correction over the rulesets and lies nearer than every control that
// knows nothing of the kind of rules; if the rules that cannot be right lie nearer than
// chance too, it must be nearer than them by more than the null sets the two apart.
//
// # What it cannot say
//
// Compatible rules are not thereby those that were played: other rules, games that nobody
// described, and wear from other causes may fit as well. The agents are programs. Wear is
// taken to grow in proportion to traffic ([Rank] only needs it to grow).
package wear
