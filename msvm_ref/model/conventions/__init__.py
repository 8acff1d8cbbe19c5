"""Exact maps between papers, libraries and us: the literals, and the ``Convention`` they are made of."""

from msvm_ref.model.conventions.literals import *  # noqa: F403
from msvm_ref.model.conventions.literals import __all__
