"""What a machine learns: Fisher consistency decided exactly, risk minimisers, their proofs and checkers."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
