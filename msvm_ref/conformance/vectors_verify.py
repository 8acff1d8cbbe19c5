"""Verify golden vectors in exact rationals, with the standard library alone: ``python vectors_verify.py FILE.json ...``

A valid vector is accepted when its W, b are feasible, its alpha is feasible, and P(W, b) == D(alpha) exactly: by weak
duality that proves the optimum, whoever computed it. Everything else it says (b_interval, flags, scores, digits) is then
recomputed and compared. An invalid vector is accepted when its candidate is refused by exactly what it says and is what its
reason says it is. Loss vectors (one example: scores, class, loss and subdifferential) are recomputed likewise. The formulas are
those of FORMAT.md; nothing is imported from the rest of the package.

Exit status: 0 everything verified, 1 something refused, 2 a file that cannot be read as vectors.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or __package__:
    from msvm_ref.conformance.verifier.invalid import verify_invalid
    from msvm_ref.conformance.verifier.loss_mistakes import verify_wrong_loss
    from msvm_ref.conformance.verifier.losses import header_misfits, verify_loss
    from msvm_ref.conformance.verifier.machines import MACHINES, label
    from msvm_ref.conformance.verifier.shape import misfits
    from msvm_ref.conformance.verifier.valid import verify_valid
else:  # started as a program, perhaps far from the package: the folder beside it is all it needs
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from verifier.invalid import verify_invalid
    from verifier.loss_mistakes import verify_wrong_loss
    from verifier.losses import header_misfits, verify_loss
    from verifier.machines import MACHINES, label
    from verifier.shape import misfits
    from verifier.valid import verify_valid

FORMAT = "msvm-ref-vectors/1"
LOSS_FORMAT = "msvm-ref-loss-vectors/1"
LONGEST = 2 * 2**20
"""Bytes of the largest file that is read; the published ones have 160 000."""


def verify_document(document: dict[str, Any]) -> list[tuple[str, list[str]]]:
    """(id, faults) of every vector of a file; first ("", faults) where the file itself is refused."""
    vectors, of_losses = document["vectors"], document.get("format") == LOSS_FORMAT
    valid = {str(v.get("id")): v for v in vectors if v.get("result") == "valid"}
    shape: dict[str, Any] = {
        "format": [FORMAT, LOSS_FORMAT],
        "schema": ["schema.json"],
        "machine": [label(name) for name in MACHINES],
        "vectors": list,
    }
    faults = misfits(document, shape | ({"machines": dict} if of_losses else {}), "file")
    if of_losses and (wrong := faults + header_misfits(document)):
        return [("", wrong)] + [(str(v.get("id")), ["its file is refused"]) for v in vectors]
    faults += ["there is no vector"] * (not vectors)
    faults += ["two vectors have the same id"] * (
        len({str(v.get("id")) for v in vectors}) < len(vectors)
    )
    more = (document["machines"],) if of_losses else ()
    prove, refute = (
        (verify_loss, verify_wrong_loss) if of_losses else (verify_valid, verify_invalid)
    )
    out: list[tuple[str, list[str]]] = []
    proved: set[str] = set()
    for name, vector in valid.items():
        refusals = attempted(prove, vector, *more)
        if not refusals:
            proved.add(name)
            if not of_losses and label(vector["machine"]["name"]) != document.get("machine"):
                refusals = [f"its machine is not the file's, {str(document.get('machine'))[:60]!r}"]
        out.append((name, refusals))
    for vector in (v for v in vectors if v.get("result") != "valid"):
        base = str(vector.get("problem"))
        if vector.get("result") != "invalid":
            refusals = ["result is neither valid nor invalid"]
        elif base not in proved:
            known = "refused" if base in valid else "not in the file"
            refusals = [f"its problem, {base[:60]}, is {known}"]
        else:
            refusals = attempted(refute, vector, valid[base], *more)
        out.append((str(vector.get("id")), refusals))
    return [("", faults)] * bool(faults) + out


def attempted(verify: Callable[..., list[str]], *vectors: dict[str, Any]) -> list[str]:
    """The faults found; a vector that leads beyond the limits of the arithmetic is refused like any other, alone."""
    try:
        return verify(*vectors)
    except (ValueError, ArithmeticError, RecursionError) as error:
        return [f"it cannot be verified: {error}"]


def read(path: Path) -> dict[str, Any]:
    """The document in a file; OSError or ValueError (with words for a person) where there is none."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError(f"a key is stated twice among {sorted(name for name, _ in pairs)}")
        return dict(pairs)

    def constant(word: str) -> Any:
        raise ValueError(f"{word} is no JSON number")

    with path.open("rb") as stream:
        content = stream.read(LONGEST + 1)
    if len(content) > LONGEST:
        raise ValueError(f"it has more than {LONGEST} bytes")
    document = json.loads(content.decode("utf-8"), object_pairs_hook=once, parse_constant=constant)
    if not isinstance(document, dict) or document.get("format") not in (FORMAT, LOSS_FORMAT):
        raise ValueError(f"its format is neither {FORMAT!r} nor {LOSS_FORMAT!r}")
    vectors = document.get("vectors")
    if not isinstance(vectors, list) or not all(isinstance(v, dict) for v in vectors):
        raise ValueError("vectors is not a list of objects")
    return document


def verify_file(path: Path) -> list[tuple[str, list[str]]]:
    """``verify_document`` of a file; OSError or ValueError where it cannot be read as one."""
    try:
        return verify_document(read(path))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def main(paths: list[str]) -> int:
    paths = [
        path for path in paths if Path(path).name != "schema.json"
    ]  # so that *.json means the vectors
    if not paths:
        print("usage: python vectors_verify.py FILE.json ...", file=sys.stderr)
        return 2
    count = refused = status = 0
    for path in paths:
        try:
            results = verify_file(Path(path))
        except (OSError, ValueError) as error:
            print(f"{path} is not a vector file: {error}", file=sys.stderr)
            status = 2
            continue
        for name, faults in results:
            count, refused = count + bool(name), refused + bool(name and faults)
            status = max(status, int(bool(faults)))
            for fault in faults:
                print(f"{path}: {name or 'the file'}: {fault}")
    print(f"{count} vectors, {count - refused} verified, {refused} refused")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
