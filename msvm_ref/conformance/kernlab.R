# kernlab's multi-class machines behind the JSON protocol of command.py: Rscript kernlab.R kbb-svc < task.json
# predict(type = "votes") of these machines is the matrix of scores, one row per class ("decision" is the label's number).
suppressPackageStartupMessages({library(kernlab); library(jsonlite)})
kind <- commandArgs(trailingOnly = TRUE)[1]
task <- fromJSON(file("stdin"))
X <- as.matrix(task$X)
storage.mode(X) <- "double"
if (any(!is.finite(X)) || nrow(X) != length(task$y) || task$C <= 0) stop("bad input")
y <- factor(task$y, levels = 0:(task$n_classes - 1))
model <- ksvm(X, y, type = kind, kernel = "vanilladot", kpar = list(), C = task$C, scaled = FALSE, tol = 1e-8)
scores <- t(predict(model, X, type = "votes"))
cat(toJSON(list(scores = unname(scores)), digits = NA))
