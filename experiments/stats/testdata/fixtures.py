"""Writes fixtures.json: reference values for latro/experiments/stats.

Run:  python -m venv venv && venv/bin/pip install scipy statsmodels lifelines
      venv/bin/python fixtures.py > fixtures.json
The versions used are in the file's "versions". Data come from a fixed seed.
"""
import json, math, sys, warnings
import numpy as np, scipy, statsmodels, lifelines
from scipy import stats
from statsmodels.stats.proportion import proportion_confint, confint_proportions_2indep
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import ttost_paired, DescrStatsW, CompareMeans
from statsmodels.stats.power import NormalIndPower
from statsmodels.duration.survfunc import SurvfuncRight
from lifelines import KaplanMeierFitter
from lifelines.utils import restricted_mean_survival_time
from lifelines.exceptions import ApproximationWarning

warnings.simplefilter("ignore")
rng = np.random.default_rng(20240601)
out = {"versions": {"python": sys.version.split()[0], "numpy": np.__version__, "scipy": scipy.__version__,
                    "statsmodels": statsmodels.__version__, "lifelines": lifelines.__version__}}

prop = []
for k, n in [(0, 1), (0, 30), (1, 30), (15, 30), (16, 30), (30, 30), (3, 1000), (517, 1000), (999, 1000), (5000, 10001)]:
    for level in (0.9, 0.95, 0.999):
        row = {"k": k, "n": n, "level": level}
        for name, m in (("wilson", "wilson"), ("clopper_pearson", "beta"), ("jeffreys", "jeffreys")):
            lo, hi = proportion_confint(k, n, alpha=1 - level, method=m)
            if name == "jeffreys":  # statsmodels leaves out the end correction of Brown, Cai, DasGupta
                lo, hi = (0.0 if k == 0 else lo), (1.0 if k == n else hi)
            row[name] = [max(0.0, float(lo)), min(1.0, float(hi))]
        prop.append(row)
out["proportion"] = prop

out["share_difference"] = []
for k1, n1, k2, n2 in [(56, 70, 48, 80), (9, 10, 3, 10), (10, 10, 0, 20), (500, 1000, 480, 900)]:
    lo, hi = confint_proportions_2indep(k1, n1, k2, n2, method="newcomb", compare="diff")
    out["share_difference"].append({"k1": k1, "n1": n1, "k2": k2, "n2": n2, "low": float(lo), "high": float(hi)})

scores = np.array([0, .25, .5, .75, 1.0])
a = rng.choice(scores, 60, p=[.1, .15, .3, .2, .25])
b = np.clip(np.where(rng.random(60) < .6, a, rng.choice(scores, 60)), 0, 1)
c = rng.choice(scores, 45, p=[.2, .2, .3, .2, .1])
t1 = stats.ttest_1samp(a, 0.5)
ci = t1.confidence_interval(0.95)
out["pair"] = {"a": a.tolist(), "low": float(ci.low), "high": float(ci.high), "mean": float(a.mean())}
tr = stats.ttest_rel(a, b)
ci = tr.confidence_interval(0.95)
out["paired"] = {"a": a.tolist(), "b": b.tolist(), "p": float(tr.pvalue), "low": float(ci.low), "high": float(ci.high)}
tw = stats.ttest_ind(a, c, equal_var=False)
ci = tw.confidence_interval(0.95)
out["welch"] = {"a": a.tolist(), "b": c.tolist(), "p": float(tw.pvalue), "df": float(tw.df), "low": float(ci.low), "high": float(ci.high)}
x = np.array([.75, .5, .5, .25, .5, .75, 1, .5, .5, .25, .75, 1])
y = np.array([.5, .5, .25, .25, .5, .5, .75, .5, .75, .25, .5, .5])
pt = stats.permutation_test((x, y), lambda u, v: np.mean(u - v), permutation_type="samples", n_resamples=np.inf)
out["permutation_paired_exact"] = {"a": x.tolist(), "b": y.tolist(), "p": float(pt.pvalue)}
u, v = x[:6], y[:7]
pi = stats.permutation_test((u, v), lambda s, t: abs(np.mean(s) - np.mean(t)), permutation_type="independent",
                            n_resamples=np.inf, alternative="greater")
out["permutation_two_exact"] = {"a": u.tolist(), "b": v.tolist(), "p": float(pi.pvalue)}

bs = {}
for m in ("percentile", "BCa"):
    r = stats.bootstrap((a,), np.mean, n_resamples=200000, method=m, rng=np.random.default_rng(1))
    bs[m] = [float(r.confidence_interval.low), float(r.confidence_interval.high)]
skew = np.array([0.0] * 3 + [0.5] * 6 + [1.0] * 31)
for m in ("percentile", "BCa"):
    r = stats.bootstrap((skew,), np.mean, n_resamples=200000, method=m, rng=np.random.default_rng(1))
    bs["skew_" + m] = [float(r.confidence_interval.low), float(r.confidence_interval.high)]
bs["a"], bs["skew"] = a.tolist(), skew.tolist()
out["bootstrap"] = bs

# Two one-sided tests of mean(a)=1/2 within a margin, from one-sample t tests.
tost = []
for margin in (0.03, 0.1, 0.25):
    lo = stats.ttest_1samp(a, 0.5 - margin, alternative="greater").pvalue
    hi = stats.ttest_1samp(a, 0.5 + margin, alternative="less").pvalue
    p, _, _ = ttost_paired(a, np.full_like(a, 0.5), -margin, margin)
    assert abs(p - max(lo, hi)) < 1e-12
    tost.append({"margin": margin, "low": float(lo), "high": float(hi), "p": float(p)})
out["tost"] = tost

p = [0.0004, 0.03, 0.03, 0.2, 0.011, 0.9, 0.0012, 0.05, 1.0]
out["multiple"] = {"p": p, "holm": multipletests(p, method="holm")[1].tolist(), "bh": multipletests(p, method="fdr_bh")[1].tolist()}

power = []
for sd, eff, n in [(0.5, 0.05, 785), (0.42, 0.03, 900), (0.32, 0.02, 1962)]:
    power.append({"sd": sd, "effect": eff, "n": n,
                  "power": float(NormalIndPower(ddof=0).power(eff / sd, n, 0.05, ratio=0))})
out["power"] = power

n = 80
life = np.round(rng.exponential(120, n)) + 1
cap = 200.0
ended = life <= cap
t = np.minimum(life, cap)
sf = SurvfuncRight(t, ended.astype(int))
kmf = KaplanMeierFitter().fit(t, ended)
rm, rv = restricted_mean_survival_time(kmf, t=200, return_variance=True)
band = kmf.confidence_interval_.loc[sf.surv_times]
# Variance of the restricted mean by Klein and Moeschberger (lifelines integrates
# the distribution's own variance instead, so it is no reference here).
st, sp, nr, nd = sf.surv_times, sf.surv_prob, sf.n_risk, sf.n_events
var = 0.0
for j in range(len(st)):
    area = sum(sp[i] * ((st[i + 1] if i + 1 < len(st) else 200.0) - st[i]) for i in range(j, len(st)))
    if nr[j] > nd[j]:
        var += area ** 2 * nd[j] / (nr[j] * (nr[j] - nd[j]))
out["survival"] = {"length": t.tolist(), "ended": ended.tolist(), "time": st.tolist(), "s": sp.tolist(),
                   "se": sf.surv_prob_se.tolist(), # By definition, inf{t: S(t) <= 1-q}; the libraries treat a step that ends exactly
                   # at 1-q in different ways (statsmodels asks for <, lifelines for < up to rounding).
                   "median": float(st[sp <= 0.5 + 1e-12].min()), "q25": float(st[sp <= 0.75 + 1e-12].min()),
                   "rmst200": float(rm), "rmst200_se": math.sqrt(var),
                   "band_low": band.iloc[:, 0].tolist(), "band_high": band.iloc[:, 1].tolist()}
json.dump(out, sys.stdout, indent=1)
