"""The lower envelope of segments over [0, 1], and its largest non-decreasing minorant, in exact rationals.

    m(x) = min over segments above x,        delta(x) = min { m(t) : t >= x }

Both are piecewise linear. A segment carries a tag (who attains it), which its pieces inherit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

Pair = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Segment:
    """From ``left`` to ``right`` (points (x, y), left x <= right x); ``tag`` says what it stands for."""

    left: Pair
    right: Pair
    tag: Any

    def at(self, x: Fraction) -> Fraction:
        (a, ya), (b, yb) = self.left, self.right
        return min(ya, yb) if a == b else ya + (yb - ya) * (x - a) / (b - a)

    def between(self, a: Fraction, b: Fraction) -> Segment:
        return Segment((a, self.at(a)), (b, self.at(b)), self.tag)


def lower_hull(points: Sequence[tuple[Fraction, Fraction, Any]]) -> list[Segment]:
    """The lower side of the convex hull of points (x, y, tag), from left to right; tags in pairs."""
    lowest: dict[Fraction, tuple[Fraction, Any]] = {}
    for x, y, tag in points:
        if x not in lowest or y < lowest[x][0]:
            lowest[x] = y, tag
    chain: list[Fraction] = []
    for x in sorted(lowest):
        while len(chain) > 1 and not _turns_up(chain[-2], chain[-1], x, lowest):
            chain.pop()
        chain.append(x)
    ends = list(pairwise(chain)) or [(chain[0], chain[0])]
    return [
        Segment((a, lowest[a][0]), (b, lowest[b][0]), (lowest[a][1], lowest[b][1])) for a, b in ends
    ]


def _turns_up(
    a: Fraction, b: Fraction, c: Fraction, lowest: dict[Fraction, tuple[Fraction, Any]]
) -> bool:
    ya, yb, yc = (lowest[x][0] for x in (a, b, c))
    return (yb - ya) * (c - b) < (yc - yb) * (b - a)


def lower_envelope(segments: Sequence[Segment]) -> list[Segment]:
    """m as consecutive segments; every x between the smallest and the largest end must lie below some segment."""
    ends = sorted({x for s in segments for x, _ in (s.left, s.right)})
    hull: list[Segment] = []
    for a, b in pairwise(ends):
        above = [s for s in segments if s.left[0] <= a and b <= s.right[0]]
        hull += _lowest(above, a, b)
    return _joined(hull)


def _lowest(lines: list[Segment], a: Fraction, b: Fraction) -> list[Segment]:
    """The lowest of lines that all reach from a to b."""
    first = min(lines, key=lambda s: (s.at(a), s.at(b)))
    last = min(lines, key=lambda s: (s.at(b), s.at(a)))
    if first.at(b) == last.at(b):
        return [first.between(a, b)]
    rise = (first.at(b) - first.at(a)) - (last.at(b) - last.at(a))
    x = a + (last.at(a) - first.at(a)) * (b - a) / rise
    return [*_lowest(lines, a, x), *_lowest(lines, x, b)] if a < x else [last.between(a, b)]


def _joined(segments: list[Segment]) -> list[Segment]:
    """Neighbours of the same tag and slope as one."""
    out: list[Segment] = []
    for s in segments:
        if out and out[-1].tag == s.tag and out[-1].right == s.left:
            before = out[-1]
            rise = (s.right[1] - s.left[1]) * (before.right[0] - before.left[0])
            if rise == (before.right[1] - before.left[1]) * (s.right[0] - s.left[0]):
                out[-1] = Segment(before.left, s.right, s.tag)
                continue
        out.append(s)
    return out


def non_decreasing(envelope: Sequence[Segment]) -> list[tuple[Segment, Fraction]]:
    """delta as consecutive segments, each with the x at which its right end is attained on the envelope.

    A segment of the envelope that still counts is attained at its own x; a level stretch, at the x further right where the
    envelope comes down to it.
    """
    out: list[tuple[Segment, Fraction]] = []
    low, tag, where = envelope[-1].right[1], envelope[-1].tag, envelope[-1].right[0]
    for s in reversed(envelope):
        (a, ya), (b, yb) = s.left, s.right
        if yb < low:
            low, tag, where = yb, s.tag, b
        if ya >= low:
            out.append((Segment((a, low), (b, low), tag), where))
            continue
        cross = b if yb <= low else a + (low - ya) * (b - a) / (yb - ya)
        if cross < b:
            out.append((Segment((cross, low), (b, low), tag), where))
        out.append((s.between(a, cross), cross))
        low, tag, where = ya, s.tag, a
    return out[::-1]
