"""The model for a physical operator of ours, with the rows that flow into it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from planviz.catalog.tables import Catalog
from planviz.evaluation import UnknownValueError
from planviz.mechanics.aggregates import HashAggregate, ObjectHashAggregate, SortAggregate
from planviz.mechanics.exchange import Exchange
from planviz.mechanics.expand import Expand
from planviz.mechanics.flow import Flow, Options
from planviz.mechanics.joins import (
    BroadcastHashJoin,
    BroadcastNestedLoopJoin,
    CartesianProduct,
    ShuffledHashJoin,
    SortMergeJoin,
)
from planviz.mechanics.play import CannotPlay, Input, Model, Play, Row
from planviz.mechanics.sorting import Sort
from planviz.physical.aggregates import HashAggregateExec, ObjectHashAggregateExec, SortAggregateExec
from planviz.physical.exchanges import ShuffleExchangeExec
from planviz.physical.joins import (
    BroadcastHashJoinExec,
    BroadcastNestedLoopJoinExec,
    CartesianProductExec,
    JoinExec,
    ShuffledHashJoinExec,
    SortMergeJoinExec,
)
from planviz.physical.operators import ExpandExec, SortExec

if TYPE_CHECKING:
    from planviz.physical.plan import SparkPlan


#: The model of an operator, by its class. Any: each takes its own.
_Make = Callable[[Any, Flow], Model]


def of(
    node: SparkPlan,
    tables: Mapping[str, Sequence[Row]] | None = None,
    *,
    catalog: Catalog | None = None,
    options: Options | None = None,
    names: Mapping[int, str] | None = None,
) -> Play:
    """An operator of a physical plan, played on the rows that its plan gives it.

    `tables` has the rows of catalogue tables by name, values as those of `Literal`, all columns; tables without are
    sampled by type and by `catalog`'s statistics, and a note says so. `names` says what to call the relation of a
    column (`naming.relation_names`). Exchanges and sorts right below a join are part of its play; where they are
    missing though the operator needs them, they are played all the same. Raises CannotPlay, in a sentence, for an
    operator without a model, for rows that cannot be computed here, and for more rows than can be played.
    """
    flow = Flow(tables or {}, options or Options(), _played, catalog, names or {})
    play = _played(node, flow)
    if not flow.sampled:
        return play
    made_up = ", ".join(flow.sampled)
    return replace(
        play, notes=(*play.notes, f"The rows of {made_up} are made up, from the columns' types and statistics.")
    )


def given(
    plan: SparkPlan, tables: Mapping[str, Sequence[Row]] | None = None, *, options: Options | None = None
) -> tuple[tuple[Row, ...], ...]:
    """The rows that a physical plan gives, by partition: those of `of`, through every operator. Raises CannotPlay."""
    return Flow(tables or {}, options or Options(), _played).partitions(plan)


class _Given(Flow):
    """A flow whose every operator gives the same rows: those that are given."""

    source: Input

    def input(self, plan: SparkPlan, name: str) -> Input:
        """See Flow."""
        return self.source


def played_on(node: SparkPlan, source: Input, options: Options | None = None) -> Play:
    """An operator over one input, played on these rows whatever its plan gives it. Raises CannotPlay as `of` does."""
    flow = _Given({}, options or Options(), _played)
    flow.source = source
    return _played(node, flow)


def playable(node: SparkPlan) -> bool:
    """Whether there is a model of the operator."""
    return _model_of(node) is not None


def _model_of(node: SparkPlan) -> _Make | None:
    return next((_MODELS[cls] for cls in type(node).__mro__ if cls in _MODELS), None)


def _played(node: SparkPlan, flow: Flow) -> Play:
    model = _model_of(node)
    if model is None:
        raise CannotPlay(
            f"There is no model of {node.node_name} to play; joins, aggregates, sorts, exchanges and expands have one."
        )
    try:
        return Play.of(model(node, flow))
    except UnknownValueError as error:
        raise CannotPlay(f"{node.node_name} cannot be played here: {error} is not known.") from None


def _join(model: Callable[[JoinExec, Input, Input], Model]) -> Callable[[JoinExec, Flow], Model]:
    return lambda node, flow: model(node, flow.fed(node, 0, "left", apart=True), flow.fed(node, 1, "right", apart=True))


def _hash(node: HashAggregateExec, flow: Flow) -> Model:
    options = flow.options
    return HashAggregate(node, flow.fed(node, 0, "input"), options.capacity, options.fallback)


def _object_hash(node: ObjectHashAggregateExec, flow: Flow) -> Model:
    return ObjectHashAggregate(node, flow.fed(node, 0, "input"), flow.options.threshold)


_MODELS: dict[type, _Make] = {
    BroadcastHashJoinExec: _join(BroadcastHashJoin),
    ShuffledHashJoinExec: _join(ShuffledHashJoin),
    SortMergeJoinExec: _join(SortMergeJoin),
    BroadcastNestedLoopJoinExec: _join(BroadcastNestedLoopJoin),
    CartesianProductExec: _join(CartesianProduct),
    ShuffleExchangeExec: lambda node, flow: Exchange(node, flow.input(node.child, "input")),
    HashAggregateExec: _hash,
    ObjectHashAggregateExec: _object_hash,
    SortAggregateExec: lambda node, flow: SortAggregate(node, flow.fed(node, 0, "input")),
    SortExec: lambda node, flow: Sort(node, flow.input(node.child, "input"), flow.options.capacity),
    ExpandExec: lambda node, flow: Expand(node, flow.input(node.child, "input")),
}
