"""A few lines for each library: f(X, y, C, **settings) -> {"W", "b", "predict", "converged"} or {"pairs", "predict"}.

C is the library's own constant. ``pairs``: for each pair of classes a < b the weights of one score whose sign votes for b.
"""
