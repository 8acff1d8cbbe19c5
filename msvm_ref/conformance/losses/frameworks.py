"""Arrays of numpy, torch, jax, keras, tensorflow and paddle made from numpy's, and their own automatic gradients.

A framework is imported when a function that needs it is checked, and never else.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from msvm_ref.errors import DataError

Call = Callable[[Any], Any]


class Framework:
    """numpy: arrays as they are, and no gradient but one that is given. ``array`` gets memory of its own each time."""

    name = "numpy"
    differentiates = False

    has_strides = True
    poisons = False
    dtype = "float64"
    """What it computes in unless told otherwise; the checks of values use it."""

    def array(self, values: Any) -> Any:
        return values

    def numpy(self, value: Any) -> Any:
        return value

    def value_and_gradient(self, call: Call, scores: Any) -> tuple[Any, Any]:
        raise NotImplementedError

    @contextlib.contextmanager
    def setting(self, poisoned: bool = False) -> Iterator[None]:
        """Around a call. ``poisoned``: with memory that was never written filled with NaN, where the framework can."""
        yield


class Torch(Framework):
    name, differentiates = "torch", True
    poisons = True

    def __init__(self) -> None:
        self.torch = importlib.import_module("torch")

    @contextlib.contextmanager
    def setting(self, poisoned: bool = False) -> Iterator[None]:
        before = self.torch.are_deterministic_algorithms_enabled()
        warns = self.torch.is_deterministic_algorithms_warn_only_enabled()
        if poisoned:
            self.torch.use_deterministic_algorithms(True, warn_only=True)
        try:
            yield
        finally:
            self.torch.use_deterministic_algorithms(before, warn_only=warns)

    def array(self, values: Any) -> Any:
        return self.torch.from_numpy(values)

    def numpy(self, value: Any) -> Any:
        return value.detach().cpu().numpy() if isinstance(value, self.torch.Tensor) else value

    def value_and_gradient(self, call: Call, scores: Any) -> tuple[Any, Any]:
        leaf = scores.detach().requires_grad_(True)
        value = call(leaf)
        (gradient,) = self.torch.autograd.grad(value.sum(), leaf)
        return value, gradient


class Jax(Framework):
    name, differentiates = "jax", True
    has_strides = False

    def __init__(self) -> None:
        self.jax = importlib.import_module("jax")

    @contextlib.contextmanager
    def setting(self, poisoned: bool = False) -> Iterator[None]:
        """With float64, which jax has only on demand."""
        on = getattr(self.jax, "enable_x64", None)
        if on is None:  # before jax 0.8
            on = importlib.import_module("jax.experimental").enable_x64
        with on(True):
            yield

    def array(self, values: Any) -> Any:
        return self.jax.numpy.asarray(values)

    def numpy(self, value: Any) -> Any:
        return np.asarray(value) if isinstance(value, self.jax.Array) else value

    def value_and_gradient(self, call: Call, scores: Any) -> tuple[Any, Any]:
        value, pull = self.jax.vjp(call, scores)
        return value, pull(self.jax.numpy.ones_like(value))[0]


class TensorFlow(Framework):
    name, differentiates = "tensorflow", True
    has_strides = False

    def __init__(self) -> None:
        self.tf = importlib.import_module("tensorflow")

    def array(self, values: Any) -> Any:
        return self.tf.constant(values)

    def numpy(self, value: Any) -> Any:
        return value.numpy() if hasattr(value, "numpy") else value

    def value_and_gradient(self, call: Call, scores: Any) -> tuple[Any, Any]:
        with self.tf.GradientTape() as tape:
            tape.watch(scores)
            value = call(scores)
            total = self.tf.reduce_sum(value)
        return value, self.tf.convert_to_tensor(tape.gradient(total, scores))


class Paddle(Framework):
    name, differentiates = "paddle", True
    has_strides = False

    def __init__(self) -> None:
        self.paddle = importlib.import_module("paddle")
        self.dtype = str(self.paddle.get_default_dtype())

    def array(self, values: Any) -> Any:
        return self.paddle.to_tensor(values)

    def numpy(self, value: Any) -> Any:
        return value.numpy() if hasattr(value, "numpy") else value

    def value_and_gradient(self, call: Call, scores: Any) -> tuple[Any, Any]:
        scores.stop_gradient = False
        value = call(scores)
        (gradient,) = self.paddle.grad(value.sum(), scores)
        return value, gradient


class Keras(Framework):
    """Keras 3 on the backend it is set to; the gradient is that backend's."""

    name = "keras"

    def __init__(self) -> None:
        self.keras = importlib.import_module("keras")
        backend = self.keras.config.backend()
        if backend not in ("torch", "jax", "tensorflow"):
            raise DataError("keras", "run on torch, jax or tensorflow", f"backend {backend!r}")
        self.backend = {"torch": Torch, "jax": Jax, "tensorflow": TensorFlow}[backend]()
        self.differentiates, self.has_strides = True, self.backend.has_strides
        self.poisons, self.dtype = self.backend.poisons, self.keras.config.floatx()

    def setting(self, poisoned: bool = False) -> Any:
        return self.backend.setting(poisoned)

    def array(self, values: Any) -> Any:
        return self.backend.array(values)

    def numpy(self, value: Any) -> Any:
        return self.backend.numpy(value)

    def value_and_gradient(self, call: Call, scores: Any) -> tuple[Any, Any]:
        return self.backend.value_and_gradient(call, scores)


FRAMEWORKS: dict[str, type[Framework]] = {
    "numpy": Framework,
    "torch": Torch,
    "jax": Jax,
    "keras": Keras,
    "tensorflow": TensorFlow,
    "paddle": Paddle,
}
ROOTS = {"optax": "jax", "flax": "jax", "torch": "torch", "jax": "jax", "jaxlib": "jax"} | {
    name: name for name in ("keras", "tensorflow", "paddle")
}
INSTALL = {
    "torch": "pip install torch",
    "jax": "pip install jax",
    "optax": "pip install optax",
    "keras": "pip install keras, with torch, jax or tensorflow (KERAS_BACKEND)",
    "tensorflow": "pip install tensorflow",
    "paddle": "pip install paddlepaddle",
}


def framework_named(name: str) -> Framework:
    """The framework of that name, imported; DataError with the remedy where it is unknown or missing."""
    if name not in FRAMEWORKS:
        raise DataError("framework", f"be one of {', '.join(FRAMEWORKS)}", repr(name))
    try:
        return FRAMEWORKS[name]()
    except ImportError as error:
        raise DataError(name, "be installed", str(error), INSTALL.get(name, "")) from error


def framework_of(function: Any) -> str:
    """The framework a function belongs to by its module, or by the bases of its class; numpy where nothing says otherwise."""
    kind = function if isinstance(function, type) else type(function)
    modules = [getattr(function, "__module__", None), *(base.__module__ for base in kind.__mro__)]
    for module in modules:
        root = str(module).partition(".")[0]
        if root in ROOTS:
            return ROOTS[root]
    return "numpy"
