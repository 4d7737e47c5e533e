package datasets

import "math"

// SurpriseWeights returns how often each sample of a unit of self-play is to be drawn,
// relative to plain samples of weight 1: policy-surprise weighting (KataGo's
// methods after Wu 2019). Of the weight of a game's full searches, one each, the
// part share in [0, 1] is dealt out again in proportion to [Sample.Surprise]:
//
//	w = (1 - share) + share · surprise / mean surprise of the game's full searches
//
// so that positions in which the search overruled the network are seen more often,
// and a game has as much weight as it had. Cheap searches, which teach no policy,
// keep weight 1, and so do all samples of a game of which some full search's surprise is not
// known, or none surprised. The rows of a game must stand together.
func SurpriseWeights(rows []Sample, share float64) []float32 {
	weights := make([]float32, len(rows))
	for from := 0; from < len(rows); {
		to := from
		sum, full := 0.0, 0
		for ; to < len(rows) && rows[to].GameID == rows[from].GameID; to++ {
			if rows[to].Full {
				sum += float64(rows[to].Surprise)
				full++
			}
		}
		// Also false for NaN, which one unknown surprise makes of the sum.
		dealt := sum > 0 && !math.IsInf(sum, 1)
		for i := from; i < to; i++ {
			weights[i] = 1
			if dealt && rows[i].Full {
				weights[i] = float32((1 - share) + share*float64(rows[i].Surprise)*float64(full)/sum)
			}
		}
		from = to
	}
	return weights
}
