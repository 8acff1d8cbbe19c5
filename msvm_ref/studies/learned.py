"""What each machine learns: its embedded loss, the standard targets it serves, and its regret constant, in one table.

Two questions are kept apart. *argmax is Bayes*: the largest score names a most likely class, for every P and every minimiser
(``fisher_consistency``, closed). *0-1 through a link*: some function of the scores does (``consistent_for``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from msvm_ref.fisher.embedded import EmbeddedLoss
from msvm_ref.fisher.embedding import embedded_loss
from msvm_ref.fisher.regret import RegretConstant, regret_constant
from msvm_ref.fisher.target_consistency import consistent_for
from msvm_ref.fisher.targets import standard_targets
from msvm_ref.model.machine import Machine


@dataclass(frozen=True)
class Learned:
    """Everything the table says about one machine; ``served``: the standard targets it is consistent for."""

    machine: Machine
    d: int
    embedded: EmbeddedLoss
    regret: RegretConstant
    served: tuple[str, ...]

    @property
    def argmax(self) -> bool:
        """Is the largest score a most likely class, for every P and every minimiser?"""
        return self.regret.argmax

    @property
    def link(self) -> bool:
        """Is there a link to the 0-1 loss?"""
        return "0-1" in self.served

    def verify(self) -> None:
        """Re-prove the embedded loss and the regret constant; the targets' verdicts have verify() of their own."""
        self.embedded.verify()
        self.regret.verify()

    def to_dict(self) -> dict[str, Any]:
        r = self.regret
        return {
            "machine": self.machine.name,
            "d": self.d,
            "learns": self.embedded.name.learns,
            "embeds": self.embedded.name.embeds,
            "reports": self.embedded.count,
            "orbits": [
                {"losses": [str(v) for v in o.losses], "size": o.size, "report": o.report.to_dict()}
                for o in self.embedded.orbits
            ],
            "argmax_is_bayes": self.argmax,
            "0-1_through_a_link": self.link,
            "serves": list(self.served),
            "regret": {
                "by": r.by,
                "kappa": None if r.kappa is None else str(r.kappa),
                "lower": str(r.lower),
                "upper": str(r.upper),
                "calibration": [[str(e), str(v)] for e, v in r.breakpoints],
            },
        }


def learned(machine: Machine, d: int) -> Learned:
    embedded = embedded_loss(machine, d)
    served = tuple(
        target.name
        for target in standard_targets(d)
        if consistent_for(machine, target, d, embedded=embedded)
    )
    return Learned(machine, d, embedded, regret_constant(machine, d, embedded=embedded), served)


def learned_all(
    machines: Iterable[Machine], d: int, progress: Callable[[str], None] = lambda name: None
) -> list[Learned]:
    rows = []
    for machine in machines:
        rows.append(learned(machine, d))
        progress(machine.name)
    return rows


def kappa_text(regret: RegretConstant) -> str:
    """1, or 3 … 4 where the constant is enclosed."""
    return str(regret.kappa) if regret.kappa is not None else f"{regret.lower} … {regret.upper}"


def table(rows: Sequence[Learned], width: int | None = None) -> str:
    """machine -> what it learns; machines that agree in every column share a line. A narrow ``width`` leaves columns out."""
    lines: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        name = row.embedded.name
        whole = f"{name.learns}: {name.embeds}"
        brief = name.kind in SAID or len(whole) > WIDEST or width is not None
        learns = name.learns if brief else whole
        serves = ", ".join(s for s in row.served if s != "0-1") or "-"
        key = (learns, str(row.embedded.count), _through(row), serves)
        lines.setdefault(key, []).append(row.machine.name)
    titles = (
        "machine",
        f"what it learns at d = {rows[0].d}",
        "reports",
        "0-1 through",
        "serves also",
    )
    body = [(", ".join(names), *key) for key, names in lines.items()]
    widths = [max(len(line[i]) for line in [titles, *body]) for i in range(len(titles))]
    shown = dict(enumerate(widths))
    for spare in SPARE:
        if width is not None and sum(w + 2 for w in shown.values()) - 2 > width:
            del shown[spare]
    return "\n".join(
        "  ".join(line[i].ljust(w) for i, w in shown.items()).rstrip() for line in [titles, *body]
    )


def _through(row: Learned) -> str:
    """What leads from the scores to the most likely class: argmax, with its constant; only some other link; nothing."""
    if row.argmax:
        return f"argmax, κ = {kappa_text(row.regret)}"
    return "a link, not argmax" if row.link else "no link"


SPARE = (2, 4)
"""Columns that a narrow terminal goes without, the first of them first."""
SAID = ("nothing", "partitions")
"""Kinds whose words say what is embedded."""
WIDEST = 66
"""What is embedded is left out where it makes the column wider; it is in the JSON and under the machine's own name."""
