"""``python -m tests.fuzz READER --count 100000``: so many inputs for a reader; status 1 where one crashes, hangs or bloats.

Guided by coverage where atheris is installed (``pip install atheris``), by mutation alone otherwise or with ``--plain``.
The input that did it is written to tests/fuzz/crashed/ and is from then on a test.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
import tempfile
import traceback
from pathlib import Path

INSTRUMENTED = [
    "msvm_ref.foreign",
    "msvm_ref.datasets",
    "msvm_ref.estimator.model_file",
    "msvm_ref.estimator.recheck",
    "msvm_ref.estimator.saved",
    "msvm_ref.conformance.badge",
    "msvm_ref.conformance.command",
    "msvm_ref.conformance.fitted",
    "msvm_ref.conformance.adapters",
    "msvm_ref.conformance.vectors_run",
    "msvm_ref.conformance.vectors_verify",
    "msvm_ref.conformance.verifier",
    "msvm_ref.fisher.check_counterexample",
    "msvm_ref.fisher.check_data",
    "msvm_ref.fisher.check_embedded",
    "msvm_ref.fisher.embedded",
    "msvm_ref.fisher.machine_json",
    "msvm_ref.fisher.check_proof",
    "msvm_ref.model.arrays",
    "msvm_ref.model.catalogue",
    "msvm_ref.model.conventions",
    "msvm_ref.model.kernels",
    "msvm_ref.model.machine",
    "msvm_ref.model.problem",
    "msvm_ref.commands.inputs",
]
"""Modules whose branches guide the search."""


STOPPED = 3600
"""Seconds by the clock after which libFuzzer gives up; a process may be stopped meanwhile, ``limited`` counts its work."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument(
        "reader",
        help="csv, npz, model, vectors, proof, embedded, report, output, answer, claim or words",
    )
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--plain", action="store_true", help="no coverage guidance")
    options = parser.parse_args()
    try:
        import atheris
    except ImportError:
        atheris = None
    if options.plain or atheris is None:
        return plain(options)
    return guided(options, atheris)


def plain(options: argparse.Namespace) -> int:
    from tests.fuzz.drive import bound_memory, drive
    from tests.fuzz.readers import READERS

    reader = READERS[options.reader]()
    bound_memory()
    failure = drive(reader, options.count, options.seed, lambda line: print(line, flush=True))
    if failure is None:
        print(f"{options.reader}: {options.count} inputs, nothing but typed refusals")
        return 0
    content, error = failure
    traceback.print_exception(error)
    print(f"written to {kept(options.reader, content)}")
    return 1


def guided(options: argparse.Namespace, atheris: object) -> int:
    with atheris.instrument_imports(include=INSTRUMENTED, enable_loader_override=False):  # type: ignore[attr-defined]
        from tests.fuzz.drive import ROOM, bound_memory, limited
        from tests.fuzz.mutate import mutated_bytes, mutated_json
        from tests.fuzz.readers import READERS

    reader = READERS[options.reader]()

    def one(content: bytes) -> None:
        try:
            with limited():
                reader.read(content)
        except BaseException:
            print(f"written to {kept(options.reader, content)}", flush=True)
            raise

    def mutate(content: bytes, longest: int, seed: int) -> bytes:
        random_ = random.Random(seed)
        if reader.json and random_.random() < 0.7:
            changed = mutated_json(reader, content, random_)
            if changed is not None:
                return changed[:longest]
        if random_.random() < 0.5:
            return mutated_bytes(content, random_.choice(reader.samples), random_)[:longest]
        return bytes(atheris.Mutate(content, longest))  # type: ignore[attr-defined]

    with tempfile.TemporaryDirectory() as folder:
        for k, sample in enumerate(reader.samples):
            (Path(folder) / f"sample{k}").write_bytes(sample)
        line = [
            sys.argv[0],
            f"-runs={options.count}",
            f"-seed={options.seed + 1}",
            f"-timeout={STOPPED}",
            f"-rss_limit_mb={ROOM // 2**20}",
            f"-max_len={max(4096, 2 * max(map(len, reader.samples)))}",
            "-print_final_stats=1",
            f"-artifact_prefix={folder}/",
            folder,
        ]
        bound_memory()
        atheris.Setup(line, one, custom_mutator=mutate)  # type: ignore[attr-defined]
        atheris.Fuzz()  # type: ignore[attr-defined]
    return 0


def kept(reader: str, content: bytes) -> Path:
    from tests.fuzz.readers import CRASHED

    CRASHED.mkdir(exist_ok=True)
    path = CRASHED / f"{reader}-{hashlib.sha256(content).hexdigest()[:12]}.bin"
    path.write_bytes(content)
    return path


if __name__ == "__main__":
    sys.exit(main())
