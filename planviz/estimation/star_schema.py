"""A large table and the small ones around it, found by rows and by unique keys (Spark: StarSchemaDetection)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import UnionType

from planviz.estimation.estimator import Estimator
from planviz.estimation.model import counted
from planviz.expressions.core import Alias, AttributeReference, Expression
from planviz.expressions.predicates import BinaryComparison, EqualNullSafe, EqualTo, IsNotNull
from planviz.expressions.predicates import split_conjunction as split
from planviz.logical.operators import Filter, Project
from planviz.logical.plan import LeafNode, LogicalPlan


def find_star_join(
    relations: Sequence[LogicalPlan], conditions: Sequence[Expression], estimator: Estimator
) -> list[LogicalPlan]:
    """The table with the most rows and the tables that it joins by their unique keys; nothing where there is no star.

    Every relation has to be a table with a known number of rows, filtered and projected at most.
    """
    config = estimator.config
    sizes = [(r, rows_of(r, estimator)) for r in relations]
    known = [(r, n) for r, n in sizes if n is not None]
    if len(relations) < 2 or len(known) < len(relations):
        return []
    known.sort(key=lambda x: -x[1])
    (fact, most), (_, second) = known[:2]
    if second > config.ratio("spark.sql.cbo.starJoinFTRatio") * most:
        return []
    joined = [r for r, _ in known[1:] if _between(fact, r, conditions)]
    of_fact = [c for r in joined for c in _between(fact, r, conditions)]
    if not all(any(_has_statistics(c, fact, r, estimator) for c in of_fact) for r in joined):
        return []
    error = config.ratio("spark.sql.statistics.ndv.maxError")
    around = [r for r in joined if any(_by_unique_key(c, r, error, estimator) for c in of_fact)]
    return [fact, *around] if len(around) >= 2 else []


def reordered_star(
    relations: Sequence[LogicalPlan], conditions: Sequence[Expression], estimator: Estimator
) -> list[LogicalPlan]:
    """The star's tables in the order to join them, the fewest rows first; nothing where no condition narrows it."""
    star = find_star_join(relations, conditions, estimator)
    if not star or not any(_selective(r, conditions) for r in star[1:]):
        return []
    return [star[0], *sorted(star[1:], key=lambda r: rows_of(r, estimator) or 0)]


def rows_of(relation: LogicalPlan, estimator: Estimator) -> int | None:
    """The rows of a filtered or projected table: after the filter with CBO, else of the table."""
    leaf = _leaf(relation)
    rows = estimator.estimate(leaf).rows if leaf is not None else None
    if rows is None or not estimator.config.get("spark.sql.cbo.enabled"):
        return rows
    own = estimator.estimate(relation).rows
    return rows if own is None else own


def _leaf(relation: LogicalPlan) -> LeafNode | None:
    while isinstance(relation, Project | Filter):
        relation = relation.child
    return relation if isinstance(relation, LeafNode) else None


def _between(a: LogicalPlan, b: LogicalPlan, conditions: Sequence[Expression]) -> list[Expression]:
    left, right = a.output_set, b.output_set
    return [
        c for c in conditions if not c.references <= left and not c.references <= right and c.references <= left | right
    ]


def _column_in(
    relation: LogicalPlan, condition: Expression, kinds: type[BinaryComparison] | UnionType
) -> AttributeReference | None:
    """The column of a comparison of two columns that a relation gives, as the leaf names it; None if it gives none."""
    if not isinstance(condition, kinds):
        return None
    a, b = condition.left, condition.right
    if not isinstance(a, AttributeReference) or not isinstance(b, AttributeReference):
        return None
    column = a if a.expr_id in relation.output_set else b
    while isinstance(relation, Project | Filter):
        if isinstance(relation, Project):
            for item in relation.projects:
                if isinstance(item, Alias) and item.expr_id == column.expr_id:
                    if not isinstance(item.child, AttributeReference):
                        return None
                    column = item.child
        relation = relation.child
    return column if column.expr_id in relation.output_set else None


def _has_statistics(condition: Expression, fact: LogicalPlan, other: LogicalPlan, estimator: Estimator) -> bool:
    for relation in (fact, other):
        column = _column_in(relation, condition, BinaryComparison)
        leaf = _leaf(relation)
        if column is None or leaf is None or column.expr_id not in estimator.estimate(leaf).columns:
            return False
    return True


def _by_unique_key(condition: Expression, relation: LogicalPlan, error: float, estimator: Estimator) -> bool:
    column = _column_in(relation, condition, EqualTo | EqualNullSafe)
    leaf = _leaf(relation)
    if column is None or leaf is None:
        return False
    known = estimator.estimate(leaf)
    stats = known.columns.get(column.expr_id)
    if stats is None or not counted(stats) or stats.null_count or not known.rows:
        return False
    return abs((stats.distinct_count or 0) / known.rows - 1.0) <= 2 * error


def _selective(relation: LogicalPlan, conditions: Sequence[Expression]) -> bool:
    """Whether a condition beside null tests narrows a table."""
    own: Callable[[Expression], bool] = lambda c: c.references <= relation.output_set  # noqa: E731
    if any(own(c) and not isinstance(c, IsNotNull) for c in conditions):
        return True
    while isinstance(relation, Project | Filter):
        if isinstance(relation, Filter) and not all(isinstance(c, IsNotNull) for c in split(relation.condition)):
            return True
        relation = relation.child
    return False
