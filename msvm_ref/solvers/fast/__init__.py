"""Fast solvers for every machine: numba kernels and a thin driver each."""
