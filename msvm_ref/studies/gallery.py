"""The gallery: for each machine one card with its loss, what it learns on the circle, and its Fisher map.

    loss     L(f, y = 1) over scores with f_1 + f_2 + f_3 = 0, f_k = sqrt(2/3) <u, g_k> for unit vectors g_k 120 degrees apart
    circle   the noiseless circle problem of UV section 3.3, rings for C = 1 (inside) to 10^4 (outside)
    Fisher   ``simplex_map``: exact minimisers of the pointwise risk at d = 3

``python -m msvm_ref.studies.gallery FOLDER`` writes one PNG a machine.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from msvm_ref.model.arrays import Array
from msvm_ref.model.catalogue import CATALOGUE
from msvm_ref.model.machine import Machine
from msvm_ref.pictures import COLORS, INK, pyplot
from msvm_ref.studies.circle import EDGES, EXPONENTS, GRID, beta, classify, sample
from msvm_ref.studies.plots import class_ring, simplex_map

CARDS: dict[str, Machine] = {machine.name.partition("(")[0]: machine for machine in CATALOGUE}
SEED = 0
REACH = 5.0
"""Half the width of the plane of scores that is shown."""
DIRECTIONS = np.array([[np.cos(t), np.sin(t)] for t in np.deg2rad([90.0, 210.0, 330.0])])
"""g_k: class 1 points up, 2 to the lower left, 3 to the lower right, as on the Fisher map."""


def scores_of(u: Array) -> Array:
    """f(u), the point of the sum-to-zero plane at the coordinates u[..., 2]; ||f|| = ||u||."""
    scores: Array = np.sqrt(2 / 3) * u @ DIRECTIONS.T
    return scores


def loss(machine: Machine, f: Array) -> Array:
    """L(f, y = 1) = Delta([gamma - mu(f, 1)]_+) for f[..., 3]."""
    spec = machine.at(3)
    violation = np.maximum(spec.gamma[0] - f @ spec.nu[0].T, 0.0)[..., spec.mask[0]]
    slack = violation.max(axis=-1, keepdims=True) if spec.shared else violation
    total: Array = (slack**2 if spec.quadratic else slack).sum(axis=-1)
    return total


def card(machine: Machine, path: Path, resolution: int = 36) -> Path:
    """Draw the three panels of one machine to ``path``; ``resolution`` is the Fisher map's."""
    plt = pyplot()
    from PIL import Image

    figure, axes = plt.subplots(1, 3, figsize=(13.2, 4.7), dpi=150)
    draw_loss(axes[0], machine)
    draw_circle(axes[1], machine)
    simplex_map(machine, ax=axes[2], resolution=resolution)
    _, _, told = axes[2].get_title().partition("\n")
    title(axes[2], "predicted where the classes have probabilities P", told)
    figure.suptitle(
        f"{machine.name}: {machine.margin_name} margin, {machine.aggregation.name}"
        + (", sum-to-zero" if machine.sum_to_zero else ""),
        fontsize=13,
        color=INK,
    )
    figure.tight_layout(rect=(0, 0, 1, 0.98))
    figure.savefig(path)
    plt.close(figure)
    with Image.open(path) as picture:  # few colours are used, and a third of the bytes suffices
        small = picture.convert("RGB").quantize(96)
    small.save(path, optimize=True)
    return path


def title(ax: Any, what: str, told: str) -> None:
    ax.set_title(f"{what}\n{told}", fontsize=10.5, color=INK)


def draw_loss(ax: Any, machine: Machine) -> None:
    """Level sets of the loss of class 1; golden where it is 0, and dashes part the plane by its largest score."""
    axis = np.linspace(-REACH, REACH, 401)
    u = np.stack(np.meshgrid(axis, axis), axis=-1)
    values = loss(machine, scores_of(u))
    levels = np.arange(0.0, 13.0)
    ax.contourf(u[..., 0], u[..., 1], values, levels, cmap="Greys", vmax=18, extend="max")
    lines = ax.contour(u[..., 0], u[..., 1], values, levels[1:], colors=INK, linewidths=0.6)
    ax.clabel(lines, levels[1::2], fontsize=8)
    free = values <= 1e-12
    if free.any():
        ax.contourf(u[..., 0], u[..., 1], free, [0.5, 1.5], colors=["#ffe9a8"])
        ax.contour(u[..., 0], u[..., 1], free, [0.5], colors=["#a06a00"], linewidths=1.6)
    for k, direction in enumerate(DIRECTIONS):
        ax.plot(*zip((0, 0), -2 * REACH * direction, strict=True), color="white", lw=3.2)
        ax.plot(*zip((0, 0), -2 * REACH * direction, strict=True), color=INK, lw=1.2, ls="--")
        ax.annotate(
            f"$f_{k + 1}$",
            0.9 * REACH * direction,
            ha="center",
            va="center",
            color=INK,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.5},
        )
    ax.set(xlim=(-REACH, REACH), ylim=(-REACH, REACH), aspect="equal", xticks=[], yticks=[])
    told = "none in the golden region" if free.any() else "nowhere without loss"
    title(ax, "loss of an example of class 1, $f_1 + f_2 + f_3 = 0$", told)


def draw_circle(ax: Any, machine: Machine) -> None:
    """The regions at five C's on one sample, the sample around them."""
    exponents = EXPONENTS["noiseless"]
    cells = [classify(machine, "noiseless", exponent, SEED) for exponent in exponents]
    for place, cell in enumerate(cells):
        class_ring(ax, cell.classes, 0.42 + 0.105 * place, 0.085, GRID)
    agreed = [cell.agreement for cell in cells if cell.agreement is not None]
    for edge in EDGES[:3]:
        ax.plot(*zip((0, 0), 1.25 * beta(edge), strict=True), color=INK, lw=0.9)
    t, y = sample("noiseless", SEED)
    x = 1.07 * beta(t)
    ax.scatter(x[:, 0], x[:, 1], s=10, c=[COLORS[c] for c in y], linewidths=0)
    ax.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2), aspect="equal")
    ax.axis("off")
    title(
        ax,
        f"learned on the circle, C = 1 (inside) to $10^{{{exponents[-1]}}}$",
        f"agrees with Bayes on {100 * max(agreed):.0f} % at its best C"
        if agreed
        else "w* = 0 at every C: nothing is predicted",
    )


def draw_all(folder: Path, progress: Callable[[str], None] | None = None) -> list[Path]:
    """Every card into ``folder``, which is made where it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, machine in CARDS.items():
        paths.append(card(machine, folder / f"{name}.png"))
        if progress is not None:
            progress(name)
    return paths


def main(arguments: Sequence[str]) -> int:
    if len(arguments) != 1:
        print("usage: python -m msvm_ref.studies.gallery FOLDER", file=sys.stderr)
        return 2
    for path in draw_all(Path(arguments[0])):
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
