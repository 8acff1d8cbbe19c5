"""Every reader of foreign text as a function of bytes that raises nothing, beside a few texts it accepts.

A typed refusal (MsvmError) is what a reader is for; anything else that leaves one of these functions is a bug.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import msvm_ref as mr
from msvm_ref.commands.inputs import read_claim
from msvm_ref.commands.kernel_option import kernel as kernel_named
from msvm_ref.commands.vectors import BUNDLED
from msvm_ref.conformance.badge import main as badge_of
from msvm_ref.conformance.command import CommandSolver
from msvm_ref.conformance.fitted import labels_at, read, scores_at
from msvm_ref.conformance.process import CommandError
from msvm_ref.conformance.vectors_run import answer_errors
from msvm_ref.conformance.vectors_verify import main as verify_vectors
from msvm_ref.conformance.verdicts import CheckFailed
from msvm_ref.datasets.tables import read_points, read_table
from msvm_ref.estimator.model_file import digest
from msvm_ref.estimator.saved import SavedModel
from msvm_ref.fisher.check_counterexample import verify_counterexample
from msvm_ref.fisher.check_proof import verify_proof
from msvm_ref.foreign import parsed_json, rational
from tests.small_problems import blobs

X, Y = blobs(3)


@dataclass(frozen=True)
class Reader:
    """``read`` takes whatever bytes; ``samples`` are accepted; ``repaired`` mends a changed JSON object as a forger would."""

    read: Callable[[bytes], None]
    samples: tuple[bytes, ...]
    json: bool = True
    repaired: Callable[[object], object] = lambda value: value


def text(value: object) -> bytes:
    return json.dumps(value).encode()


@contextlib.contextmanager
def written(content: bytes, suffix: str) -> Iterator[str]:
    handle, name = tempfile.mkstemp(suffix, dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    try:
        with open(handle, "wb") as stream:
            stream.write(content)
        yield name
    finally:
        os.unlink(name)


REFUSED = contextlib.suppress(mr.MsvmError)
QUIET = (
    lambda: contextlib.redirect_stdout(io.StringIO()),
    lambda: contextlib.redirect_stderr(io.StringIO()),
)


def read_csv(content: bytes) -> None:
    with written(content, ".csv") as name:
        for target in (None, "label"):
            with REFUSED:
                read_table(name, target)
        for names in (None, ["a", "b"]):
            with REFUSED:
                read_points(name, 2, names)


def read_npz(content: bytes) -> None:
    with written(content, ".npz") as name:
        with REFUSED:
            read_table(name)
        with REFUSED:
            read_points(name, 2)


def read_model(content: bytes) -> None:
    with written(content, ".json") as name, REFUSED:
        model = SavedModel.load(name)
        model.decision_function(np.zeros((1, model.problem.X.shape[1])))
        assert model.statement
        model.verify()


def read_vectors(content: bytes) -> None:
    with written(content, ".json") as name, QUIET[0](), QUIET[1]():
        assert verify_vectors([name]) in (0, 1, 2)


def read_proof(content: bytes) -> None:
    with REFUSED:
        evidence = parsed_json(content.decode("utf-8", "replace"), "evidence")
        with REFUSED:
            verify_proof(mr.RM(), evidence)
        for mode in ("closed", "open"):
            with REFUSED:
                verify_counterexample(mr.ATS, evidence, mode)


def read_embedded(content: bytes) -> None:
    with REFUSED:
        mr.fisher.EmbeddedLoss.from_json(content.decode("utf-8", "replace"))


def read_report(content: bytes) -> None:
    with written(content, ".json") as name, QUIET[0](), QUIET[1]():
        assert badge_of([name, os.devnull]) in (0, 2)


class Printed(CommandSolver):
    """A program whose output is given."""

    def __init__(self, printed: bytes) -> None:
        super().__init__("program", timeout=1.0)
        self.printed = printed

    def _ask(self, question: str) -> bytes:
        return self.printed


def read_output(content: bytes) -> None:
    with contextlib.suppress(CommandError, mr.DataError, CheckFailed):
        fitted = read(Printed(content).fit(X[:3], [0, 1, 2], 1.0))
        for known, ask in ((fitted.decision_function, scores_at), (fitted.predict, labels_at)):
            if known is not None:
                with contextlib.suppress(CheckFailed):
                    ask(fitted, X[:3])


def document(key: str) -> dict:
    return json.loads((BUNDLED / f"{key}.json").read_text())


VECTOR = next(v for v in document("WW")["vectors"] if v["id"] == "WW-free-linear-d3-weighted")


def read_answer(content: bytes) -> None:
    with contextlib.suppress(mr.MsvmError, ValueError, OverflowError):
        answer = parsed_json(content.decode("utf-8", "replace"), "answer", constants=True)
        if isinstance(answer, dict):
            answer_errors(VECTOR, answer)


def read_claims(content: bytes) -> None:
    with written(content, ".json") as name, REFUSED:
        problem, given = read_claim(name)
        mr.certify(problem, **given)


def read_words(content: bytes) -> None:
    words = content.decode("utf-8", "replace")
    for use in (
        lambda: rational(words, "x"),
        lambda: mr.machine_named(words),
        lambda: kernel_named(words),
        lambda: mr.conventions.convention_named(words, mr.WW),
    ):
        with REFUSED, contextlib.suppress(argparse.ArgumentTypeError):
            use()


def archive(**arrays: object) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def packed(**arrays: object) -> bytes:
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


def models() -> Iterator[bytes]:
    for machine, kernel, bias in (
        ("WW", "linear", "penalized"),
        ("CS", mr.rbf(0.5), "none"),
        ("ATS", mr.polynomial(2), "free"),
    ):
        fitted = mr.MulticlassSVC(machine, kernel=kernel, bias=bias, method="primal").fit(
            X[:6], Y[:6]
        )
        names = ["a", "b", "c"] if bias == "none" else None
        yield text(SavedModel.of(fitted.solution_, ["x", "y", "z"], 1e-6, names).to_dict())


def signed(record: object) -> object:
    """With the digest of what it holds: a forger computes it, too."""
    if isinstance(record, dict) and "sha256" in record:
        with contextlib.suppress(TypeError, ValueError, RecursionError):
            return record | {"sha256": digest(record)}
    return record


def small_documents() -> Iterator[bytes]:
    for key in ("WW", "MMR", "RM-1-4"):
        whole = document(key)
        valid = [v for v in whole["vectors"] if v["result"] == "valid"]
        best = min(valid, key=lambda v: len(json.dumps(v)))
        free = min((v for v in valid if v["bias"] == "free"), key=lambda v: len(json.dumps(v)))
        base = next(v["problem"] for v in whole["vectors"] if v["result"] == "invalid")
        ids = {best["id"], free["id"], base}
        kept = [v for v in whole["vectors"] if v["id"] in ids or v.get("problem") in ids]
        yield text(whole | {"vectors": kept})


def proofs() -> Iterator[bytes]:
    yield text(mr.fisher_consistency(mr.RM(), 3).proof.to_dict())
    yield text(mr.fisher_consistency(mr.ATS, 4).counterexample.to_dict())


def embedded() -> Iterator[bytes]:
    for machine in (mr.WW, mr.CS):
        yield mr.fisher.embedded_loss(machine, 3).to_json().encode()


def reports() -> Iterator[bytes]:
    records = [{"name": "check_C", "status": status} for status in ("passed", "expected failure")]
    for worst in (1e-7, None):
        yield text({"solvers": [{"records": records, "worst_error": worst}]})


def outputs() -> Iterator[bytes]:
    rows = [[0.5, -0.25, 0.0]] * 3
    yield text({"W": rows, "b": [0.0, 1.0, -1.0], "converged": True, "objective": 1.5})
    yield text({"alpha": rows, "scores": rows, "coef": rows, "classes": [0, 1, 2]})
    yield text({"W": rows, "scores_new": rows * 2 + rows[:1], "predict_new": [0, 1, 2, 0, 1, 2, 0]})
    yield text({"error": "no"})


def answers() -> Iterator[bytes]:
    yield text({"W": VECTOR["W"], "b": VECTOR["b"], "alpha": VECTOR["alpha"]})
    yield text({"W": [[0.5, 0, -1]] * len(VECTOR["W"]), "b": None})


def claims() -> Iterator[bytes]:
    problem = {"machine": "WW", "C": 1.0, "bias": "free", "X": X[:6].tolist(), "y": Y[:6].tolist()}
    yield text(problem | {"W": [[0.0] * 3] * 3, "b": [0.0] * 3, "sample_weight": [1.0] * 6})
    yield text(problem | {"alpha": [[0.0] * 3] * 6, "kernel": "rbf:0.5", "classes": [0, 1, 2]})
    yield text(problem | {"scores": [[0.0] * 3] * 6, "cost": "quadratic", "kernel": "polynomial:2"})


TABLES = (
    b"a,b,label\n1,2,x\n3,-4.5e1,y\n0.5,1e-3,x\n",
    b"1,2,0\n3,4,1\n",
    '\ufeffa,b,label\r\n1,2,"ü,ß"\r\n3,4,""\r\n'.encode(),
)
ARCHIVES = (
    archive(X=np.eye(2), y=np.array([0, 1])),
    packed(X=np.arange(4).reshape(2, 2), y=np.array(["a", "b"])),
)
WORDS = (b"RM(1/4)", b"WW", b"polynomial:3:1:0.5", b"rbf:0.5", b"margin2", b"HL(4)", b"-2.5e-3")

READERS: dict[str, Callable[[], Reader]] = {
    "csv": lambda: Reader(read_csv, TABLES, json=False),
    "npz": lambda: Reader(read_npz, ARCHIVES, json=False),
    "model": lambda: Reader(read_model, tuple(models()), repaired=signed),
    "vectors": lambda: Reader(read_vectors, tuple(small_documents())),
    "proof": lambda: Reader(read_proof, tuple(proofs())),
    "embedded": lambda: Reader(read_embedded, tuple(embedded())),
    "report": lambda: Reader(read_report, tuple(reports())),
    "output": lambda: Reader(read_output, tuple(outputs())),
    "answer": lambda: Reader(read_answer, tuple(answers())),
    "claim": lambda: Reader(read_claims, tuple(claims())),
    "words": lambda: Reader(read_words, WORDS, json=False),
}
"""By name; made on demand, since some samples are solved first."""

CRASHED = Path(__file__).parent / "crashed"
"""What once crashed a reader, kept small: READER-what.bin."""
