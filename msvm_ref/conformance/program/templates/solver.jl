# A multi-class SVM behind the protocol of msvm_ref: the WW machine with no or a penalized bias, by dual coordinate ascent.
#
#     min 1/2 ||W||^2 + sum_i C_i sum_{c != y_i} max(0, 1 - 1/2 (f_{y_i} - f_c)),    C_i = C weight_i
#
#     msvm-ref validate --command "julia my_svm.jl" --persistent --machine WW --tolerance 1e-6      (needs the package JSON)
#
# With --persistent Julia starts once and answers line by line.
using JSON

# W (p x d), alpha (n x d), the objective, and whether the relative duality gap reached the tolerance; y counts from 1
function solve(X, y, C, d; tolerance = 1e-8, most = 20000)
    n, p = size(X)
    W, alpha, primal = zeros(p, d), zeros(n, d), 0.0
    square = vec(sum(abs2, X, dims = 2))
    for pass in 1:most
        for i in 1:n, c in 1:d
            c == y[i] && continue
            margin = sum(X[i, k] * (W[k, y[i]] - W[k, c]) for k in 1:p) / 2
            step = square[i] > 0 ? 2 * (1 - margin) / square[i] : C[i]
            new = clamp(alpha[i, c] + step, 0.0, C[i])
            change = (new - alpha[i, c]) / 2
            alpha[i, c] = new
            for k in 1:p
                W[k, y[i]] += change * X[i, k]
                W[k, c] -= change * X[i, k]
            end
        end
        f, half = X * W, sum(abs2, W) / 2
        primal = half + sum(C[i] * max(0.0, 1 - (f[i, y[i]] - f[i, c]) / 2) for i in 1:n, c in 1:d if c != y[i]; init = 0.0)
        if primal - (sum(alpha) - half) <= tolerance * primal
            return W, alpha, primal, true
        end
    end
    return W, alpha, primal, false
end

rows(M) = [M[i, :] for i in 1:size(M, 1)]

function answer(task)
    if get(task, "machine", "WW") != "WW" || task["cost"] != "linear" || task["convention"] != "UV"
        return Dict("error" => "only the WW machine, linear cost, convention UV")
    end
    task["bias"] == "free" && return Dict("error" => "no free bias")
    given = task["X"]
    if isempty(given) || isempty(given[1]) || any(length(x) != length(given[1]) for x in given) || length(given) != length(task["y"])
        return Dict("error" => "X must be n rows of p numbers, y n labels")
    end
    all(v isa Number for x in given for v in x) || return Dict("error" => "X must be finite")
    task["C"] > 0 || return Dict("error" => "C must be positive")
    X = [Float64(given[i][k]) for i in 1:length(given), k in 1:length(given[1])]
    penalized = task["bias"] == "penalized"
    penalized && (X = hcat(X, ones(size(X, 1))))
    weight = get(task, "sample_weight", ones(size(X, 1)))
    d = Int(task["n_classes"])
    W, alpha, objective, converged = solve(X, Int.(task["y"]) .+ 1, Float64(task["C"]) .* Float64.(weight), d)
    b = penalized ? W[end, :] : zeros(d)
    penalized && (W = W[1:(end - 1), :])
    return Dict("W" => rows(W), "b" => b, "alpha" => rows(alpha), "objective" => objective, "converged" => converged)
end

for line in eachline(stdin)
    println(JSON.json(answer(JSON.parse(line))))
    flush(stdout)
end
