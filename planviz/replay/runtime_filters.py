"""Runtime filters that a text shows, and the rows of tables that they tell."""

from __future__ import annotations

from collections import Counter
from typing import TypeGuard

from planviz.expressions.aggregates import AggregateCall
from planviz.expressions.calls import FunctionCall
from planviz.expressions.core import Expression, Literal
from planviz.expressions.predicates import conjunction, split_conjunction
from planviz.expressions.subqueries import SubqueryExpression
from planviz.logical.operators import Filter
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LogicalRelation
from planviz.replay.fitted_tables import key_of
from planviz.replay.opaque import nodes_of

#: The values that a runtime filter expects where nobody knows the rows.
EXPECTED = 1_000_000


def rows_told(plan: LogicalPlan) -> dict[str, int]:
    """The rows of tables, by runtime filters built of them that expect as many; not where that is the default."""
    found: dict[str, int] = {}
    for node in nodes_of(plan):
        for bloom in blooms_of(node):
            inner = bloom.arguments[0]
            if not isinstance(inner, SubqueryExpression):
                continue
            made: LogicalPlan = inner.plan
            calls = [e for n in made.walk() for x in n.expressions for e in x.collect(AggregateCall)]
            tables = [n for n in made.walk() if isinstance(n, LogicalRelation)]
            values = [e.arguments[1] for e in calls if e.name == "bloom_filter_agg" and len(e.arguments) > 1]
            if len(tables) == 1 and len(values) == 1 and isinstance(values[0], Literal) and values[0].value != EXPECTED:
                found[key_of(tables[0])] = int(values[0].value)
    return found


def runtime_filters(plan: LogicalPlan) -> Counter[str]:
    """The keys that are tested against a runtime filter, each as often as it is."""
    found: Counter[str] = Counter()
    for node in nodes_of(plan):
        found.update(str(c.arguments[1]) for c in blooms_of(node))
    return found


def is_bloom(e: Expression) -> TypeGuard[FunctionCall]:
    """Whether a condition asks a runtime filter."""
    return isinstance(e, FunctionCall) and e.name == "might_contain" and len(e.arguments) == 2


def blooms_of(node: LogicalPlan) -> list[FunctionCall]:
    """The runtime filters of an operator: a subquery's bloom filter, and the value that may be in it."""
    return [c for c in split_conjunction(node.condition) if is_bloom(c)] if isinstance(node, Filter) else []


def without_runtime_filters(plan: LogicalPlan) -> LogicalPlan:
    """The plan without the filters that runtime filters added."""

    def one(p: LogicalPlan) -> LogicalPlan:
        if not isinstance(p, Filter):
            return p
        parts = split_conjunction(p.condition)
        kept = [c for c in parts if not is_bloom(c)]
        if len(kept) == len(parts):
            return p
        return p.replace(condition=conjunction(kept)) if kept else p.child

    stripped: LogicalPlan = plan.transform_with_subqueries(one)
    return stripped


def runtime_filters_of_one(plan: LogicalPlan) -> Counter[str]:
    """The same of one plan, without those of its subqueries."""
    found: Counter[str] = Counter()
    for node in plan.walk():
        found.update(str(c.arguments[1]) for c in blooms_of(node))
    return found
