"""The algorithms of the papers, as published."""

from msvm_ref.solvers.compiled import drop_stale_kernels

drop_stale_kernels(__file__)
