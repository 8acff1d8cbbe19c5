"""Mean ranks over data sets and the critical difference between them (Friedman, Nemenyi; Demsar, JMLR 2006)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import studentized_range

from msvm_ref.studies.experiments.statistics import TIE_OF_MEANS, twice_midranks

LEVEL = 0.05


@dataclass(frozen=True)
class MeanRanks:
    """Contenders from best to worst."""

    names: tuple[str, ...]
    ranks: tuple[float, ...]
    """Mean ranks, 1 is best."""
    data_sets: int
    critical: float
    """Mean ranks closer than this do not differ at LEVEL."""

    @property
    def leaders(self) -> tuple[str, ...]:
        """Those that do not differ from the first."""
        return tuple(
            n
            for n, r in zip(self.names, self.ranks, strict=True)
            if r - self.ranks[0] <= self.critical
        )

    @property
    def cliques(self) -> list[tuple[int, int]]:
        """(first, last) of the longest runs without a difference."""
        runs: list[tuple[int, int]] = []
        for first, rank in enumerate(self.ranks):
            last = max(k for k, r in enumerate(self.ranks) if r - rank <= self.critical)
            if last > first and (not runs or last > runs[-1][1]):
                runs.append((first, last))
        return runs


def critical_difference(contenders: int, data_sets: int) -> float:
    """q sqrt(k (k + 1) / (6 N)) with q the studentized range's quantile for k means over sqrt 2 (Nemenyi)."""
    q = float(studentized_range.ppf(1 - LEVEL, contenders, math.inf)) / math.sqrt(2)
    return q * math.sqrt(contenders * (contenders + 1) / (6 * data_sets))


def _ranks(scores: Sequence[float]) -> NDArray[np.float64]:
    """1 for the highest; what differs by rounding alone shares its ranks."""
    order = np.argsort(-np.asarray(scores), kind="stable")
    ranks = np.empty(len(order))
    ranks[order] = twice_midranks(-np.asarray(scores)[order], TIE_OF_MEANS) / 2
    return ranks


def ranking(
    scores: Mapping[tuple[str, str], float], names: Sequence[str], rows: Sequence[str]
) -> MeanRanks | None:
    """Of scores (higher is better) by (row, name), over the rows in which all names have one; None for fewer than two rows."""
    whole = [row for row in rows if all((row, name) in scores for name in names)]
    if len(whole) < 2 or len(names) < 2:
        return None
    mean = np.mean([_ranks([scores[row, name] for name in names]) for row in whole], axis=0)
    order = sorted(range(len(names)), key=lambda k: (mean[k], names[k]))
    return MeanRanks(
        tuple(names[k] for k in order),
        tuple(float(mean[k]) for k in order),
        len(whole),
        critical_difference(len(names), len(whole)),
    )
