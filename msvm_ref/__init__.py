"""msvm_ref: the reference for multi-class SVMs.

Declare a machine as data, pose a ``Problem``, ``solve`` it with a certificate, and ``certify`` anybody's answer.
Names load on first use (``__init__.pyi`` lists them), so importing the package loads neither cvxpy nor numba.
"""

import lazy_loader as lazy

__version__ = "0.2.0"

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
