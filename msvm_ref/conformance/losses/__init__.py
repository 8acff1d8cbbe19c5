"""The oracle for loss functions: exact values and subdifferentials, the checks, and the diagnosis."""
