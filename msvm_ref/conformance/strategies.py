"""Hypothesis strategies for multi-class SVM problems (needs the ``test`` extra: hypothesis).

    from hypothesis import given
    from msvm_ref.conformance.strategies import problems

    @given(problems())
    def test_my_solver(problem): ...

Numbers are small integers and dyadic fractions, so that sums and products of them are exact in float64 and a failing
example shrinks to something one can check by hand. Degenerate draws (duplicates with contradictory labels, zero or
constant features, collinear points, absent classes, a single example, zero weights) are frequent on purpose. A drawn problem
is noted as the line of Python that makes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import currently_in_test_context, note
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog

from msvm_ref.judge.candidate import Candidate
from msvm_ref.model.arrays import Array
from msvm_ref.model.catalogue import AMO, ATM, ATS, CS, LLW, MMR, MMR_ORTHO, OVA, RM, WW
from msvm_ref.model.cost import Cost
from msvm_ref.model.kernels import Kernel, linear, polynomial, rbf
from msvm_ref.model.machine import OTHERS_MAX, OTHERS_SUM, SELF, TOTAL_MAX, TOTAL_SUM, Machine
from msvm_ref.model.problem import Bias, Problem

Machines = st.SearchStrategy[Machine] | Callable[[int], st.SearchStrategy[Machine]]
Data = tuple[Array, NDArray[np.int64], int]

COSTS: tuple[Cost, ...] = ("linear", "quadratic", "huber(1/2)")
BIASES: tuple[Bias, ...] = ("none", "penalized", "free")
KERNELS: tuple[Kernel, ...] = (linear, rbf(0.5), polynomial(2))
REINFORCEMENTS = tuple(Fraction(k, 4) for k in range(5))
AGGREGATIONS = (OTHERS_SUM, OTHERS_MAX, TOTAL_SUM, TOTAL_MAX, SELF)
COEFFICIENTS = tuple(map(Fraction, ("0", "1", "-1", "1/2", "-1/2", "2", "-2", "1/3", "-2/3")))
TARGETS = tuple(map(Fraction, ("1", "0", "2", "1/2", "1/3", "-1")))


def machines(costs: Sequence[Cost] = COSTS) -> st.SearchStrategy[Machine]:
    """The ten machines of the catalogue, RM at g = 0, 1/4, 1/2, 3/4, 1, with any of ``costs``; shrinks to WW."""
    catalogue = (WW, CS, LLW, MMR, OVA, AMO, ATM, ATS, MMR_ORTHO, *map(RM, REINFORCEMENTS))
    return st.builds(Machine.with_cost, st.sampled_from(catalogue), st.sampled_from(costs))


@st.composite
def specs(draw: st.DrawFn, d: int, costs: Sequence[Cost] = COSTS) -> Machine:
    """Any machine Definition 1 admits at d classes: arrays nu and gamma of small rationals, any aggregation.

    mu_y must not fall with f_y, nor mu_c rise with f_c: the entries nu[y,c,c] have their signs set; and where all that
    counts was drawn as zero, one entry is made non-zero. Shrinks to that one entry, targets 1, others-sum.
    """
    aggregation = draw(st.sampled_from(AGGREGATIONS))
    flat = draw(st.lists(st.sampled_from(COEFFICIENTS), min_size=d**3, max_size=d**3))
    nu = np.array(flat, dtype=object).reshape(d, d, d)
    for y in range(d):
        for c in range(d):
            nu[y, c, c] = abs(nu[y, c, c]) if c == y else -abs(nu[y, c, c])
    counts = aggregation.mask(d)
    if not nu[counts].any():
        y, c = (int(v) for v in np.argwhere(counts)[0])
        nu[y, c, c] = Fraction(1 if c == y else -1)
    targets = draw(st.lists(st.sampled_from(TARGETS), min_size=d * d, max_size=d * d))
    return Machine(
        "spec",
        nu,  # type: ignore[arg-type]
        aggregation,
        np.array(targets, dtype=object).reshape(d, d),  # type: ignore[arg-type]
        draw(st.booleans()),
        draw(st.sampled_from(costs)),
    )


def numbers(size: int = 3) -> st.SearchStrategy[float]:
    """Integers up to ``size`` in absolute value, and quarters of them; shrinks to 0."""
    return st.one_of(
        st.integers(-size, size).map(float), st.integers(-4 * size, 4 * size).map(lambda k: k / 4)
    )


def matrices(
    rows: int, columns: int, entries: st.SearchStrategy[float] | None = None
) -> st.SearchStrategy[Array]:
    """(rows x columns) arrays of ``entries``, ``numbers()`` by default."""
    line = st.lists(numbers() if entries is None else entries, min_size=columns, max_size=columns)
    return st.lists(line, min_size=rows, max_size=rows).map(
        lambda v: np.array(v, dtype=float).reshape(rows, columns)
    )


@st.composite
def data(draw: st.DrawFn, min_n: int = 1, max_n: int = 8, max_p: int = 3, max_d: int = 4) -> Data:
    """(X, y, d): labels in 0 ... d-1, not all of them necessarily present; shrinks to one example of class 0, d = 2.

    Rows are unrelated, or repeat a few (labels are drawn apart, so they often contradict), or lie on a line, or share a
    constant feature.
    """
    n = draw(st.integers(min_n, max_n))
    p = draw(st.integers(1, max_p))
    d = draw(st.integers(2, max_d))
    shape = draw(st.sampled_from(("unrelated", "repeated", "collinear", "constant feature")))
    if shape == "repeated":
        pool = draw(matrices((n + 1) // 2, p))
        X = pool[draw(st.lists(st.integers(0, len(pool) - 1), min_size=n, max_size=n))]
    elif shape == "collinear":
        X = draw(matrices(n, 1)) * draw(matrices(1, p)) + 0.0  # no -0.0
    else:
        X = draw(matrices(n, p))
    if shape == "constant feature":
        X[:, draw(st.integers(0, p - 1))] = draw(numbers())
    y = np.array(draw(st.lists(st.integers(0, d - 1), min_size=n, max_size=n)), dtype=np.int64)
    return X, y, d


def any_machine(d: int) -> st.SearchStrategy[Machine]:
    """A machine of the catalogue, or a random valid one at d classes."""
    return st.one_of(machines(), specs(d))


@st.composite
def problems(
    draw: st.DrawFn,
    machine: Machines = any_machine,
    *,
    biases: Sequence[Bias] = BIASES,
    kernels: Sequence[Kernel] = KERNELS,
    weighted: bool = True,
    min_n: int = 1,
    max_n: int = 8,
    max_p: int = 3,
    max_d: int = 4,
) -> Problem:
    """Problems over ``data``. ``machine`` is a strategy, or a function of d that returns one, such as ``specs``.

    C runs from 1/8 to 64; with ``weighted``, some have sample weights, zeros among them. Shrinks to
    C = 1, no bias, linear kernel, no weights.
    """
    X, y, d = draw(data(min_n, max_n, max_p, max_d))
    chosen = draw(machine(d) if callable(machine) else machine)
    weight = None
    if weighted and draw(st.booleans()):
        weight = draw(
            st.lists(st.sampled_from((1.0, 2.0, 0.5, 0.0)), min_size=len(y), max_size=len(y))
        )
    problem = Problem(
        chosen,
        X,
        y,
        C=draw(st.sampled_from((1.0, 0.125, 0.5, 2.0, 8.0, 64.0))),
        kernel=draw(st.sampled_from(kernels)),
        bias=draw(st.sampled_from(biases)),
        n_classes=d,
        sample_weight=None if weight is None else np.array(weight),
    )
    if currently_in_test_context():
        note(recipe(problem))
    return problem


@st.composite
def candidates(draw: st.DrawFn, problem: Problem) -> Candidate:
    """Any W, b and alpha of the right shapes, feasible or not; shrinks to zeros.

    b is zero where the problem has none. alpha is unrelated numbers (some negative, some beyond C_i, some on components that
    do not count), or one fraction of C_i throughout, or, for a free bias, half way between two points that meet its
    equality to rounding.
    """
    n, d = problem.n, problem.d
    W = draw(matrices(problem.features.shape[1], d))
    b = draw(matrices(1, d))[0] if problem.bias != "none" else np.zeros(d)
    kind = draw(
        st.sampled_from(
            ("level", "unrelated", "balanced" if problem.bias == "free" else "unrelated")
        )
    )
    if kind == "level":
        alpha = np.full((n, d), draw(st.integers(0, 4)) / 4)
    elif kind == "unrelated":
        alpha = draw(matrices(n, d, numbers(2)))
    else:
        alpha = (
            _balanced(problem, draw(matrices(n, d))) + _balanced(problem, draw(matrices(n, d)))
        ) / 2
    return Candidate(W, b, alpha * problem.costs[:, None])


def _balanced(problem: Problem, direction: Array) -> Array:
    """The alpha / C_i farthest in ``direction`` with sum alpha Pi nu = 0 and room in every slack group."""
    spec = problem.spec
    room = np.where(spec.mask[problem.y], 1 / spec.d, 0.0)
    rows = problem.costs[:, None, None] * spec.projected_nu[problem.y]
    program = linprog(
        -direction.ravel(),
        A_eq=rows.reshape(-1, spec.d).T,
        b_eq=np.zeros(spec.d),
        bounds=[(0.0, float(v)) for v in room.ravel()],
        method="highs",
    )
    return (
        np.zeros_like(direction)
        if program.x is None
        else np.asarray(program.x).reshape(direction.shape)
    )


def recipe(problem: Problem) -> str:
    """The line of Python that makes the problem, for a person to paste (F is Fraction)."""
    arguments: dict[str, Any] = {
        "C": problem.C,
        "kernel": problem.kernel,
        "bias": repr(problem.bias),
        "n_classes": problem.d,
        "sample_weight": None if problem.sample_weight is None else problem.sample_weight.tolist(),
    }
    rest = ", ".join(f"{name}={value}" for name, value in arguments.items() if value is not None)
    return f"Problem({_machine(problem.machine)}, X={problem.X.tolist()}, y={problem.y.tolist()}, {rest})"


def _machine(machine: Machine) -> str:
    if machine.fixed_d is None:
        return f"machine_named({machine.name!r}).with_cost({machine.cost!r})"
    nu, gamma = machine.nu(machine.fixed_d), machine.gamma(machine.fixed_d)
    aggregation = machine.aggregation.name.replace("-", "_").upper()
    return (
        f"Machine({machine.name!r}, {_nested(nu)}, {aggregation}, {_nested(gamma)}, "
        f"sum_to_zero={machine.sum_to_zero}, cost={machine.cost!r})"
    )


def _nested(part: Any) -> str:
    if isinstance(part, tuple):
        return f"[{', '.join(map(_nested, part))}]"
    return str(part) if part.denominator == 1 else f"F({part.numerator}, {part.denominator})"
