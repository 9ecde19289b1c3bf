"""What the uses of DataFrames in a program tell of the columns of tables that nothing describes.

An operator that asks for a column which only a guessed table can have lets the table have it: the program is read anew
(`Again`), or, after a few readings, the plan grows the column on top and the reading goes on to learn more.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from planviz.dataframe.frame import DataFrame
from planviz.dataframe.readers import relation
from planviz.errors import AnalysisError
from planviz.execution import QueryExecution
from planviz.expressions.core import Alias, AttributeReference
from planviz.expressions.ids import next_id
from planviz.expressions.objects import ScalaUDF
from planviz.logical.combining import Join, SetOperation, Union
from planviz.logical.operators import (
    Filter,
    Project,
    View,
)
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LogicalRDD
from planviz.logical.unresolved import Pivot, UnresolvedRelation
from planviz.programs.guessed_plans import (
    asks_for_user,
    lists_all,
    new_in,
    starred,
)
from planviz.programs.guesses import fields_key, pivot_key
from planviz.programs.learning import Learning
from planviz.programs.retyping import PARSED, spread_structs
from planviz.programs.signals import LimitReached
from planviz.types import BOOLEAN, DataType, StructField, StructType

#: How many plans are made of one program at most, and how long that may take (seconds of this process).
MOST_PLANS, LONGEST_TIME = 30_000, 20.0
#: Refusals for a column that is not there.
_MISSING = ("UNRESOLVED_COLUMN", "UNRESOLVED_USING", "CANNOT_RESOLVE_STAR_EXPAND")
#: Functions that take nothing but constants where they take texts: schemas, units, durations.
_PARSE_BY = "from_json from_csv from_xml schema_of_json schema_of_csv schema_of_xml"
_OF_TIME = "window session_window date_trunc trunc date_part extract interval"


class SchemaInference(Learning):
    """A session whose plans tell the columns of guessed tables. Every plan goes through `execution`."""

    # ------------------------------------------------------------------------------------------ guessing

    def execution(self, plan: LogicalPlan, sql: str = "") -> QueryExecution:
        """The execution of a plan, analyzed; a column that a guessed table may have begins the reading anew."""
        self.plans += 1
        # What is learned is of use only to a reading behind it.
        longest = LONGEST_TIME / 2 if self.learning else LONGEST_TIME
        if self.plans > MOST_PLANS or time.process_time() - self.began > longest:
            raise LimitReached("the program makes too many DataFrames")
        self.mark(plan)
        if isinstance(plan, Union | SetOperation) and self.guesses.columns and plan.children_resolved:
            self._learn_from_others(plan)
        if self.learning and self._made:
            plan = self._with_made(plan)
        if self.writes_untold:
            plan = self._with_placeholders(plan)
        if not sql and self.guesses.columns and plan.children_resolved and asks_for_user(plan):
            grown = self._learn_from(plan)
            plan = plan if grown is None else grown
        plan, listed = self._with_listed(plan)
        made = super().execution(plan, sql)
        try:
            analyzed = made.analyzed
        except AnalysisError as error:
            if (self.guesses.columns or self._passing_pivots) and error.error_class.startswith(_MISSING):
                grown = self._learn_from(plan)
                if grown is not None:
                    return self.execution(grown, sql)
            if self.guesses.columns:
                self._retype_from(plan, error)
            stood = self._with_known(plan) if error.error_class.startswith("UNRESOLVED_COLUMN") else None
            if stood is not None:
                return self.execution(stood, sql)
            raise
        if listed:
            self._rows[id(analyzed)] = listed
            self._kept.append(analyzed)
        if isinstance(plan, Pivot) and self._pivot:
            self._passing_pivots[id(analyzed)] = pivot_key(self._pivot, plan.aggregates)
            self._kept.append(analyzed)
            self._pivot = 0
        if self.guesses.columns or self._passing_pivots:
            self._note_passing(plan, analyzed)
        return made

    def _note_passing(self, plan: LogicalPlan, analyzed: LogicalPlan) -> None:
        """Remember of which operators of a plan the guessed columns beneath come up."""
        if len(plan.children) > 1 and len(plan.children) == len(analyzed.children):
            for before, after in zip(plan.children, analyzed.children, strict=True):
                self._carry(before, after)
        stars = {p.origin for p in new_in(plan) if isinstance(p, Project) and starred(p) and p.origin is not None}
        if self._view_stars and any(isinstance(p, UnresolvedRelation) for p in new_in(plan)):
            stars |= self._view_stars
            # The columns of a view are cast to the types that it was made with.
            views = [p.child for p in analyzed.walk() if isinstance(p, View)]
            self._passing |= {id(p): p for p in views if isinstance(p, Project)}
        if stars:
            self._passing |= {id(p): p for p in analyzed.walk() if isinstance(p, Project) and p.origin in stars}
            self._kept.append(analyzed)
        if isinstance(plan, Union) and plan.by_name:
            self._passing |= {id(c): c for c in analyzed.children if isinstance(c, Project)}
            self._kept.append(analyzed)
        joined = isinstance(plan, Join) and isinstance(analyzed, Project)
        spread = isinstance(plan, Project) and any("Star" in type(p).__name__ for p in plan.projects)
        for leaf, path in spread_structs(plan, self._guessed_in) if spread and plan.children_resolved else ():
            self._spread.setdefault(id(analyzed), fields_key(leaf, path))
        if joined or spread or (isinstance(analyzed, Project) and lists_all(analyzed)):
            self._passing[id(analyzed)] = plan
            self._kept.append(analyzed)

    def _carry(self, before: LogicalPlan, after: LogicalPlan) -> None:
        """What is known of an input counts for the one with ids of its own, too, as a set read twice has."""
        todo = [(before, after)]
        while todo:
            old, new = todo.pop()
            if old is new or type(old) is not type(new) or len(old.children) != len(new.children):
                continue
            if id(old) in self._passing:
                self._passing[id(new)] = new
            for known in (self._rows, self._passing_pivots, self._spread):
                if id(old) in known:
                    known[id(new)] = known[id(old)]
            self._kept.append(new)
            todo += zip(old.children, new.children, strict=True)

    # ------------------------------------------------------------------------------------------ rows that are guessed

    def guessed_rows(self, key: str, names: Sequence[str] = ()) -> DataFrame:
        """Rows that only running the program would give; their columns are guessed from their use."""
        self.guesses.columns.setdefault(key, {})
        for name in names:
            self.guesses.learn(key, name)
        with self.numbering():
            fields = self.guesses.of(key).columns
            columns = tuple(AttributeReference(f.name, f.data_type, True, next_id()) for f in fields)
        made = LogicalRDD(columns, next_id())
        self._rows[id(made)] = key
        self._kept.append(made)
        return DataFrame(self, made)

    def named_rows(self, frame: DataFrame, names: Sequence[str]) -> DataFrame | None:
        """Rows that only running the program would give with the names that it gives them; None for other rows."""
        key = self._rows.get(id(frame.plan))
        if key is None or not names or isinstance(frame.plan, Project):
            return None
        return self.guessed_rows(key, names)

    def opaque(self, frame: DataFrame, name: str) -> DataFrame:
        """What a function of objects makes of rows: fewer of them for a filter, else rows that nobody knows."""
        if name in ("filter", "where"):
            condition = ScalaUDF(frame.output, BOOLEAN, "<function>")
            return frame.derived(Filter(condition, frame.plan))
        return self.guessed_rows(f"{name} of line {self.line()}")

    def transformed(self, frame: DataFrame, name: str, outputs: Sequence[str]) -> DataFrame:
        """A DataFrame with the columns that a model adds; further ones are guessed from their use."""
        key = f"columns of {name} of line {self.line()}"
        self.guesses.columns.setdefault(key, {})
        for one in dict.fromkeys(outputs):
            self.guesses.learn(key, one)
        have = {a.name.lower() for a in frame.output}
        with self.numbering():
            made = [
                Alias(ScalaUDF(frame.output, f.data_type), f.name, next_id())
                for f in self.guesses.of(key).columns
                if f.name.lower() not in have
            ]
        result = frame.derived(Project((*frame.output, *made), frame.plan))
        self._rows[id(result.plan)] = key
        self._kept.append(result.plan)
        return result

    def guessed_schema(self, origin: tuple[str, int] | None) -> DataType:
        """The type as which a text is read (from_json) that nobody knows: a struct whose fields only uses tell."""
        key = f"schema of line {self.line()}"
        fields = self.guesses.columns.setdefault(key, {})
        self.guesses.used.add(key)
        if origin is not None:
            self._schemas[origin] = key
        return fields.setdefault(PARSED, StructField(PARSED, StructType(()))).data_type

    def guessed(self, key: str, provider: str = "parquet") -> DataFrame:
        """A source of which only its uses tell the columns."""
        table = self.guesses.of(key)
        with self.numbering():
            made = relation(provider, key, table.columns)
        made = made.replace(table=replace(table, provider=provider))
        self._kept.append(made)
        return DataFrame(self, made)
