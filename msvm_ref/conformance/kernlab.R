# kernlab's multi-class machines behind the JSON protocol of command.py, a line in and a line out:
#   Rscript kernlab.R kbb-svc|spoc-svc [restored]
#
# W and b are made from the multipliers in the fitted object; scores_new and predict_new are kernlab's own predict().
#   kbb-svc   HL (10): w_m = sum_i ([y_i = m] A_i - alpha_i^m) x_i, b_m the same with 1 for x_i, A_i = sum_m alpha_i^m
#   spoc-svc  HL (17): w_m = sum_i alpha_i^m x_i with alpha_i^m <= C [y_i = m] and sum_m alpha_i^m = 0; no bias
#
# kernlab 0.9-32 puts its objective (which it never computed) into entry n of the vector of multipliers instead of behind the
# end, so one of them is lost; only kbb-svc with two classes has just n. "restored" puts back the value that follows from the
# others: their sum for spoc-svc, the maximiser of (10) in that one coordinate for kbb-svc.
suppressPackageStartupMessages({library(kernlab); library(jsonlite)})
arguments <- commandArgs(trailingOnly = TRUE)
kind <- arguments[1]
restored <- length(arguments) > 1 && arguments[2] == "restored"

numbers <- function(rows) {
  X <- as.matrix(rows)
  storage.mode(X) <- "double"
  X
}

# n x d coefficients of the training rows from multipliers of margin constraints, zero in the own class
spread <- function(dual, own) {
  out <- -dual
  out[cbind(seq_along(own), own)] <- rowSums(dual)
  out
}

multipliers <- function(given, own, d) {
  dual <- matrix(0, length(own), d)
  for (i in seq_along(own)) dual[i, -own[i]] <- if (kind == "kbb-svc") given[i, ] else -given[i, -own[i]]
  dual
}

restore <- function(given, X, own, d, C) {
  first <- sort(own, method = "quick", index.return = TRUE)$ix
  n <- length(own)
  if (kind == "spoc-svc") {
    i <- first[n %/% d + 1]
    m <- n %% d + 1
    given[i, m] <- -sum(given[i, -m])
  } else if (d > 2) {
    i <- first[1]
    given[i, 2] <- 0
    score <- (X %*% X[i, ] + 1)[, 1] %*% spread(multipliers(given, own, d), own)
    given[i, 2] <- min(max((2 - (score[1] - score[3])) / (2 * (sum(X[i, ]^2) + 1)), 0), C)
  }
  given
}

fit <- function(task) {
  X <- numbers(task$X)
  d <- task$n_classes
  if (any(!is.finite(X)) || nrow(X) != length(task$y) || task$C <= 0) stop("bad input")
  y <- factor(task$y, levels = 0:(d - 1))
  own <- as.integer(y)
  weights <- if (is.null(task$class_weight)) NULL else setNames(task$class_weight, levels(y))
  model <- ksvm(X, y, type = kind, kernel = "vanilladot", kpar = list(), C = task$C, class.weights = weights,
                scaled = FALSE, tol = 1e-8)
  given <- alpha(model)
  if (restored) given <- restore(given, X, own, d, task$C)
  dual <- multipliers(given, own, d)
  coefficients <- if (kind == "spoc-svc") given else spread(dual, own)
  answer <- list(W = t(X) %*% coefficients, alpha = dual)
  if (kind == "kbb-svc") answer$b <- colSums(coefficients)
  if (!restored) {
    new <- numbers(task$X_new)
    answer$scores_new <- unname(t(predict(model, new, type = "votes")))
    answer$predict_new <- as.integer(as.character(predict(model, new)))
  }
  answer
}

tasks <- file("stdin", "r")
while (length(line <- readLines(tasks, n = 1)) > 0) {
  answer <- tryCatch(fit(fromJSON(line)), error = function(e) list(error = conditionMessage(e)))
  cat(toJSON(answer, digits = NA, auto_unbox = is.character(answer$error)), "\n", sep = "")
}
