"""What a problem is: machines, data, kernels, conventions."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__, submodules=["conventions"])
