"""Who proposes: the ground truth through cvxpy, fast solvers, the papers' own algorithms, behind one door."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
