# A multi-class SVM behind the protocol of msvm_ref: the WW machine with no or a penalized bias, by dual coordinate ascent.
#
#     min 1/2 ||W||^2 + sum_i C_i sum_{c != y_i} max(0, 1 - 1/2 (f_{y_i} - f_c)),    C_i = C weight_i
#
#     msvm-ref validate --command "Rscript --vanilla my_svm.R" --machine WW --tolerance 1e-6      (needs the package jsonlite)
suppressPackageStartupMessages(library(jsonlite))

# W (p x d), alpha (n x d), the objective, and whether the relative duality gap reached the tolerance; y counts from 1
solve_ww <- function(X, y, C, d, tolerance = 1e-8, most = 20000) {
  n <- nrow(X); W <- matrix(0, ncol(X), d); alpha <- matrix(0, n, d)
  square <- rowSums(X^2)
  primal <- 0
  for (pass in seq_len(most)) {
    for (i in seq_len(n)) for (c in seq_len(d)[-y[i]]) {
      margin <- sum(X[i, ] * (W[, y[i]] - W[, c])) / 2
      step <- if (square[i] > 0) 2 * (1 - margin) / square[i] else C[i]
      new <- min(max(alpha[i, c] + step, 0), C[i])
      change <- (new - alpha[i, c]) / 2
      alpha[i, c] <- new
      W[, y[i]] <- W[, y[i]] + change * X[i, ]
      W[, c] <- W[, c] - change * X[i, ]
    }
    f <- X %*% W
    violated <- pmax(1 - (f[cbind(seq_len(n), y)] - f) / 2, 0)
    violated[cbind(seq_len(n), y)] <- 0
    half <- sum(W^2) / 2
    primal <- half + sum(C * rowSums(violated))
    if (primal - (sum(alpha) - half) <= tolerance * primal)
      return(list(W = W, alpha = alpha, objective = primal, converged = TRUE))
  }
  list(W = W, alpha = alpha, objective = primal, converged = FALSE)
}

answer <- function(task) {
  machine <- if (is.null(task$machine)) "WW" else task$machine
  if (machine != "WW" || task$cost != "linear" || task$convention != "UV")
    return(list(error = unbox("only the WW machine, linear cost, convention UV")))
  if (task$bias == "free") return(list(error = unbox("no free bias")))
  rows <- task$X
  if (length(rows) == 0 || length(unique(lengths(rows))) != 1 || length(rows[[1]]) == 0 || length(rows) != length(task$y))
    return(list(error = unbox("X must be n rows of p numbers, y n labels")))
  if (!all(vapply(unlist(rows, recursive = FALSE), is.numeric, TRUE))) return(list(error = unbox("X must be finite")))
  if (!(is.numeric(task$C) && task$C > 0)) return(list(error = unbox("C must be positive")))
  X <- matrix(unlist(rows), length(rows), byrow = TRUE)
  penalized <- task$bias == "penalized"
  if (penalized) X <- cbind(X, 1)
  weight <- if (is.null(task$sample_weight)) rep(1, nrow(X)) else unlist(task$sample_weight)
  found <- solve_ww(X, unlist(task$y) + 1, task$C * weight, task$n_classes)
  W <- found$W
  b <- if (penalized) W[nrow(W), ] else rep(0, task$n_classes)
  if (penalized) W <- W[-nrow(W), , drop = FALSE]
  list(W = W, b = b, alpha = found$alpha, objective = unbox(found$objective), converged = unbox(found$converged))
}

tasks <- file("stdin", "r") # one task a line: once per start, or many with --persistent
while (length(line <- readLines(tasks, 1, warn = FALSE)) > 0) {
  cat(toJSON(answer(fromJSON(line, simplifyVector = FALSE)), digits = I(17), matrix = "rowmajor"), "\n", sep = "")
  flush(stdout())
}
