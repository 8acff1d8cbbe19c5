"""Losses of every machine, and of the softmax family, in whatever arrays you use: ``loss`` and ``subgradient``."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
