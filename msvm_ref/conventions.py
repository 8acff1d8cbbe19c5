"""Exact maps between papers, libraries and us: the public name of ``msvm_ref.model.conventions``."""

from msvm_ref.model.conventions import *  # noqa: F403
from msvm_ref.model.conventions import __all__  # noqa: F401
