"""A certificate as text: the verdict first, the worst fault named."""

from __future__ import annotations

import math

from msvm_ref.judge.certificate import Certificate

TOLERANCES = (1e-12, 1e-9, 1e-6, 1e-3)


def report(c: Certificate) -> str:
    passed = next((tol for tol in TOLERANCES if c.optimal(tol)), None)
    lines, judged = [c.title], c.verdict(TOLERANCES[-1])
    if passed is None:
        lines.append(f"{judged}: {_distance(c)}")
    lines.append(f"optimum in [{c.lower:.12g}, {c.upper:.12g}]   relative gap {c.relative_gap:.1e}")
    value = c.primal_value if c.primal_value is not None else c.dual_value
    refused = "refused" if judged == "NOT OPTIMAL" else "undecided"
    verdict = f"OPTIMAL at {passed:.0e}" if passed is not None else f"{refused} at 1e-3"
    lines.append(
        f"candidate {'primal' if c.primal_value is not None else 'dual'} value {value:.12g}   {verdict}"
    )
    if judged == "NOT OPTIMAL":
        lines.append(f"largest fault: {_fault(c)}")
    elif passed is None:
        lines.append("the enclosure is too wide to tell: alpha= or reference= may narrow it")
    if c.primal_value is not None:
        lines.append(f"‖W − W*‖ ≤ {c.distance_bound:.1e}")
    lines.append(_blocks(c))
    lines.append(
        f"lower bound from {c.lower_from}; rounding allowance {c.rounding:.1e}"
        + (f"; Gram = ΦΦ' to {c.gram_residual:.1e}" if c.gram_residual else "")
    )
    return "\n".join(lines)


def _distance(c: Certificate) -> str:
    worst = max(c.infeasibility.items(), key=lambda item: item[1], default=("", 0.0))
    if max(c.primal_error, c.dual_error) <= 1e-3:
        return f"infeasible as handed in, {worst[0].replace('_', '-')} off by {worst[1]:.1e} (relative)"
    sure = 100 * c.sure_error
    if c.primal_value is None:
        return f"dual value {sure:.3g} to {100 * c.dual_error:.3g} % below the optimum"
    if not math.isfinite(c.primal_value):
        return "its objective overflows"
    if c.lower <= 0:
        return f"no positive lower bound is known; it is at most {c.primal_value:.6g} above the optimum"
    above = 100 * (c.primal_value - c.lower) / c.lower
    least = 100 * max(c.primal_value - c.upper, 0.0) / c.upper
    if f"{least:.3g}" == f"{above:.3g}":
        return f"{above:.3g} % above the optimum"
    return f"{least:.3g} to {above:.3g} % above the optimum"


def _fault(c: Certificate) -> str:
    faults = dict(c.infeasibility)
    if c.stationarity is not None and not c.alpha_built:
        faults["stationarity"] = c.stationarity
    if c.complementarity is not None and not c.alpha_built:
        faults["complementarity"] = c.complementarity
    if c.primal_error > max(faults.values(), default=0.0) or not faults:
        return f"objective, {c.primal_error:.2g} of it is avoidable: stopped early, or solves another problem"
    name, value = max(faults.items(), key=lambda item: item[1])
    where = f" (class {c.worst_class})" if name == "stationarity" else ""
    return f"{name.replace('_', '-')} {value:.2g}{where}"


def _blocks(c: Certificate) -> str:
    def mark(value: float | None, name: str) -> str:
        return "" if value is None else f"{name} {'✓' if value == 0 else f'{value:.0e}'}"

    need = "required" if c.sum_to_zero_required else "reported"
    blocks = [
        mark(c.sum_to_zero, f"sum-to-zero ({need})"),
        mark(c.dual_sign, "dual signs"),
        mark(c.dual_bound, "dual bounds"),
        mark(c.dual_support, "dual support"),
        mark(c.dual_equality, "dual equality"),
        mark(c.stationarity, "stationarity"),
        mark(c.complementarity, "complementarity"),
        mark(c.scores_residual, "scores"),
    ]
    return "  ".join(b for b in blocks if b) + (
        "  (against the judge's own multipliers)" if c.alpha_built else ""
    )
