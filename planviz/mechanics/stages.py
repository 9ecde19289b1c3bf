"""Rows through the stages of an aggregate: buffers made, sent to where their keys belong, merged (inventory C-011)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cmp_to_key

from planviz.evaluation import DEFAULT_EVALUATOR, UnknownValueError, compare
from planviz.evaluation.core import Row
from planviz.expressions.aggregates import AggregateExpression
from planviz.expressions.core import AttributeReference, Expression
from planviz.mechanics.buffers import Buffer, Buffered, buffered
from planviz.mechanics.hashing import partition_of
from planviz.mechanics.rows import same_key
from planviz.physical.stages import PlannedStage
from planviz.types.values import Value

Values = tuple[Value, ...]
Partitions = tuple[tuple[Values, ...], ...]
#: Rows are computed by Spark's default settings.
row_value = DEFAULT_EVALUATOR.row_value
#: Modes in which a function sees rows, and in which it gives its value.
_SEES_ROWS, _GIVES_VALUES = ("Partial", "Complete"), ("Final", "Complete")


@dataclass(frozen=True)
class StageRows:
    """What one stage gives: its columns' names and types, and its rows in their partitions.

    `moved` has for every row that came in the partition it came from and the one it was sent to, where the stage's
    input was shuffled; `taken` are the rows that came in, by partition, after the shuffle.
    """

    columns: tuple[tuple[str, str], ...]
    partitions: Partitions
    taken: Partitions
    moved: tuple[tuple[int, int], ...] = ()


def rows_through(
    stages: Sequence[PlannedStage],
    columns: Sequence[AttributeReference],
    partitions: Partitions,
    shuffled: Sequence[bool],
) -> tuple[StageRows, ...]:
    """The rows that every stage gives, from the input up.

    `stages` hold `keys`, `functions` in their modes, `buffers`, `results`, `distribution` and `required_order`
    (`PlannedStage`). `columns` and `partitions` are the input; `shuffled` tells of each stage whether an exchange lies
    below it, which spreads the rows over as many partitions as there are. Raises UnknownValueError where a function or
    an expression is not modelled.
    """
    found = []
    for stage, shuffle in zip(stages, shuffled, strict=True):
        moved: tuple[tuple[int, int], ...] = ()
        if shuffle:
            partitions, moved = _shuffled(stage, columns, partitions)
        taken = partitions
        partitions = tuple([tuple(_stage(stage, columns, rows)) for rows in taken])
        columns = [r.to_attribute() for r in stage.results]
        named = tuple([(a.name, a.type.simple_string) for a in columns])
        found.append(StageRows(named, partitions, taken, moved))
    return tuple(found)


def split(rows: Sequence[Values], number: int) -> Partitions:
    """Rows in order over so many partitions, the first ones getting what is left over."""
    size, more = divmod(len(rows), number)
    ends = [size * (n + 1) + min(n + 1, more) for n in range(number)]
    return tuple([tuple(rows[start:end]) for start, end in zip([0, *ends], ends, strict=False)])


def expanded(
    projections: Sequence[tuple[Expression, ...]], columns: Sequence[AttributeReference], partitions: Partitions
) -> Partitions:
    """Every row once per projection, in the same partition. Raises UnknownValueError."""
    return tuple(
        [
            tuple([tuple([row_value(e, _named(columns, row)) for e in p]) for row in rows for p in projections])
            for rows in partitions
        ]
    )


def _named(columns: Sequence[AttributeReference], row: Values) -> Row:
    return dict(zip([a.expr_id for a in columns], row, strict=True))


def _shuffled(
    stage: PlannedStage, columns: Sequence[AttributeReference], partitions: Partitions
) -> tuple[Partitions, tuple[tuple[int, int], ...]]:
    wanted = stage.distribution or ()
    number = len(partitions) if wanted else 1
    sent: list[list[Values]] = [[] for _ in range(number)]
    moved = []
    types = [k.data_type for k in wanted]
    for at, rows in enumerate(partitions):
        for row in rows:
            named = _named(columns, row)
            to = partition_of([row_value(k, named) for k in wanted], types, number)
            sent[to].append(row)
            moved.append((at, to))
    return tuple(map(tuple, sent)), tuple(moved)


def _stage(stage: PlannedStage, columns: Sequence[AttributeReference], rows: Sequence[Values]) -> list[Values]:
    """The groups of one partition."""
    known = [buffered(f.function) for f in stage.functions]
    start = tuple([kept.start() for kept in known])
    groups: dict[object, tuple[Values, tuple[Buffer, ...]]] = {}
    if not stage.keys:
        groups[()] = ((), start)
    places = _places(stage, known)
    for row in rows:
        named = _named(columns, row)
        key = tuple([row_value(k, named) for k in stage.keys])
        first, buffers = groups.get(same_key(key), (key, start))
        each = zip(stage.functions, known, buffers, places, strict=True)
        groups[same_key(key)] = (first, tuple([_one(f, kept, b, named, ids) for f, kept, b, ids in each]))
    found = list(groups.values())
    if stage.required_order:
        found.sort(key=lambda group: cmp_to_key(compare)(group[0]))
    return [_given(stage, known, key, buffers, places) for key, buffers in found]


def _places(stage: PlannedStage, known: Sequence[Buffered]) -> list[list[int]]:
    """The ids of every function's own columns among the buffers."""
    left = iter(stage.buffers)
    return [[next(left).expr_id for _ in kept.start()] for kept in known]


def _one(f: AggregateExpression, kept: Buffered, buffer: Buffer, row: Row, ids: list[int]) -> Buffer:
    """A function's buffer after one more row: a row of the input, or one that holds a buffer."""
    if f.mode not in _SEES_ROWS:
        if not all(i in row for i in ids):
            raise UnknownValueError(str(f))
        return kept.merge(buffer, tuple([row[i] for i in ids]))
    if f.where is not None and row_value(f.where, row) is not True:
        return buffer
    return kept.update(buffer, row)


def _given(
    stage: PlannedStage, known: Sequence[Buffered], key: Values, buffers: Sequence[Buffer], places: list[list[int]]
) -> Values:
    """The row that a group becomes."""
    env: Row = {k.to_attribute().expr_id: v for k, v in zip(stage.keys, key, strict=True)}
    for f, kept, buffer, ids in zip(stage.functions, known, buffers, places, strict=True):
        env.update(zip(ids, buffer, strict=True))
        if f.mode in _GIVES_VALUES:
            env[f.result_id] = kept.result(buffer)
    return tuple([row_value(r, env) for r in stage.results])
