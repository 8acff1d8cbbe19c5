# kernlab ksvm(type = "C-bsvc", kernel = "vanilladot"): bound-constrained C-SVC, that is
#   1/2 (||w||^2 + b^2) + C sum_i max(0, 1 - y_i (w.x_i + b)).
# The weights of "C-svc", which minimises the same without b^2, are far better in C-bsvc's own objective.
suppressPackageStartupMessages(library(kernlab))
X <- scale(as.matrix(iris[51:150, 1:4])); y <- factor(rep(c(1, 2), each = 50)); sign <- rep(c(-1, 1), each = 50)
objective <- function(type) {
  m <- ksvm(X, y, type = type, kernel = "vanilladot", kpar = list(), C = 1, scaled = FALSE, tol = 1e-8)
  f <- predict(m, X, type = "decision")[, 1]
  if (sum((f > 0) == (sign > 0)) < 50) f <- -f
  w <- coef(m)[[1]] %*% X[alphaindex(m)[[1]], ]
  b <- mean(f) - mean(X %*% t(w) * base::sign(cor(X %*% t(w), f))[1])
  (sum(w^2) + b^2) / 2 + sum(pmax(0, 1 - sign * f))
}
theirs <- objective("C-bsvc"); other <- objective("C-svc")
cat(sprintf("C-bsvc's point %.6f, C-svc's point in the same objective %.6f\n", theirs, other))
if (theirs > 1.05 * other) stop(sprintf("AssertionError: %.1f times C-svc's", theirs / other))
