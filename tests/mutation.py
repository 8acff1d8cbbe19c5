"""Mutation testing: ``python tests/mutation.py [words ...]`` puts each mutant of the table into a copy and runs its killer.

    python tests/mutation.py                 all of them; exit status 1 if one survives
    python tests/mutation.py bsvm kkt        those whose file, text or killer has one of the words
    python tests/mutation.py --list          the table, nothing run
    python tests/mutation.py --jobs 2        in two copies at a time; --trust: killers are known to pass, mutants only

A killer is first run on the copy as it is, and has to pass. A mutant is killed where its killer fails by a test (an error
while tests are collected does not count, and neither does running out of time). Kernels run as plain Python
(NUMBA_DISABLE_JIT), so that a mutant of a kernel dies in seconds. Hypothesis draws the examples of its ``ci`` profile.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.mutation_table import MUTANTS, Mutant  # noqa: E402

COPIED = ("msvm_ref", "tests", "properties", "docs", "pyproject.toml", "README.md", "CHANGELOG.md")
SECONDS = 900
"""For one killer."""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("words", nargs="*", help="only mutants with one of these words")
    parser.add_argument("--list", action="store_true", help="print the table and run nothing")
    parser.add_argument("--jobs", type=int, default=1, help="how many copies work at a time")
    parser.add_argument("--trust", action="store_true", help="do not run killers without a mutant")
    options = parser.parse_args()
    chosen = [
        m for m in MUTANTS if not options.words or any(w in " ".join(m) for w in options.words)
    ]
    if options.list:
        for mutant in chosen:
            print(f"{mutant.file}: {told(mutant)}  [{mutant.killer}]")
        return 0
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copies = [made_copy(Path(folder) / str(k)) for k in range(max(options.jobs, 1))]
        with ThreadPoolExecutor(len(copies)) as pool:
            shares = [chosen[k :: len(copies)] for k in range(len(copies))]
            outcomes = pool.map(lambda c, share: run_all(c, share, options.trust), copies, shares)
            return report([outcome for share in outcomes for outcome in share])


def made_copy(copy: Path) -> Path:
    copy.mkdir()
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, copy / name)
    return copy


def run_all(copy: Path, chosen: list[Mutant], trust: bool = False) -> list[tuple[Mutant, str]]:
    """(mutant, "killed" or why not) for each, told as it comes."""
    sound = {(m.killer, compiled_code(m)): "survived" for m in chosen if trust}
    outcomes = []
    for mutant in chosen:
        start, plain = time.perf_counter(), compiled_code(mutant)
        key = (mutant.killer, plain)
        if key not in sound:
            sound[key] = outcome_of(copy, *key)
        verdict = "its killer does not pass on the code as it is"
        if sound[key] == "survived":
            verdict = tried(copy, mutant, plain)
        outcomes.append((mutant, verdict))
        seconds = time.perf_counter() - start
        print(f"{verdict:<9} {seconds:5.0f} s  {mutant.file}: {told(mutant)}", flush=True)
    return outcomes


def tried(copy: Path, mutant: Mutant, plain: bool) -> str:
    """The killer's outcome with the mutant in the copy, which is as it was afterwards."""
    path = copy / "msvm_ref" / mutant.file
    text = path.read_text(encoding="utf-8")
    if text.count(mutant.before) != 1:
        return f"its text occurs {text.count(mutant.before)} times"
    path.write_text(text.replace(mutant.before, mutant.after), encoding="utf-8")
    try:
        return outcome_of(copy, mutant.killer, plain)
    finally:
        path.write_text(text, encoding="utf-8")


def outcome_of(copy: Path, killer: str, plain: bool) -> str:
    """ "killed" where a test fails, "survived" where all pass, else what happened."""
    environment = os.environ | {
        "PYTHONPATH": str(copy),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HYPOTHESIS_PROFILE": "ci",
        "OMP_NUM_THREADS": "1",
        "NUMBA_DISABLE_JIT": "1" if plain else "0",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider"]
    try:
        done = subprocess.run(
            [*command, *shlex.split(killer)],
            cwd=copy,
            env=environment,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "timed out"
    if done.returncode in (0, 1):
        return "survived" if done.returncode == 0 else "killed"
    return f"pytest exit status {done.returncode}: {done.stdout.strip()[-300:]}"


def compiled_code(mutant: Mutant) -> bool:
    """lanes.py says itself what is emitted, and runs only where it is compiled."""
    kernels = mutant.file.startswith(("solvers/fast/", "solvers/classic/"))
    return kernels and mutant.file != "solvers/fast/lanes.py"


def told(mutant: Mutant) -> str:
    def short(text: str) -> str:
        return " ".join(text.split())

    return f"{short(mutant.before)}  ->  {short(mutant.after)}"


def report(outcomes: list[tuple[Mutant, str]]) -> int:
    alive = [(mutant, verdict) for mutant, verdict in outcomes if verdict != "killed"]
    print(f"\n{len(outcomes)} mutants, {len(outcomes) - len(alive)} killed, {len(alive)} not")
    for mutant, verdict in alive:
        print(f"  {mutant.file}: {told(mutant)}\n    {verdict}: {mutant.killer}")
    return 1 if alive else 0


if __name__ == "__main__":
    raise SystemExit(main())
