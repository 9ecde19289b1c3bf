"""What the uses of DataFrames in a program tell of the columns of tables that nothing describes.

An operator that asks for a column which only a guessed table can have lets the table have it: the program is read anew
(`Again`), or, after a few readings, the plan grows the column on top and the reading goes on to learn more.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from planviz.catalog.tables import Catalog, Table
from planviz.config import OptimizerConfig
from planviz.dataframe.base import Frame
from planviz.dataframe.frame import DataFrame
from planviz.dataframe.readers import relation
from planviz.dataframe.session import SparkSession
from planviz.errors import AnalysisError
from planviz.execution import QueryExecution
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal, NamedExpression
from planviz.expressions.ids import fresh_ids, next_id
from planviz.expressions.objects import Placeholder, ScalaUDF
from planviz.expressions.unresolved import UnresolvedAlias, UnresolvedAttribute, UnresolvedFunction, UnresolvedStar
from planviz.logical.combining import Join, SetOperation, Union, WithCTE
from planviz.logical.operators import (
    Aggregate,
    Filter,
    GlobalLimit,
    LocalLimit,
    Offset,
    Project,
    Sample,
    Sort,
    SubqueryAlias,
    View,
)
from planviz.logical.plan import ANALYZED, LogicalPlan
from planviz.logical.relations import LogicalRDD, LogicalRelation
from planviz.logical.unresolved import Pivot, UnresolvedRelation
from planviz.programs.guesses import Again, Guesses, fields_key, pivot_key
from planviz.programs.placeholders import untold_part
from planviz.programs.retyping import PARSED, columns_read, source, spread_structs, wanted_types
from planviz.programs.signals import LimitReached
from planviz.programs.values import Value
from planviz.trees.memo import place
from planviz.types import BOOLEAN, DOUBLE, STRING, DataType, StructField, StructType

#: How many plans are made of one program at most, and how long that may take (seconds of this process).
MOST_PLANS, LONGEST_TIME = 30_000, 20.0
#: How many readings of a program only learn from its statements one step further than the reading before.
FEW_READINGS = 10
#: A column of which the text does not tell the name.
_UNTOLD = re.compile(r"<[^<>]+>")
#: Refusals for a column that is not there.
_MISSING = ("UNRESOLVED_COLUMN", "UNRESOLVED_USING", "CANNOT_RESOLVE_STAR_EXPAND")
#: Functions that take nothing but constants where they take texts: schemas, units, durations.
_PARSE_BY = "from_json from_csv from_xml schema_of_json schema_of_csv schema_of_xml"
_OF_TIME = "window session_window date_trunc trunc date_part extract interval"
_OF_CONSTANTS = frozenset([*_PARSE_BY.split(), *_OF_TIME.split()])
#: Between the names of guessed tables that a union reads.
_TOGETHER = "\0"
_PASSING = (Filter, Sort, GlobalLimit, LocalLimit, Offset, Sample, SubqueryAlias)


class SchemaInference(SparkSession):
    """A session whose plans tell the columns of guessed tables. Every plan goes through `execution`."""

    def __init__(self, catalog: Catalog | None, config: OptimizerConfig | None, guesses: Guesses) -> None:
        super().__init__(catalog, config)
        self.guesses = guesses
        #: Where the call that is being read stands: the program's text and the character, None before the first.
        self.origin: tuple[str, int] | None = None
        self.began = guesses.began
        self.plans = 0
        #: Whether a statement was passed over, because more is known of a guessed table: this reading only learns.
        self.incomplete = False
        #: Whether a plan was given columns that its guessed table was not known to have: this reading only learns.
        self.learning = False
        #: Sentences about what was taken to be so, in order.
        self.notes: dict[str, None] = {}
        #: Plans through which further columns of guessed tables go, by identity.
        self._passing: dict[int, LogicalPlan] = {}
        #: Names in texts of SQL that stand for columns of which the program does not tell the name.
        self.untold: set[str] = set()
        #: What was noted once.
        self._told: set[str] = set()
        #: Whether a text of the program has held a value that nobody knows.
        self.writes_untold = False
        #: Where in the texts of views made by SQL a projection takes all columns of what it reads.
        self._view_stars: set[tuple[str, int]] = set()
        self._kept: list[LogicalPlan] = []
        #: The line of a pivot whose values are not listed, until it is aggregated; results of such pivots by identity.
        self._pivot = 0
        #: The schemas of which only uses tell the fields, by where the text is read by them; projections of the fields
        #: of guessed structs, by identity.
        self._schemas: dict[tuple[str, int], str] = {}
        self._spread: dict[int, str] = {}
        #: Of lists of columns that nobody knows: the columns of what is under it, and the guessed table of these.
        self._under: dict[str, tuple[set[str], str]] = {}
        #: Rows of which only uses tell the columns, by the identity of their plan.
        self._rows: dict[int, str] = {}
        self._passing_pivots: dict[int, str] = {}
        #: The columns that plans were given of guessed tables, by id.
        self._made: dict[int, tuple[str, Alias]] = {}

    def tell(self, what: str, line: int) -> None:
        """Note what was taken to be so, once, at the first line where it was."""
        if what not in self._told:
            self._told.add(what)
            self.notes[f"Line {line}: {what}"] = None

    def line(self) -> int:
        """The line of the call that is being read, 0 before the first."""
        return 0 if self.origin is None else self.origin[0].count("\n", 0, self.origin[1]) + 1

    def note_dropped(self, plan: LogicalPlan) -> None:
        """What drops or fills columns hands on whatever else a guessed table has."""
        self._passing[id(plan)] = plan
        self._kept.append(plan)

    def mark(self, node: Any) -> None:
        """Tell the new nodes of a plan, or a column's expression, where in the program they were made."""
        if self.origin is None:
            return
        stack = [node]
        while stack:
            one = stack.pop()
            if isinstance(one, Literal) and type(one.value) is str and "<" in one.value:
                self.writes_untold = True
            if one.origin is None and not isinstance(one, AttributeReference):
                place(one, self.origin)
                stack += one.children
                if isinstance(one, LogicalPlan):
                    stack += one.expressions

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
        if not sql and self.guesses.columns and plan.children_resolved and _asks_for_user(plan):
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
        if not self.guesses.columns and not self._passing_pivots:
            return made
        if len(plan.children) > 1 and len(plan.children) == len(analyzed.children):
            for before, after in zip(plan.children, analyzed.children, strict=True):
                self._carry(before, after)
        stars = {p.origin for p in _new_in(plan) if isinstance(p, Project) and starred(p) and p.origin is not None}
        if self._view_stars and any(isinstance(p, UnresolvedRelation) for p in _new_in(plan)):
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
        if joined or spread or (isinstance(analyzed, Project) and _lists_all(analyzed)):
            self._passing[id(analyzed)] = plan
            self._kept.append(analyzed)
        return made

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

    # ------------------------------------------------------------------------------------------ learning

    def missing_column(self, plan: LogicalPlan, parts: tuple[str, ...]) -> LogicalPlan | None:
        """The plan with the column, where a guessed table may have it."""
        return self.learn_column(plan, parts[0])

    def is_untold(self, e: Expression) -> bool:
        """Whether an expression is a column of which the text does not tell the name."""
        return _untold(e) or (isinstance(e, UnresolvedAttribute) and e.parts[-1] in self.untold)

    def may_grow(self, frame: Frame) -> bool:
        """Whether a DataFrame may have further columns, which only their uses tell."""
        return bool(self._open(frame.plan))

    def becomes_numeric(self, plan: LogicalPlan, column: Expression) -> bool:
        """Whether the column's type is only guessed; Again where it was guessed to be no number."""
        found = source(column, Project((column,), plan), self._guessed_in)
        if found is None:
            return False
        (keys, name), path = found
        if any([self.guesses.retype(key, name, path, DOUBLE) for key in keys.split(_TOGETHER)]):
            raise Again
        return True

    def learn_column(self, plan: LogicalPlan, name: str) -> LogicalPlan | None:
        """The plan with a column that it must have, where one of its guessed tables may have it.

        Raises Again instead while readings are few.
        """
        leaf = next(iter(self._open(plan)), None)
        if leaf is None or not (self._learn(leaf[1], name) or self.learning):
            return None
        if any(a.name.lower() == name.lower() for a in plan.output):
            return None
        return super().execution(self._grown(plan, [("", leaf[1], name)])).analyzed

    def widen(self, plan: LogicalPlan, number: int) -> None:
        """Let a guessed table have as many columns as all of them are given names (toDF). Raises Again where it had
        fewer."""
        leaf = next(iter(self._open(plan)), None)
        if leaf is None:
            return
        # Files without a header have columns of such names.
        if any([self._learn(leaf[1], f"_c{i}") for i in range(len(plan.output), number)]):
            raise Again

    def _grown(self, plan: LogicalPlan, columns: Iterable[tuple[str, str, str]]) -> LogicalPlan:
        """A plan with columns of guessed tables on top: the qualifier they are called by, the table, their name.

        They come from nowhere, so the plan is good for nothing but to read on and learn more in the same reading.
        Raises Again instead while readings are few: what the rest of a program says of other tables often tells whose
        a column is, and only a program that adds to a table with every statement takes many readings.
        """
        if self.guesses.readings <= FEW_READINGS:
            raise Again
        self.learning = True
        made = []
        with self.numbering():
            for qualifier, keys, name in columns:
                known = self.guesses.columns.get(keys.split(_TOGETHER)[0], {}).get(name.lower())
                kind = STRING if known is None else known.data_type
                made.append(Alias(Literal(None, kind), name, next_id(), (qualifier,) if qualifier else ()))
                self._made[made[-1].expr_id] = keys, made[-1]
        return self._passing_project((*plan.output, *made), plan)

    def _passing_project(self, items: tuple[NamedExpression, ...], plan: LogicalPlan) -> Project:
        grown = Project(items, plan)
        self._kept.append(grown)
        self._passing[id(grown)] = grown
        return grown

    def _with_made(self, plan: LogicalPlan) -> LogicalPlan:
        """An operator whose inputs have the columns that were given to an earlier plan over the same guessed table."""
        have = plan.input_set
        asked = {a.expr_id for e in plan.expressions for a in e.collect(AttributeReference)} - have
        children = list(plan.children)
        for number in sorted(asked & self._made.keys()):
            keys, column = self._made[number]
            for i, child in enumerate(children):
                if any(key == keys for _, key in self._open(child)):
                    children[i] = self._passing_project((*child.output, column), child)
                    break
        return plan.with_new_children(tuple(children))

    def _with_placeholders(self, plan: LogicalPlan) -> LogicalPlan:
        """A plan whose texts with values that nobody knows ('<args.day>') are no constants: none is computed."""
        source = "" if self.origin is None else self.origin[0]

        def placed(e: Expression) -> Expression:
            if not isinstance(e, Literal) or type(e.value) is not str:
                return e
            part = untold_part(e.value)
            # What the program itself writes so is a text like any other.
            if not part or part in source:
                return e
            return Placeholder(re.sub("[<>]", "", e.value), STRING, False)

        def step(e: Expression) -> Expression:
            named = isinstance(e, UnresolvedFunction) and e.parts[-1].lower() in _OF_CONSTANTS
            return e if named else e.map_children(placed)

        return plan.transform_with_subqueries(lambda p: p.transform_expressions_up(step))

    def _with_listed(self, plan: LogicalPlan) -> tuple[LogicalPlan, str]:
        """A projection or grouping by columns that nobody knows, with those of its input that later uses ask for.

        With it the name under which these are learned, empty for any other operator.
        """
        if not isinstance(plan, Project | Aggregate) or self.origin is None or not plan.children_resolved:
            return plan, ""
        items = plan.projects if isinstance(plan, Project) else plan.grouping
        if not any(map(_untold, items)):
            return plan, ""
        key = f"columns of the list at {self.origin[1]}"
        wanted = self.guesses.columns.setdefault(key, {})
        have = {a.name.lower() for a in plan.child.output}
        leaves = self._open(plan.child)
        grows = bool(leaves)
        if grows:
            self._under[key] = have, leaves[0][1]
        told = {_name_of(i).lower() for i in items}
        more = tuple(
            UnresolvedAttribute((f.name,)) for n, f in wanted.items() if n not in told and (n in have or grows)
        )
        if isinstance(plan, Project):
            return plan.replace(projects=(*plan.projects, *more)), key
        at = len(plan.grouping)
        results = (*plan.aggregates[:at], *more, *plan.aggregates[at:])
        return plan.replace(grouping=(*plan.grouping, *more), aggregates=results), key

    def _with_known(self, plan: LogicalPlan) -> LogicalPlan | None:
        """An operator with a column of its input in place of those that nobody knows, the first that fits; or None."""
        asked = {a.parts[-1] for e in plan.expressions for a in e.collect(UnresolvedAttribute)}
        names = {n for n in asked if n in self.untold or _UNTOLD.fullmatch(n)}
        if not names or not plan.children_resolved:
            return None
        by_type: dict[str, AttributeReference] = {}
        for a in (a for c in plan.children for a in c.output):
            by_type.setdefault(a.type.simple_string, a)
        for column in by_type.values():
            stood = plan.map_expressions(partial(_put_into, names, column))
            try:
                with fresh_ids():
                    super().execution(stood).analyzed  # noqa: B018  whether it fits
            except AnalysisError:
                continue
            for name in sorted(names):
                self.tell(f"the column {column.name} stands for {name}, which the text does not tell.", self.line())
            return stood
        return None

    def _learn(self, key: str, name: str, kind: DataType | None = None) -> bool:
        """Note a column of a guessed table, or of all that a union takes its rows from."""
        learned = any([self.guesses.learn(k, name, kind) for k in key.split(_TOGETHER)])
        # A list takes its columns from what is under it: many in a row would each take a reading.
        seen = {key}
        while key in self._under and name.lower() not in self._under[key][0]:
            key = self._under[key][1]
            if key in seen:  # a loop's list stands over itself
                break
            seen.add(key)
            learned |= any([self.guesses.learn(k, name, kind) for k in key.split(_TOGETHER)])
        return learned

    def _learn_from(self, plan: LogicalPlan) -> LogicalPlan | None:
        """The operator over inputs that have the columns which it asks of guessed tables; None where it asks none.

        Raises Again instead while readings are few.
        """
        learned = False
        #: By the place of an input: the columns that it has to have more.
        missing: dict[int, dict[str, tuple[str, str, str]]] = {}

        def learn(place: int, key: str, name: str, kind: DataType | None = None, qualifier: str = "") -> None:
            nonlocal learned
            learned |= self._learn(key, name, kind)
            missing.setdefault(place, {}).setdefault(name.lower(), (qualifier, key, name))

        if isinstance(plan, Join) and plan.using:
            for place, side in enumerate((plan.left, plan.right)):
                for name in plan.using:
                    if name.lower() not in {a.name.lower() for a in side.output}:
                        for _, key in self._open(side)[:1]:
                            learn(place, key, name)
        have = {a.name.lower() for c in plan.children for a in c.output}
        qualifiers = {a.qualifier[-1].lower() for c in plan.children for a in c.output if a.qualifier}
        below = [self._under_projections(c) if isinstance(plan, Filter | Sort) else c for c in plan.children]
        leaves = [(names, key, place) for place, c in enumerate(below) for names, key in self._open(c)]
        names: list[tuple[str, ...]] = []

        def look(e: object) -> Value:
            if isinstance(e, UnresolvedAttribute):
                names.append(tuple(e.parts))
            return e

        for e in plan.expressions:
            e.transform_up(look)
        names += [(attribute,) for attribute in _deduplicated(plan)]
        names += [tuple(x.target) for e in plan.expressions for x in e.collect(UnresolvedStar) if x.target]
        for parts in names:
            qualifier = parts[0].lower() if len(parts) > 1 else ""
            own = [x for x in leaves if qualifier in x[0]]
            if own and parts[1].lower() not in have:
                learn(own[0][2], own[0][1], parts[1], qualifier=qualifier)
            elif own:
                for _, key, place in own:
                    if self._learn(key, parts[1]):
                        learn(place, key, parts[1], qualifier=qualifier)
                        learned = True
                        break
            elif leaves and parts[0].lower() not in have and qualifier not in qualifiers:
                kind = None
                if len(parts) > 1:
                    kind = StructType(tuple(StructField(p, STRING) for p in parts[1:2]))
                learn(leaves[0][2], leaves[0][1], parts[0], kind)
        if not learned and not (self.learning and missing):
            return None
        children = [self._grown(c, missing[i].values()) if i in missing else c for i, c in enumerate(plan.children)]
        return plan.with_new_children(tuple(children))

    def _under_projections(self, plan: LogicalPlan) -> LogicalPlan:
        """Where a filter or a sort finds columns that the projections right under it do not hand on."""
        while isinstance(plan, Project) and not self._open(plan):
            plan = plan.child
        return plan

    def _learn_from_others(self, plan: LogicalPlan) -> None:
        """What is put together with a guessed table has its columns: Again where it has to have more."""
        widest = max((c.output for c in plan.children), key=len)
        learned = False
        for child in plan.children:
            have = {a.name.lower() for a in child.output}
            if len(child.output) < len(widest):
                for _, key in self._open(child)[:1]:
                    new = [a for a in widest if a.name.lower() not in have]
                    learned |= any([self._learn(key, a.name, a.type) for a in new])
        if learned:
            raise Again

    def _retype_from(self, plan: LogicalPlan, error: AnalysisError) -> None:
        """Raises Again where a guessed column has to be of another type."""
        wanted = list(wanted_types(plan, error, self._guessed_in))
        leaves = [(k, name, path, kind) for (keys, name), path, kind in wanted for k in keys.split(_TOGETHER)]
        if any([self.guesses.retype(*leaf) for leaf in leaves]):
            raise Again
        read = columns_read(plan, error, self._guessed_in)
        if any([self.guesses.mistrust(k, name) for keys, name in read for k in keys.split(_TOGETHER)]):
            raise Again

    def _guessed_in(self, plan: LogicalPlan, column: Expression) -> str | None:
        """The guessed table that makes a column at the bottom of a plan, or the guessed schema of a parsed text."""
        if not isinstance(column, AttributeReference):
            return None if column.origin is None else self._schemas.get(column.origin)
        if id(plan) in self._rows:
            passed = {a.expr_id for c in plan.children for a in c.output}
            return None if column.expr_id in passed else self._rows[id(plan)]
        return self._guessed_leaf(plan)

    def _guessed_leaf(self, plan: LogicalPlan) -> str | None:
        """The guessed table that a relation reads."""
        if not isinstance(plan, LogicalRelation):
            return None
        table = plan.table
        key = table.shown_name if plan.name and isinstance(table, Table) else getattr(table, "name", "")
        return key if key in self.guesses.columns else None

    def _open(self, plan: LogicalPlan) -> list[tuple[frozenset[str], str]]:
        """The guessed tables whose further columns would come up to here, with the aliases that they have."""
        found: list[tuple[frozenset[str], str]] = []

        def walk(p: Any, names: frozenset[str]) -> None:
            if isinstance(p, LogicalRelation):
                key = self._guessed_leaf(p)
                if key is not None:
                    found.append((names | {key.rpartition(".")[2].lower()} if p.name else names, key))
            elif id(p) in self._spread:
                found.append((names, self._spread[id(p)]))
            elif id(p) in self._rows:
                found.append((names, self._rows[id(p)]))
            elif id(p) in self._passing_pivots:
                found.append((names, self._passing_pivots[id(p)]))
            elif id(p) in self._passing or isinstance(p, _PASSING) or type(p).__name__ in _PASSING_NAMES:
                inner = names | {p.name[-1].lower()} if isinstance(p, SubqueryAlias) else names
                walk(p.child, inner)
            elif isinstance(p, Join):
                walk(p.left, names)
                if p.kind not in ("LeftSemi", "LeftAnti"):
                    walk(p.right, names)
            elif isinstance(p, Project) and _keeps_all(p):
                walk(p.child, names)
            elif isinstance(p, WithCTE):
                walk(p.children[-1], names)
            elif isinstance(p, Union | SetOperation):
                sides = [self._open(c) for c in p.children]
                if all(sides):
                    keys = dict.fromkeys(k for side in sides for k in side[0][1].split(_TOGETHER))
                    found.append((names, _TOGETHER.join(keys)))

        walk(plan, frozenset())
        return found


def _asks_for_user(plan: LogicalPlan) -> bool:
    """Whether an operator names a column `user`, which is a function of SQL where no table has it."""
    found = (a for e in plan.expressions for a in e.collect(UnresolvedAttribute))
    return any(a.parts[-1].lower() in ("user", "session_user") for a in found)


def _untold(e: Expression) -> bool:
    """Whether an item of a list is a column of which the text does not tell the name, or named after one."""
    inner = e.child if isinstance(e, Alias | UnresolvedAlias) else e
    return isinstance(inner, UnresolvedAttribute) and _UNTOLD.fullmatch(inner.parts[-1]) is not None


def _name_of(e: Expression) -> str:
    return e.parts[-1] if isinstance(e, UnresolvedAttribute) else str(getattr(e, "name", ""))


def _put_into(names: set[str], column: AttributeReference, e: Expression) -> Expression:
    """An expression with a column in place of those of these names."""
    made: Expression = e.transform_up(
        lambda x: column if isinstance(x, UnresolvedAttribute) and x.parts[-1] in names else x
    )
    return made


def _new_in(plan: LogicalPlan) -> list[LogicalPlan]:
    """The operators of a plan without those of the DataFrames that it was made of."""
    found, todo = [], [plan]
    while todo:
        node = todo.pop()
        if node not in ANALYZED:
            found.append(node)
            todo += node.children
    return found


_PASSING_NAMES = frozenset(
    [
        "CollectMetrics",
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


def starred(plan: Project) -> bool:
    """Whether a projection takes all columns of what it reads."""
    return any("Star" in type(p).__name__ and not getattr(p, "excepted", ()) for p in plan.projects)


def _keeps_all(plan: Project) -> bool:
    """Whether a projection hands on what is beneath a join's or a rename's columns: more items than its child has."""
    passed = {p.expr_id for p in plan.projects if isinstance(p, AttributeReference)}
    return (
        bool(plan.child.output)
        and all(a.expr_id in passed for a in plan.child.output)
        and len(plan.projects) > len(plan.child.output)
    )


def _lists_all(plan: Project) -> bool:
    """Whether a projection makes something of every column there is, as a list over `df.columns` does."""
    names = {p.name.lower() for p in plan.projects if isinstance(p, Alias)}
    known = {a.name.lower() for a in plan.child.output}
    return not plan.projects or (bool(names & known) and known <= {a.name.lower() for a in plan.output})


def _deduplicated(plan: LogicalPlan) -> tuple[str, ...]:
    names = getattr(plan, "names", None) or getattr(plan, "keys", None)
    if type(plan).__name__ == "UnresolvedDeduplicate" and isinstance(names, tuple):
        return tuple(n for n in names if isinstance(n, str))
    return ()
