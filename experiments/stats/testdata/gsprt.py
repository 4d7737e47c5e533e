"""Writes gsprt.json: sequential tests with pentanomial pairs, computed independently of the Go code.

Run:  venv/bin/python gsprt.py > gsprt.json   (numpy and scipy; versions are in the file)

LLR of two means: Owen's equation by scipy's brentq. Its approximation: the sum over pairs of the logarithms of two normal
densities with the observed variance, from scipy.stats.norm, which is what M. Van den Bergh's note
https://www.cantate.be/Fishtest/GSPRT_approximation.pdf arrives at (LLR_alt2 in fishtest's stats/LLRcalc.py). LLR in normalised Elo: the constrained maximum found directly by
SLSQP over the five chances from many starts. Length and error rates of the test with the ratio of the tilted
distribution: dynamic programming on a dictionary of sums. Maximum-entropy pair scores: fsolve of the two moments.
"""
import json, math, sys
import numpy as np, scipy
from scipy import optimize, stats

X = np.array([0, .25, .5, .75, 1.0])
EMPTY = 1e-3
score = lambda elo: 1 / (1 + 10 ** (-elo / 400))


def mle(w, s):
    """The most likely chances with mean s, given weights w."""
    p = np.maximum(w, EMPTY) / np.maximum(w, EMPTY).sum()
    a = X - s
    lo, hi = -1 / a.max(), -1 / a.min()
    e = 1e-12 * (hi - lo)
    x = optimize.brentq(lambda x: (p * a / (1 + x * a)).sum(), lo + e, hi - e, xtol=1e-15, rtol=1e-14, maxiter=500)
    return p / (1 + x * a)


def llr(w, s0, s1):
    w = np.maximum(np.array(w, float), EMPTY)
    return float((w * np.log(mle(w, s1) / mle(w, s0))).sum())


def mle_t(w, t):
    """The most likely chances with (mean - 1/2)/sd = t."""
    w = np.maximum(np.array(w, float), EMPTY)
    p = w / w.sum()
    soft = lambda z: np.exp(z - z.max()) / np.exp(z - z.max()).sum()
    def con(z):
        q = soft(z)
        m = q @ X
        return m - .5 - t * math.sqrt(q @ (X - m) ** 2)
    best = None
    for seed in range(6):
        z0 = np.log(p) + np.random.default_rng(seed).normal(0, .05 * seed, 5)
        r = optimize.minimize(lambda z: -(p * np.log(soft(z))).sum(), z0, constraints=[{"type": "eq", "fun": con}], method="SLSQP",
                              options={"ftol": 1e-15, "maxiter": 2000})
        if abs(con(r.x)) < 1e-9 and (best is None or r.fun < best.fun):
            best = r
    return best.fun * -w.sum()


out = {"versions": {"python": sys.version.split()[0], "numpy": np.__version__, "scipy": scipy.__version__}}
cases = [([10, 40, 100, 50, 20], 0, 10), ([100, 210, 400, 220, 90], -2, 3), ([0, 3, 20, 9, 4], 0, 35), ([0, 0, 10, 0, 0], 0, 20), ([5, 0, 0, 0, 40], 0, 100), ([2000, 9000, 21000, 9400, 2200], 0, 5)]
out["llr"] = [{"counts": c, "elo0": a, "elo1": b, "llr": llr(c, score(a), score(b))} for c, a, b in cases]


def approximate(w, s0, s1):
    w = np.maximum(np.array(w, float), EMPTY)
    sd = math.sqrt(np.average((X - np.average(X, weights=w)) ** 2, weights=w))
    return float(w @ (stats.norm.logpdf(X, s1, sd) - stats.norm.logpdf(X, s0, sd)))


out["approximate"] = [{"counts": c, "elo0": a, "elo1": b, "llr": approximate(c, score(a), score(b))} for c, a, b in cases]
out["normalised"] = []
for c, a, b in [([10, 40, 100, 50, 20], 0, 10), ([100, 210, 400, 220, 90], -5, 5), ([20, 30, 60, 60, 40], 10, 60), ([2000, 9000, 21000, 9400, 2200], 0, 5)]:
    s = math.sqrt(2) / (800 / math.log(10))
    out["normalised"].append({"counts": c, "elo0": a, "elo1": b, "llr": mle_t(c, b * s) - mle_t(c, a * s)})

# Normalised Elo: the estimate from scipy's moments, its error by the delta method with derivatives taken numerically.
out["normalised_elo"] = []
for c in [[10, 40, 100, 50, 20], [900, 4000, 11000, 6000, 2100], [30, 60, 200, 500, 900]]:
    w = np.array(c, float)
    n = w.sum()
    value = lambda p: (p @ X / p.sum() - .5) / math.sqrt(np.average((X - np.average(X, weights=p)) ** 2, weights=p))
    p = w / n
    h = 1e-6
    slope = np.array([(value((1 - h) * p + h * e) - value((1 + h) * p - h * e)) / (2 * h) for e in np.eye(5)])
    se = math.sqrt(p @ slope ** 2 / n)
    x = np.repeat(X, c)
    d = (x.mean() - .5) / np.std(x, ddof=1)
    half, scale = stats.t.ppf(.975, n - 1) * se, 800 / math.log(10) / math.sqrt(2)
    out["normalised_elo"].append({"counts": c, "estimate": d * scale, "low": (d - half) * scale, "high": (d + half) * scale})

out["entropy"] = []
for m, sd in [(.5, .25), (.53, .3), (.6, .16), (.9, .15)]:
    def eq(v):
        e = v[0] * (X - m) + v[1] * (X - m) ** 2
        q = np.exp(e - e.max()); q /= q.sum()
        return [q @ X - m, q @ (X - m) ** 2 - sd * sd]
    for b0, c0 in [(0, 0), (0, -5), (2, -20), (10, 0), (5, -60), (20, 10), (0, -40)]:
        r = optimize.root(eq, [b0, c0], tol=1e-14)
        if r.success and max(map(abs, eq(r.x))) < 1e-10:
            break
    else:
        raise SystemExit("no solution")
    e = r.x[0] * (X - m) + r.x[1] * (X - m) ** 2
    q = np.exp(e - e.max()); q /= q.sum()
    out["entropy"].append({"mean": m, "sd": sd, "p": q.tolist()})

out["length"] = []
for truth, s0, s1, alpha, beta in [([.05, .2, .5, .2, .05], .5, .58, .05, .05), ([.1, .1, .3, .3, .2], .5, .58, .05, .1)]:
    p = np.array(truth)
    lower, upper = math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)
    per = lambda m: (lambda q: float((q * np.log(mle(q * 1e9, s1) / mle(q * 1e9, s0))).sum()))(mle(p * 1e9, m))
    dist, mean, h1, h0 = {0: 1.0}, 0.0, 0.0, 0.0
    for n in range(1, 1200):
        nxt = {}
        for s, v in dist.items():
            for k in range(5):
                nxt[s + k] = nxt.get(s + k, 0) + v * p[k]
        # Bounds as means, solved at each n.
        f = lambda m, want: n * per(m) - want
        a = optimize.brentq(f, 1e-6, 1 - 1e-6, args=(lower,)) if f(1e-6, lower) < 0 else -1
        b = optimize.brentq(f, 1e-6, 1 - 1e-6, args=(upper,)) if f(1 - 1e-6, upper) > 0 else 2
        dist = {}
        for s, v in nxt.items():
            if s / (4 * n) <= a + 1e-9:
                h0 += v; mean += v * n
            elif s / (4 * n) >= b - 1e-9:
                h1 += v; mean += v * n
            elif v > 1e-16:
                dist[s] = v
        if sum(dist.values()) < 1e-9:
            break
    out["length"].append({"truth": truth, "s0": s0, "s1": s1, "alpha": alpha, "beta": beta, "mean": mean, "h1": h1, "h0": h0})
json.dump(out, sys.stdout, indent=1)
sys.stdout.write("\n")
