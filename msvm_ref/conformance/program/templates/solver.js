// A multi-class SVM behind the protocol of msvm_ref: the WW machine with no or a penalized bias, by dual coordinate ascent.
//
//     min 1/2 ||W||^2 + sum_i C_i sum_{c != y_i} max(0, 1 - 1/2 (f_{y_i} - f_c)),    C_i = C weight_i
//
//     msvm-ref validate --command "node my_svm.js" --machine WW --tolerance 1e-6
"use strict";

// W (p x d), alpha (n x d), the objective, and whether the relative duality gap reached the tolerance
function solve(X, y, C, d, tolerance = 1e-8, most = 20000) {
  const n = X.length, p = X[0].length, zeros = (rows) => Array.from({ length: rows }, () => Array(d).fill(0));
  const W = zeros(p), alpha = zeros(n), square = X.map((x) => x.reduce((s, v) => s + v * v, 0));
  let primal = 0;
  for (let pass = 0; pass < most; pass++) {
    for (let i = 0; i < n; i++) {
      for (let c = 0; c < d; c++) {
        if (c === y[i]) continue;
        let margin = 0;
        for (let k = 0; k < p; k++) margin += X[i][k] * (W[k][y[i]] - W[k][c]) / 2;
        const step = square[i] > 0 ? 2 * (1 - margin) / square[i] : C[i];
        const next = Math.min(Math.max(alpha[i][c] + step, 0), C[i]), change = (next - alpha[i][c]) / 2;
        alpha[i][c] = next;
        for (let k = 0; k < p; k++) {
          W[k][y[i]] += change * X[i][k];
          W[k][c] -= change * X[i][k];
        }
      }
    }
    const half = W.flat().reduce((s, v) => s + v * v, 0) / 2;
    let loss = 0;
    for (let i = 0; i < n; i++) {
      const f = W[0].map((_, c) => X[i].reduce((s, v, k) => s + v * W[k][c], 0));
      for (let c = 0; c < d; c++) if (c !== y[i]) loss += C[i] * Math.max(0, 1 - (f[y[i]] - f[c]) / 2);
    }
    primal = half + loss;
    const dual = alpha.flat().reduce((s, v) => s + v, 0) - half;
    if (primal - dual <= tolerance * primal) return { W, alpha, objective: primal, converged: true };
  }
  return { W, alpha, objective: primal, converged: false };
}

function answer(task) {
  if ((task.machine || "WW") !== "WW" || task.cost !== "linear" || task.convention !== "UV")
    return { error: "only the WW machine, linear cost, convention UV" };
  if (task.bias === "free") return { error: "no free bias" };
  const { X, y } = task, p = X.length ? X[0].length : 0;
  if (!p || X.some((x) => x.length !== p) || X.length !== y.length)
    return { error: "X must be n rows of p numbers, y n labels" };
  if (!X.flat().every((v) => typeof v === "number")) return { error: "X must be finite" };
  if (!(task.C > 0)) return { error: "C must be positive" };
  const penalized = task.bias === "penalized", rows = penalized ? X.map((x) => [...x, 1]) : X;
  const C = X.map((_, i) => task.C * (task.sample_weight ? task.sample_weight[i] : 1));
  const found = solve(rows, y, C, task.n_classes);
  const b = penalized ? found.W.pop() : Array(task.n_classes).fill(0);
  return { ...found, b };
}

// one task a line: once per start, or many with --persistent
require("readline").createInterface({ input: process.stdin })
  .on("line", (line) => console.log(JSON.stringify(answer(JSON.parse(line)))));
