"""Anything that computes a loss, made to answer questions: functions, classes of losses, and objects made from them.

What a function takes is read off its parameters' names: ``reduction``; ``class_weight`` (or weight); ``sample_weight``;
``margin`` (or delta); ``p`` (or power); ``ignore_index``. A class gets them when it is made, or when it is called. Labels come
first where the first parameter is called so (y_true, labels, target, ...), else the scores.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from msvm_ref.conformance.losses.convention import LossConvention, Reduction
from msvm_ref.conformance.losses.frameworks import Framework, framework_named, framework_of
from msvm_ref.conformance.losses.question import (
    GIVEN,
    Question,
    Reply,
    dtype_of,
    laid_out,
    read_gradient,
    read_value,
)
from msvm_ref.errors import DataError

ROLES: dict[str, tuple[str, ...]] = {
    "reduction": ("reduction",),
    "class_weight": ("class_weight", "weight", "weights"),
    "sample_weight": ("sample_weight",),
    "margin": ("margin", "delta"),
    "p": ("p", "power"),
    "ignore_index": ("ignore_index",),
    "dtype": ("dtype",),
}
LABELS = ("y", "y_true", "label", "labels", "target", "targets")


class LossFunction(Protocol):
    """What the checks need of somebody's loss. ``takes``: those roles it takes, and "gradient" where it has one."""

    name: str
    takes: frozenset[str]
    convention: LossConvention

    @property
    def limits_itself(self) -> bool: ...

    def ask(
        self, question: Question, reduction: Reduction | None, gradient: bool = False
    ) -> Reply: ...

    @property
    def has_strides(self) -> bool: ...

    @property
    def poisons(self) -> bool: ...

    @property
    def dtype(self) -> str: ...


class PythonLoss:
    """A callable of (scores, labels) or (labels, scores); ``gradient`` a callable of the same arguments, True where the
    function returns (loss, gradient), or None: then the framework's own where it has one."""

    limits_itself = False

    def __init__(
        self,
        function: Any,
        convention: LossConvention,
        framework: str | None = None,
        gradient: Callable[..., Any] | bool | None = None,
        name: str | None = None,
    ) -> None:
        if not callable(function):
            raise DataError(
                "function", "be callable", type(function).__name__, "pass a function or a class"
            )
        self.function, self.convention = function, convention
        chosen = framework or convention.framework or framework_of(function)
        self.framework: Framework = framework_named(chosen)
        self.name = name or _name_of(function)
        self.is_class = inspect.isclass(function)
        made = _parameters(function.__init__)[1:] if self.is_class else []
        called = _call_parameters(function, self.is_class)
        self.when_made, self.when_called = _roles(made), _roles(called)
        self.labels_first = bool(called) and called[0].lower() in LABELS
        self.gradient = gradient
        self.gradient_roles = _roles(_parameters(gradient)) if callable(gradient) else {}
        known = {*self.when_made, *self.when_called} - {"dtype"}
        has_gradient = gradient is True or callable(gradient) or self.framework.differentiates
        self.takes = frozenset(
            known | ({"gradient"} if has_gradient and gradient is not False else set())
        )

    @property
    def has_strides(self) -> bool:
        return self.framework.has_strides

    @property
    def poisons(self) -> bool:
        """Can memory that was never written be filled with NaN around a call?"""
        return self.framework.poisons

    @property
    def dtype(self) -> str:
        return self.framework.dtype

    def ask(self, question: Question, reduction: Reduction | None, gradient: bool = False) -> Reply:
        with self.framework.setting(question.poisoned):
            sent = laid_out(_one_score(question, self.convention), question.layout)
            told = laid_out(self._labels(question))
            before = sent.tobytes(), told.tobytes()
            scores, labels = self.framework.array(sent), self.framework.array(told)
            given = self._given(question, reduction)

            def call(at: Any) -> Any:
                return self._call(at, labels, given)

            if gradient:
                value, slope = self._with_gradient(call, scores, labels, given)
            else:
                value, slope = call(scores), None
                value = value[0] if self.gradient is True else value
            changed = (sent.tobytes() != before[0], told.tobytes() != before[1])
            wrote = "the scores" if changed[0] else "the labels" if changed[1] else ""
            answer = self.framework.numpy(value)
            read, dtype = read_value(answer, question, reduction), dtype_of(answer)
            if slope is None:
                return Reply(read, wrote=wrote, dtype=dtype)
            return Reply(read, read_gradient(self.framework.numpy(slope), question), wrote, dtype)

    def _call(self, scores: Any, labels: Any, given: dict[str, Any]) -> Any:
        made = {self.when_made[k]: v for k, v in given.items() if k in self.when_made}
        function = self.function(**made) if self.is_class else self.function
        named = {
            self.when_called[k]: v
            for k, v in given.items()
            if k in self.when_called and not (self.is_class and k in self.when_made)
        }
        first = (labels, scores) if self.labels_first else (scores, labels)
        return function(*first, **named)

    def _with_gradient(
        self, call: Callable[[Any], Any], scores: Any, labels: Any, given: dict[str, Any]
    ) -> tuple[Any, Any]:
        if self.gradient is True:
            value, slope = call(scores)
            return value, slope
        if callable(self.gradient):
            named = {
                self.gradient_roles[k]: v for k, v in given.items() if k in self.gradient_roles
            }
            first = (labels, scores) if self.labels_first else (scores, labels)
            return call(scores), self.gradient(*first, **named)
        return self.framework.value_and_gradient(call, scores)

    def _given(self, question: Question, reduction: Reduction | None) -> dict[str, Any]:
        taken = {*self.when_made, *self.when_called}
        given: dict[str, Any] = {}
        if "reduction" in taken and reduction is not None:
            given["reduction"] = self.convention.reduction_names.get(reduction, reduction)
        if "dtype" in taken:
            given["dtype"] = str(question.scores.dtype)
        for name in GIVEN:
            value = getattr(question, name)
            if name in taken and value is not None:
                given[name] = (
                    self.framework.array(value) if isinstance(value, np.ndarray) else value
                )
        return given

    def _labels(self, question: Question) -> Any:
        encoding = question.encoding or self.convention.encodings[0]
        if encoding == "index":
            return question.y.astype(question.label_dtype)
        rows = np.zeros(question.scores.shape, question.scores.dtype)
        rows[np.arange(question.n), question.y] = 1
        return rows if encoding == "one-hot" else 2 * rows - 1


def _one_score(question: Question, convention: LossConvention) -> Any:
    if convention.single_score and question.d == 2:
        return question.scores[:, 1] - question.scores[:, 0]
    return question.scores


def _parameters(function: Any) -> list[str]:
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []


def _call_parameters(function: Any, is_class: bool) -> list[str]:
    """Of a function itself; of a loss object, or of those a class makes, what it is called with (torch: forward)."""
    if is_class:
        return _parameters(getattr(function, "forward", None) or function.__call__)[1:]
    return _parameters(getattr(function, "forward", None) or function)


def _roles(names: list[str]) -> dict[str, str]:
    """role -> the parameter's name."""
    return {
        role: next(word for word in words if word in names)
        for role, words in ROLES.items()
        if any(word in names for word in words)
    }


def _name_of(function: Any) -> str:
    named = getattr(function, "__qualname__", None) or type(function).__qualname__
    module = getattr(function, "__module__", None) or type(function).__module__
    return (
        f"{str(module).partition('.')[0]}.{named}"
        if module not in (None, "builtins")
        else str(named)
    )
