"""The same primal in fewer unknowns: V = Q U with an orthonormal basis Q of everything the problem names.

The hinges that are left name some z_i, the linear pieces a gradient G (one column a class), a tie its t. The part of V
orthogonal to all of these, class by class, appears in 1/2 h ||V||^2 alone, and taking it away keeps V 1 = 0: it is 0 at the
solution. In that basis Z is lower triangular, half of it zeros. Where the h_j differ, or Q is not narrower, V stays as it is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from msvm_ref.model.arrays import Array
from msvm_ref.solvers.presolve import Presolved


def narrowed(
    given: Presolved, examples: NDArray[np.int64], G: Array
) -> tuple[Array, Array, Array, Array | None]:
    """(Z of the examples, G, t, Q), all in the basis Q; as they were where that is None."""
    named = np.concatenate([given.Z[examples], G.T, given.t[None]])
    some = np.abs(named).max(axis=1, initial=0.0) > 0
    if some.sum() > given.Z.shape[1] or (given.h != given.h[:1]).any():
        return given.Z[examples], G, given.t, None
    Q, R = np.linalg.qr(named[some].T)
    named = np.zeros((len(named), Q.shape[1]))
    named[some] = R.T
    return named[: len(examples)], named[len(examples) : -1].T, named[-1], Q
