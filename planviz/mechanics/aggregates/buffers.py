"""The buffers of all functions of one aggregate operator, side by side."""

from __future__ import annotations

from collections.abc import Sequence

from planviz.expressions.aggregates import AggregateExpression
from planviz.expressions.core import AttributeReference
from planviz.mechanics.buffers import Buffer, buffered
from planviz.mechanics.play import Env, computed


class Buffers:
    """What one group keeps: the buffers of `functions`, which carry their mode, as one tuple of `columns`.

    Raises UnknownValueError for a function that is not modelled, and where a value cannot be known.
    """

    def __init__(self, functions: Sequence[AggregateExpression], columns: Sequence[AttributeReference]) -> None:
        self.functions = list(functions)
        self.columns = list(columns)
        self.parts = [buffered(f.function) for f in functions]
        starts = [p.start() for p in self.parts]
        self.begin: Buffer = tuple(v for s in starts for v in s)
        ends = [sum(map(len, starts[: n + 1])) for n in range(len(starts))]
        self.spans = list(zip([0, *ends], ends, strict=False))

    def add(self, buffer: Buffer, env: Env) -> Buffer:
        """The buffer after a row of the input: a row in modes Partial and Complete, a buffer in the others."""
        made: Buffer = ()
        for e, part, (start, stop) in zip(self.functions, self.parts, self.spans, strict=True):
            own = buffer[start:stop]
            if e.mode in ("PartialMerge", "Final"):
                made += part.merge(own, tuple(env[a.expr_id] for a in self.columns[start:stop]))
            elif e.where is not None and computed(e.where, env) is not True:
                made += own
            else:
                made += part.update(own, env)
        return made

    def merge(self, one: Buffer, other: Buffer) -> Buffer:
        """Two buffers of one group."""
        made: Buffer = ()
        for part, (start, stop) in zip(self.parts, self.spans, strict=True):
            made += part.merge(one[start:stop], other[start:stop])
        return made

    def env(self, buffer: Buffer) -> Env:
        """What the operator's results may read: the buffers' columns and the functions' values."""
        read: Env = {a.expr_id: v for a, v in zip(self.columns, buffer, strict=True)}
        for e, part, (start, stop) in zip(self.functions, self.parts, self.spans, strict=True):
            if e.mode in ("Final", "Complete"):
                read[e.result_id] = part.result(buffer[start:stop])
        return read
