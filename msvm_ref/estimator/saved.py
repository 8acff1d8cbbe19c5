"""SavedModel: a trained machine as JSON that reloads exactly, carries its certificate, and can be judged again.

The file holds the whole training problem (the distinct examples with their weights and labels) beside the solution, so
anybody can recompute the certificate. ``verify`` believes nothing that follows from the problem:

    recomputed      lower, upper, gap, errors, distance, values and every other field of the certificate, from the data;
                    which column of W, b, alpha is which class: train.y holds labels, and the judge sees them through ``labels``
    stated          the problem itself (machine, cost, C, bias, kernel, examples, what columns and classes are called), the
                    tolerance asked for, and by what method and version it was computed: ``statement`` puts it in words
    bound           all of it by one sha256, which ``fit`` prints and ``predict --verify`` prints again

Floats are written with the digits that give them back (repr); nothing is pickled.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from msvm_ref.errors import DataError
from msvm_ref.estimator import model_file as file
from msvm_ref.estimator.recheck import recorded, unlike
from msvm_ref.foreign import shown
from msvm_ref.judge.certificate import Certificate
from msvm_ref.model.arrays import Array
from msvm_ref.model.catalogue import machine_named
from msvm_ref.model.kernels import Kernel
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.certifying import certify
from msvm_ref.solvers.solution import Solution

FEASIBLE = 1e-9
"""The relative infeasibility that counts as none, where the tolerance is smaller still."""
MOST_CLASSES = {"none": 256, "penalized": 256, "free": 64}
"""Of a model that is judged again: tables have d^3 entries, and a free bias takes exact systems of d equations."""
MOST_WORK = 10**11
"""Of a model that is judged again: n^2 (p + d) for a kernel, n p d for the linear one."""


class Verification(NamedTuple):
    """``borne_out``: nothing in ``faults``; the certificate is the one computed again."""

    borne_out: bool
    certificate: Certificate
    faults: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class SavedModel:
    """``claimed`` is the certificate as recorded; ``verify`` computes it again. ``sha256`` is that of the whole record."""

    problem: Problem
    weights: Array
    b: Array
    alpha: Array
    labels: tuple[Any, ...]
    features: tuple[str, ...] | None
    tolerance: float
    method: str
    version: str
    claimed: dict[str, Any]

    @classmethod
    def of(
        cls, solution: Solution, labels: Any, tolerance: float, features: Any = None
    ) -> SavedModel:
        """What ``solution`` found, with a certificate of exactly the numbers that are saved."""
        problem = solution.problem
        machine = problem.machine
        if machine_named(machine.name).with_cost(machine.cost) != machine:
            raise DataError(
                "machine",
                "be of the catalogue to be saved",
                machine.name,
                "save the literal of your own machine",
            )
        _kernel_record(problem.kernel)
        if problem.is_sparse:
            raise DataError("X", "be dense to be saved", "sparse rows", "fit on X.toarray()")
        names = file.labels_of([v.item() if isinstance(v, np.generic) else v for v in labels])
        if len(names) != problem.d:
            raise DataError("labels", f"be {problem.d}, one a class", shown(names))
        columns = None if features is None else tuple(map(str, features))
        weights = solution.W if problem.is_linear else solution.coef
        certificate = _judged(problem, weights, solution.b, solution.alpha)
        return cls(
            problem,
            weights,
            solution.b,
            solution.alpha,
            names,
            file.features_of(columns, problem.X.shape[1]),
            file.fraction_of("tolerance", tolerance),
            solution.method,
            str(sys.modules["msvm_ref"].__version__),
            certificate.to_dict(),
        )

    @property
    def optimal(self) -> bool:
        """As recorded: are both halves of the solution within the tolerance?"""
        certificate = recorded(self.claimed)
        return max(certificate.primal_error, certificate.dual_error) <= self.tolerance

    @property
    def sha256(self) -> str:
        return str(self.to_dict()["sha256"])

    @property
    def statement(self) -> str:
        """What the certificate is about, in words: the part of the file that is taken as it stands."""
        problem, columns = self.problem, self.problem.X.shape[1]
        counts = np.bincount(problem.y, minlength=problem.d)
        classes = ", ".join(f"{v!r} ({k})" for v, k in zip(self.labels, counts, strict=True))
        names = "" if self.features is None else ": " + ", ".join(map(repr, self.features))
        weighted = "" if problem.sample_weight is None else "weighted "
        return "\n".join(
            (
                f"machine {problem.machine.name}, {problem.machine.cost} cost, C = {problem.C!r}, "
                f"bias {problem.bias}, kernel {problem.kernel}, tolerance {self.tolerance!r}",
                f"{problem.n} {weighted}examples of {columns} features{names}",
                f"classes (and their examples): {classes}",
                f"computed, it says, by {self.method} of msvm_ref {self.version}; sha256 {self.sha256}",
            )
        )

    def decision_function(self, X: Any) -> Array:
        new = self.problem.new_points(X)
        inner = new if self.problem.is_linear else self.problem.cross_kernel(new)
        return np.asarray(inner @ self.weights + self.b)

    def predict_codes(self, X: Any) -> NDArray[np.int64]:
        """Largest score, ties to the class that comes first."""
        return np.asarray(self.decision_function(X).argmax(axis=1))

    def verify(self) -> Verification:
        """Judge the saved numbers again: is the certificate what was recorded, and within the tolerance?"""
        _check_work(self.problem)
        certificate = _judged(self.problem, self.weights, self.b, self.alpha)
        faults = unlike(recorded(self.claimed), certificate)
        for name in ("primal_error", "dual_error"):
            error = getattr(certificate, name)
            if not error <= self.tolerance:
                faults.append(f"{name} is {error:.3g}, above the tolerance {self.tolerance:g}")
        if not certificate.optimal(max(self.tolerance, FEASIBLE)):
            faults.append("the solution is not feasible, or not optimal, as handed in")
        return Verification(not faults, certificate, tuple(faults))

    def to_dict(self) -> dict[str, Any]:
        problem = self.problem
        weight = problem.sample_weight
        record = {
            "format": file.FORMAT,
            "msvm_ref": self.version,
            "machine": problem.machine.name,
            "cost": problem.machine.cost,
            "C": problem.C,
            "bias": problem.bias,
            "kernel": _kernel_record(problem.kernel),
            "labels": list(self.labels),
            "features": None if self.features is None else list(self.features),
            "train": {
                "X": problem.X.tolist(),
                "y": [self.labels[code] for code in problem.y],
                "sample_weight": None if weight is None else weight.tolist(),
            },
            "W" if problem.is_linear else "coef": self.weights.tolist(),
            "b": self.b.tolist(),
            "alpha": self.alpha.tolist(),
            "tolerance": self.tolerance,
            "method": self.method,
            "certificate": self.claimed,
        }
        return record | {"sha256": file.digest(record)}

    def save(self, path: str) -> None:
        Path(path).write_text(json.dumps(self.to_dict(), allow_nan=False) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str) -> SavedModel:
        """The model in a file; DataError where the file is none, or not the one that was saved."""
        return cls.of_record(file.read_record(path))

    @classmethod
    def of_record(cls, record: dict[str, Any]) -> SavedModel:
        """The model of a record that ``model_file`` has checked."""
        problem = file.problem_of(record)
        columns = problem.X.shape[1]
        rows = columns if problem.is_linear else problem.n
        model = cls(
            problem,
            file.array_of("weights", record["weights"], (rows, problem.d)),
            file.array_of("b", record["b"], (problem.d,)),
            file.array_of("alpha", record["alpha"], (problem.n, problem.d)),
            file.labels_of(record["labels"]),
            file.features_of(record["features"], columns),
            file.fraction_of("tolerance", record["tolerance"]),
            file.text_of("method", record["method"]),
            file.text_of("msvm_ref", record["msvm_ref"]),
            record["certificate"],
        )
        if problem.bias == "none" and np.any(model.b):
            raise DataError("b", "be zero for bias='none'", shown(model.b.tolist()))
        recorded(model.claimed)
        return model


def _check_work(problem: Problem) -> None:
    """Before any of it is done: a file of a few kilobytes must not keep the judge busy for minutes."""
    most = MOST_CLASSES[problem.bias]
    if problem.d > most:
        raise DataError(
            "labels",
            f"be at most {most} to be judged again (bias {problem.bias})",
            str(problem.d),
            "certify it in Python",
        )
    n, p = problem.X.shape
    work = n * p * problem.d if problem.is_linear else n * n * (p + problem.d)
    if work > MOST_WORK:
        raise DataError(
            "train",
            f"need at most {MOST_WORK:.0e} operations to be judged again",
            f"{work:.1e} ({n} examples, {p} features, {problem.d} classes)",
            "certify it in Python",
        )


def _judged(problem: Problem, weights: Array, b: Array, alpha: Array) -> Certificate:
    return certify(
        problem,
        W=weights if problem.is_linear else None,
        coef=None if problem.is_linear else weights,
        b=None if problem.bias == "none" else b,
        alpha=alpha,
    )


def _kernel_record(kernel: Kernel) -> dict[str, Any]:
    """{"name": "rbf", "gamma": 0.5}: the constructor's arguments, exactly."""
    name = kernel.name.split("(")[0]
    function = kernel.function
    arguments: dict[str, Any] = (
        asdict(function) if is_dataclass(function) and not isinstance(function, type) else {}
    )
    if name not in file.KERNELS or file.KERNELS[name][0](**arguments) != kernel:
        raise DataError("kernel", f"be one of {', '.join(file.KERNELS)} to be saved", str(kernel))
    return {"name": name, **arguments}
