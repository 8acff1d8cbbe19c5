# kernlab ksvm(type = "spoc-svc", kernel = "vanilladot"):
#   1/2 sum_m ||w_m||^2 + C sum_i max_m max(0, 1 - (f_y - f_m)), no bias.
# The weights of the multipliers it returns are worse than W = 0.
suppressPackageStartupMessages(library(kernlab))
X <- rbind(c(1, 1), c(1, 1), c(1, 1), c(-1, 0), c(-1, 0), c(0, -2), c(0, -2), c(2, 0)); own <- c(1, 2, 3, 1, 2, 2, 3, 1); C <- 0.25
objective <- function(W) {
  f <- X %*% W
  margins <- 1 - (f[cbind(1:8, own)] - f); margins[cbind(1:8, own)] <- 0
  sum(W^2) / 2 + C * sum(apply(margins, 1, max))
}
given <- alpha(ksvm(X, factor(own), type = "spoc-svc", kernel = "vanilladot", kpar = list(), C = C, scaled = FALSE, tol = 1e-8))
theirs <- objective(t(X) %*% given); zero <- objective(matrix(0, 2, 3))
cat(sprintf("its multipliers' point %.6f, W = 0: %.6f\n", theirs, zero))
if (theirs > 1.01 * zero) stop(sprintf("AssertionError: %.6f > %.6f at W = 0", theirs, zero))
