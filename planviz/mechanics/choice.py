"""The model for a physical operator of ours, with the rows that flow into it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from planviz.catalog.tables import Catalog
from planviz.mechanics.aggregates import HashAggregate
from planviz.mechanics.flow import Flow, Options, through
from planviz.mechanics.joins import BroadcastHashJoin, ShuffledHashJoin
from planviz.mechanics.play import CannotPlay, Input, Model, Play, Row
from planviz.optimizer.evaluation import UnknownValueError
from planviz.physical.aggregates import HashAggregateExec
from planviz.physical.exchanges import ShuffleExchangeExec
from planviz.physical.joins import BroadcastHashJoinExec, ShuffledHashJoinExec
from planviz.physical.operators import SortExec


def of(
    node: Any,
    tables: Mapping[str, Sequence[Row]] | None = None,
    *,
    catalog: Catalog | None = None,
    options: Options | None = None,
) -> Play:
    """An operator of a physical plan, played on the rows that its plan gives it.

    `tables` has the rows of catalogue tables by name, values as those of `Literal`, all columns; tables without are
    sampled by type and by `catalog`'s statistics, and a note says so. Exchanges and sorts right below a join are part
    of its play. Raises CannotPlay, in a sentence, for an operator without a model, for rows that cannot be computed
    here, and for more rows than can be played.
    """
    flow = Flow(tables or {}, options or Options(), _played, catalog)
    play = _played(node, flow)
    if not flow.sampled:
        return play
    names = ", ".join(flow.sampled)
    return replace(
        play, notes=(*play.notes, f"The rows of {names} are made up, from the columns' types and statistics.")
    )


def playable(node: Any) -> bool:
    """Whether there is a model of the operator."""
    return type(node) in _MODELS


def _played(node: Any, flow: Flow) -> Play:
    model = _MODELS.get(type(node))
    if model is None:
        raise CannotPlay(
            f"There is no model of {node.node_name} to play; joins, aggregates, sorts and exchanges have one."
        )
    try:
        return Play.of(model(node, flow))
    except UnknownValueError as error:
        raise CannotPlay(f"{node.node_name} cannot be played here: {error} is not known.") from None


def _broadcast_hash(node: Any, flow: Flow) -> Model:
    return BroadcastHashJoin(node, flow.input(node.left, "left"), flow.input(node.right, "right"))


def _shuffled_hash(node: Any, flow: Flow) -> Model:
    sides, number = _shuffled(node, flow)
    return ShuffledHashJoin(node, *sides, number)


def _shuffled(node: Any, flow: Flow) -> tuple[tuple[Input, Input], int]:
    """The inputs of a join that shuffles, below its own sorts and exchanges, and the number of partitions."""
    number = 0
    inputs = []
    for child, name in ((node.left, "left"), (node.right, "right")):
        below = through(child, SortExec)
        if isinstance(below, ShuffleExchangeExec):
            number, below = below.number, below.child
        inputs.append(flow.input(below, name))
    return (inputs[0], inputs[1]), number or max(len(i.partitions) for i in inputs)


def _hash_aggregate(node: Any, flow: Flow) -> Model:
    options = flow.options
    return HashAggregate(node, flow.input(node.child, "input"), options.capacity, options.fallback)


_MODELS: dict[type, Callable[[Any, Flow], Model]] = {
    BroadcastHashJoinExec: _broadcast_hash,
    ShuffledHashJoinExec: _shuffled_hash,
    HashAggregateExec: _hash_aggregate,
}
