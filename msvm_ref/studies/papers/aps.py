"""APS: calibration functions. Only the abstract was at hand: which formulas the paper prints could not be compared with ours.

APS = Ávila Pires, Szepesvári, "Multiclass Classification Calibration Functions", arXiv:1609.06385, 2016. The abstract announces
calibration functions for the loss of Lee, Lin and Wahba and for the one-versus-all loss. A calibration function exists
exactly where delta(e) > 0 for every e > 0 (Steinwart 2007), so that much can be put to the check, and our delta is shown.
"""

from __future__ import annotations

from collections.abc import Sequence

from msvm_ref.fisher import fisher_consistency, regret_constant
from msvm_ref.model.catalogue import CS, LLW, OVA
from msvm_ref.model.machine import Cost, Machine
from msvm_ref.studies.papers.claim import Claim, Evidence, show


def hinge_calibration(form: tuple[Machine, Sequence[int]]) -> Evidence:
    """Is delta(e) > 0 for every e > 0, at each d? Then it is e / kappa at least, and both are re-checked."""
    machine, sizes = form
    told = []
    for d in sizes:
        constant = regret_constant(machine, d)
        constant.verify()
        if not constant.argmax:
            return Evidence(False, f"{machine.name}, d = {d}: argmax is wrong at some minimiser")
        bends = ", ".join(f"δ({show(e)}) = {show(v)}" for e, v in constant.breakpoints[1:])
        told.append(f"d = {d}: κ = {show(constant.kappa)}, linear between δ(0) = 0, {bends}")
    return Evidence(True, "; ".join(told))


def calibrated_for_some_cost(form: tuple[Machine, Sequence[Cost], Sequence[int]]) -> Evidence:
    """Is argmax consistent at every d under one of the costs? The abstract does not name the cost."""
    machine, costs, sizes = form
    verdicts: dict[str, list[int]] = {}
    for cost in costs:
        decided = [fisher_consistency(machine.with_cost(cost), d) for d in sizes]
        for verdict in decided:
            verdict.verify()
        verdicts[cost] = [d for d, v in zip(sizes, decided, strict=True) if v.consistent]
    told = "; ".join(
        f"{cost} cost: calibrated at d = {', '.join(map(str, good)) or 'none'} of {', '.join(map(str, sizes))}"
        for cost, good in verdicts.items()
    )
    return Evidence(any(len(good) == len(sizes) for good in verdicts.values()), told, verdicts)


CLAIMS = (
    Claim(
        "APS-LLW",
        "abstract",
        "the loss of Lee, Lin and Wahba has a calibration function",
        "δ with the hinge, exact and re-checked, at d = 2, 3, 4; the paper's own formula was not at hand",
        hinge_calibration,
        (LLW, (2, 3, 4)),
        (CS, (2, 3, 4)),
        "CS in its place",
    ),
    Claim(
        "APS-OVA",
        "abstract",
        "the one-versus-all loss has a calibration function (for a cost the abstract does not name)",
        "consistency decided at d = 2, 3, 4 for the hinge and the squared hinge; the paper's own formula was not at hand",
        calibrated_for_some_cost,
        (OVA, ("linear", "quadratic"), (2, 3, 4)),
        (OVA, ("linear",), (2, 3, 4)),
        "the hinge alone",
    ),
)
