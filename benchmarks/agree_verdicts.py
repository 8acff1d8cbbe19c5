"""Write the verdicts on the papers' experiments, as the committed results give them, into the ledger's golden file.

    msvm-ref study export msvm_ref/studies/experiments/results --store all.sqlite
    python benchmarks/agree_verdicts.py

The verdicts on the papers' mathematics are left as they are: those change for a reason one has to look at.
"""

from __future__ import annotations

import json
from pathlib import Path

import msvm_ref.studies.papers as papers
from msvm_ref.studies.papers import ledger


def main() -> None:
    agreed = ledger.expected()
    verdicts = {}
    for claim in ledger.all_claims():
        before = agreed.get(claim.id)
        verdicts[claim.id] = str(claim.decide().verdict) if claim.experiment else before
        if verdicts[claim.id] != before:
            print(f"{claim.id}: {verdicts[claim.id]}, was {before}")
    path = Path(papers.__file__).with_name("expected.json")
    path.write_text(json.dumps(verdicts, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
