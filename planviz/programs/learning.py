"""What a program tells of guessed tables: the columns that it asks of them, and their types."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial

from planviz.catalog.tables import Catalog, Table
from planviz.config import OptimizerConfig
from planviz.dataframe.base import Frame
from planviz.dataframe.session import SparkSession
from planviz.errors import AnalysisError
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal, NamedExpression
from planviz.expressions.ids import fresh_ids, next_id
from planviz.expressions.objects import Placeholder
from planviz.expressions.unresolved import UnresolvedAttribute, UnresolvedFunction, UnresolvedStar
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
)
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LogicalRelation
from planviz.logical.streams import NamedSource
from planviz.programs.guessed_plans import (
    UNTOLD,
    deduplicated,
    keeps_all,
    name_of,
    put_into,
    untold,
)
from planviz.programs.guesses import Again, Guesses
from planviz.programs.placeholders import untold_part
from planviz.programs.retyping import columns_read, source, wanted_types
from planviz.programs.values import Value
from planviz.trees.memo import place
from planviz.types import DOUBLE, STRING, DataType, StructField, StructType

#: How many readings of a program only learn from its statements one step further than the reading before.
FEW_READINGS = 10
#: Functions that take nothing but constants where they take texts: schemas, units, durations.
_PARSE_BY = "from_json from_csv from_xml schema_of_json schema_of_csv schema_of_xml"
_OF_TIME = "window session_window date_trunc trunc date_part extract interval"
_OF_CONSTANTS = frozenset([*_PARSE_BY.split(), *_OF_TIME.split()])
#: Between the names of guessed tables that a union reads.
_TOGETHER = "\0"
_PASSING = (Filter, Sort, GlobalLimit, LocalLimit, Offset, Sample, SubqueryAlias)
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


class Learning(SparkSession):
    """A session whose plans over guessed tables grow by the columns that are asked of them."""

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

    def learn_fields(self, plan: LogicalPlan, fields: Iterable[tuple[str, DataType | None]]) -> None:
        """Let the guessed table of a plan have the fields of a class, as which its rows are taken. Raises Again where
        it had to have more."""
        have = {a.name.lower() for a in plan.output}
        new = [(n, t) for n, t in fields if n.lower() not in have]
        for _, key in self._open(plan)[:1] if new else ():
            if any([self._learn(key, n, t) for n, t in new]):
                for n, t in new:
                    # The class says the type; a name only suggests one.
                    if t is not None:
                        any([self.guesses.retype(k, n, (), t) for k in key.split(_TOGETHER)])
                raise Again

    def line(self) -> int:
        """The line of the call that is being read, 0 before the first."""
        return 0 if self.origin is None else self.origin[0].count("\n", 0, self.origin[1]) + 1

    def note_dropped(self, plan: LogicalPlan) -> None:
        """What drops or fills columns hands on whatever else a guessed table has."""
        self._passing[id(plan)] = plan
        self._kept.append(plan)

    def mark(self, node: LogicalPlan | Expression) -> None:
        """Tell the new nodes of a plan, or a column's expression, where in the program they were made."""
        if self.origin is None:
            return
        stack: list[LogicalPlan | Expression] = [node]
        while stack:
            one = stack.pop()
            if isinstance(one, Literal) and type(one.value) is str and "<" in one.value:
                self.writes_untold = True
            if one.origin is None and not isinstance(one, AttributeReference):
                place(one, self.origin)
                stack += one.children
                if isinstance(one, LogicalPlan):
                    stack += one.expressions

    def missing_column(self, plan: LogicalPlan, parts: tuple[str, ...]) -> LogicalPlan | None:
        """The plan with the column, where a guessed table may have it."""
        return self.learn_column(plan, parts[0])

    def is_untold(self, e: Expression) -> bool:
        """Whether an expression is a column of which the text does not tell the name."""
        return untold(e) or (isinstance(e, UnresolvedAttribute) and e.parts[-1] in self.untold)

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
        if not any(map(untold, items)):
            return plan, ""
        key = f"columns of the list at {self.origin[1]}"
        wanted = self.guesses.columns.setdefault(key, {})
        have = {a.name.lower() for a in plan.child.output}
        leaves = self._open(plan.child)
        grows = bool(leaves)
        if grows:
            self._under[key] = have, leaves[0][1]
        told = {name_of(i).lower() for i in items}
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
        names = {n for n in asked if n in self.untold or UNTOLD.fullmatch(n)}
        if not names or not plan.children_resolved:
            return None
        by_type: dict[str, AttributeReference] = {}
        for a in (a for c in plan.children for a in c.output):
            by_type.setdefault(a.type.simple_string, a)
        for column in by_type.values():
            stood = plan.map_expressions(partial(put_into, names, column))
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
        for parts in _names_asked(plan):
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
        if not isinstance(plan, LogicalRelation | NamedSource):
            return None
        table = plan.table
        key = table.shown_name if plan.name and isinstance(table, Table) else getattr(table, "name", "")
        return key if key in self.guesses.columns else None

    def _open(self, plan: LogicalPlan) -> list[tuple[frozenset[str], str]]:
        """The guessed tables whose further columns would come up to here, with the aliases that they have."""
        found: list[tuple[frozenset[str], str]] = []

        def walk(p: LogicalPlan, names: frozenset[str]) -> None:
            if isinstance(p, LogicalRelation | NamedSource):
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
                walk(p.children[0], inner)
            elif isinstance(p, Join):
                walk(p.left, names)
                if p.kind not in ("LeftSemi", "LeftAnti"):
                    walk(p.right, names)
            elif isinstance(p, Project) and keeps_all(p):
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


def _names_asked(plan: LogicalPlan) -> list[tuple[str, ...]]:
    """The names that an operator asks of its inputs, in parts."""
    names: list[tuple[str, ...]] = []

    def look(e: object) -> Value:
        if isinstance(e, UnresolvedAttribute):
            names.append(tuple(e.parts))
        return e

    for e in plan.expressions:
        e.transform_up(look)
    names += [(attribute,) for attribute in deduplicated(plan)]
    names += [tuple(x.target) for e in plan.expressions for x in e.collect(UnresolvedStar) if x.target]
    return names
