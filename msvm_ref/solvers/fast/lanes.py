"""A sparse row with the weights of neighbouring classes, as many at a time as fill a vector.

W (features x classes) has the classes of a feature side by side, and a visit asks for some of them: read by vectors as wide as
a line of the cache they cost hardly more lines, and far fewer loads. A loop over classes is no vector to numba: LLVM writes out
one of few rounds before it looks for vectors, and one of unknown length it ends in single rounds. So they are asked for here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import llvmlite.ir  # type: ignore[import-untyped]
import numba.core.cgutils
import numba.extending
import numpy as np

ir: Any = llvmlite.ir
cgutils: Any = numba.core.cgutils
types: Any = numba.types
settings: Any = numba.config
LINE = 64
"""Bytes in a line of the cache."""
CHAINS = 2
"""Partial sums of a row, entries in turn: an addition waits for the one before."""
LANES = 8
DATA, INDICES, START, END, WEIGHTS, COLUMN, BESIDE = range(7)


def no_weights(features: int, classes: int, kind: Any) -> Any:
    """(features x classes) zeros, filled up to whole vectors, the first of which begins with a line of the cache."""
    columns, size = -(-classes // LANES) * LANES, np.dtype(kind).itemsize
    memory = np.zeros(features * columns * size + LINE, dtype=np.uint8)
    first = -memory.ctypes.data % LINE
    return memory[first : first + features * columns * size].view(kind).reshape(features, columns)


class _Row:
    """The code for the entries of a row."""

    def __init__(self, context: Any, builder: Any, signature: Any, values: Any) -> None:
        self.context, self.builder, self.kinds, self.values = (
            context,
            builder,
            signature.args,
            values,
        )
        number = self.kinds[WEIGHTS].dtype
        self.vector = ir.VectorType(context.get_value_type(number), LANES)
        self.bytes = number.bitwidth // 8
        form = ir.FunctionType(self.vector, [self.vector] * 3)
        name = f"llvm.fmuladd.v{LANES}f{number.bitwidth}"
        self.fused = cgutils.get_or_insert_function(builder.module, form, name)

    def index(self, of: int) -> Any:
        return self.context.cast(self.builder, self.values[of], self.kinds[of], types.intp)

    def pointer(self, of: int, *place: Any) -> Any:
        table = self.context.make_array(self.kinds[of])(self.context, self.builder, self.values[of])
        return cgutils.get_item_pointer(
            self.context, self.builder, self.kinds[of], table, list(place), wraparound=False
        )

    def lanes_at(self, of: int, *place: Any) -> Any:
        return self.builder.bitcast(self.pointer(of, *place), self.vector.as_pointer())

    def load(self, pointer: Any) -> Any:
        return self.builder.load(pointer, align=self.bytes)

    def store(self, value: Any, pointer: Any) -> None:
        self.builder.store(value, pointer, align=self.bytes)

    def times_plus(self, a: Any, b: Any, c: Any) -> Any:
        return self.builder.call(self.fused, [a, b, c])

    def each(self, chains: int, body: Callable[[Any, Any, int], None]) -> None:
        """``body`` of every entry, as its x in each lane and where its weights are; ``chains`` to a round of the loop."""
        column, word = self.index(COLUMN), ir.IntType(32)
        nowhere = ir.Constant(ir.VectorType(word, LANES), None)

        def entry(at: Any, chain: int) -> None:
            f = self.builder.load(self.pointer(INDICES, at))
            f = self.context.cast(self.builder, f, self.kinds[INDICES].dtype, types.intp)
            x = self.builder.load(self.pointer(DATA, at))
            first = self.builder.insert_element(
                ir.Constant(self.vector, ir.Undefined), x, ir.Constant(word, 0)
            )
            everywhere = self.builder.shuffle_vector(first, first, nowhere)
            body(everywhere, self.lanes_at(WEIGHTS, f, column), chain)

        start, end = self.index(START), self.index(END)
        for of in (chains, 1) if chains > 1 else (1,):
            some = ir.Constant(start.type, of)
            rounds = self.builder.sdiv(self.builder.sub(end, start), some)
            stop = self.builder.add(start, self.builder.mul(rounds, some))
            with cgutils.for_range_slice(self.builder, start, stop, some, start.type) as (at, _):
                for chain in range(of):
                    entry(self.builder.add(at, ir.Constant(at.type, chain)), chain)
            start = stop


def _sum(row: _Row) -> None:
    empty = ir.Constant(row.vector, None)
    sums = [cgutils.alloca_once_value(row.builder, empty) for _ in range(CHAINS)]

    def add(x: Any, weights: Any, chain: int) -> None:
        total = row.times_plus(x, row.load(weights), row.builder.load(sums[chain]))
        row.builder.store(total, sums[chain])

    row.each(CHAINS, add)
    total = row.builder.load(sums[0])
    for other in sums[1:]:
        total = row.builder.fadd(total, row.builder.load(other))
    row.store(total, row.lanes_at(BESIDE, row.index(COLUMN)))


def _move(row: _Row) -> None:
    step = row.load(row.lanes_at(BESIDE, row.index(COLUMN)))
    row.each(1, lambda x, at, _: row.store(row.times_plus(x, step, row.load(at)), at))


def _intrinsic(emitted: Callable[[_Row], None], plain: Callable[..., None]) -> Any:
    def typed(
        _: Any, data: Any, indices: Any, start: Any, end: Any, W: Any, column: Any, beside: Any
    ) -> Any:
        def generated(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            emitted(_Row(context, builder, signature, values))
            return context.get_dummy_value()

        return types.void(data, indices, start, end, W, column, beside), generated

    return plain if settings.DISABLE_JIT else numba.extending.intrinsic(typed)


def _plain_sum(
    data: Any, indices: Any, start: int, end: int, W: Any, column: int, out: Any
) -> None:
    part = slice(column, column + LANES)
    out[part] = data[start:end] @ W[indices[start:end], part]


def _plain_move(
    data: Any, indices: Any, start: int, end: int, W: Any, column: int, step: Any
) -> None:
    part = slice(column, column + LANES)
    W[indices[start:end], part] += data[start:end, None] * step[part]


sum_lanes: Any = _intrinsic(_sum, _plain_sum)
"""out[column + l] = sum over the row's entries f of x_f W[f, column + l], for each lane l."""
move_lanes: Any = _intrinsic(_move, _plain_move)
"""W[f, column + l] += x_f step[column + l] for each entry f of the row and each lane l."""
