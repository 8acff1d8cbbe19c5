"""Fast solvers for every machine: numba kernels and a thin driver each."""

from msvm_ref.solvers.compiled import drop_stale_kernels

drop_stale_kernels(__file__)
