"""The studies by name."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from msvm_ref.errors import DataError
from msvm_ref.studies.experiments import fh, hl, uv, uv_circles, zdo
from msvm_ref.studies.experiments.study import Contender, Source, Study

STUDIES: dict[str, Study] = {
    study.name: study
    for studies in (uv.STUDIES, uv_circles.STUDIES, hl.STUDIES, fh.STUDIES, zdo.STUDIES)
    for study in studies
}


def study_named(name: str) -> Study:
    if name in STUDIES:
        return STUDIES[name]
    raise DataError("study", f"be one of {', '.join(STUDIES)}", repr(name), _near(name, STUDIES))


def sources_named(study: Study, names: list[str]) -> list[Source]:
    """By the paper's label or the table's name (all that are made of it), in any case; all of them for none."""
    known: dict[str, list[Source]] = {}
    for source in study.sources:
        names_of = {source.label.lower(), source.table, source.table.removesuffix("_uci")}
        for name in names_of:
            known.setdefault(name, []).append(source)
    chosen: list[Source] = []
    for name in names:
        if name.lower() not in known:
            raise DataError(
                "data set",
                f"be one of {study.name}'s: {', '.join(dict.fromkeys(s.table for s in study.sources))}",
                repr(name),
                _near(name.lower(), known),
            )
        chosen += known[name.lower()]
    return list(dict.fromkeys(chosen)) or list(study.sources)


def contenders_named(study: Study, names: list[str]) -> list[Contender]:
    known = {c.label.lower(): c for c in study.contenders}
    for name in names:
        if name.lower() not in known:
            raise DataError(
                "machine",
                f"be one of {study.name}'s: {', '.join(c.label for c in study.contenders)}",
                repr(name),
                _near(name.lower(), known),
            )
    return [known[name.lower()] for name in dict.fromkeys(names)] or list(study.contenders)


def _near(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, list(known), 1)
    return f"did you mean {near[0]}?" if near else ""
