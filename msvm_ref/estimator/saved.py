"""SavedModel: a trained machine as JSON that reloads exactly, carries its certificate, and can be judged again.

The file holds the whole training problem (the distinct examples with their weights) beside the solution, so anybody can
recompute the certificate: ``verify`` poses the problem anew and hands W (or coef), b and alpha to the judge. Floats are
written with the digits that give them back (repr); nothing is pickled.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msvm_ref.errors import DataError, MsvmError
from msvm_ref.judge.certificate import Certificate
from msvm_ref.judge.certify import certify
from msvm_ref.model.arrays import Array, frozen
from msvm_ref.model.catalogue import machine_named
from msvm_ref.model.kernels import Kernel, linear, polynomial, rbf
from msvm_ref.model.problem import Problem
from msvm_ref.pages import own_version
from msvm_ref.solvers.solution import Solution

FORMAT = "msvm-ref model 1"
KERNELS: dict[str, Callable[..., Kernel]] = {
    "linear": lambda: linear,
    "rbf": rbf,
    "polynomial": polynomial,
}
AGREE = 1e-9
"""A recomputed bound may differ from the recorded one by AGREE of it: another machine sums in another order."""


@dataclass(frozen=True, eq=False)
class SavedModel:
    """``claimed`` is the certificate as recorded; ``verify`` computes it again."""

    problem: Problem
    weights: Array
    b: Array
    alpha: Array
    labels: tuple[Any, ...]
    features: tuple[str, ...] | None
    tolerance: float
    method: str
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
        weights = solution.W if problem.is_linear else solution.coef
        plain = tuple(v.item() if isinstance(v, np.generic) else v for v in labels)
        _check_labels(plain, problem.d)
        certificate = _judged(problem, weights, solution.b, solution.alpha)
        return cls(
            problem,
            weights,
            solution.b,
            solution.alpha,
            plain,
            None if features is None else tuple(map(str, features)),
            tolerance,
            solution.method,
            certificate.to_dict(),
        )

    @property
    def optimal(self) -> bool:
        """As recorded: are both halves of the solution within the tolerance?"""
        return (
            max(float(self.claimed["primal_error"]), float(self.claimed["dual_error"]))
            <= self.tolerance
        )

    def decision_function(self, X: Any) -> Array:
        new = self.problem.new_points(X)
        inner = new if self.problem.is_linear else self.problem.cross_kernel(new)
        return np.asarray(inner @ self.weights + self.b)

    def predict_codes(self, X: Any) -> NDArray[np.int64]:
        """Largest score, ties to the class that comes first."""
        return np.asarray(self.decision_function(X).argmax(axis=1))

    def verify(self) -> tuple[bool, Certificate]:
        """Judge the saved numbers again: within the tolerance, and the recorded enclosure borne out?"""
        certificate = _judged(self.problem, self.weights, self.b, self.alpha)
        claimed = {name: float(self.claimed[name]) for name in ("lower", "upper")}
        same = all(
            math.isclose(getattr(certificate, name), value, rel_tol=AGREE)
            for name, value in claimed.items()
        )
        close = max(certificate.primal_error, certificate.dual_error) <= self.tolerance
        feasible = certificate.optimal(max(self.tolerance, AGREE))
        return close and feasible and same, certificate

    def to_dict(self) -> dict[str, Any]:
        problem = self.problem
        weight = problem.sample_weight
        return {
            "format": FORMAT,
            "msvm_ref": own_version(),
            "machine": problem.machine.name,
            "cost": problem.machine.cost,
            "C": problem.C,
            "bias": problem.bias,
            "kernel": _kernel_record(problem.kernel),
            "labels": list(self.labels),
            "features": None if self.features is None else list(self.features),
            "train": {
                "X": (problem.dense_features if problem.is_sparse else problem.X).tolist(),
                "y": problem.y.tolist(),
                "sample_weight": None if weight is None else weight.tolist(),
            },
            "W" if problem.is_linear else "coef": self.weights.tolist(),
            "b": self.b.tolist(),
            "alpha": self.alpha.tolist(),
            "tolerance": self.tolerance,
            "method": self.method,
            "certificate": self.claimed,
        }

    def save(self, path: str) -> None:
        Path(path).write_text(json.dumps(self.to_dict(), allow_nan=False) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str) -> SavedModel:
        file = Path(path)
        if not file.is_file():
            raise DataError("model", "exist", path)
        try:
            record = json.loads(file.read_text(encoding="utf-8"))
        except (ValueError, RecursionError) as error:
            raise DataError(
                path,
                "be a JSON model",
                str(error)[:80],
                "msvm-ref fit ... --save model.json makes one",
            ) from error
        return cls.read(record, path)

    @classmethod
    def read(cls, record: Any, path: str) -> SavedModel:
        """The model in a JSON value; ``path`` is named where it is none."""
        if not isinstance(record, dict) or record.get("format") != FORMAT:
            raise DataError(
                path,
                f"be a model of format {FORMAT!r}",
                repr(record.get("format") if isinstance(record, dict) else record)[:80],
            )
        try:
            return cls._read(record)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            if isinstance(error, MsvmError):
                raise
            raise DataError(
                path, "have every field of a model", f"{type(error).__name__}: {error}"
            ) from error

    @classmethod
    def _read(cls, record: dict[str, Any]) -> SavedModel:
        train, kernel, labels = record["train"], dict(record["kernel"]), tuple(record["labels"])
        _check_labels(labels, len(labels))
        name = kernel.pop("name")
        if name not in KERNELS:
            raise DataError("kernel", f"be one of {', '.join(KERNELS)}", repr(name))
        problem = Problem(
            machine_named(record["machine"]).with_cost(record["cost"]),
            train["X"],
            train["y"],
            C=record["C"],
            kernel=KERNELS[name](**kernel),
            bias=record["bias"],
            sample_weight=train["sample_weight"],
            n_classes=len(labels),
        )
        weights = frozen(record["W" if problem.is_linear else "coef"])
        features = record["features"]
        model = cls(
            problem,
            weights,
            frozen(record["b"]),
            frozen(record["alpha"]),
            labels,
            None if features is None else tuple(features),
            float(record["tolerance"]),
            str(record["method"]),
            dict(record["certificate"]),
        )
        rows = problem.X.shape[1] if problem.is_linear else problem.n
        wanted = {"weights": (rows, problem.d), "b": (problem.d,), "alpha": (problem.n, problem.d)}
        for field, shape in wanted.items():
            values = getattr(model, field)
            if values.shape != shape or not np.isfinite(values).all():
                raise DataError(field, f"be finite of shape {shape}", f"shape {values.shape}")
        if model.features is not None and len(model.features) != problem.X.shape[1]:
            raise DataError("features", f"be {problem.X.shape[1]} names", repr(model.features))
        if not 0 < model.tolerance < 1:
            raise DataError("tolerance", "lie strictly between 0 and 1", repr(model.tolerance))
        _ = float(model.claimed["lower"]), float(model.claimed["upper"]), model.optimal
        return model


def _check_labels(labels: tuple[Any, ...], d: int) -> None:
    if (
        not all(isinstance(v, (str, int, float, bool)) for v in labels)
        or not len(set(labels)) == len(labels) == d
    ):
        raise DataError("labels", f"be {d} different strings or numbers", repr(labels))


def _judged(problem: Problem, weights: Array, b: Array, alpha: Array) -> Certificate:
    if problem.bias == "none" and np.any(b):
        raise DataError("b", "be zero for bias='none'", repr(b.tolist()))
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
    if name not in KERNELS or KERNELS[name](**arguments) != kernel:
        raise DataError("kernel", f"be one of {', '.join(KERNELS)} to be saved", str(kernel))
    return {"name": name, **arguments}
