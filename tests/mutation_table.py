"""The mutants: a file below msvm_ref/, what stands there, what is put in its place, and the test that must notice.

One change each, of the kind a tired person makes: a sign, a bound, a factor, an index, a case forgotten. ``before`` occurs
once in its file. The killer is what pytest is given (a file, a test, -k words): it passes on the code as it is and fails on
the mutant. ``python tests/mutation.py`` sees to both.
"""

from __future__ import annotations

from typing import NamedTuple


class Mutant(NamedTuple):
    file: str
    before: str
    after: str
    killer: str


JUDGE = "tests/judge/test_judge.py"
REPAIRS = f"{JUDGE}::test_a_repair_is_taken_only_for_its_own_problem_and_alpha"
ENCLOSED = f"{JUDGE}::test_values_enclose_the_exact_rationals"
KKT = f"{JUDGE}::test_the_kkt_blocks_are_sums_of_products_written_out"
FEASIBLE = f"{JUDGE}::test_repaired_multipliers_are_exactly_feasible"
COEFFICIENTS = "tests/judge/test_coefficients.py"
FORMS = f"{COEFFICIENTS}::test_margins_and_expansion_err_by_no_more_than_they_say"
EQUALITY = f"{COEFFICIENTS}::test_the_equality_is_summed_and_undone_exactly"
SLIPS = "tests/judge/test_images.py::test_weights_that_err_by_so_much"
BLOCKWISE = "tests/judge/test_images.py::test_blocks_are_worth_what_the_whole_is"
MIRROR = "tests/judge/test_images.py::test_a_kernel_value_stands_for_its_mirror_image"
TOGETHER = "tests/judge/test_images.py::test_together_is_rounded_once"
LENGTHS = "tests/judge/test_images.py::test_lengths_are_at_least_the_norms"
DIGITS = "tests/adversary/test_holes.py::test_coefficients_are_not_lent_digits_by_their_alpha"
UNDERFLOWN = "tests/adversary/test_holes.py::test_a_penalty_that_underflows_is_not_nothing"
BEGUN = "tests/judge/test_images.py::test_what_was_begun_of_another_is_not_taken"
FINER = "tests/solvers/test_partner.py -k finer"
PARTNER = "tests/solvers/test_partner.py -k CS-none"
LOSSLESS = "tests/solvers/test_lossless_bias.py"
SUBSETS = "tests/solvers/fast/test_subsets.py"
BLINDED = "tests/judge/test_mutants.py"
ROUTES = "tests/solvers/truth/test_routes.py::test_three_routes_agree_within_their_certified_gaps"
COPIES = "tests/solvers/test_weights.py::test_a_weight_is_so_many_copies"
PIECES = "tests/solvers/truth/test_pieces.py"
SUMS = f"{PIECES} -k solving_for_the_sum"
UV6 = "tests/solvers/truth/test_kesler.py::test_uv_6_as_printed_is_the_dual_of_another_problem"
HUBER = "tests/solvers/test_huber.py"
MACHINE = "tests/model/test_machine.py"
PROBLEM = "tests/model/test_problem.py"
CHECKER = "tests/exact/test_checker.py -k 'LLW or infeasible'"
BRUTE = "tests/exact/test_brute_force.py"
AT_ONCE = "tests/solvers/fast/test_at_once.py"
STOPPING = "tests/solvers/fast/test_stopping.py"
UNSETTLED = "tests/solvers/fast/test_unsettled.py"
APART = "tests/solvers/fast/test_newton.py -k leads"
PRESSED = "tests/solvers/fast/test_newton.py -k used_up"
NOTHING = "tests/solvers/fast/test_newton.py -k no_weights"
THREADS = "tests/test_threads.py -k order"
BARRIER = "tests/solvers/fast/test_barrier.py"
LINEAR = "tests/solvers/fast/test_linear_engine.py"
LANES = "tests/solvers/fast/test_lanes.py"
RELAXED = "tests/solvers/fast/test_fast.py -k 'relax or several_passes'"
RISK = "tests/fisher/test_risk.py"
THEORY = "properties/test_theory.py"
REGIMES = "tests/studies/test_regimes.py"
KESLER = "tests/solvers/classic/test_kesler_kernel.py"
WORKING_SET = f"{KESLER}::test_bsvms_working_set_is_the_largest_free_and_the_smallest_of_all"
CLASSIC = "tests/solvers/classic/test_methods.py"
NEWER = "tests/solvers/classic/test_acf_larank_planes.py"
UV_SMO = "tests/solvers/classic/test_uv_smo.py"
CS_BLOCK = "tests/solvers/classic/test_cs_block.py"
PAIRS = "tests/reductions/test_one_vs_all_one_vs_one_dag.py"
TREES = "tests/reductions/test_margin_trees.py"
SMAX = "tests/softmax/test_loss.py"
LOSSES = "tests/losses/test_losses.py::test_numpy_is_within_an_ulp_of_the_scale_of_the_exact_value"
CONVENTIONS = "tests/conformance/test_conventions.py"
BASIS = "tests/model/test_representation.py"
EXPORTED = "tests/studies/experiments/test_exported.py"
FINDINGS = "tests/studies/papers/test_findings.py"
KINDS = "tests/studies/experiments/test_kinds.py"
PAGES = "tests/studies/experiments/test_page.py"
LEDGER = "tests/studies/papers/test_ledger.py"

MUTANTS = (
    # the six that once lived
    Mutant(
        "solvers/truth/dual.py",
        "sums <= self.C * given.weight[owner]",
        "sums <= self.C",
        f"{COPIES}[dual]",
    ),
    Mutant(
        "solvers/truth/dual.py",
        "cp.multiply(given.weight[owner] ** -0.5, sums)",
        "sums",
        f"{COPIES}[dual]",
    ),
    Mutant(
        "solvers/truth/kesler.py",
        "self.C * (weight @ xi)",
        "self.C * cp.sum(xi)",
        f"{COPIES}[kesler]",
    ),
    Mutant("solvers/truth/kesler.py", "cp.multiply(weight**-0.5, eta)", "eta", f"{COPIES}[kesler]"),
    Mutant("studies/regimes.py", "sharp = gamma[y][p] / q", "sharp = 1 / q", REGIMES),
    Mutant("judge/kkt.py", "return float(held + rest.sum())", "return float(held)", KKT),
    Mutant(
        "solvers/classic/bsvm.py",
        "value = -v[i, m] if free_only else v[i, m]",
        "value = v[i, m] if free_only else -v[i, m]",
        WORKING_SET,
    ),
    # costs and weights
    Mutant(
        "solvers/truth/primal.py",
        "price[xi:end] = given.weight[owner][: end - xi]",
        "price[xi:end] = 1.0",
        f"{COPIES}[primal]",
    ),
    Mutant(
        "solvers/truth/primal.py", "given.weight[i] ** -0.5", "np.ones(len(i))", f"{COPIES}[primal]"
    ),
    # a small primal
    Mutant(
        "solvers/truth/primal.py", "given.weight[known, None] * pull", "pull", f"{PIECES} -k lone"
    ),
    Mutant("solvers/truth/primal.py", "np.full(height, -1.0)", "np.ones(height)", SUMS),
    Mutant("solvers/truth/primal.py", "f + m * len(Z) + row[pair]", "f + m * len(Z)", SUMS),
    Mutant(
        "solvers/truth/primal.py", "-(G @ self.O).T.ravel()", "0 * (G @ self.O).T.ravel()", SUMS
    ),
    Mutant(
        "solvers/truth/primal.py",
        "V.reshape(self.O.shape[1], -1).T @ self.O.T",
        "abs(V.reshape(self.O.shape[1], -1).T @ self.O.T)",
        f"{PIECES} -k own_weights",
    ),
    Mutant(
        "solvers/truth/primal.py",
        "[given.Z[examples], G.T, given.t[None]]",
        "[given.Z[examples], 0 * G.T, given.t[None]]",
        f"{PIECES} -k narrow",
    ),
    Mutant(
        "solvers/truth/primal.py",
        "(given.h != given.h[:1]).any()",
        "False",
        f"{PIECES} -k curvatures",
    ),
    Mutant(
        "solvers/truth/guess.py",
        "held | (counts & (t > covered[:, None]))",
        "counts & (t > covered[:, None])",
        f"{PIECES} -k contradicts",
    ),
    Mutant(
        "solvers/truth/guess.py",
        "covered = np.where(held.any(axis=1), np.where(held, t, 0.0).sum(axis=1), covered)",
        "covered = np.maximum(np.where(held, t, 0.0).sum(axis=1), covered)",
        f"{PIECES} -k contradicts",
    ),
    Mutant("solvers/truth/guess.py", "| (held & (t < 0))", "", f"{PIECES} -k contradicts"),
    Mutant(
        "solvers/truth/origin.py",
        "w * (1 + step) if kept",
        "w if kept",
        f"{PIECES} -k multipliers_show",
    ),
    Mutant(
        "solvers/truth/origin.py",
        "    step -= (w * step).sum(axis=1, keepdims=True)\n",
        "",
        f"{PIECES} -k multipliers_show",
    ),
    Mutant(
        "solvers/truth/origin.py",
        'if problem.bias != "none":',
        'if problem.bias == "free":',
        f"{PIECES} -k multipliers_show",
    ),
    Mutant(
        "solvers/truth/origin.py",
        "kept = bool((w * (1 + step) >= 0).all())",
        "kept = True",
        f"{PIECES} -k keep_their_sign",
    ),
    Mutant(
        "solvers/truth/origin.py",
        "np.where(tied, weight + 1e-300, 0.0)",
        "weight + 1e-300",
        f"{PIECES} -k keep_their_sign",
    ),
    Mutant(
        "solvers/presolve.py",
        "np.where(self.pieces.held, problem.costs[:, None], alpha)",
        "alpha",
        f"{PIECES} -k lone",
    ),
    Mutant(
        "solvers/truth/guess.py",
        ".sum(axis=1, keepdims=True) == 1",
        ".sum(axis=1, keepdims=True) >= 1",
        f"{PIECES} -k lone",
    ),
    Mutant(
        "solvers/truth/guess.py",
        "t[order] = missed(minimum.x)[2]",
        "t = missed(minimum.x)[2]",
        f"{PIECES} -k lone",
    ),
    Mutant(
        "solvers/truth/backends.py",
        "if WIDE <= order < VAST",
        "if WIDE <= order",
        f"{PIECES} -k order",
    ),
    Mutant(
        "model/problem.py",
        "return frozen(np.full(self.n, self.C) if weight is None else self.C * weight)",
        "return frozen(np.full(self.n, self.C))",
        f"{COPIES}[primal]",
    ),
    Mutant(
        "model/problem.py",
        "rest < 0, np.nextafter(product, 0.0), product",
        "rest > 0, np.nextafter(product, 0.0), product",
        f"{PROBLEM}::test_costs_below_are_the_largest_floats_below_the_product",
    ),
    Mutant(
        "solvers/classic/kesler.py",
        "cost = problem.costs[i]",
        "cost = 0 * problem.costs[i] + problem.C",
        f"{COPIES}[m1-smo]",
    ),
    Mutant(
        "solvers/classic/kesler.py",
        "frozen(spec.width / cost)",
        "frozen(2 * spec.width / cost)",
        f"{KESLER}::test_the_diagonal_is_the_gram_s",
    ),
    Mutant(
        "solvers/classic/kesler.py",
        '(1.0 if problem.bias == "penalized" else 0.0)',
        "0.0",
        f"{KESLER}::test_any_single_class_solver_can_use_it",
    ),
    # machines
    Mutant(
        "model/machine.py",
        'RELATIVE = Margin("relative", Fraction(0), Fraction(1, 2), Fraction(-1, 2))',
        'RELATIVE = Margin("relative", Fraction(0), Fraction(1), Fraction(-1))',
        MACHINE,
    ),
    Mutant(
        "model/machine.py",
        "(self.true + self.rival) / d) if centred",
        "(self.true - self.rival) / d) if centred",
        MACHINE,
    ),
    Mutant("model/machine.py", "g, Fraction(0), g - 1)", "g, Fraction(0), (g - 1) / 2)", MACHINE),
    Mutant("model/machine.py", "own_per_rival=g)", "own_per_rival=1 - g)", MACHINE),
    Mutant(
        "model/machine.py",
        "np.fill_diagonal(array, float(self.own + self.own_per_rival * (d - 1)))",
        "np.fill_diagonal(array, float(self.own + self.own_per_rival * d))",
        MACHINE,
    ),
    Mutant(
        "model/entries.py",
        "array[:, every, every] = float(self.rival)",
        "array[:, every, every] = float(self.rest)",
        MACHINE,
    ),
    Mutant(
        "model/entries.py",
        "row[y] = self.own if c == y else self.true",
        "row[c] = self.own if c == y else self.true",
        MACHINE,
    ),
    Mutant(
        "model/kernels.py",
        "np.asarray((self.gamma * (a @ b.T) + self.coef0) ** self.degree)",
        "np.asarray((self.gamma * (a @ b.T + self.coef0)) ** self.degree)",
        PROBLEM,
    ),
    # the judge
    Mutant(
        "judge/objective.py",
        "return np.maximum(t.max(axis=1, keepdims=True) if problem.spec.shared else t, 0)",
        "return np.maximum(t, 0)",
        ENCLOSED,
    ),
    Mutant(
        "judge/objective.py",
        "return alpha.sum(axis=1, keepdims=True) if problem.spec.shared else alpha",
        "return alpha.max(axis=1, keepdims=True) if problem.spec.shared else alpha",
        KKT,
    ),
    Mutant(
        "judge/objective.py",
        "loss, steepest = rate * (xi - curved / 2)",
        "loss, steepest = rate * xi",
        ENCLOSED,
    ),
    Mutant("judge/objective.py", "np.divide(half, cost,", "np.divide(2 * half, cost,", ENCLOSED),
    Mutant(
        "judge/objective.py",
        "parts.append(summed(-b * b / 2, doubt",
        "parts.append(summed(b * b / 2, doubt",
        ENCLOSED,
    ),
    Mutant(
        "judge/objective.py",
        "penalty = b.astype(np.longdouble) ** 2 / 2 if paid",
        "penalty = b.astype(np.longdouble) ** 2 if paid",
        "properties/test_duality.py::test_gap_is_distance_plus_complementarity_minus_bias_times_residual",
    ),
    Mutant(
        "judge/objective.py",
        "np.asarray(dtype(problem.C) * one.astype(dtype))[:, None]",
        "np.asarray(dtype(problem.C) * np.ones(len(one), dtype=dtype))[:, None]",
        "properties/test_duality.py::test_values_enclose_the_exact_rational_values",
    ),
    Mutant(
        "judge/objective.py",
        'if problem.bias == "none" and b.any():',
        'if problem.bias == "none" and b.all():',
        "tests/judge/test_judge.py::test_one_bias_where_the_problem_has_none_is_worth_nothing",
    ),
    Mutant(
        "judge/feasible.py",
        "return np.minimum(inside, cost)\n    inside",
        "return inside\n    inside",
        FEASIBLE,
    ),
    Mutant(
        "judge/feasible.py",
        "return np.asarray(inside * np.minimum(scale, 1.0))",
        "return np.asarray(inside)",
        FEASIBLE,
    ),
    Mutant(
        "judge/feasible.py",
        "counts = spec.mask[problem.y[rows]] & (cost > 0) & (alpha > NOTHING)",
        "counts = (cost > 0) & (alpha > NOTHING)",
        FEASIBLE,
    ),
    Mutant(
        "judge/certify.py",
        "if begun is not None and begun.problem is not problem:",
        "if begun is None:",
        REPAIRS,
    ),
    Mutant("judge/certify.py", "dtype_of(care), blocks", "np.float64, blocks", DIGITS),
    Mutant("judge/certify.py", "np.array_equal(dual.alpha, alpha)", "dual is not None", REPAIRS),
    Mutant("judge/equality.py", "return [v - mean for v in r]", "return r", EQUALITY),
    Mutant("judge/equality.py", "others + others.T),", "others),", EQUALITY),
    Mutant(
        "judge/equality.py",
        "rival * exact_sum(alpha[~mine, m])",
        "rival * exact_sum(alpha[:, m])",
        EQUALITY,
    ),
    Mutant(
        "judge/equality.py",
        "lines = [[*row, fmpq(1), v] for *row, v in lines]",
        "lines = [[*row, fmpq(0), v] for *row, v in lines]",
        EQUALITY,
    ),
    Mutant(
        "judge/equality.py",
        "narrow = chosen & ~(room >= 2 * (abs(step) + error)[y])",
        "narrow = chosen & ~(room >= 0 * (abs(step) + error)[y])",
        f"{COEFFICIENTS}::test_a_step_beyond_its_room_is_none",
    ),
    Mutant(
        "judge/feasible.py",
        "bound = (abs(step.value) + step.error) * (1 + 1e-12)",
        "bound = 0 * step.error",
        f"{COEFFICIENTS}::test_the_charge_covers_a_step_that_is_large",
    ),
    Mutant("judge/coefficients.py", "entries.rival - entries.rest,", "entries.rival,", FORMS),
    Mutant(
        "judge/coefficients.py", "own = own + self.own_rest * total", "own = own + 0 * total", FORMS
    ),
    Mutant("judge/coefficients.py", "        others[every, y] = 0\n", "", FORMS),
    Mutant(
        "judge/coefficients.py",
        "np.longdouble(high) + np.longdouble(float(value - Fraction(high)))",
        "np.longdouble(high)",
        FORMS,
    ),
    Mutant(
        "model/loss.py",
        "mu[every, y] = alike.own_more * f + alike.own_rest * s",
        "mu[every, y] = alike.own_more * f",
        f"{COEFFICIENTS}::test_solvers_and_judge_agree_with_the_table",
    ),
    Mutant(
        "model/loss.py",
        "rows[every, p] = alike.rival\n",
        "rows[every, p] = alike.rival_more\n",
        f"{COEFFICIENTS}::test_solvers_and_judge_agree_with_the_table",
    ),
    Mutant(
        "judge/certify.py",
        "kept is not None and kept.candidate is handed",
        "kept is not None",
        BEGUN,
    ),
    Mutant(
        "judge/certify.py",
        "if seen is None and not (dual is not None and _same(dual, handed.alpha)):",
        "if seen is None and dual is None:",
        BEGUN,
    ),
    Mutant(
        "judge/image.py",
        "return of_alpha, of_coef",
        "return of_coef, of_alpha",
        "tests/judge/test_images.py -k together",
    ),
    Mutant(
        "judge/image.py",
        "lost += (total - (after - back)) + (term - back)",
        "lost += (after - (after - back)) + (term - back)",
        MIRROR,
    ),
    Mutant(
        "solvers/fast/newton.py", "solved[:, 0] /= parts.unit  #", "solved[:, 0] *= 1.0  #", APART
    ),
    Mutant(
        "solvers/fast/newton.py",
        "push = full[parts.chosen] * largest if tied.any() else None",
        "push = None",
        APART,
    ),
    Mutant("solvers/fast/newton.py", "or (at.ref >= 0).any())", ")", PRESSED),
    Mutant(
        "solvers/fast/newton.py",
        "direction = _by_classes(engine, machine, at, equality)",
        "direction = _by_classes(engine, machine, at, False)",
        "tests/solvers/fast/test_newton.py -k too_large",
    ),
    Mutant(
        "solvers/fast/standing.py",
        "gap = engine.nothing, engine",
        "gap = engine.nothing, 0 * engine",
        NOTHING,
    ),
    Mutant("solvers/fast/blocks.py", "xi = xi.max(axis=1, keepdims=True)", "pass", NOTHING),
    Mutant("threads.py", "submit(copy_context().run, function", "submit(function", THREADS),
    Mutant(
        "threads.py",
        "yield waiting.popleft().result()\n        while",
        "yield waiting.pop().result()\n        while",
        THREADS,
    ),
    Mutant("judge/image.py", "scores[order] = f + left", "scores = f + left", MIRROR),
    Mutant(
        "judge/image.py",
        "mirror = values[stop - start : support - start]",
        "mirror = values[: support - stop]",
        MIRROR,
    ),
    Mutant("judge/image.py", "if stop < support:", "if stop + BLOCK < support:", MIRROR),
    Mutant(
        "judge/image.py",
        "terms = np.concatenate([terms, rest[None]])",
        "terms = terms if len(terms) else rest[None]",
        MIRROR,
    ),
    Mutant("judge/image.py", "terms[2 * half :]])", "terms[2 * half + 1 :]])", MIRROR),
    Mutant(
        "judge/image.py",
        "return scores * self.times, error * self.times",
        "return scores, error",
        "tests/judge/test_images.py -k foreseen",
    ),
    Mutant(
        "judge/certify.py",
        "kept if kept is not None and care == kept.care else None",
        "kept",
        BEGUN,
    ),
    Mutant(
        "judge/image.py", "slip = slip + (1 + tiny) * error", "slip = slip + tiny * error", SLIPS
    ),
    Mutant(
        "judge/image.py",
        "tiny * (abs(coef) + off) + (1 + 1e-6) * off",
        "tiny * (abs(coef) + off)",
        SLIPS,
    ),
    Mutant(
        "judge/image.py",
        "if not (coef.any() or off.any()):",
        "if not (1e-300 * coef).any():",
        "tests/adversary/test_holes.py::test_coefficients_whose_weights_underflow_are_not_free_of_charge",
    ),
    Mutant("judge/image.py", "doubt = abs(phi) @ self.slip", "doubt = phi @ self.slip", SLIPS),
    Mutant("judge/image.py", "slip, off = tiny * size + LEAST", "slip, off = tiny * size", SLIPS),
    Mutant(
        "judge/image.py",
        "problem.lengths[rows] @ (slip",
        "problem.lengths[rows] @ (0 * slip",
        SLIPS,
    ),
    Mutant("judge/image.py", "doubt = self.problem.lengths[rows, None]", "doubt = 0.1", SLIPS),
    Mutant("judge/image.py", "W = term if W is None else W + term", "W = term", BLOCKWISE),
    Mutant("judge/image.py", "error = error + abs(phi).T @", "error = abs(phi).T @", SLIPS),
    Mutant("judge/rounding.py", "min(start + many, n)", "min(start + many, n - 1)", BLOCKWISE),
    Mutant("judge/rounding.py", "radius * (1 + 1e-15) + EPS * abs(value)", "radius", TOGETHER),
    Mutant(
        "judge/objective.py",
        "and bool(b.any())  # also",
        "and bool((b * b).any())  # also",
        UNDERFLOWN,
    ),
    Mutant("judge/kkt.py", "left += _left(", "left = _left(", BLOCKWISE),
    Mutant(
        "judge/kkt.py",
        "image.at(rows)[0].sum(axis=1)) for rows in parts)",
        "image.at(rows)[0][:, 0]) for rows in parts)",
        "tests/solvers/fast/test_hostile_input.py -k nobody_asks",
    ),
    Mutant("judge/kkt.py", "b_alpha += A.sum(axis=0)", "b_alpha = A.sum(axis=0)", BLOCKWISE),
    Mutant(
        "judge/certify.py",
        "handed.coef is None or _expands_to(problem, dual.alpha, handed.coef, care)",
        "True",
        "tests/judge/test_images.py -k whatever_alpha",
    ),
    Mutant(
        "model/arrays.py",
        "np.nextafter(norm, np.inf))",
        "norm / (1 + (p + 8) * 2.0**-51))",
        LENGTHS,
    ),
    Mutant("solvers/certifying.py", "if is_large(problem):", "if False:", PARTNER),
    Mutant("solvers/fast/aim.py", "SHARE, COARSEST = 0.45", "SHARE, COARSEST = 0.9", FINER),
    Mutant("solvers/bias.py", "with_[:2], without[:1]", "with_[:1], without[:1]", LOSSLESS),
    Mutant(
        "solvers/bias.py",
        "np.append(values.sum(axis=0), 0.0)[None, :]",
        "np.append(np.ones(values.shape[1]), 0.0)[None, :]",
        LOSSLESS,
    ),
    Mutant(
        "judge/certify.py",
        "math.nextafter(self.lower.low - self.dual.charge, -math.inf)",
        "self.lower.low",
        "tests/judge/test_judge.py::test_what_a_repair_may_cost_is_taken_from_the_lower_bound",
    ),
    Mutant(
        "judge/kkt.py",
        "(xi - problem.spec.width * share)",
        "(xi - problem.spec.width * share / 2)",
        KKT,
    ),
    Mutant("judge/kkt.py", "off = off + (at.b - b_alpha) ** 2", "off = off + 0.0", KKT),
    Mutant(
        "judge/kkt.py",
        "reach = _root_up(2 * max(excess, Fraction(0)))",
        "reach = _root_up(max(excess, Fraction(0)) / 2)",
        "tests/exact/test_rigorous.py tests/judge properties/test_duality.py::test_distance_bound_holds_for_any_candidate",
    ),
    Mutant(
        "judge/kkt.py",
        "sign = (np.maximum(-alpha, 0.0) / scale).max()",
        "sign = (np.maximum(alpha, 0.0) / scale).max()",
        BLINDED,
    ),
    Mutant(
        "judge/kkt.py",
        "abs(np.where(mask, 0.0, alpha))",
        "abs(np.where(mask, 0.0, 0.0 * alpha))",
        BLINDED,
    ),
    Mutant(
        "studies/papers/findings.py",
        "e.train < theirs.get(e.row, 0)",
        "e.train < 0",
        "tests/studies/papers/test_findings.py -k fewer_training",
    ),
    Mutant(
        "judge/certify.py",
        "if known and gap <= enough * found.high:",
        "if known and gap <= 2 * enough * found.high:",
        "tests/judge/test_images.py -k what_is_enough",
    ),
    # exact
    Mutant(
        "solvers/finish.py",
        "gain = STRETCH[-1] * worth(",
        "gain = 0 * worth(",
        "tests/solvers/test_finish.py",
    ),
    Mutant(
        "solvers/fast/barrier.py",
        "self.columns, rcond=1e-12)",
        "self.columns, rcond=1e-12, hermitian=True)",
        "tests/solvers/fast/test_barrier.py -k not_taken_for_symmetric",
    ),
    Mutant(
        "solvers/fast/subsets.py",
        "asked = ROUGH if fair and grows else",
        "asked = ROUGH if fair else",
        f"{SUBSETS} -k more_to_gain",
    ),
    Mutant(
        "solvers/fast/subsets.py",
        "if seconds <= 0:",
        "if seconds < -9e9:",
        f"{SUBSETS} -k more_to_gain",
    ),
    Mutant(
        "solvers/fast/ascent.py",
        "self.tolerance = self.aim.at(begun.primal, begun.dual)",
        "pass",
        "tests/solvers/test_partner.py -k never_written_out",
    ),
    Mutant(
        "solvers/fast/ascent.py",
        "and begun.relative <= self.enough * self.tolerance",
        "and begun.relative < 0.0",
        "tests/solvers/fast/test_unsettled.py -k another_C",
    ),
    Mutant(
        "solvers/finish.py",
        "best = replace(best, alpha=0 * dual.alpha)",
        "best = replace(best, alpha=dual.alpha)",
        "tests/solvers/truth/test_routes.py -k optimum_of_zero",
    ),
    Mutant("exact/check.py", "if v < 0]", "if v < -1]", CHECKER),
    Mutant("exact/check.py", "if v != 0 and p not in counted", "if v != 0 and p in ()", CHECKER),
    Mutant(
        "exact/check.py",
        'if problem.bias == "none" and any(b):',
        'if problem.bias == "none" and all(b):',
        "tests/exact/test_checker.py::test_one_bias_where_there_is_none_is_refused_even_where_it_costs_nothing",
    ),
    Mutant(
        "exact/check.py",
        "if sum(b, fmpq(0)):",
        "if False:",
        "tests/exact/test_checker.py::test_one_bias_where_there_is_none_is_refused_even_where_it_costs_nothing",
    ),
    Mutant(
        "exact/check.py",
        "elif any(rest):\n            return False",
        "elif any(rest):\n            return True",
        "tests/exact/test_checker.py -k zero_pivot",
    ),
    Mutant(
        "exact/lcp.py",
        "q[j] = fmpq(1), fmpq(-1), data.cost[pair[0]]",
        "q[j] = fmpq(1), fmpq(-1), data.cost[0]",
        f"{COPIES}[exact]",
    ),
    Mutant(
        "exact/lcp.py",
        "entering = leaving + n if leaving < n else leaving - n",
        "entering = leaving",
        "tests/exact/test_lcp.py",
    ),
    # theory
    Mutant("fisher/risk.py", "for b in bayes\n    )", "for b in bayes[:1]\n    )", RISK),
    Mutant("fisher/risk.py", "point,\n        bounded,", "True,\n        bounded,", RISK),
    Mutant(
        "fisher/risk.py",
        "tuple(ranked),\n        bayes,",
        "tuple(ranked)[:1],\n        bayes,",
        THEORY,
    ),
    Mutant(
        "fisher/risk.py",
        "None if vertices is None else tuple(fractions(v) for v in vertices),",
        "None if vertices is None else tuple(fractions(v) for v in vertices[:1]),",
        f"{THEORY}::test_the_set_of_minimisers_is_a_linear_programs_face",
    ),
    Mutant("fisher/probability.py", "if total != 1:", "if False:", RISK),
    Mutant("studies/regimes.py", "Fraction(1, d * n)", "Fraction(1, n)", REGIMES),
    Mutant(
        "studies/regimes.py",
        "return c * self.linear_term - c * c * self.square_term / 2",
        "return c * self.linear_term - c * c * self.square_term",
        REGIMES,
    ),
    # algorithms of the papers
    Mutant(
        "solvers/classic/working_set.py",
        "if (g > 0.0 and alpha < upper) or (g < 0.0 and alpha > 0.0):",
        "if (g > 0.0 and alpha > 0.0) or (g < 0.0 and alpha < upper):",
        f"{UV_SMO}::test_the_working_set_in_boxes_is_the_worst_and_the_one_that_gains_most_with_it",
    ),
    Mutant(
        "solvers/classic/working_set.py",
        "low = 0.0 if room(upper[active[k]], total[i]) > 0.0 else np.inf",
        "low = np.inf",
        f"{UV_SMO}::test_the_violation_of_an_example_counts_what_is_left_of_C_as_one_more_multiplier",
    ),
    Mutant(
        "solvers/classic/unified.py",
        "cost[i] if spec.capped else np.full(len(i), np.inf),",
        "np.full(len(i), problem.C) if spec.capped else np.full(len(i), np.inf),",
        f"{UV_SMO}::test_columns_are_uv_s_q_and_the_gradient_is_v_less_q_alpha {COPIES}[uv-smo]",
    ),
    Mutant(
        "solvers/classic/unified.py",
        "if u == t or (shared and owner[u] == i):",
        "if u == t:",
        f"{UV_SMO}::test_columns_are_uv_s_q_and_the_gradient_is_v_less_q_alpha",
    ),
    Mutant(
        "solvers/classic/two_variables.py",
        "slope = g_a - g_b + (Q[1] - Q[2]) * room",
        "slope = g_a - g_b - (Q[1] - Q[2]) * room",
        f"{UV_SMO}::test_two_variables_are_solved_exactly",
    ),
    Mutant(
        "solvers/classic/shrinking.py",
        "(code == MET and some_hidden())",
        "(code == MET and False)",
        f"{UV_SMO}::test_a_rule_met_by_what_is_in_sight_is_not_yet_met",
    ),
    Mutant("solvers/classic/bsvm.py", "v = -max(g[i, m], 0.0)", "v = -abs(g[i, m])", WORKING_SET),
    Mutant(
        "solvers/classic/bsvm.py",
        "elif y[j] == m:",
        "elif y[j] != m:",
        f"{KESLER}::test_the_column_recipe_of_hl_15_is_the_bracket",
    ),
    Mutant(
        "solvers/classic/bsvm.py",
        "bracket -= 1.0 if y[j] == m else 0.0",
        "bracket += 1.0 if y[j] == m else 0.0",
        f"{KESLER}::test_an_entry_of_bsvms_sub_problem_is_the_bracket",
    ),
    Mutant(
        "solvers/classic/cs_decomposition.py",
        "if a[i, m] < (C if m == own else 0.0):",
        "if a[i, m] < C:",
        f"{COPIES}[cs-decomposition]",
    ),
    Mutant(
        "solvers/classic/cs_decomposition.py",
        "if not C > 0.0:",
        "if C > 0.0:",
        f"{COPIES}[cs-decomposition]",
    ),
    Mutant(
        "solvers/classic/acf.py",
        "gain / average[0] - 1.0",
        "gain - average[0]",
        f"{NEWER}::test_a_preference_follows_the_gain_against_the_average",
    ),
    Mutant(
        "solvers/classic/acf.py",
        "self.due -= times",
        "self.due[:] = 0.0",
        f"{NEWER}::test_a_schedule_visits_as_often_as_preferred_and_forgets_no_remainder",
    ),
    Mutant(
        "solvers/classic/larank.py",
        "if what == OPTIMIZE and beta[i, m] == 0.0:",
        "if what == NEW and beta[i, m] == 0.0:",
        f"{NEWER}::test_the_pair_of_each_operation",
    ),
    Mutant(
        "solvers/classic/larank.py",
        "g[j, down] += step * K[i, j]",
        "g[j, down] -= step * K[i, j]",
        f"{NEWER}::test_the_gradients_of_the_support_patterns_are_kept",
    ),
    Mutant(
        "solvers/classic/cutting_plane.py",
        "problem.costs[:, None], 0.0",
        "problem.C, 0.0",
        f"{NEWER}::test_the_most_violated_constraint_is_the_loss",
    ),
    Mutant(
        "solvers/classic/planes.py",
        "np.maximum.at(slack, self.family, values)",
        "np.add.at(slack, self.family, values)",
        f"{NEWER}::test_a_working_set_knows_its_constraints",
    ),
    # reductions, softmax, losses, conventions, representations
    Mutant("reductions/one_vs_one.py", "votes[:, j] += h >= 0", "votes[:, j] += h > 0", PAIRS),
    Mutant(
        "reductions/one_vs_one.py",
        "votes.max(axis=1) == d - 1",
        "votes.max(axis=1) >= d - 2",
        f"{PAIRS} properties/test_reductions.py",
    ),
    Mutant("reductions/dag.py", "return h >= 0 if a < b else h < 0", "return h >= 0", PAIRS),
    Mutant("reductions/dag.py", "back[here[stays]] -= 1", "front[here[stays]] += 1", PAIRS),
    Mutant(
        "reductions/linkage.py",
        'pick = max if rule == "complete" else min',
        'pick = min if rule == "complete" else max',
        f"{TREES}::test_linkage_is_scipys",
    ),
    Mutant(
        "reductions/linkage.py",
        "if merge.height >= below:",
        "if merge.height > below:",
        f"{TREES}::test_a_merge_at_the_limit_itself_is_not_kept_together",
    ),
    Mutant("softmax/loss.py", "far = (1 - k) * np.exp(-gamma * a)", "far = (1 - k)", SMAX),
    Mutant(
        "softmax/loss.py",
        "np.where(s < 1, 1.0, 0.0)",
        "np.where(s < 0, 1.0, 0.0)",
        f"{SMAX} tests/softmax/test_solve.py",
    ),
    Mutant(
        "softmax/loss.py", "a[np.arange(len(y)), y] = 0.0", "a[np.arange(len(y)), 0] = 0.0", SMAX
    ),
    Mutant(
        "losses/hinge.py",
        "_curved(batch, plan, v) / plan.width if",
        "_curved(batch, plan, v) if",
        "tests/losses/test_losses.py::test_our_own_slopes_are_in_the_subdifferential",
    ),
    Mutant(
        "losses/hinge.py",
        "return slope - xp.mean(slope, axis=-1, keepdims=True) if plan.centred else slope",
        "return slope",
        "tests/losses/test_losses.py tests/losses/test_exact.py",
    ),
    Mutant(
        "losses/hinge.py", "return curved / plan.width * (xi - curved / 2)", "return xi", LOSSES
    ),
    Mutant(
        "model/conventions/convention.py",
        "self.loss.at(d) ** q * self.multiple.at(d)",
        "self.loss.at(d) * self.multiple.at(d)",
        CONVENTIONS,
    ),
    Mutant(
        "model/conventions/convention.py",
        'return factor if self.parameter in ("C", "1/C") else factor / n',
        "return factor",
        CONVENTIONS,
    ),
    Mutant(
        "model/conventions/convention.py",
        "return self.loss.at(d) * self.objective_factor(theirs, d)",
        "return self.objective_factor(theirs, d)",
        CONVENTIONS,
    ),
    Mutant(
        "studies/papers/claim.py",
        "return Verdict.PART if self.claim.cut else Verdict.CORRECTED",
        "return Verdict.CORRECTED",
        f"{LEDGER} -k cut",
    ),
    Mutant(
        "studies/papers/ledger.py",
        "if not (d.claim.found_here or d.claim.experiment)]",
        "]",
        f"{LEDGER} -k found_here",
    ),
    Mutant(
        "solvers/compiled.py",
        "digest.update(source.read_bytes())",
        'digest.update(b"")',
        "tests/solvers/test_compiled.py",
    ),
    Mutant(
        "judge/objective.py", "curved = np.minimum(xi, h) if capped else xi", "curved = xi", HUBER
    ),
    Mutant("model/cost.py", "SlackCost(True, Fraction(1))", "SlackCost(True, Fraction(2))", HUBER),
    Mutant("exact/check.py", "return xi - h / 2", "return xi - h", HUBER),
    Mutant(
        "judge/objective.py",
        "(cost * doubt).ravel(), unit, felt)",
        "(cost * doubt).ravel(), unit, False)",
        "tests/adversary/test_holes.py -k underflows_is",
    ),
    Mutant("fisher/quadratic.py", "xi - h / 2 if full", "xi if full", HUBER),
    # the fast engine: all blocks at once
    Mutant(
        "solvers/fast/gradient.py",
        "if not curve > self.L",
        "if not curve > 100 * self.L",
        f"{AT_ONCE} -k alone",
    ),
    Mutant(
        "solvers/fast/gradient.py",
        "falling.cumsum(axis=1) - cost[over, None]",
        "falling.cumsum(axis=1) - 2 * cost[over, None]",
        f"{AT_ONCE} -k projection",
    ),
    Mutant(
        "solvers/fast/gradient.py",
        "np.where(full, low, np.minimum(low, 0.0))",
        "np.minimum(low, 0.0)",
        f"{AT_ONCE} -k survey",
    ),
    # the fast engine: when it gives up, and passes that go beyond a block's optimum
    Mutant("solvers/fast/stopping.py", " or dual > RISE * self.dual:", ":", STOPPING),
    Mutant("solvers/fast/stopping.py", " and self.barriers > 0", "", STOPPING),
    Mutant("solvers/fast/stopping.py", "min(gap, self.best),", "gap,", STOPPING),
    Mutant("solvers/fast/stopping.py", "max(WINDOW, self.rounds // 3)", "WINDOW", STOPPING),
    Mutant(
        "solvers/fast/steps.py", "gain -= 0.5 * k * size", "gain -= 0.5 * k / omega * size", RELAXED
    ),
    Mutant(
        "solvers/fast/steps.py",
        "solve_block(machine, y, k / omega,",
        "solve_block(machine, y, k,",
        RELAXED,
    ),
    Mutant(
        "solvers/fast/steps.py",
        "gain -= width * rise / (2.0 * cost)",
        "gain -= width * rise / cost",
        RELAXED,
    ),
    Mutant(
        "solvers/fast/survey.py",
        "inner += (gamma[label, p] - value) * at",
        "inner += gamma[label, p] * at",
        RELAXED,
    ),
    Mutant("solvers/fast/ascent.py", "self.passes += times", "self.passes += 1", RELAXED),
    Mutant(
        "solvers/fast/class_system.py",
        "G[rest, rest] -= self.pull",
        "pass",
        f"{BARRIER} -k class_by",
    ),
    Mutant(
        "solvers/fast/class_features.py",
        "long -= self.span @ (self.span.T @ long)",
        "long -= long.mean()",
        f"{BARRIER} -k class_by",
    ),
    Mutant(
        "solvers/fast/components.py",
        "scores + self.machine.pull * scores.sum(axis=1, keepdims=True)",
        "scores",
        f"{BARRIER} -k class_by",
    ),
    Mutant(
        "solvers/fast/systems.py",
        "diagonal[:] = exact * (1.0 + small)",
        "diagonal[:] = exact",
        f"{BARRIER} -k indefinite",
    ),
    Mutant(
        "solvers/fast/feature_system.py",
        "E[i, parts.y] = E[i, :, parts.y] = -left * t",
        "E[i, parts.y] = E[i, :, parts.y] = -t",
        f"{BARRIER} -k class_by",
    ),
    Mutant(
        "solvers/fast/feature_system.py",
        "else np.sign(w[felt])[:, None] * X)",
        "else X)",
        f"{BARRIER} -k any_sign",
    ),
    Mutant(
        "solvers/fast/class_features.py",
        "factored(M)",
        "factored(M * np.nan ** (np.linalg.eigvalsh(M)[0] <= 0))",
        f"{BARRIER} -k class_that_rounding",
    ),
    Mutant(
        "solvers/fast/class_features.py",
        "np.tril(lapack.dtrtri(lower, lower=1)[0])",
        "lapack.dtrtri(lower, lower=1)[0]",
        f"{BARRIER} -k class_by",
    ),
    Mutant(
        "solvers/fast/class_features.py",
        "M.reshape(-1)[:: width + 1] += 1.0",
        "M.reshape(-1)[:: width + 1] += 0.5",
        f"{BARRIER} -k class_by",
    ),
    Mutant(
        "solvers/fast/feature_system.py",
        "apart -= self._middle(apart)[self.parts.example]",
        "pass",
        f"{BARRIER} -k used_up",
    ),
    Mutant(
        "solvers/fast/feature_system.py",
        "goal if missing is None else goal + missing",
        "goal",
        f"{BARRIER} -k class_by",
    ),
    Mutant(
        "solvers/fast/class_system.py",
        "np.maximum(self.shared / scale**2, self.ground)",
        "self.ground",
        f"{BARRIER} -k class_by",
    ),
    Mutant(
        "solvers/fast/steps.py",
        "classes[m], move[m] = d, pull * total",
        "classes[m], move[m] = d, total",
        f"{SUBSETS} -k lines_are",
    ),
    Mutant(
        "solvers/fast/kernel_engine.py",
        "lines[classes[t], i] + common[i]",
        "lines[classes[t], i]",
        f"{SUBSETS} -k lines_are",
    ),
    Mutant(
        "solvers/fast/subsets.py",
        "(at.gap + loss) / max(at.primal + loss, 1e-300)",
        "at.gap / max(at.primal, 1e-300)",
        f"{SUBSETS} -k few_kernel",
    ),
    Mutant(
        "solvers/fast/subsets.py",
        "np.where(cost > 0, slopes.max(axis=1), -np.inf)",
        "slopes.max(axis=1)",
        f"{SUBSETS} -k losses_of",
    ),
    Mutant(
        "solvers/fast/subsets.py",
        'now.words = "" if at.words == "rounding" else at.words',
        'now.words = ""',
        f"{SUBSETS} -k ugly",
    ),
    Mutant("solvers/fast/gradient.py", "(xi - curved / 2)", "xi", f"{SUBSETS} -k losses_of"),
    Mutant(
        "solvers/fast/ascent.py",
        "        if rounded:\n",
        "        if not rounded:\n",
        f"{SUBSETS} -k too_rough",
    ),
    Mutant(
        "solvers/fast/kernel_cache.py",
        "SINGLE_COST * tolerance",
        "SINGLE_COST",
        f"{SUBSETS} -k may_be_rounded",
    ),
    Mutant(
        "solvers/fast/kernel_cache.py",
        "out += block.T @ A[first : first + BLOCK]",
        "out = block.T @ A[first : first + BLOCK]",
        f"{SUBSETS} -k products_and",
    ),
    Mutant(
        "solvers/fast/kernel_values.py",
        "part -= half_a[:, None]",
        "pass",
        f"{SUBSETS} -k products_and",
    ),
    Mutant(
        "solvers/fast/kernel_values.py",
        "- k * LN2_REST",
        "+ k * LN2_REST",
        f"{SUBSETS} -k exponentials",
    ),
    Mutant("solvers/fast/kernel_cache.py", "L[pivots - 1] =", "L[:] =", f"{BARRIER} -k class_by"),
    Mutant(
        "solvers/fast/barrier.py",
        "if self.system.rough and self.surer is not None:",
        "if False:",
        f"{BARRIER} -k loses_its_digits",
    ),
    Mutant(
        "solvers/fast/barrier.py",
        "at.inside < at.push / margin",
        "at.inside < 0 * at.push",
        f"{BARRIER} -k stops_early",
    ),
    Mutant(
        "solvers/fast/barrier.py",
        "gap = float(top @ t) - cost - float(u @ x)",
        "gap = 0.0",
        f"{BARRIER} -k ends_by",
    ),
    Mutant(
        "solvers/fast/barrier.py",
        "np.maximum(u if parts.own else parts.table(u).max(axis=1), 0.0)",
        "np.maximum(u, 0.0) if parts.own else parts.table(u).max(axis=1)",
        f"{BARRIER} -k knows_its_gap",
    ),
    Mutant(
        "solvers/fast/barrier.py",
        "max(value + dual - self.begun, TINY)",
        "max(value, TINY)",
        f"{BARRIER} -k few_steps",
    ),
    Mutant(
        "solvers/fast/barrier.py",
        "slope = self.g - self.system.felt(x, at.T + left.T)\n        u",
        "slope = self.g - self.system.felt_of(at.T + left.T)\n        u",
        f"{BARRIER} -k knows_its_gap",
    ),
    Mutant(
        "solvers/fast/feature_system.py",
        "for y in np.unique(self.parts.y):",
        "for y in range(d):",
        f"{BARRIER} -k without_examples",
    ),
    Mutant(
        "solvers/fast/feature_system.py",
        "S[y, :, y] += grams.sum(axis=0)",
        "S[y, :, y] += grams[0]",
        f"{BARRIER} -k class_by",
    ),
    Mutant(
        "solvers/fast/ascent.py",
        "self.barriers.run(enough, self",
        "self.barriers.run(self.tolerance, self",
        "tests/solvers/fast/test_hostile_input.py -k far_from_0",
    ),
    Mutant("solvers/fast/barrier.py", "FINER = 0.05", "FINER = 0.0", f"{BARRIER} -k waits_for"),
    Mutant(
        "solvers/fast/barrier.py",
        "at.T + self.system.along(length) * step.T",
        "self.system.effect(at.inside[: self.n] + each[: self.n] * step.inside[: self.n])",
        f"{BARRIER} -k may_miss",
    ),
    Mutant(
        "solvers/fast/barriers.py",
        "engine.restart(*best[1:])",
        "pass",
        f"{UNSETTLED} -k leads_away",
    ),
    Mutant(
        "solvers/fast/newton.py",
        "[*lengths, first] if first < 1 else lengths",
        "lengths",
        f"{BARRIER} -k singular_a_step",
    ),
    # the fast engine: a barrier over what is not settled
    Mutant(
        "solvers/fast/unsettled.py",
        "(distance * by <= share) & ",
        "",
        f"{UNSETTLED} -k held_at_a_bound",
    ),
    Mutant(
        "solvers/fast/unsettled.py",
        "& (engine.alpha > 0)",
        "& (engine.alpha < 0)",
        f"{UNSETTLED} -k held_at_a_bound",
    ),
    Mutant(
        "solvers/fast/barrier.py", "if vain >= IN_VAIN:", "if False:", f"{UNSETTLED} -k no_nearer"
    ),
    Mutant(
        "solvers/fast/interior.py",
        "np.where(parts.mask, inside, alpha[chosen])",
        "inside",
        f"{UNSETTLED} -k same_optimum",
    ),
    Mutant(
        "solvers/fast/systems.py",
        "np.repeat(first, many) + inner",
        "np.repeat(first, many)",
        f"{UNSETTLED} -k part_of_that_of_all",
    ),
    Mutant(
        "solvers/fast/barriers.py",
        'self.surely or way.system == "classes"',
        "self.surely",
        f"{UNSETTLED} -k not_asked_again",
    ),
    Mutant(
        "solvers/fast/barriers.py",
        "self.short = SHORT",
        "self.short += 0",
        f"{UNSETTLED} -k leave_nothing_out",
    ),
    Mutant(
        "solvers/fast/ascent.py",
        "min(max(gain / max(inner, 1e-300), 1.0 / ratio), 1.0)",
        "1.0",
        f"{UNSETTLED} -k smaller_C",
    ),
    Mutant(
        "solvers/fast/schedule.py",
        "and self.passing > AGAIN * self.looked",
        "",
        f"{UNSETTLED} -k asks_again",
    ),
    # the fast engine: many classes and many examples
    Mutant("solvers/fast/steps.py", "size + pull * total * total", "size", RELAXED),
    Mutant(
        "solvers/fast/linear_engine.py",
        "lines[..., :d] + lines[..., d:]",
        "lines[..., :d]",
        f"{LINEAR} -k weights_follow",
    ),
    Mutant(
        "solvers/fast/linear_engine.py",
        "self.X, self.single = self.exact, False",
        "self.X, self.single = self.exact, True",
        f"{LINEAR} -k nothing_is_left",
    ),
    Mutant(
        "solvers/fast/linear_engine.py",
        "self.X, self.single = self.exact, False",
        "self.X, self.single = self.X, False",
        f"{LINEAR} -k exact_from_then_on",
    ),
    Mutant(
        "solvers/fast/engines.py",
        "gap if gap > tolerance else 0.0",
        "0.0",
        f"{LINEAR} -k begin_with_single",
    ),
    Mutant(
        "solvers/fast/schedule.py",
        "newton, engine.width > 0,",
        "newton, True,",
        f"{LINEAR} -k dear_first",
    ),
    Mutant(
        "solvers/fast/schedule.py",
        "dear and not self._slow(gap, price, self.tolerance)",
        "dear",
        f"{LINEAR} -k dear_first",
    ),
    Mutant(
        "solvers/fast/schedule.py",
        "self.polishing == 0 and price > HEADSTART",
        "self.polishing == 0",
        f"{LINEAR} -k dear_first",
    ),
    Mutant(
        "solvers/fast/linear_engine.py",
        '(longest**2 + (problem.bias == "penalized"))',
        "longest**2",
        f"{LINEAR} -k sparse_rows_are_single",
    ),
    Mutant(
        "solvers/fast/linear_engine.py",
        "not 1 / RANGE < longest < RANGE",
        "False",
        f"{LINEAR} -k sparse_rows_are_single",
    ),
    Mutant(
        "solvers/fast/linear_passes.py",
        "common = bias[d] + sums[d]",
        "common = bias[d]",
        f"{LINEAR} -k visit_sees",
    ),
    Mutant(
        "solvers/fast/linear_passes.py",
        "step[classes[t]] = 0.0",
        "step[classes[t]] *= 1.0",
        f"{LINEAR} -k weights_follow",
    ),
    Mutant(
        "solvers/fast/linear_passes.py",
        "if met[c // LANES] <= 2 * at:",
        "if met[c // LANES] < 2 * at:",
        f"{LINEAR} -k weights_follow",
    ),
    Mutant(
        "solvers/fast/linear_passes.py",
        "met[c // LANES] = 2 * at + 1",
        "met[c // LANES] = 2 * at",
        f"{LINEAR} -k weights_follow",
    ),
    Mutant("solvers/fast/lanes.py", "(chains, 1) if chains > 1", "(chains,) if chains > 1", LANES),
    Mutant("solvers/fast/lanes.py", "in sums[1:]", "in sums[2:]", LANES),
    Mutant(
        "solvers/fast/order.py",
        "np.uint64(last + 1)",
        "np.uint64(last)",
        f"{LINEAR} -k order_of_its_own",
    ),
    Mutant(
        "solvers/fast/ascent.py",
        "max(CLOSER, self.enough * goal / max(now.relative, 1e-300))",
        "CLOSER",
        f"{LINEAR} -k sooner",
    ),
    Mutant(
        "model/arrays.py",
        "X.indptr[start : stop + 1] - first",
        "X.indptr[start : stop + 1]",
        f"{LINEAR} -k some_rows_are",
    ),
    Mutant(
        "solvers/fast/linear_engine.py", "W += part.T", "W[:] = part.T", f"{LINEAR} -k some_rows"
    ),
    Mutant("solvers/fast/engine.py", "sums + found[:3]", "found[:3]", f"{LINEAR} -k some_rows"),
    Mutant(
        "solvers/fast/ascent.py",
        "omega, engine.omega = engine.omega, 1.0",
        "omega = engine.omega",
        f"{LINEAR} -k overshoot",
    ),
    Mutant(
        "solvers/fast/schedule.py",
        "self.polishing + price > self.allowance",
        "self.polishing > self.allowance",
        f"{LINEAR} -k its_price",
    ),
    Mutant("model/arrays.py", " and not values.flags.writeable", "", f"{LINEAR} -k mapped"),
    Mutant("solvers/fast/schedule.py", "self.evidence *= 2", "pass", f"{BARRIER} -k longer"),
    Mutant(
        "solvers/fast/schedule.py",
        "self.barrier.everything and self._slow(",
        "self._slow(",
        f"{BARRIER} -k part",
    ),
    Mutant(
        "studies/experiments/exported.py", "(*old, *new)}", "(*new, *old)}", f"{EXPORTED} -k stay"
    ),
    Mutant(
        "studies/experiments/exported.py",
        "return self.row, self.protocol, self.column",
        'return self.row, "", self.column',
        f"{EXPORTED} -k quick_row",
    ),
    Mutant(
        "studies/experiments/exported.py",
        '("paper", "quick")',
        '("quick", "paper")',
        f"{EXPORTED} -k quick_row",
    ),
    Mutant(
        "studies/experiments/exported.py",
        "PROTOCOLS), key=len)",
        "PROTOCOLS), key=bool)",
        f"{EXPORTED} -k lacks",
    ),
    Mutant(
        "studies/experiments/exported.py",
        "if mine != row:",
        "if False:",
        f"{EXPORTED} -k under_its_name",
    ),
    Mutant(
        "studies/experiments/exported.py",
        "(study.kept_as, study.measure)",
        '(data["study"], study.measure)',
        f"{EXPORTED} -k another_study",
    ),
    Mutant(
        "studies/experiments/exported.py",
        "(study.kept_as, study.measure)",
        '(study.kept_as, data["measure"])',
        f"{EXPORTED} -k another_study",
    ),
    Mutant(
        "studies/experiments/statistics.py",
        "prepend=-np.inf) > tie",
        "prepend=-np.inf) > 0",
        "tests/studies/experiments/test_statistics.py -k rounding",
    ),
    Mutant(
        "studies/experiments/result.py",
        "mine.train >= theirs",
        "mine.train > 0",
        "tests/studies/experiments/test_page.py -k pages_tell",
    ),
    Mutant(
        "studies/experiments/result.py",
        'study.measure == "agreement" or None not in entry.values',
        "True",
        f"{EXPORTED} -k cell_failed",
    ),
    Mutant(
        "studies/experiments/result.py",
        "made.append(None if any(r.error for r in folds) else told)",
        "made.append(told)",
        f"{KINDS} -k point_by_point",
    ),
    Mutant(
        "studies/experiments/exported.py",
        "None not in self.entries[place].values",
        "True",
        f"{FINDINGS} -k failed_value",
    ),
    Mutant(
        "studies/experiments/exported.py",
        "if e.row not in rows or e.protocol not in PROTOCOLS or e.column not in columns:",
        "if e.row not in rows or e.column not in columns:",
        f"{EXPORTED} -k another_study",
    ),
    Mutant(
        "studies/experiments/exported.py",
        "contender.chosen_as or contender",
        "contender",
        f"{KINDS} -k not_made_again",
    ),
    Mutant(
        "studies/experiments/exported.py",
        "there = place in self.entries and place not in self.tied",
        "there = place in self.entries",
        f"{EXPORTED} -k no_accuracy",
    ),
    Mutant(
        "studies/experiments/exported.py",
        "entry.gap > UNTOLD and entry.open_gaps == entry.cells",
        "entry.gap > UNTOLD",
        f"{EXPORTED} -k ties_are_those",
    ),
    Mutant(
        "studies/experiments/exported.py",
        "fmean(entry.numbers) >= TIED",
        "fmean(entry.numbers) >= 0",
        f"{EXPORTED} -k ties_are_those",
    ),
    Mutant(
        "studies/experiments/result.py",
        "_known(study, e) and not is_tied(study, e)",
        "_known(study, e)",
        f"{EXPORTED} -k no_accuracy",
    ),
    Mutant(
        "solvers/solution.py",
        "most = mine + high[first] - lowest",
        "most = mine + low[first] - highest",
        "tests/solvers/test_solution.py -k lead",
    ),
    Mutant(
        "solvers/solution.py",
        "highest[everyone, first] = lowest",
        "lowest",
        "tests/solvers/test_solution.py -k lead",
    ),
    Mutant(
        "solvers/solution.py",
        "np.where(np.isfinite(b), abs(b), 0.0)",
        "abs(b)",
        "tests/solvers/test_solution.py -k lead",
    ),
    Mutant(
        "solvers/solution.py",
        "least - near, most + near",
        "least, most + near",
        "tests/solvers/test_solution.py -k lead",
    ),
    Mutant(
        "solvers/solution.py",
        "near = SQRT_2 *",
        "near = 0.99 * SQRT_2 *",
        "tests/solvers/test_solution.py -k lead",
    ),
    Mutant(
        "solvers/solution.py",
        'np.hypot(lengths_above(new), self.problem.bias == "penalized")',
        "lengths_above(new)",
        "tests/solvers/test_solution.py -k lead",
    ),
    Mutant(
        "studies/papers/uv_shared.py",
        "False, bool(tied)",
        "False, False",
        "tests/studies/papers/test_findings.py -k decide_nothing",
    ),
    Mutant(
        "studies/papers/uv_shared.py",
        "in table.entries or (row, column) in table.tied:",
        "in table.entries:",
        "tests/studies/papers/test_findings.py -k decide_nothing",
    ),
    Mutant(
        "studies/experiments/plan.py",
        "elif self.holdout:",
        "elif False:",
        f"{KINDS} -k whatever_is_published",
    ),
    Mutant(
        "studies/experiments/store.py",
        "old is None or bool(old.error and not record.error)",
        "old is None",
        "tests/studies/experiments/test_engine.py -k gives_way",
    ),
    Mutant(
        "studies/experiments/store.py",
        "WHERE cells.error != '' AND excluded.error = ''",
        "",
        "tests/studies/experiments/test_engine.py -k gives_way",
    ),
    Mutant(
        "studies/experiments/ranks.py",
        "[order], TIE_OF_MEANS)",
        "[order], 0.0)",
        f"{PAGES} -k rounding",
    ),
    Mutant(
        "studies/experiments/ranks.py",
        "[order], TIE_OF_MEANS)",
        "[order], 1e-3)",
        f"{PAGES} -k rounding",
    ),
    Mutant(
        "studies/experiments/chapter.py",
        "ranking(scores, self.columns, self.whole)",
        "ranking(scores, self.columns, self.rows)",
        f"{PAGES} -k ours_has_whole",
    ),
    Mutant(
        "studies/experiments/testing.py",
        "won[:, j] += ~first",
        "won[:, j] += first",
        f"{KINDS} -k support_vectors",
    ),
    Mutant(
        "studies/experiments/testing.py",
        "front[here[~stays]] += 1",
        "front[here] += 1",
        f"{KINDS} -k support_vectors",
    ),
    Mutant(
        "studies/papers/findings.py",
        "interval(found, 1 - (1 - SURE) / len(cases))",
        "interval(found)",
        f"{FINDINGS} -k one_of_many",
    ),
    Mutant(
        "studies/papers/findings.py",
        "values[means.argmin() if",
        "values[means.argmax() if",
        f"{FINDINGS} -k least_of_those",
    ),
    Mutant(
        "studies/papers/findings.py",
        "len(protocols | {other.entries[row, c].protocol for c in form.less}) == 1",
        "True",
        f"{FINDINGS} -k two_protocols",
    ),
    Mutant(
        "studies/papers/uv_shared.py",
        "return decided(form, not differ if apart or not differ else None, words, {})",
        "return Evidence(not differ if apart or not differ else None, words)",
        f"{FINDINGS} -k no_check_fails",
    ),
    Mutant(
        "studies/papers/claim.py",
        "form.false if self.check(self.printed).holds else form.true",
        "form.true if self.check(self.printed).holds else form.false",
        f"{FINDINGS} -k can_hold_and_can_fail",
    ),
)
