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

# Posterior of the score from Dirichlet(win, half, loss): P(W + M/2 <= s) by integrating the beta distribution of M, and
# quantiles by root finding. The transformation to u = arcsin sqrt(M) takes the singular ends out of the integrand.
from scipy import integrate, optimize
def score_cdf(win, half, loss, s):
    b1, b2 = stats.beta(half, win + loss), stats.beta(win, loss)
    def f(u):
        m = np.sin(u) ** 2
        return b2.cdf((s - m / 2) / (1 - m)) * b1.pdf(m) * 2 * np.sin(u) * np.cos(u)
    kinks = [math.asin(math.sqrt(k)) for k in (2 * s, 2 * (1 - s), b1.mean(), *(b1.mean() + d * b1.std() for d in (-8, -3, 3, 8))) if 0 < k < 1]
    cuts = sorted({1e-12, *kinks, math.pi / 2 - 1e-12})
    return sum(integrate.quad(f, a, b, epsabs=1e-13, epsrel=1e-11, limit=200)[0] for a, b in zip(cuts, cuts[1:]))
dirichlet = []
for w, d, l, c in [(0, 0, 0, 0), (3, 0, 1, 0), (10, 4, 7, 1), (0, 12, 0, 0), (120, 300, 90, 20), (2086, 7191, 723, 0)]:
    k = {"win": w, "draw": d, "loss": l, "capped": c}
    a = [w + .5, d + 1 + c, l + .5]  # draws and capped games merged, with both their prior weights
    k["below"] = [{"s": s, "p": score_cdf(*a, s)} for s in (0.2, 0.45, 0.5, 0.55, 0.6)]
    mean = (a[0] + a[1] / 2) / sum(a)
    k["mean"] = mean
    k["q"] = [optimize.brentq(lambda s: score_cdf(*a, s) - q, 1e-9, 1 - 1e-9, xtol=1e-12) for q in (0.025, 0.975)]
    lost = [w + .5, d + .5, l + 1 + c]
    k["lost_low"] = optimize.brentq(lambda s: score_cdf(*lost, s) - 0.025, 1e-9, 1 - 1e-9, xtol=1e-12)
    dirichlet.append(k)
out["dirichlet"] = dirichlet

# Kendall's tau: with and without ties, exact and normal.
kendall = []
r2 = np.random.default_rng(5)
for x, y in [([1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 6, 5]), ([1, 2, 2, 3, 5, 5, 7, 8], [2, 1, 3, 3, 6, 5, 5, 9]),
             (r2.normal(size=25), r2.normal(size=25)), (np.arange(90) + r2.normal(0, 60, 90), np.arange(90))]:
    k = stats.kendalltau(x, y)
    kendall.append({"a": list(map(float, x)), "b": list(map(float, y)), "tau": float(k.statistic), "p": float(k.pvalue)})
out["kendall"] = kendall

# Cliff's delta: estimate from the Mann-Whitney statistic, variance by the definition over all n times m signs.
cl = []
for x, y in [(r2.integers(1, 9, 20), r2.integers(3, 11, 15)), (r2.normal(0, 1, 40), r2.normal(0.3, 2, 60))]:
    x, y = np.asarray(x, float), np.asarray(y, float)
    n, m = len(x), len(y)
    delta = 2 * stats.mannwhitneyu(x, y).statistic / (n * m) - 1
    s = np.sign(x[:, None] - y[None, :])
    v = (m * m * ((s.mean(1) - delta) ** 2).sum() + n * n * ((s.mean(0) - delta) ** 2).sum() - ((s - delta) ** 2).sum()) / (m * n * (m - 1) * (n - 1))
    v = max(v, (1 - delta ** 2) / (n * m - 1))
    t = stats.t.ppf(0.975, n + m - 2)
    lo, hi = [(delta - delta ** 3 + g * t * math.sqrt(v) * math.sqrt((1 - delta ** 2) ** 2 + t * t * v)) / (1 - delta ** 2 + t * t * v) for g in (-1, 1)]
    cl.append({"a": x.tolist(), "b": y.tolist(), "delta": float(delta), "low": lo, "high": hi})
out["cliff"] = cl

# A factorial: 2 x 3 levels and a covariate, 60 starts with two games each in random cells, correlated within starts.
import statsmodels.api as sm
starts, rows = 60, 240
cluster = np.repeat(np.arange(starts), 4)
fa, fb = r2.integers(0, 2, rows), r2.integers(0, 3, rows)
cov = r2.choice([6., 8., 10., 11.], rows)
eta = 0.7 * (fa - .5) + 0.5 * (fb == 1) - 0.4 * (fb == 2) + 0.1 * (cov - 8) + r2.normal(0, .8, starts)[cluster]
lat = eta + r2.logistic(size=rows)
y = np.where(lat < -.6, 0, np.where(lat < .6, 1, 2))
X = np.column_stack([np.ones(rows), fa - .5, (fb == 1) - 1 / 3, (fb == 2) - 1 / 3, cov - cov.mean(), (fa - .5) * ((fb == 1) - 1 / 3), (fa - .5) * ((fb == 2) - 1 / 3)])
ols = sm.OLS(y / 2, X).fit(cov_type="cluster", cov_kwds={"groups": cluster}, use_t=True)
ols0 = sm.OLS(y / 2, X).fit()
ci = ols.conf_int(0.05)
dec = y != 1
logit = sm.Logit((y[dec] == 2).astype(int), X[dec]).fit(disp=0, tol=1e-12)
lr = sm.Logit((y[dec] == 2).astype(int), X[dec]).fit(disp=0, tol=1e-12, cov_type="cluster", cov_kwds={"groups": cluster[dec], "use_correction": False})
wald = ols.wald_test(np.eye(7)[[2, 3]], use_f=True, scalar=True)
g = len(set(cluster[dec]))
out["regression"] = {
    "y": y.tolist(), "a": fa.tolist(), "b": fb.tolist(), "covariate": cov.tolist(), "cluster": cluster.tolist(),
    "linear": {"coef": ols.params.tolist(), "se": ols.bse.tolist(), "model_se": ols0.bse.tolist(), "low": ci[:, 0].tolist(), "high": ci[:, 1].tolist(),
               "p": ols.pvalues.tolist(), "loglik": float(ols.llf), "joint_f": float(wald.statistic), "joint_p": float(wald.pvalue)},
    "logistic": {"coef": logit.params.tolist(), "model_se": logit.bse.tolist(), "se": (lr.bse * math.sqrt(g / (g - 1))).tolist(), "loglik": float(logit.llf)}}

# Davidson's draws: the model is log-linear, so a Poisson regression of the counts with one constant a meeting fits it.
counts = {(0, 1): (60, 25, 35), (0, 2): (80, 20, 20), (1, 2): (50, 40, 30), (2, 3): (45, 30, 45), (0, 3): (30, 5, 5)}  # wins of the first, draws, losses
rowsX, resp = [], []
for m, ((i, j), c) in enumerate(counts.items()):
    for kind, v in zip("wdl", c):
        z = np.zeros(5 + 3 + 1)
        z[m] = 1
        for pl, wgt in ((i, {"w": 1, "d": .5, "l": 0}[kind]), (j, {"w": 0, "d": .5, "l": 1}[kind])):
            if pl > 0:
                z[5 + pl - 1] += wgt
        z[8] = kind == "d"
        rowsX.append(z); resp.append(v)
po = sm.GLM(np.array(resp), np.array(rowsX), family=sm.families.Poisson()).fit(tol=1e-12)
out["davidson"] = {"meetings": [{"a": i, "b": j, "wins": c[0], "draws": c[1], "losses": c[2]} for (i, j), c in counts.items()],
                   "elo": (po.params[5:8] * 400 / math.log(10)).tolist(), "elo_se": (po.bse[5:8] * 400 / math.log(10)).tolist(),
                   "ln_nu": float(po.params[8]), "ln_nu_se": float(po.bse[8])}

# Cumulative incidence with lifelines (distinct times, so that it does not break ties at random) and a cut-off.
from lifelines import AalenJohansenFitter
nn = 60
tt = r2.permutation(np.arange(1, nn + 1)).astype(float) * 3
ev = r2.choice([0, 1, 2, 3], nn, p=[.2, .35, .3, .15])
aj = {"length": tt.tolist(), "cause": (ev - 1).tolist(), "share": [], "se": [], "time": []}
for k in (1, 2, 3):
    f = AalenJohansenFitter(calculate_variance=True).fit(tt, ev, event_of_interest=k)
    cd = f.cumulative_density_.iloc[:, 0]
    at = [t for t, e in sorted(zip(tt, ev)) if e > 0]
    aj["time"] = at
    aj["share"].append([float(cd.loc[t]) for t in at])
    var = [float(f.variance_.loc[t]) for t in at]
    aj["se"].append([math.sqrt(v) if v >= 0 else -1 for v in var])  # -1: lifelines has none (nobody left at risk)
out["incidence"] = aj

# Labels within start pairs, all (3!)^5 shuffles.
import itertools
w = np.array([[1, .5, .25], [.75, .75, .5], [1, .25, .5], [.5, .5, 0], [.75, 1, .25]])
spread = lambda m: ((m.mean(0) - m.mean()) ** 2).sum()
obs, hits, total = spread(w), 0, 0
for perms in itertools.product(itertools.permutations(range(3)), repeat=5):
    total += 1
    hits += spread(np.array([r[list(q)] for r, q in zip(w, perms)])) >= obs - 1e-12
out["permutation_within"] = {"scores": w.tolist(), "p": hits / total}

# Trend over budgets: the slope of each pair by least squares, then a one-sample t test.
bud = np.array([100., 400., 1600., 6400.])
sc = r2.choice(scores, (4, 30))
sl = [stats.linregress(np.log2(bud), sc[:, i]).slope for i in range(30)]
tt1 = stats.ttest_1samp(sl, 0)
ci = tt1.confidence_interval(.95)
out["trend"] = {"budgets": bud.tolist(), "scores": sc.tolist(), "slope": float(np.mean(sl)), "p": float(tt1.pvalue), "low": float(ci.low), "high": float(ci.high),
                "deviation": float(stats.linregress(np.log2(bud), abs(sc.mean(1) - .5)).slope)}

# Equivalence power with a true effect: both tails of the normal approximation.
out["tost_power"] = [{"n": n, "sd": sd, "truth": tr, "margin": mg,
                      "power": float(max(0, stats.norm.cdf(mg, tr + stats.norm.ppf(.95) * sd / math.sqrt(n), sd / math.sqrt(n)) - stats.norm.cdf(-mg, tr - stats.norm.ppf(.95) * sd / math.sqrt(n), sd / math.sqrt(n))))}
                     for n, sd, tr, mg in [(400, .3, .01, .05), (900, .3, 0, .03), (2000, .25, -.02, .03), (30, .3, 0, .03)]]
json.dump(out, sys.stdout, indent=1)
sys.stdout.write("\n")
