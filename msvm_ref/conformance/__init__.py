"""For other people's code: checks, adapters, diagnosis, fixtures; names load on first use."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
