"""What the command line offers beyond ``solve``, ``machines`` and ``demo``: one module per family of commands."""
