"""What the papers say and show, computed again: claims, circles, regimes, comparisons, and the demo."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
