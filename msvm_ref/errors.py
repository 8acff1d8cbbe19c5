"""Every error raised on purpose: what is wrong (name), what was expected, what came, and what to do about it."""

from __future__ import annotations


class MsvmError(Exception):
    """``name must expected, got got: remedy`` with each part kept as an attribute."""

    def __init__(self, name: str, expected: str, got: str, remedy: str = "") -> None:
        self.name, self.expected, self.got, self.remedy = name, expected, got, remedy
        super().__init__(f"{name} must {expected}, got {got}" + (f": {remedy}" if remedy else ""))

    def __reduce__(self) -> tuple[type[MsvmError], tuple[str, str, str, str]]:
        return type(self), (self.name, self.expected, self.got, self.remedy)


class SpecError(MsvmError, ValueError):
    """A machine that is not a machine: a broken margin, aggregation, target or cost."""


class DataError(MsvmError, ValueError):
    """Data, labels, constants or candidates that do not make a problem."""


class BackendError(MsvmError, RuntimeError):
    """No backend, or no backend whose answer the judge could certify."""


class ExactnessError(MsvmError, RuntimeError):
    """No exact optimum within the stated size and time. Nothing approximate is returned in its place."""


class StoreError(MsvmError, RuntimeError):
    """A file of results that cannot be read, or cannot take more: what it holds already is safe."""
