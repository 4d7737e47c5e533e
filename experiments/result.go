package experiments

import (
	"latro/experiments/metrics"
	"latro/experiments/stats"
	"latro/experiments/traffic"
)

// CellInfo is what the analysis must know of a cell beside its games.
type CellInfo struct {
	// Name is the ruleset's name in the design, Title its name for people.
	Name  string `json:"ruleset"`
	Title string `json:"title"`
	// Ref reopens the ruleset; Hash is the hash of its parameters.
	Ref  string `json:"ref"`
	Hash string `json:"ruleset_hash"`
	// A and B are the agents' names, SpecA and SpecB their specs.
	A        string `json:"agent_a"`
	B        string `json:"agent_b"`
	SpecA    string `json:"spec_a"`
	SpecB    string `json:"spec_b"`
	SelfPlay bool   `json:"self_play"`
	// Agent is the name of agent A in the design; A adds the training seed where there
	// are several, and TrainingSeed is its number from 1, else 0.
	Agent        string `json:"agent,omitempty"`
	TrainingSeed int    `json:"training_seed,omitempty"`
	// NetworkA and NetworkB are the content hashes of the agents' networks, "" for none.
	NetworkA string `json:"network_a,omitempty"`
	NetworkB string `json:"network_b,omitempty"`
	// Levels are the factors' levels in this ruleset, as indices of their values; nil
	// without a factorial.
	Levels []int `json:"levels,omitempty"`
	// Rows and Cols are the board's; Pieces the number of pieces of both sides.
	Rows   int `json:"rows"`
	Cols   int `json:"cols"`
	Pieces int `json:"pieces"`
	// SecondMoves says that the first player places first but the second player makes
	// the first move of the movement phase.
	SecondMoves bool `json:"second_player_moves_first"`
}

// CellResult is everything measured in one cell.
type CellResult struct {
	CellInfo
	// Index is the cell's number in the design.
	Index int `json:"cell"`
	// Games and Pairs are the sizes.
	Games int `json:"games"`
	Pairs int `json:"pairs"`
	// Tally counts outcomes for the first player.
	Tally stats.Tally `json:"tally"`
	// Shares are the Wilson intervals of the four outcomes.
	Shares struct {
		Win    stats.Interval `json:"win"`
		Draw   stats.Interval `json:"draw"`
		Loss   stats.Interval `json:"loss"`
		Capped stats.Interval `json:"capped"`
	} `json:"shares"`
	// Score is the first player's score with its pair interval; ScoreBootstrap the
	// same by BCa bootstrap; ScoreLow and ScoreHigh count every capped game as lost
	// and as won.
	Score          stats.Interval `json:"score"`
	ScoreBootstrap stats.Interval `json:"score_bootstrap"`
	ScoreLow       stats.Interval `json:"score_capped_lost"`
	ScoreHigh      stats.Interval `json:"score_capped_won"`
	// Posterior are the credible intervals of the four outcomes under a Dirichlet
	// posterior (Jeffreys' prior, games counted at their effective number).
	Posterior struct {
		Win    stats.Interval `json:"win"`
		Draw   stats.Interval `json:"draw"`
		Loss   stats.Interval `json:"loss"`
		Capped stats.Interval `json:"capped"`
	} `json:"posterior"`
	// ClaimAllowed is false where more than 5 % of the games were capped or too many
	// are copies of each other.
	ClaimAllowed bool `json:"claim_allowed"`
	// ScoreP is the two-sided test of the score being one half, and ScoreAdjusted the
	// same within its Family.
	ScoreP        float64 `json:"score_p"`
	ScoreAdjusted float64 `json:"score_p_adjusted"`
	// Even is the equivalence test of the score with one half, whatever way the capped
	// games count, and EvenAdjusted its p-value within the family.
	Even         stats.Equivalence `json:"even"`
	EvenAdjusted float64           `json:"even_p_adjusted"`
	// Family is Confirmatory or Screening, and Decision what the tests say: one of the
	// Decision constants.
	Family   string `json:"family"`
	Decision string `json:"decision"`
	// Stop is where a sequential experiment stopped; nil if the size was fixed.
	Stop *Stop `json:"stop,omitempty"`
	// Decisive is the first player's share of the games with a winner.
	Decisive stats.Interval `json:"decisive"`
	// AgentTally and AgentScore are agent A's in a match; Elo is on their scale.
	AgentTally stats.Tally    `json:"agent_tally"`
	AgentScore stats.Interval `json:"agent_score"`
	AgentElo   stats.Interval `json:"agent_elo"`
	// Length describes the lengths.
	Length Length `json:"length"`
	// Taken is the mean number of pieces taken a game.
	Taken stats.Interval `json:"taken"`
	// Choices is the mean number of legal plies at a ply; 0 if not recorded.
	Choices float64 `json:"choices"`
	// Ends counts end reasons, most frequent first.
	Ends []Count `json:"ends"`
	// Uses describes special plies, by name.
	Uses []UseResult `json:"uses"`
	// Unique is the share of different games and Effective the effective number;
	// Duplicates says that the share is below the threshold.
	Unique     float64 `json:"unique_share"`
	Effective  float64 `json:"effective_games"`
	Duplicates bool    `json:"too_many_duplicates"`
	// Arrivals sums the arrivals on each square, row 0 first.
	Arrivals []uint64 `json:"arrivals"`
	// Traffic counts placements, moves and captures by square and edge, phase, player and
	// kind of piece: the rows of squares.csv and edges.csv. Nil where it was not counted.
	Traffic *traffic.Table `json:"-"`
	// Metrics is what package metrics measured in the games; nil where it measured
	// nothing: in a match without a restricted agent, and before the games were read.
	Metrics *metrics.Result `json:"metrics,omitempty"`
	// StartSet is a hash of the start positions in their order: equal for cells that
	// were played from the same ones.
	StartSet string `json:"start_set"`

	// what the statistics between cells need.
	series map[string]*series
	agent  *series
	ends   []uint8
	params map[string]string
}

// The decisions of tests. What forbids a claim comes before what a test says.
const (
	DecisionEven         = "even within the margin"
	DecisionFirst        = "first player favoured"
	DecisionSecond       = "second player favoured"
	DecisionDifference   = "difference"
	DecisionNoDifference = "within the margin"
	DecisionOpen         = "open"
	DecisionCapped       = "no claim: too many games capped"
	DecisionCopies       = "no claim: too many copies"
	DecisionTrial        = "no claim: a trial run"
	DecisionUnfinished   = "no claim: not finished"
)

// Stop is where a cell of a sequential experiment stopped.
type Stop struct {
	// Verdict is a Decision constant, and Pairs of at most Max were played.
	Verdict string `json:"verdict"`
	Pairs   int    `json:"pairs"`
	Max     int    `json:"max"`
	// Estimate is the median-unbiased score after the stop: the plain mean at a
	// stopping time is too extreme on average. Nil where it cannot be computed.
	Estimate *stats.Interval `json:"estimate,omitempty"`
}

// SeedValue is a number from the networks of one training seed.
type SeedValue struct {
	Seed  int            `json:"seed"`
	Value stats.Interval `json:"value"`
}

// Count is a name with a number.
type Count struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// UseResult is the use of one special rule.
type UseResult struct {
	Name string `json:"name"`
	// PerGame is the mean number a game and Games the share of games with any.
	PerGame float64        `json:"per_game"`
	Games   stats.Interval `json:"share_of_games"`
}

// Length describes game lengths in plies from the start.
type Length struct {
	// Restricted is the mean length counted up to the cap, with an interval.
	Restricted stats.Interval `json:"restricted_mean"`
	// Finished is the mean over finished games only; NaN without one.
	Finished *float64 `json:"finished_mean"`
	// Q10, Median and Q90 are quantiles from the survival curve; nil beyond the cap.
	Q10    *float64 `json:"q10"`
	Q25    *float64 `json:"q25"`
	Median *float64 `json:"median"`
	Q75    *float64 `json:"q75"`
	Q90    *float64 `json:"q90"`
	// Curve is the survival curve, thinned to at most 200 points.
	Curve []CurvePoint `json:"curve"`
	// Incidence has the share of games that have ended in each way by so many plies,
	// the cap being a way of its own; the shares of all ways add up to those that have
	// ended.
	Incidence []Cause `json:"incidence"`
}

// Cause is one way for a game to end, with its cumulative incidence.
type Cause struct {
	Name   string       `json:"name"`
	Points []CurvePoint `json:"points"`
}

// CurvePoint is one step of a survival curve: after Plies plies the share S of
// games still ran, with a pointwise interval.
type CurvePoint struct {
	Plies float64 `json:"plies"`
	S     float64 `json:"share"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Contrast is metric(A) − metric(B).
type Contrast struct {
	A      string `json:"a"`
	B      string `json:"b"`
	Metric string `json:"metric"`
	Unit   string `json:"unit"`
	Agent  string `json:"agent"`
	// MeanA and MeanB are the two means; Difference is for A − B.
	MeanA      float64        `json:"mean_a"`
	MeanB      float64        `json:"mean_b"`
	Difference stats.Interval `json:"difference"`
	// P is Student's p-value, Permutation that of the sign-flip test (over the first
	// 8,192 pairs at most), Adjusted is P within the family: after Holm in the
	// confirmatory one, after Benjamini and Hochberg in a screening one.
	P           float64 `json:"p"`
	Permutation float64 `json:"p_permutation"`
	Adjusted    float64 `json:"p_adjusted"`
	// Primary says that the metric is the design's primary one; Family is Confirmatory
	// or Screening, and FamilySize the number of tests adjusted together.
	Primary    bool   `json:"primary"`
	Family     string `json:"family"`
	FamilySize int    `json:"family_size"`
	// Equivalent is the test of the difference being within the design's margin, for
	// metrics in the margin's unit, and EquivalentAdjusted its p-value in the family.
	Equivalent         *stats.Equivalence `json:"equivalent,omitempty"`
	EquivalentAdjusted float64            `json:"equivalent_p_adjusted,omitzero"`
	// CappedLow and CappedHigh are the difference of scores with every capped game counted
	// in the way that makes it smallest and largest; nil without capped games and for other
	// metrics. A claim about scores must hold for both.
	CappedLow  *stats.Interval `json:"difference_capped_low,omitempty"`
	CappedHigh *stats.Interval `json:"difference_capped_high,omitempty"`
	// Cliff is Cliff's delta of lengths: P(longer in A) − P(longer in B).
	Cliff *stats.Interval `json:"cliff_delta,omitempty"`
	// Seeds is the difference with Student's interval over the training seeds, for
	// agents whose networks have two or more, and EachSeed the single ones.
	Seeds    *stats.Interval `json:"seeds,omitempty"`
	EachSeed []SeedValue     `json:"each_seed,omitempty"`
	// Decision is one of the Decision constants.
	Decision string `json:"decision"`
	// CommonStarts says that both cells were played from the very same positions.
	CommonStarts bool `json:"common_starts"`
	// ClaimAllowed is false where capped games or copies forbid a claim, in a trial run, and before all games are played.
	ClaimAllowed bool `json:"claim_allowed"`
	// Changed lists the parameters in which the two rulesets differ, but for those
	// that only exist because of another one, which Dependent lists.
	Changed   []string `json:"changed"`
	Dependent []string `json:"changed_with_it,omitempty"`
}

// Trend is how a metric in one ruleset moves as one kind of agent gets stronger: the
// first player's score, and the primary metric where that is another.
type Trend struct {
	Ruleset string `json:"ruleset"`
	// Metric is what moves.
	Metric string `json:"metric"`
	// Kind is the agents' specification without its budget.
	Kind string `json:"kind"`
	// Points are the budgets, ascending, with the metric's values.
	Points []TrendPoint `json:"points"`
	// Change is the value at the largest budget − that at the smallest, pair by pair.
	Change stats.Interval `json:"change"`
	// P is Student's p-value of "no change", and Adjusted the same after Benjamini and
	// Hochberg over all Tests trends.
	P        float64 `json:"p"`
	Adjusted float64 `json:"p_adjusted"`
	Tests    int     `json:"tests"`
	// Capped says that capped games are counted as half in Change, and Copies that too
	// many games are copies.
	Capped bool `json:"capped,omitempty"`
	Copies bool `json:"copies,omitempty"`
	// robust says that the change excludes zero whatever way the capped games count.
	robust bool
	// Provisional says that a change beyond the margin is not excluded, so that
	// stronger agents may well give another result.
	Provisional bool `json:"provisional"`
	// ClaimAllowed is false where capped games or copies forbid a claim, in a trial run, and before all games are played.
	ClaimAllowed bool `json:"claim_allowed"`
}

// TrendPoint is one budget of a trend.
type TrendPoint struct {
	Agent       string `json:"agent"`
	Simulations int    `json:"simulations"`
	// Value is the metric's mean.
	Value stats.Interval `json:"value"`
}

// Finding is one result in a sentence.
type Finding struct {
	// ID is stable: "score/<ruleset>/<agent>", "contrast/<metric>/<a>/<b>/<agent>",
	// "strength/<ruleset>/<a>/<b>", "trend/<ruleset>/<kind>". Kind is its first part.
	ID   string `json:"id"`
	Kind string `json:"kind"`
	// Sentence says the result, its interval and how sure it is, in plain words.
	Sentence string `json:"sentence"`
	// Estimate, Low and High are the number behind it; NoEffect is the value that
	// would mean "no effect".
	Estimate *float64 `json:"estimate"`
	Low      *float64 `json:"low"`
	High     *float64 `json:"high"`
	Level    float64  `json:"level"`
	Unit     string   `json:"unit"`
	NoEffect float64  `json:"no_effect"`
	// ExcludesNoEffect is true if the interval excludes NoEffect and a claim is
	// allowed.
	ExcludesNoEffect bool `json:"excludes_no_effect"`
	// Within is true if the value is shown to be no farther from NoEffect than the
	// design's margin; together with ExcludesNoEffect: there is something, and it is small.
	Within bool `json:"within_margin"`
	// NoClaim is true where nothing may be said: capped games, copies, a trial run.
	NoClaim bool `json:"no_claim"`
	// N is the number of pairs behind it.
	N int `json:"n"`
	// PAdjusted is the p-value within its family, where there is one.
	PAdjusted *float64 `json:"p_adjusted,omitempty"`
	// Primary marks a confirmatory finding.
	Primary bool `json:"primary"`
	// Provisional marks a finding that may change with stronger agents, as the trend
	// over budgets shows.
	Provisional bool `json:"provisional"`
}

// Analysis is the whole result of one experiment. It is a pure function of the
// design and the games.
type Analysis struct {
	Design     Design       `json:"design"`
	DesignHash string       `json:"design_hash"`
	Complete   bool         `json:"complete"`
	Cells      []CellResult `json:"cells"`
	Contrasts  []Contrast   `json:"contrasts"`
	Trends     []Trend      `json:"trends"`
	Findings   []Finding    `json:"findings"`
	// Unmeasured are the metrics of rulesets that the design has no games for.
	Unmeasured []Unmeasured `json:"unmeasured,omitempty"`
	// Warnings are sentences about what limits the results.
	Warnings []string `json:"warnings"`
	// Rules describes each ruleset.
	Rules []RulesetInfo `json:"rules"`
	// Exploratory and Quick are the design's: what kind of experiment this is.
	Exploratory bool `json:"exploratory"`
	Quick       bool `json:"quick"`
	// Strength shows each ruleset over the strength of its players, with the controls
	// of what strength may have done to the results.
	Strength []Strength `json:"strength"`
	// Stability is how far the order of rulesets stays the same from one budget to the
	// next.
	Stability []Stability `json:"stability"`
	// Factors, Fraction and Effects belong to a factorial.
	Factors  []FactorInfo  `json:"factors,omitempty"`
	Fraction *FractionInfo `json:"fraction,omitempty"`
	Effects  []Effect      `json:"effects,omitempty"`
	// Ranking orders three or more rulesets by the primary metric, shrunk towards
	// their mean.
	Ranking []Ranking `json:"ranking,omitempty"`
	// Measures and Tests are the rows of metrics.csv and tests.csv.
	Measures []Measure `json:"-"`
	Tests    []Test    `json:"-"`
	// Training tells what is known of the networks' training.
	Training []TrainingInfo `json:"training,omitempty"`
}

// RulesetInfo is what a report says about a ruleset.
type RulesetInfo struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Ref     string `json:"ref"`
	Hash    string `json:"hash"`
	Reading string `json:"reading"`
	// Doubts are the numbers of the questions that the reading answers otherwise than
	// the default, and ReadingNote what it means; empty for the default reading.
	Doubts      []string `json:"doubts,omitempty"`
	ReadingNote string   `json:"reading_note,omitempty"`
	// Prose is the rules as readable text (Markdown).
	Prose string `json:"prose"`
	// Assumed lists parameters whose value is not attested by the source.
	Assumed []AssumedParam `json:"assumed"`
}

// AssumedParam is a parameter that rests on argument or assumption.
type AssumedParam struct {
	Name      string `json:"parameter"`
	Value     string `json:"value"`
	Certainty string `json:"certainty"`
	Source    string `json:"source"`
	Note      string `json:"note"`
}

// Cell finds the result of a ruleset (by name) and pairing of agents (by name;
// the same name twice for self-play).
func (a *Analysis) Cell(ruleset, agentA, agentB string) *CellResult {
	for i := range a.Cells {
		c := &a.Cells[i]
		if c.Name == ruleset && c.A == agentA && c.B == agentB {
			return c
		}
	}
	return nil
}
