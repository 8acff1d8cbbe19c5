# kernlab ksvm(type = "kbb-svc", kernel = "vanilladot"):
#   1/2 sum_m (||w_m||^2 + b_m^2) + C sum_{i, m != y_i} max(0, 2 - (f_y - f_m)).
# The weights of the multipliers it returns are far worse than those given here by hand.
suppressPackageStartupMessages(library(kernlab))
X <- rbind(c(4, 0), c(5, 1), c(-2, 4), c(-3, 3), c(-2, -4), c(-3, -5)); own <- c(1, 1, 2, 2, 3, 3); C <- 0.125
objective <- function(W, b) {
  f <- X %*% W + rep(b, each = 6)
  xi <- pmax(2 - (f[cbind(1:6, own)] - f), 0); xi[cbind(1:6, own)] <- 0
  (sum(W^2) + sum(b^2)) / 2 + C * sum(xi)
}
given <- alpha(ksvm(X, factor(own), type = "kbb-svc", kernel = "vanilladot", kpar = list(), C = C, scaled = FALSE, tol = 1e-8))
A <- matrix(0, 6, 3)
for (i in 1:6) { A[i, -own[i]] <- -given[i, ]; A[i, own[i]] <- sum(given[i, ]) }
theirs <- objective(t(X) %*% A, colSums(A))
better <- objective(rbind(c(0.319, -0.181, -0.138), c(0.022, 0.272, -0.293)), c(0.058, 0.057, -0.116))
cat(sprintf("its multipliers' point %.6f, the point given here %.6f\n", theirs, better))
if (theirs > 1.01 * better) stop(sprintf("AssertionError: %.1f times a point given by hand", theirs / better))
