package stats

import "math"

// root finds x between lo and hi with f(x) = 0 for a continuous f that changes
// its sign there, to within tolerance. gonum has no scalar root finder; this is
// the method of T. R. Chandrupatla, Advances in Engineering Software 28 (1997)
// 145: inverse quadratic interpolation where three points show that it will
// converge, else a bisection.
//
// If f does not change its sign the end with the smaller |f| is returned. That
// suits the callers here, who look for a probability between ends at which it is
// 0 and 1 up to rounding.
func root(f func(float64) float64, lo, hi, tolerance float64) float64 {
	a, b := hi, lo
	fa, fb := f(a), f(b)
	best := func() float64 {
		if math.Abs(fa) < math.Abs(fb) {
			return a
		}
		return b
	}
	if fa == 0 || fb == 0 || (fa > 0) == (fb > 0) {
		return best()
	}
	t := 0.5
	for range 200 {
		x := a + t*(b-a)
		fx := f(x)
		c, fc := a, fa
		if (fx > 0) != (fa > 0) {
			c, fc, b, fb = b, fb, a, fa
		}
		a, fa = x, fx
		if fa == 0 {
			return a
		}
		// The smallest useful step, as a share of the bracket.
		least := (2*0x1p-52*math.Abs(best()) + tolerance/2) / math.Abs(b-a)
		if least > 0.5 {
			break
		}
		t = 0.5
		xi, phi := (a-b)/(c-b), (fa-fb)/(fc-fb)
		if phi*phi < xi && (1-phi)*(1-phi) < 1-xi {
			t = fa/(fb-fa)*fc/(fb-fc) + (c-a)/(b-a)*fa/(fc-fa)*fb/(fc-fb)
		}
		t = clamp(t, least, 1-least)
	}
	return best()
}
