"""Memory that will be needed is asked for while something else is worked on.

Examples are visited in random order, so that each visit's row and multipliers come from far away: on sparse text waiting for
them takes a sixth of a visit. They are asked for two visits ahead; the weights a row touches are not, the processor asks for
those as fast by itself. Nothing is computed differently.
"""

from __future__ import annotations

from typing import Any

import llvmlite.ir  # type: ignore[import-untyped]
import numba.core.cgutils
import numba.extending

from msvm_ref.model.arrays import Array
from msvm_ref.solvers.fast.lean import lean

ir: Any = llvmlite.ir
cgutils: Any = numba.core.cgutils
types: Any = numba.types
settings: Any = numba.config
LINE = 8
"""Doubles in a line of the cache."""


def _prefetch(_: Any, array: Any, *place: Any) -> Any:
    """Bring the line of array[place], which must exist, into the cache."""

    def generated(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind, places = signature.args
        parts = zip(cgutils.unpack_tuple(builder, arguments[1]), places, strict=True)
        at = [context.cast(builder, value, of, types.intp) for value, of in parts]
        table = context.make_array(kind)(context, builder, arguments[0])
        pointer = cgutils.get_item_pointer(context, builder, kind, table, at, wraparound=False)
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        form = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        call = cgutils.get_or_insert_function(builder.module, form, "llvm.prefetch.p0i8")
        reading, near, data = (ir.Constant(word, number) for number in (0, 3, 1))
        builder.call(call, [builder.bitcast(pointer, byte), reading, near, data])
        return context.get_dummy_value()

    return types.void(array, types.Tuple(place)), generated


def _nothing(*_: Any) -> None:
    """Code that is not compiled has no such instruction."""


ask_for: Any = _nothing if settings.DISABLE_JIT else numba.extending.intrinsic(_prefetch)


@lean(inline=True)
def ask_for_example(alpha: Array, play: Any, i: int, m: int) -> None:
    """Its multipliers and who is in play."""
    for c in range(0, alpha.shape[1], LINE):
        ask_for(alpha, i, c)
    for t in range(0, m, 2 * LINE):
        ask_for(play, i, t)


@lean(inline=True)
def ask_for_row(data: Array, indices: Any, start: int, end: int) -> None:
    """The entries of a sparse row."""
    for at in range(start, end, LINE):
        ask_for(data, at)
    for at in range(start, end, 2 * LINE):
        ask_for(indices, at)
