"""``python -m msvm_ref``: the command line."""

from msvm_ref.cli import run

run()
