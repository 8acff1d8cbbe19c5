"""What every picture shares: the colours, and the one import of matplotlib."""

from __future__ import annotations

import os
import sys
from typing import Any

from msvm_ref.errors import BackendError

COLORS = ("#3b6fb6", "#3f9b55", "#c9473c")
"""Classes 1, 2, 3: blue, green and red, as in the Unified View."""
INK = "#222222"


def pyplot() -> Any:
    """matplotlib.pyplot, imported on first use; without it a BackendError names the command that installs it."""
    try:
        import matplotlib

        if (
            "matplotlib.pyplot" not in sys.modules and "MPLBACKEND" not in os.environ
        ):  # nobody chose: a screen is not needed
            matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise BackendError(
            "matplotlib",
            "be installed for pictures",
            "no matplotlib",
            "install it with: pip install matplotlib",
        ) from error
    return plt
