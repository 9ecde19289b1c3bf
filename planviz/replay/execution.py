"""A replayed explain as a query execution: what every page and command that plans SQL can work with."""

from __future__ import annotations

from dataclasses import replace

from planviz.catalog.tables import Catalog, Table
from planviz.execution import QueryExecution
from planviz.logical.combining import Join
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LogicalRelation
from planviz.replay.columns import Columns
from planviz.replay.fitted_tables import key_of, named, table_of, with_size
from planviz.replay.opaque import nodes_of
from planviz.replay.plans import ReadPlan
from planviz.replay.result import Replay
from planviz.replay.taken import with_choices
from planviz.replay.wanted import signature_of


def execution_of(made: Replay, columns: Columns) -> QueryExecution | None:
    """The query whose optimized plan is the one that Spark printed, or that was lifted from the physical one, over
    tables with the sizes that were told, given or fitted; planned anew from the analyzed plan where that leads to the
    printed optimized one.

    None where there is no such plan, or an operator of the printed one could not be read.
    """
    read = _logical(made)
    if read is None or ("optimized" in made.read and read.opaque_operators):
        return None
    optimized, _ = _with_taken(made, read.plan)
    analyzed = made.start or (made.read["analyzed"].plan if "analyzed" in made.read else None)
    again = analyzed is not None and made.verdicts.get("optimized") == "equal" and not made.taken
    tables = _Tables(made, columns)
    end = named(tables.under(optimized), columns)
    start = end if analyzed is None else tables.under(analyzed)
    catalog = Catalog(name="replayed", tables={t.key: t for t in tables.known.values()})
    execution = QueryExecution("", catalog, made.config, trace=made.trace, optimizes=again)
    return execution.with_plans(start, end, made.first_id)


def _logical(made: Replay) -> ReadPlan | None:
    return made.read.get("optimized") or made.read.get("physical")


def taken_joins(made: Replay) -> frozenset[str]:
    """The signatures of the joins whose operator was taken from the text."""
    read = _logical(made)
    if read is None or made.fitted is None:
        return frozenset()
    hinted, words = _with_taken(made, read.plan)
    if not words:
        return frozenset()
    before = {signature_of(n)[0] for n in nodes_of(read.plan) if isinstance(n, Join) and _hinted(n)}
    after = {signature_of(n)[0] for n in nodes_of(hinted) if isinstance(n, Join) and _hinted(n)}
    return frozenset(after - before)


def _hinted(join: Join) -> bool:
    return bool(join.left_hint or join.right_hint)


def _with_taken(made: Replay, plan: LogicalPlan) -> tuple[LogicalPlan, list[str]]:
    """The plan with the joins that no sizes explain as the text has them, where the replay took them so."""
    if made.fitted is None or not made.taken:
        return plan, []
    hinted, words = with_choices(plan, made.fitted.joins)
    return (hinted, words) if words and set(words) <= set(made.taken) else (plan, [])


class _Tables:
    """The entries of a catalogue for the relations of a replay, each made once."""

    def __init__(self, made: Replay, columns: Columns) -> None:
        self.made, self.columns = made, columns
        self.known: dict[str, Table] = {}

    def under(self, plan: LogicalPlan) -> LogicalPlan:
        """The plan over these tables."""

        def one(p: LogicalPlan) -> LogicalPlan:
            return p.replace(table=self._of(p)) if isinstance(p, LogicalRelation) else with_size(p, sizes)

        sizes = {} if self.made.fitted is None else self.made.fitted.sizes
        return plan.transform_with_subqueries(one)

    def _of(self, relation: LogicalRelation) -> Table:
        key = key_of(relation)
        if key not in self.known:
            made = self.made
            size = None if made.fitted is None else made.fitted.sizes.get(key)
            size = made.told.get(key, size)
            table = table_of(relation, size, self.columns, made.told_rows.get(key))
            name = made.names.get(key, "")
            said = made.given.size_of(name)
            if not relation.name:
                table = replace(table, name=name.replace(".", "_"))
            if said is not None:
                table = replace(table, size_in_bytes=said)
            self.known[key] = replace(table, fitted=size is not None and said is None and key not in made.told)
        return self.known[key]
