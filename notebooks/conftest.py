"""Kernels talk through files of this process: a port that was free when chosen can be taken before the kernel opens it."""

from functools import partialmethod
from tempfile import TemporaryDirectory

from nbclient import NotebookClient
from traitlets.config import Config

folder = TemporaryDirectory()
files = Config({"KernelManager": {"transport": "ipc", "ip": f"{folder.name}/kernel"}})
NotebookClient.__init__ = partialmethod(NotebookClient.__init__, config=files)  # type: ignore[method-assign, assignment]
