"""The session of a program that is read: actions are noted down, tables that nobody knows are guessed from use."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from planviz.analysis.inference import infer
from planviz.catalog.tables import Catalog, Table
from planviz.config import OptimizerConfig
from planviz.dataframe.column import Column, literal, name_parts
from planviz.dataframe.frame import DataFrame
from planviz.dataframe.readers import relation
from planviz.dataframe.session import SparkSession
from planviz.errors import AnalysisError, PlanvizError
from planviz.execution import QueryExecution
from planviz.expressions.core import AttributeReference
from planviz.expressions.ids import fresh_ids
from planviz.expressions.unresolved import UnresolvedAttribute
from planviz.frontend import parse_script
from planviz.logical.combining import Join
from planviz.logical.operators import Filter, GlobalLimit, LocalLimit, Offset, Project, Sample, Sort, SubqueryAlias
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LogicalRelation
from planviz.programs.signals import LimitReached
from planviz.types import STRING, DataType, StructField, StructType

#: How many plans are made of one program at most, and how long that may take (seconds of this process).
MOST_PLANS, LONGEST_TIME = 6_000, 60.0
_PASSING = (Filter, Sort, GlobalLimit, LocalLimit, Offset, Sample, SubqueryAlias)


class Again(Exception):
    """More is known of a guessed table: the program is read once more from its beginning."""


class Guesses:
    """Tables and files that neither the catalogue nor the program describes: their columns, as uses of them say.

    `tables` says whether tables are guessed, too, or only files without a schema. `hints` are types by column name.
    """

    def __init__(self, tables: bool, hints: dict[str, DataType]) -> None:
        self.tables, self.hints = tables, hints
        self.columns: dict[str, dict[str, StructField]] = {}

    def of(self, key: str) -> Table:
        """A guessed table as far as it is known."""
        fields = tuple(self.columns.setdefault(key, {}).values())
        return Table(key, fields, guessed=frozenset(f.name for f in fields))

    def learn(self, key: str, name: str, kind: DataType | None = None) -> bool:
        """Note a column; whether it was new."""
        columns = self.columns.setdefault(key, {})
        if name.lower() in columns or not name:
            return False
        columns[name.lower()] = StructField(name, kind or self.hints.get(name.lower(), STRING))
        return True


class ProgramSession(SparkSession):
    """PySpark's `spark` of a program. `note` is told every action and gives what it stands for."""

    def __init__(
        self,
        catalog: Catalog | None,
        config: OptimizerConfig | None,
        guesses: Guesses,
        note: Callable[[str, Any], Any],
    ) -> None:
        super().__init__(catalog, config)
        self.guesses, self.note = guesses, note
        #: Where the call that is being read stands: the program's text and the character, None before the first.
        self.origin: tuple[str, int] | None = None
        self.began = time.process_time()
        self.plans = 0
        #: Relations of guessed tables, by their first attribute or identity, and plans through which their columns go.
        self._guessed: dict[int, str] = {}
        self._passing: dict[int, LogicalPlan] = {}
        self._kept: list[Any] = []

    # ------------------------------------------------------------------------------------------ what it does

    def act(self, name: str, frame: Any) -> Any:
        """Note an action."""
        return self.note(name, frame)

    def note_table(self, name: str, frame: Any) -> None:
        """Later statements may read a table that the program writes."""
        parts = name_parts(name)
        if self.catalog.table(parts) is None and self.catalog.view(parts) is None:
            database = parts[-2] if len(parts) > 1 else "default"
            fields = tuple(StructField(a.name, a.type, True) for a in frame.output)
            self.catalog = self.catalog.with_table(Table(parts[-1], fields, database=database))

    def execution(self, plan: LogicalPlan, sql: str = "") -> QueryExecution:
        """The execution of a plan, analyzed; a column that a guessed table may have begins the reading anew."""
        self.plans += 1
        if self.plans > MOST_PLANS or time.process_time() - self.began > LONGEST_TIME:
            raise LimitReached("the program makes too many DataFrames")
        self.mark(plan)
        made = super().execution(plan, sql)
        try:
            analyzed = made.analyzed
        except AnalysisError as error:
            if self._guessed and error.error_class.startswith(("UNRESOLVED_COLUMN", "UNRESOLVED_USING")):
                self._learn_from(plan)
            raise
        joined = isinstance(plan, Join) and isinstance(analyzed, Project)
        if joined or (isinstance(plan, Project) and any("Star" in type(p).__name__ for p in plan.projects)):
            self._passing[id(analyzed)] = plan
            self._kept.append(analyzed)
        return made

    def table(self, name: str) -> DataFrame:
        """A table or view, guessed where nobody knows it and guessing is allowed."""
        parts = name_parts(name) if "<" not in str(name) else (str(name),)
        if self.guesses.tables and self.catalog.table(parts) is None and self.catalog.view(parts) is None:
            return self.guessed(".".join(parts))
        return super().table(name)

    def from_source(self, provider: str, path: Any, fields: tuple[StructField, ...] | None) -> DataFrame:
        """The rows of files; without a schema their columns are guessed."""
        if fields is not None:
            return super().from_source(provider, path, fields)
        return self.guessed(str(path), provider)

    def guessed(self, key: str, provider: str = "parquet") -> DataFrame:
        """A source of which only its uses tell the columns."""
        table = self.guesses.of(key)
        with self.numbering():
            made = relation(provider, key, table.columns)
        made = made.replace(table=table)
        self._guessed[id(made)] = key
        self._kept.append(made)
        return DataFrame(self, made)

    def sql(self, text: str, args: Any = None, **kwargs: Any) -> DataFrame:
        """A query as a DataFrame; `args` are the values of its parameters, `kwargs` those of {name}."""
        for name, value in kwargs.items():
            if isinstance(value, DataFrame):
                self.with_view(f"_{name}", value.plan)
            shown = f"_{name}" if isinstance(value, DataFrame) else str(getattr(value, "expr", value))
            text = text.replace("{" + name + "}", shown)
        if self._guessed:
            self._learn_from_views(text)
        if self.guesses.tables:
            self._guess_tables(text)
        self.params = parameters(args)
        try:
            return super().sql(text)
        finally:
            self.params = None

    def _learn_from_views(self, text: str) -> None:
        """What a query asks of views over guessed tables: Again where one of these has to have more columns."""
        open_views = {}
        for key, view in self.catalog.views.items():
            leaves = self._open(view.plan) if view.plan is not None and view.plan.resolved else []
            if leaves:
                open_views[key] = leaves[0][1], {a.name.lower() for a in view.plan.output}
        if not open_views:
            return
        try:
            with fresh_ids():
                plans = [s.plan for s in parse_script(text) if s.plan is not None]
            hidden = replace(self.catalog, views={k: v for k, v in self.catalog.views.items() if k not in open_views})
            known, _ = infer(plans, hidden)
        except (PlanvizError, RecursionError):
            return
        learned = False
        for key, (leaf, have) in open_views.items():
            table = known.table((key,))
            for column in table.columns if table is not None and table.key not in hidden.tables else ():
                if column.name.lower() not in have:
                    learned |= self.guesses.learn(leaf, column.name, column.data_type)
        if learned:
            raise Again

    def _guess_tables(self, text: str) -> None:
        try:
            with fresh_ids():
                plans = [s.plan for s in parse_script(text) if s.plan is not None]
            known, _ = infer(plans, self.catalog)
        except (PlanvizError, RecursionError):
            return
        for key, table in known.tables.items():
            if key not in self.catalog.tables:
                self.catalog = self.catalog.with_table(table)
                self.guesses.columns.setdefault(table.shown_name, {})

    def mark(self, node: Any) -> None:
        """Tell the new nodes of a plan, or a column's expression, where in the program they were made."""
        if self.origin is None:
            return
        stack = [node]
        while stack:
            one = stack.pop()
            if one.origin is None and not isinstance(one, AttributeReference):
                one.__dict__["origin"] = self.origin
                if isinstance(one, LogicalPlan):
                    stack += one.children

    # ------------------------------------------------------------------------------------------ guessing

    def learn_column(self, plan: LogicalPlan, name: str) -> None:
        """A column that a DataFrame must have: Again where one of its guessed tables may have it."""
        leaf = next(iter(self._open(plan)), None)
        if leaf is not None and self.guesses.learn(leaf[1], name):
            raise Again

    def _learn_from(self, plan: LogicalPlan) -> None:
        learned = False
        if isinstance(plan, Join) and plan.using:
            for side in (plan.left, plan.right):
                for name in plan.using:
                    if name.lower() not in {a.name.lower() for a in side.output}:
                        learned |= any(self.guesses.learn(key, name) for _, key in self._open(side)[:1])
        have = {a.name.lower() for c in plan.children for a in c.output}
        leaves = [x for c in plan.children for x in self._open(c)]
        names: list[tuple[str, ...]] = []

        def look(e: Any) -> Any:
            if isinstance(e, UnresolvedAttribute):
                names.append(tuple(e.parts))
            return e

        for e in plan.expressions:
            e.transform_up(look)
        for attribute in _deduplicated(plan):
            names.append((attribute,))
        for parts in names:
            qualifier = parts[0].lower() if len(parts) > 1 else ""
            own = [x for x in leaves if qualifier in x[0]]
            if own and parts[1].lower() not in have:
                learned |= self.guesses.learn(own[0][1], parts[1])
            elif own:
                learned |= any(self.guesses.learn(key, parts[1]) for _, key in own)
            elif leaves and parts[0].lower() not in have:
                kind = None
                if len(parts) > 1:
                    kind = StructType(tuple(StructField(p, STRING) for p in parts[1:2]))
                learned |= self.guesses.learn(leaves[0][1], parts[0], kind)
        if learned:
            raise Again

    def _open(self, plan: LogicalPlan) -> list[tuple[frozenset[str], str]]:
        """The guessed tables whose further columns would come up to here, with the aliases that they have."""
        found: list[tuple[frozenset[str], str]] = []

        def walk(p: Any, names: frozenset[str]) -> None:
            if isinstance(p, LogicalRelation):
                key = getattr(p.table, "name", "")
                if not p.name and key in self.guesses.columns:
                    found.append((names, key))
            elif id(p) in self._passing or isinstance(p, _PASSING) or type(p).__name__ in _PASSING_NAMES:
                inner = names | {p.name[-1].lower()} if isinstance(p, SubqueryAlias) else names
                walk(p.child, inner)
            elif isinstance(p, Join):
                walk(p.left, names)
                if p.kind not in ("LeftSemi", "LeftAnti"):
                    walk(p.right, names)
            elif isinstance(p, Project) and _keeps_all(p):
                walk(p.child, names)

        walk(plan, frozenset())
        return found


def parameters(args: Any) -> Any:
    """The values of a query's parameters: by name, or in order."""
    if isinstance(args, dict):
        return {str(k): literal(v) if not isinstance(v, Column) else v.expr for k, v in args.items()}
    if isinstance(args, list | tuple):
        return [literal(v) if not isinstance(v, Column) else v.expr for v in args]
    return None


_PASSING_NAMES = frozenset(
    [
        "Deduplicate",
        "Repartition",
        "RepartitionByExpression",
        "ResolvedHint",
        "Window",
        "Generate",
        "View",
        "EventTimeWatermark",
    ]
)


def _keeps_all(plan: Project) -> bool:
    """Whether a projection hands on what is beneath a join's or a rename's columns: more items than its child has."""
    passed = {p.expr_id for p in plan.projects if isinstance(p, AttributeReference)}
    return (
        bool(plan.child.output)
        and all(a.expr_id in passed for a in plan.child.output)
        and len(plan.projects) > len(plan.child.output)
    )


def _deduplicated(plan: Any) -> tuple[str, ...]:
    names = getattr(plan, "names", None) or getattr(plan, "keys", None)
    if type(plan).__name__ == "UnresolvedDeduplicate" and isinstance(names, tuple):
        return tuple(n for n in names if isinstance(n, str))
    return ()
