# Writes fixtures_r.json: reference values of R packages for latro/experiments/stats.
#
# Run (Debian): apt-get install r-base-core r-cran-ordinal r-cran-sandwich r-cran-survival r-cran-mass r-cran-metafor r-cran-jsonlite
#               Rscript fixtures.R > fixtures_r.json      (in this directory; it reads the data of fixtures.json)
# The versions used are in the file.
suppressMessages({library(ordinal); library(sandwich); library(survival); library(MASS); library(metafor); library(jsonlite)})
version <- function(p) as.character(packageVersion(p))
out <- list(versions = list(R = paste(R.version$major, R.version$minor, sep = "."), ordinal = version("ordinal"), sandwich = version("sandwich"),
  survival = version("survival"), MASS = version("MASS"), metafor = version("metafor")))
f <- fromJSON("fixtures.json")

# Proportional odds with the columns of the Python fixture.
d <- f$regression
x <- data.frame(y = factor(d$y, ordered = TRUE), a = d$a - 1/2, b1 = (d$b == 1) - 1/3, b2 = (d$b == 2) - 1/3, v = d$covariate - mean(d$covariate))
m <- clm(y ~ a + b1 + b2 + v + a:b1 + a:b2, data = x, control = clm.control(gradTol = 1e-10))
k <- names(coef(m))
p <- polr(y ~ a + b1 + b2 + v + a:b1 + a:b2, data = x, Hess = TRUE, control = list(reltol = 1e-14))
vp <- vcovCL(p, cluster = d$cluster, type = "HC0", cadjust = TRUE)
stopifnot(max(abs(coef(p) - coef(m)[-(1:2)])) < 1e-4)
# The same sandwich from clm, by hand: the scores of clusters between two inverse informations.
ord <- c(3:8, 1:2)
X <- model.matrix(~ a + b1 + b2 + v + a:b1 + a:b2, x)[, -1]
th <- coef(m)[1:2]; be <- coef(m)[-(1:2)]
eta <- drop(X %*% be); yi <- as.integer(x$y); pl <- plogis; dl <- dlogis
up <- ifelse(yi == 3, Inf, th[pmin(yi, 2)] - eta); lo <- ifelse(yi == 1, -Inf, th[pmax(yi - 1, 1)] - eta)
pr <- pl(up) - pl(lo); gu <- ifelse(yi == 3, 0, dl(up)) / pr; gl <- -ifelse(yi == 1, 0, dl(lo)) / pr
S <- cbind((yi == 1) * gu + (yi == 2) * gl, (yi == 2) * gu + (yi == 3) * gl, -(gu + gl) * X)
G <- rowsum(S, d$cluster); g <- nrow(G)
V <- vcov(m) %*% crossprod(G) %*% vcov(m) * g / (g - 1)
stopifnot(max(abs(sqrt(diag(V))[-(1:2)] - sqrt(diag(vp))[1:6])) < 1e-3)
W <- drop(t(be[2:3]) %*% solve(V[4:5, 4:5]) %*% be[2:3]) / 2
out$ordinal <- list(names = k, coef = unname(coef(m)), model_se = unname(sqrt(diag(vcov(m)))), se = unname(sqrt(diag(V))), loglik = as.numeric(logLik(m)),
  joint_f = W, joint_p = pf(W, 2, g - 1, lower.tail = FALSE))

# A separated cell: all games of level 1 end with a win; the profile of the likelihood against the bound.
s <- data.frame(y = factor(c(0,0,1,2,1,0,2,1, 2,2,2,2,2,2,2,2), ordered = TRUE), a = rep(c(-.5, .5), each = 8))
# With the effect at infinity level 1 is certain, and the thresholds fit the eight games of level 0 exactly.
k0 <- table(s$y[1:8]); full <- sum(k0 * log(k0 / 8)); z <- as.integer(s$y)
prof <- function(b) {
  nll <- function(th) {
    if (th[1] >= th[2]) return(1e10)
    e <- c(-Inf, th, Inf)
    -sum(log(plogis(e[z + 1] - b * s$a) - plogis(e[z] - b * s$a)))
  }
  start <- qlogis(cumsum(table(s$y))[1:2] / 16)
  o <- optim(start, nll, control = list(reltol = 1e-14, maxit = 10000))
  o <- optim(o$par, nll, control = list(reltol = 1e-15, maxit = 10000))
  2 * (full + o$value)
}
out$separated <- list(y = as.integer(as.character(s$y)), a = s$a, low = uniroot(function(b) prof(b) - qt(.975, 15)^2, c(0, 15), tol = 1e-10)$root,
  p = 2 * pt(-sqrt(prof(0)), 15))

# Shrinkage.
set.seed(3)
yi <- c(0.52, 0.47, 0.61, 0.50, 0.555, 0.40, 0.53, 0.49); sei <- c(0.02, 0.03, 0.025, 0.01, 0.04, 0.035, 0.02, 0.015)
fit <- function(yi, sei, method) {
  r <- rma(yi = yi, sei = sei, method = method, control = list(tol = 1e-12, threshold = 1e-12, maxiter = 10000))
  b <- blup(r)
  list(method = method, tau2 = r$tau2, mu = as.numeric(r$beta), q = r$QE, qp = r$QEp, shrunk = b$pred, se = b$se)
}
even <- c(0.50, 0.51, 0.49, 0.505)
out$shrink <- list(estimate = yi, se = sei, fits = lapply(c("PM", "REML", "DL"), function(m) fit(yi, sei, m)),
  even = list(estimate = even, se = rep(0.02, 4), tau2 = fit(even, rep(0.02, 4), "PM")$tau2))

# Competing outcomes with tied times and cut-offs, and lengths: survival.
set.seed(4)
n <- 120
t <- ceiling(rexp(n, 1 / 60)); cause <- sample(0:2, n, TRUE, c(.4, .35, .25))
cause[t > 100] <- 3; t <- pmin(t, 100); cut <- sample(n, 12); cause[cut] <- -1
sf <- survfit(Surv(t, factor(cause, levels = -1:3)) ~ 1)
ev <- sapply(sf$time, function(z) any(t == z & cause >= 0))
out$incidence <- list(length = t, cause = cause, time = sf$time[ev], share = lapply(2:5, function(j) sf$pstate[ev, j]))
ended <- cause >= 0 & cause < 3
s1 <- summary(survfit(Surv(t, ended) ~ 1), rmean = 100)$table
half <- seq_len(n) %% 2 == 0
r1 <- summary(survfit(Surv(t[half], ended[half]) ~ 1), rmean = 90)$table; r2 <- summary(survfit(Surv(t[!half], ended[!half]) ~ 1), rmean = 90)$table
out$survival <- list(ended = ended, rmean = s1[["rmean"]], rmean_se = s1[["se(rmean)"]], median = s1[["median"]],
  difference = r1[["rmean"]] - r2[["rmean"]], difference_se = sqrt(r1[["se(rmean)"]]^2 + r2[["se(rmean)"]]^2))
cat(toJSON(out, auto_unbox = TRUE, digits = 15, pretty = 1), "\n")
