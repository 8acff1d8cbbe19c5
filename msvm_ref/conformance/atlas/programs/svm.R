# kernlab and e1071 behind a JSON line in and a JSON line out. task$package, task$type and task$tol say what is called;
# scaling is switched off. The answer has the weights of every pair of classes, or of every class.
suppressPackageStartupMessages(library(jsonlite))

# weights of a pair from coefficients of training rows; h > 0 must vote for the later class
pair <- function(a, c, w, b, sign) list(classes = c(a, c) - 1, w = as.numeric(sign * w), b = sign * b)

pairs_kernlab <- function(task, X, y) {
  suppressPackageStartupMessages(library(kernlab))
  model <- ksvm(X, y, type = task$type, kernel = "vanilladot", kpar = list(), C = task$C, scaled = FALSE, tol = task$tol)
  d <- nlevels(y); out <- list(); k <- 0
  for (i in 1:(d - 1)) for (j in (i + 1):d) {
    k <- k + 1
    coefficients <- coef(model)[[k]]
    rows <- X[alphaindex(model)[[k]], , drop = FALSE]
    w <- coefficients %*% rows
    if (is.list(w)) w <- unlist(w)
    out[[k]] <- pair(i, j, w, -b(model)[k], 1)
  }
  list(pairs = out, predict = as.integer(predict(model, X)) - 1)
}

pairs_e1071 <- function(task, X, y) {
  model <- e1071::svm(X, y, kernel = "linear", cost = task$C, scale = FALSE, tolerance = task$tol)
  end <- cumsum(model$nSV); first <- c(1, head(end, -1) + 1)
  out <- list(); k <- 0
  for (i in 1:(model$nclasses - 1)) for (j in (i + 1):model$nclasses) {
    k <- k + 1
    mine <- first[i]:end[i]; theirs <- first[j]:end[j]
    w <- model$coefs[mine, j - 1] %*% model$SV[mine, , drop = FALSE] + model$coefs[theirs, i] %*% model$SV[theirs, , drop = FALSE]
    a <- model$labels[i]; c <- model$labels[j]
    out[[k]] <- if (a < c) pair(a, c, w, -model$rho[k], -1) else pair(c, a, w, -model$rho[k], 1)
  }
  list(pairs = out, predict = as.integer(predict(model, X)) - 1)
}

# kbb-svc: w_m = sum_i ([y_i = m] A_i - alpha_i^m) x_i, b_m the same with 1 for x_i; spoc-svc: w_m = sum_i alpha_i^m x_i, no bias
whole_kernlab <- function(task, X, y) {
  suppressPackageStartupMessages(library(kernlab))
  own <- as.integer(y); d <- nlevels(y)
  model <- ksvm(X, y, type = task$type, kernel = "vanilladot", kpar = list(), C = task$C, scaled = FALSE, tol = task$tol)
  given <- alpha(model); coefficients <- matrix(0, nrow(X), d)
  for (i in seq_along(own)) {
    if (task$type == "kbb-svc") {
      coefficients[i, -own[i]] <- -given[i, ]
      coefficients[i, own[i]] <- sum(given[i, ])
    } else coefficients[i, ] <- given[i, ]
  }
  bias <- if (task$type == "kbb-svc") colSums(coefficients) else NULL
  list(W = t(X) %*% coefficients, b = bias, predict = as.integer(predict(model, X)) - 1)
}

fit <- function(task) {
  X <- as.matrix(task$X); storage.mode(X) <- "double"
  y <- factor(task$y, levels = 0:(task$n_classes - 1))
  if (task$package == "e1071") pairs_e1071(task, X, y)
  else if (task$type %in% c("kbb-svc", "spoc-svc")) whole_kernlab(task, X, y)
  else pairs_kernlab(task, X, y)
}

input <- file("stdin", "r")
while (length(line <- readLines(input, n = 1)) > 0) {
  answer <- tryCatch({
    sink(stderr()); out <- fit(fromJSON(line)); sink(); out
  }, error = function(e) { while (sink.number() > 0) sink(); list(error = conditionMessage(e)) })
  cat(toJSON(answer, digits = NA, auto_unbox = TRUE, null = "null"), "\n", sep = "")
  flush(stdout())
}
