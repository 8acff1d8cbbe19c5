"""Is W = 0 the solution? Multipliers that show it, where components share a slack and tie at W = 0.

There every violation is its gamma, and an optimal alpha lies on the components whose gamma is the example's largest:

    alpha_ip = C_i w_ip,   w >= 0,   sum_p w_ip = 1,   sum_ip alpha_ip (Pi nu_p) phi_i' = 0     (phi with a 1 for a bias)

Such w are many, and the one of largest entropy is a softmax, w_ip ~ exp<Pi nu_p, L phi_i>: a guess at it (``guess``) misses the
last equation by a little. One Newton step of its entropy, w_ip (1 + s_ip - sum_q w_iq s_iq) with s_ip = <Pi nu_p, L phi_i>,
taken linearly, meets all the equations to rounding. Where it stays nonnegative it is the proof, and the judge reads it.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import lstsq

from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem

MOST = 10**7
"""Numbers in the largest array made here."""


def balancing(problem: Problem, weight: Array) -> Array | None:
    """alpha near C_i ``weight`` with W_alpha = 0 and b = 0, every example at its full cost; None where a sign is lost, or
    where the problem is too large.
    """
    spec, d, (n, q) = problem.spec, problem.d, problem.features.shape
    if max(n, (q + 1) ** 2) * d * d > MOST:
        return None
    phi = problem.dense_features
    if problem.bias != "none":
        phi = np.column_stack([phi, np.ones(n)])
    phi = phi / np.maximum(abs(phi).max(axis=0), 1e-300)  # the equations mind no scale, floats do
    gamma = np.where(spec.mask, spec.gamma, -np.inf)
    tied = (gamma == gamma.max(axis=1, keepdims=True))[problem.y]
    w = np.where(tied, weight + 1e-300, 0.0)
    w /= w.sum(axis=1, keepdims=True)
    nu, rows = spec.projected_nu[problem.y], problem.costs[:, None] * phi
    pull = np.einsum("ip,ipc->ic", w, nu)
    curve = np.einsum("ipc,ipe->ice", w[:, :, None] * nu, nu) - pull[:, :, None] * pull[:, None]
    H = np.array([[phi.T @ (curve[:, c, e, None] * rows) for e in range(d)] for c in range(d)])
    H = H.transpose(0, 2, 1, 3).reshape(d * phi.shape[1], d * phi.shape[1])
    L = lstsq(H, -(pull.T @ rows).ravel(), lapack_driver="gelsy")[0].reshape(d, -1)
    step = np.einsum("ipc,ic->ip", nu, phi @ L.T)
    step -= (w * step).sum(axis=1, keepdims=True)
    kept = bool((w * (1 + step) >= 0).all())
    return problem.costs[:, None] * w * (1 + step) if kept else None
