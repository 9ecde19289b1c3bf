"""One operator's line to the operator: Catalyst's logical operators by the names that they print."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import cast

from planviz.expressions.core import Alias, AttributeReference, Expression, Literal, NamedExpression, SortOrder
from planviz.expressions.ids import next_id
from planviz.expressions.python import PythonUDF
from planviz.expressions.subqueries import LateralSubquery
from planviz.logical.combining import (
    CTERelationDef,
    Except,
    Intersect,
    Join,
    LateralJoin,
    Union,
    UnionLoop,
    WithCTE,
)
from planviz.logical.operators import (
    Aggregate,
    Deduplicate,
    Distinct,
    Expand,
    Filter,
    Generate,
    GlobalLimit,
    LocalLimit,
    Offset,
    Project,
    RebalancePartitions,
    Repartition,
    RepartitionByExpression,
    ResolvedHint,
    Sample,
    Sort,
    SubqueryAlias,
    View,
    Window,
    WindowGroupLimit,
)
from planviz.logical.plan import LogicalPlan
from planviz.logical.python import ArrowEvalPython, BatchEvalPython
from planviz.logical.relations import (
    CTERelationRef,
    LocalRelation,
    LogicalRDD,
    LogicalRelation,
    OneRowRelation,
    Range,
    UnionLoopRef,
)
from planviz.logical.unresolved import PipeOperator
from planviz.replay.columns import Columns
from planviz.replay.expressions import Elaborator, Found
from planviz.replay.literals import constant
from planviz.replay.opaque import (
    OpaqueExpression,
    OpaqueOperator,
    PrintedOperator,
    PrintedRelation,
    PrintedView,
    kept_as_printed,
    own_columns_of,
)
from planviz.replay.terms import SUBQUERY, Term, Terms, Unreadable
from planviz.trees.memo import Memo
from planviz.types import INT, LONG, UNKNOWN, DataType

#: What stands in the place of items that Spark left out (spark.sql.debug.maxToStringFields).
MORE = re.compile(r"\.\.\. \d+ more fields")
#: Operators of Python functions over whole tables, and the list of columns at the end of their lines.
_OF_TABLES = re.compile(r"(Python)?MapIn(Pandas|Arrow)$|FlatMap(Co)?GroupsIn(Pandas|Arrow)$")
_LAST_LIST = re.compile(r"\[([^\[\]]*)\](?:, (?:true|false))?$")
#: What stands in the place of items that Spark, or whoever pasted the text, left out.
ELIDED = re.compile(rf"{MORE.pattern}|\s*(?:\.\.\.|…)")
Scope = Mapping[int, AttributeReference]
#: Names of operators that read a source.
SOURCE = re.compile(r"Relation|Scan|RDD$")
_COLUMN = re.compile(r"([^,\[\]]*?|\([^\[\]]*?\))#(\d+)(L?)(?=, ?|\]|$)")
_KINDS = r"Inner|Cross|LeftOuter|RightOuter|FullOuter|LeftSemi|LeftAnti|LeftSingle"
_JOIN = re.compile(
    rf"Join (?:({_KINDS})|ExistenceJoin\((.*?)#(\d+)\)"
    rf"|UsingJoin\(({_KINDS}), ?(?:\[|Buffer\(|List\()(.*?)[\])]\))"
)
#: How many columns a relation or a projection gives that its line, cut by Spark, does not list.
_LEFT_OUT: Memo[int] = Memo("left_out")
_HINTS = re.compile(r"(?:, leftHint=\(strategy=(\w+)\))?(?:, rightHint=\(strategy=(\w+)\))?$")


@dataclass
class Line:
    """An operator as it stands in a tree: its name and arguments, its inputs and its subqueries' plans."""

    op: str
    text: str
    inputs: tuple[LogicalPlan, ...]
    plans: tuple[LogicalPlan, ...]
    outer: Scope
    unresolved: bool = False
    #: The id of the column of a range.
    column: int = -1


def _has_opaque(plan: LogicalPlan) -> bool:
    """Whether an operator of a plan is opaque; the bits alone count those of subqueries, too."""
    return bool(plan.bits & OpaqueOperator.BIT) and any(isinstance(n, OpaqueOperator) for n in plan.walk())


class Operator:
    """Reads one line. `columns` are the types that texts told, `ansi` the session's mode."""

    def __init__(self, line: Line, columns: Columns, ansi: bool, found: Found) -> None:
        self.line, self.columns, self.found = line, columns, found
        self.inputs = line.inputs
        self.scope = {a.expr_id: a for p in line.inputs for a in p.output}
        self.inner = {a.expr_id: a for p in line.plans for a in p.output}
        self.text = line.text
        begin = [m.start() for m in SUBQUERY.finditer(line.text)]
        self.plans = dict(zip(begin, line.plans, strict=False))
        open = columns.shortened or any(map(_has_opaque, line.inputs))
        self.terms = Terms(self.text, self._names, open or line.unresolved, self._also)
        self.elaborator = Elaborator(self.scope, line.outer, self.plans, ansi, found, columns.python, columns.zone)
        self.at = len(line.op) + 1

    def _also(self) -> frozenset[str]:
        """The names of the inputs' columns."""
        return frozenset(a.name for a in self.scope.values())

    def _names(self, expr_id: int) -> tuple[str, ...] | None:
        if expr_id in self.scope and expr_id not in self.inner and expr_id not in self.line.outer:
            return (self.scope[expr_id].name,)
        found = [s[expr_id].name for s in (self.scope, self.line.outer, self.inner) if expr_id in s]
        return tuple(dict.fromkeys(found)) or None

    # -------------------------------------------------------------------------------------------- pieces

    def read(self) -> LogicalPlan:
        """The operator, or an opaque one where its line cannot be read."""
        read = READERS.get(self.line.op)
        try:
            if read is not None:
                return self._resolved(read)
        except (Unreadable, ValueError, IndexError, KeyError, TypeError, AttributeError, StopIteration, AssertionError):
            pass
        return self.opaque()

    def _resolved(self, read: Callable[[Operator], LogicalPlan]) -> LogicalPlan:
        """The operator; what keeps it from being resolved as it was to Spark stays as it stands."""
        before, count, at = self.found.expressions, len(self.found.opaque), self.at
        made = read(self)
        if self.line.unresolved or made.resolved or not all(p.resolved for p in self.inputs):
            return made
        self.found.expressions, self.at, self.elaborator.strict = before, at, True
        del self.found.opaque[count:]
        self.elaborator.made.clear()
        return read(self)

    def opaque(self) -> OpaqueOperator:
        """The line as it stands."""
        pieces, read, at = [], [], 0
        for start in sorted(self.terms.columns):
            term = self.terms.columns[start]
            pieces.append(self.text[at:start])
            read.append(self.elaborator.expression(term))
            at = term.end
        pieces.append(self.text[at:])
        given: tuple[AttributeReference, ...] = ()
        if not self.inputs:
            # Behind the source in words of its own, a stream's relation lists its columns last.
            text = self.text[self.text.rfind(" [") :] if self.line.op.startswith("Streaming") else self.text
            given = tuple(self._column(n, i, bool(long), "") for n, i, long in columns_of(text))
            kind: type[OpaqueOperator] = PrintedRelation if SOURCE.search(self.line.op) else OpaqueOperator
            kind = PrintedOperator if kept_as_printed(self.line.op) and kind is OpaqueOperator else kind
            return kind((self.text,), (), (), given, frozenset(a.expr_id for a in given))
        if kept_as_printed(self.line.op):
            own = own_columns_of(self.line.op, self.text) or self._of_function()
            return PrintedOperator(tuple(pieces), tuple(read), self.inputs, own, frozenset(a.expr_id for a in own))
        missing = frozenset(
            r.expr_id for r in read if isinstance(r, AttributeReference) and r.expr_id not in self.scope
        )
        return OpaqueOperator(tuple(pieces), tuple(read), self.inputs, (), missing)

    def _of_function(self) -> tuple[AttributeReference, ...]:
        """The columns of a Python function of whole tables, which stand in the last list of its line."""
        last = _OF_TABLES.match(self.line.op) and _LAST_LIST.search(self.text)
        return tuple(self._column(n, i, bool(long), "") for n, i, long in columns_of(last.group(1))) if last else ()

    def _column(self, name: str, expr_id: int, long: bool, table: str) -> AttributeReference:
        nullable = expr_id not in self.columns.never_null
        return AttributeReference(name, self.columns.type_of(expr_id, table, name, long), nullable, expr_id)

    def own_columns(self, text: str, table: str = "") -> tuple[AttributeReference, ...]:
        """The columns that a leaf gives: `[a#1,b#2L]`."""
        made = [self._column(n, i, long, table) for n, i, long in columns_of(text)]
        return (*made, *self._left_out(text, made, table))

    def _left_out(self, text: str, made: list[AttributeReference], table: str) -> list[AttributeReference]:
        """The columns that a shortened list leaves out, as far as other lines mention them: the columns of a leaf have
        numbers that follow each other, or, where only some are read, numbers that rise."""
        more = MORE.search(text)
        ids = [a.expr_id for a in made]
        if more is None or not made or ids != sorted(ids):
            return []
        last, number = ids[-1], int(re.findall(r"\d+", more.group())[0])
        if last - ids[0] == len(made) - 1:
            between: Iterable[int] = range(last + 1, last + 1 + number)
        else:
            between = self.columns.left_out(ids[0], last)[:number]
        mentioned = ((i, self.columns.mentioned.get(i)) for i in between)
        return [self._column(said[0], i, said[1], table) for i, said in mentioned if said is not None]

    def listed(self) -> tuple[Term, ...]:
        """The next list in brackets."""
        if self.text[self.at : self.at + 1] != "[":
            raise Unreadable(self.text[:80])
        items, end = self.terms.listed(self.at + 1)
        self.at = end + 1
        return tuple(i for i in items if not ELIDED.fullmatch(i.text))

    def expressions(self) -> tuple[Expression, ...]:
        """The expressions of the next list in brackets."""
        return tuple(self.elaborator.expression(t) for t in self.listed())

    def named(self, terms: tuple[Term, ...] | None = None) -> tuple[Expression, ...]:
        """The columns that an operator gives, each with a name. Raises Unreadable where one has none."""
        return self.with_names(
            self.expressions() if terms is None else tuple(self.elaborator.expression(t) for t in terms)
        )

    @staticmethod
    def with_names(made: tuple[Expression, ...]) -> tuple[Expression, ...]:
        """The same expressions. Raises Unreadable where one has no name."""
        for e in made:
            if not isinstance(e, NamedExpression):
                raise Unreadable(e.text[:80])
        return made

    def calls(self) -> tuple[OpaqueExpression, ...]:
        """The items of the next list in brackets as they stand: calls of functions that only a program knows."""
        start, depth, items = self.at + 1, 0, []
        for at in range(self.at, len(self.text)):
            depth += (self.text[at] in "[(") - (self.text[at] in "])")
            if (depth == 1 and self.text.startswith(", ", at)) or depth == 0:
                items.append(self._as_it_stands(start, at))
                start = at + 2
            if depth == 0:
                self.at = at + 1
                return tuple(items)
        raise Unreadable(self.text[:80])

    def _as_it_stands(self, start: int, end: int) -> OpaqueExpression:
        pieces, read, at = [], [], start
        for begin in sorted(b for b in self.terms.columns if start <= b < end):
            term = self.terms.columns[begin]
            pieces.append(self.text[at:begin])
            read.append(self.elaborator.expression(term))
            at = term.end
        return OpaqueExpression((*pieces, self.text[at:end]), tuple(read), UNKNOWN)

    def skip(self, text: str) -> bool:
        """Whether the text goes on so; it is then behind it."""
        if self.text.startswith(text, self.at):
            self.at += len(text)
            return True
        return False

    @property
    def rest(self) -> str:
        """What is not read yet."""
        return self.text[self.at :]

    @property
    def child(self) -> LogicalPlan:
        """The only input."""
        (only,) = self.inputs
        return only


def columns_of(text: str) -> list[tuple[str, int, bool]]:
    """Names, ids and L of `a#1,b c#2L`: names may hold anything but what ends an item, in round brackets that too:
    `percentile(a#1, 0.5)#2`."""
    inside = text[text.index("[") + 1 :] if "[" in text else text
    found, at = [], 0
    balanced = inside.count("(") == inside.count(")")
    for m in re.finditer(r"#(\d+)(L?)(?=,|\]|$| parquet)", inside):
        name = inside[at : m.start()].removeprefix(",").removeprefix(" ")
        if balanced and name.count("(") != name.count(")"):
            continue
        found.append((name, int(m.group(1)), bool(m.group(2))))
        at = m.end()
    return found


# ------------------------------------------------------------------------------------------------ leaves


def _relation(o: Operator) -> LogicalPlan:
    # Behind the columns stands a format, or a data source in words of its own, which stays as it is.
    m = re.fullmatch(r"Relation ?([^\[]*)\[((?:.*#\d+L?|[^\[]*|.*\.\.\. \d+ more fields))\] ?([\w.$@-]*)", o.text, re.S)
    if m is None:
        return o.opaque()
    name = tuple(p for p in m.group(1).strip().split(".") if p)
    attributes = o.own_columns(f"[{m.group(2)}]", ".".join(name).lower())
    made = LogicalRelation(attributes, name, None, m.group(3))
    listed = sum(1 for _ in columns_of(f"[{m.group(2)}]"))
    _LEFT_OUT.set(made, max(listed + _cut(m.group(2)) - len(attributes), 0))
    return made


def _local(o: Operator) -> LogicalPlan:
    columns = o.own_columns(o.text) if "[" in o.text else ()
    if o.text.startswith("LocalRelation <empty>"):
        return LocalRelation(columns)
    return LocalRelation(columns, (tuple(None for _ in columns),))


def _range(o: Operator) -> LogicalPlan:
    m = re.fullmatch(r"Range \((-?\d+), (-?\d+), step=(-?\d+)(?:, splits=(?:Some\((\d+)\)|None))?\)", o.text)
    if m is None:
        return o.opaque()
    start, end, step, slices = m.groups()
    column = AttributeReference("id", LONG, False, o.line.column)
    return Range(int(start), int(end), int(step), None if slices is None else int(slices), column)


def _rdd(o: Operator) -> LogicalPlan:
    made = LogicalRDD(o.own_columns(o.text[: o.text.index("]") + 1]))
    return made if made.simple_string == o.text else o.opaque()


def _cte_ref(o: Operator) -> LogicalPlan:
    m = re.fullmatch(
        r"CTERelationRef (\d+), (true|false)(?:, \[(.*)\])?(?:, (true|false))?(?:, (true|false))?(?:, (\d+))?(.*)",
        o.text,
    )
    if m is None or m.group(7):
        return o.opaque()
    attributes = o.own_columns(f"[{m.group(3)}]", f"cte {m.group(1)}") if m.group(3) else ()
    rows = None if m.group(6) is None else int(m.group(6))
    streaming, recursive = (None if flag is None else flag == "true" for flag in m.group(4, 5))
    definition = o.columns.definitions.get(int(m.group(1)))
    if definition is not None and len(definition) == len(attributes):
        pairs = zip(attributes, definition, strict=True)
        attributes = tuple(AttributeReference(a.name, d.type, d.is_nullable, a.expr_id) for a, d in pairs)
    return CTERelationRef(int(m.group(1)), m.group(2) == "true", attributes, streaming, recursive, rows)


# ------------------------------------------------------------------------------------------------ one input


def _project(o: Operator) -> LogicalPlan:
    if o.text == "Project":
        return Project((), o.child)
    items = o.named()
    made = Project(_whole(o, items) or items, o.child)
    _LEFT_OUT.set(made, max(len(items) + _cut(o.text) - len(made.projects), 0))
    return made


def _whole(o: Operator, items: tuple[Expression, ...]) -> tuple[Expression, ...]:
    """All columns of the input, where a list that Spark has cut begins like them and is as long; else none.

    Right above a Window the analyzer lists what the windows compute once more, and then each column once.
    """
    cut = _cut(o.text)
    below = tuple({a.expr_id: a for a in o.child.output}.values()) if cut else ()
    if not cut or [getattr(e, "expr_id", None) for e in items] != [a.expr_id for a in below[: len(items)]]:
        return ()
    again = len(o.child.functions) if isinstance(o.child, Window) else 0
    more = len(items) + cut - len(below) - _left_out(o.child)
    if any(isinstance(e, Alias) for e in items) or more not in (0, again):
        return ()
    return (*below, *below[len(below) - more :]) if more else below


def _cut(text: str) -> int:
    """How many items a list lacks that Spark has cut."""
    more = MORE.search(text)
    return int(re.findall(r"\d+", more.group())[0]) if more is not None else 0


def _left_out(plan: LogicalPlan) -> int:
    """How many columns a plan gives beside those that are known of it, since the lists of its leaves were cut."""
    found, stack = 0, [plan]
    while stack:
        node = stack.pop()
        if node in _LEFT_OUT:
            found += _LEFT_OUT.get(node, 0)
        elif isinstance(node, Join):
            stack += [node.left, node.right] if len(node.output) > len(node.left.output) else [node.left]
        elif not isinstance(node, Aggregate | Expand):
            stack += node.children[:1]
    return found


def _filter(o: Operator) -> LogicalPlan:
    return Filter(o.elaborator.expression(o.terms.one(o.at)), o.child)


def _aggregate(o: Operator) -> LogicalPlan:
    first = o.listed()
    grouping: tuple[Expression, ...] = ()
    if o.skip(", "):
        grouping = tuple(o.elaborator.expression(t) for t in first)
        return Aggregate(grouping, o.named(), o.child)
    if o.rest:
        return o.opaque()
    items = tuple(o.elaborator.expression(t) for t in first)
    if items and all(isinstance(e, AttributeReference) for e in items):
        # Spark leaves empty lists out. Columns alone are keys: without keys, each would stand in a function.
        return Aggregate(items, (), o.child)
    return Aggregate((), o.named(first), o.child)


def sort_keys(made: tuple[Expression, ...]) -> tuple[SortOrder, ...]:
    """The keys of an order; one that nobody can read stands among them as it was printed."""
    return cast(tuple[SortOrder, ...], made)


def _sort(o: Operator) -> LogicalPlan:
    order = sort_keys(o.expressions())
    if o.rest not in (", true", ", false"):
        return o.opaque()
    return Sort(order, o.rest == ", true", o.child)


def _limit(make: Callable[[Expression, LogicalPlan], LogicalPlan]) -> Callable[[Operator], LogicalPlan]:
    return lambda o: make(o.elaborator.expression(o.terms.one(o.at), INT), o.child)


def _alias(o: Operator) -> LogicalPlan:
    return SubqueryAlias(tuple(o.rest.split(".")), o.child)


def _view(o: Operator) -> LogicalPlan:
    m = re.match(r"View \(((?:`[^`]*`\.?)+), ", o.text)
    if m is None:
        return o.opaque()
    name = tuple(re.findall(r"`([^`]*)`", m.group(1)))
    made = View(name, o.child, len(name) == 1, (), True)
    if made.simple_string == o.text:
        return made
    return PrintedView(name, o.child, len(name) == 1, (), True, True, o.text)


def _window(o: Operator) -> LogicalPlan:
    functions = o.named()
    partition: tuple[Expression, ...] = ()
    order: tuple[SortOrder, ...] = ()
    while o.skip(", "):
        terms = o.listed()
        made = tuple(o.elaborator.expression(t) for t in terms)
        if terms and terms[0].kind == "order":
            order = sort_keys(made)
        else:
            partition = made
    return Window(functions, partition, order, o.child) if not o.rest else o.opaque()


def _group_limit(o: Operator) -> LogicalPlan:
    lists: dict[bool, tuple[Expression, ...]] = {}
    while o.rest.startswith("["):
        terms = o.listed()
        lists[bool(terms) and terms[0].kind == "order"] = tuple(o.elaborator.expression(t) for t in terms)
        o.skip(", ")
    m = re.fullmatch(r"(.*), (\d+)", o.rest)
    if m is None:
        return o.opaque()
    rank = o.elaborator.expression(o.terms.one(o.at, o.at + len(m.group(1))))
    return WindowGroupLimit(lists.get(False, ()), sort_keys(lists.get(True, ())), rank, int(m.group(2)), o.child)


def _expand(o: Operator) -> LogicalPlan:
    if not o.skip("[["):
        return o.opaque()
    rows: list[tuple[Term, ...]] = []
    while True:
        items, end = o.terms.listed(o.at)
        rows.append(items)
        o.at = end + 1
        if not o.skip(", ["):
            break
    if not o.skip("], ["):
        return o.opaque()
    columns = []
    made: list[list[Expression]] = [[] for _ in rows]
    named = columns_of("[" + o.rest)
    for at, (name, expr_id, long) in enumerate(named):
        kind, nullable = _slot(o, [r[at] for r in rows], LONG if long else None, o.columns.by_id.get(expr_id))
        for row, made_row in zip(rows, made, strict=True):
            made_row.append(o.elaborator.expression(row[at], kind))
        columns.append(AttributeReference(name, kind or UNKNOWN, nullable, expr_id))
    return Expand(tuple(tuple(r) for r in made), tuple(columns), o.child)


def _slot(
    o: Operator, terms: list[Term], kind: DataType | None, known: DataType | None
) -> tuple[DataType | None, bool]:
    """The type of an Expand's column and whether it can be null: what its projections give."""
    seen = [o.elaborator.expression(t) for t in terms if t.text != "null"]
    if kind is None:
        written = [e.data_type for e, t in zip(seen, terms, strict=False) if not isinstance(e, Literal)]
        kind = known or next(iter(written), None)
    if kind is None and seen:
        kind = seen[0].data_type
    return kind, len(seen) < len(terms) or any(e.nullable for e in seen)


def _generate(o: Operator) -> LogicalPlan:
    m = re.search(r"(?:, \[([\d, ]*)\])?, (true|false)(?:, ([\w.`]+))?, \[([^\[\]]*)\]$", o.text)
    if m is None:
        return o.opaque()
    generator = o.elaborator.expression(o.terms.one(o.at, m.start()))
    schema = getattr(generator, "element_schema", ())
    named = columns_of(f"[{m.group(4)}]")
    columns = []
    for at, (name, expr_id, long) in enumerate(named):
        kind = schema[at].data_type if at < len(schema) else LONG if long else UNKNOWN
        if kind == UNKNOWN:
            kind = o.columns.by_id.get(expr_id, UNKNOWN)
        columns.append(
            AttributeReference(name, LONG if long else kind, at >= len(schema) or schema[at].nullable, expr_id)
        )
    needless = tuple(int(n) for n in m.group(1).split(",")) if m.group(1) else ()
    return Generate(generator, needless, m.group(2) == "true", m.group(3), tuple(columns), o.child)


def _hint(o: Operator) -> LogicalPlan:
    m = re.fullmatch(r"\(strategy=(\w+)\)", o.rest)
    return ResolvedHint(m.group(1), o.child) if m else o.opaque()


def _repartition(o: Operator) -> LogicalPlan:
    m = re.fullmatch(r"(\d+), (true|false)", o.rest)
    return Repartition(int(m.group(1)), m.group(2) == "true", o.child) if m else o.opaque()


def _by_expression(o: Operator) -> LogicalPlan:
    keys = o.expressions() if o.rest.startswith("[") else ()
    o.skip(", ")
    number = int(o.rest) if o.rest.isdecimal() else None
    made = RepartitionByExpression(keys, o.child, number)
    return made if made.simple_string == o.text else o.opaque()


def _rebalance(o: Operator) -> LogicalPlan:
    keys = o.expressions() if o.rest.startswith("[") else ()
    made = RebalancePartitions(keys, o.child)
    return made if made.simple_string == o.text else o.opaque()


def _sample(o: Operator) -> LogicalPlan:
    m = re.fullmatch(r"([\d.E-]+), ([\d.E-]+), (true|false)(?:, (-?\d+))?(?:, ([A-Z]\w+))?", o.rest)
    if m is None:
        return o.opaque()
    seed = None if m[4] is None else int(m[4])
    made = Sample(float(m[1]), float(m[2]), m[3] == "true", seed, o.child, m[5] or "")
    return made if made.simple_string == o.text else o.opaque()


def _deduplicate(o: Operator) -> LogicalPlan:
    return Deduplicate(o.expressions(), o.child)


def _cte_definition(o: Operator) -> LogicalPlan:
    m = re.fullmatch(r"CTERelationDef (\d+)(?:, (true|false))?(?:, (\d+))?", o.text)
    if m is None:
        return o.opaque()
    depth = None if m.group(3) is None else int(m.group(3))
    o.columns.definitions[int(m.group(1))] = o.child.output
    under = None if m.group(2) is None else m.group(2) == "true"
    return CTERelationDef(o.child, int(m.group(1)), False, under, None, depth)


def _with(o: Operator) -> LogicalPlan:
    definitions = [d for d in o.inputs[:-1] if isinstance(d, CTERelationDef)]
    return WithCTE(tuple(definitions), o.inputs[-1]) if len(definitions) == len(o.inputs) - 1 else o.opaque()


# ------------------------------------------------------------------------------------------------ several inputs


def _union(o: Operator) -> LogicalPlan:
    words = o.rest.split(", ") if o.rest else ["false", "false"]
    return Union(_alike(o.inputs), words[0] == "true", words[-1] == "true")


def _alike(inputs: tuple[LogicalPlan, ...]) -> tuple[LogicalPlan, ...]:
    """The inputs of a union with constants of the types that the other inputs' columns have: `0.00 AS x`."""
    outputs = [p.output for p in inputs]
    if len({len(o) for o in outputs}) != 1:
        return inputs
    wanted: list[DataType] = []
    for at, column in enumerate(zip(*outputs, strict=True)):
        kinds = [a.type for a in column]
        sure = [k for k, p in zip(kinds, inputs, strict=True) if not _is_written(p, at)]
        wanted.append(next((k for k in sure if k != UNKNOWN), kinds[0]))
    return tuple(_retyped(p, wanted) for p in inputs)


def _is_written(plan: LogicalPlan, at: int) -> bool:
    """Whether a column is a constant."""
    e = plan.projects[at] if isinstance(plan, Project) else plan.aggregates[at] if isinstance(plan, Aggregate) else None
    return isinstance(e, Alias) and isinstance(e.child, Literal)


def _retyped(plan: LogicalPlan, wanted: list[DataType]) -> LogicalPlan:
    if not isinstance(plan, Project | Aggregate) or all(a.type == w for a, w in zip(plan.output, wanted, strict=True)):
        return plan
    given = plan.projects if isinstance(plan, Project) else plan.aggregates
    made = []
    for at, (e, kind) in enumerate(zip(given, wanted, strict=True)):
        if isinstance(e, Alias) and _is_written(plan, at):
            e = e.replace(child=constant(e.child.text, kind))
        made.append(e)
    if isinstance(plan, Project):
        return plan.replace(projects=tuple(made))
    return plan.replace(aggregates=tuple(made))


def _set(make: Callable[[LogicalPlan, LogicalPlan, bool], LogicalPlan]) -> Callable[[Operator], LogicalPlan]:
    def read(o: Operator) -> LogicalPlan:
        left, right = o.inputs
        return make(left, right, o.rest.endswith("true"))

    return read


def _join(o: Operator) -> LogicalPlan:
    left, right = o.inputs
    hints = _HINTS.search(o.text)
    assert hints is not None
    m = _JOIN.match(o.text)
    if m is None:
        return o.opaque()
    exists = None
    if m.group(3):
        from planviz.types import BOOLEAN

        exists = AttributeReference(m.group(2), BOOLEAN, False, int(m.group(3)))
    kind = m.group(1) or m.group(4) or "ExistenceJoin"
    using = tuple(p.strip() for p in m.group(5).split(",")) if m.group(5) else None
    condition = None
    if o.text.startswith(", ", m.end()) and m.end() + 2 < hints.start():
        condition = o.elaborator.expression(o.terms.one(m.end() + 2, hints.start()))
    return Join(left, right, kind, condition, using, hints.group(1), hints.group(2), exists)


def _lateral(o: Operator) -> LogicalPlan:
    m = re.search(rf", ({_KINDS})(?=$|, )", o.text)
    if m is None:
        return o.opaque()
    right = o.elaborator.expression(o.terms.one(o.at, m.start()))
    if not isinstance(right, LateralSubquery):
        return o.opaque()
    condition = o.elaborator.expression(o.terms.one(m.end() + 2)) if m.end() < len(o.text) else None
    return LateralJoin(o.child, right, m.group(1), condition)


def _eval_python(o: Operator) -> LogicalPlan:
    try:
        udfs: tuple[Expression, ...] = o.expressions()
    except Unreadable:
        udfs = ()
    if not udfs or not all(isinstance(u, PythonUDF) for u in udfs):
        o.at = len(o.line.op) + 1
        udfs = o.calls()
    o.skip(", ")
    end = o.text.index("]", o.at) + 1
    results = o.own_columns(o.text[o.at : end])
    kind = re.fullmatch(r", (\d+)", o.text[end:])
    if o.line.op == "ArrowEvalPython" and kind is not None:
        return ArrowEvalPython(udfs, results, int(kind.group(1)), o.child)
    return BatchEvalPython(udfs, results, o.child) if o.line.op == "BatchEvalPython" else o.opaque()


def _loop(o: Operator) -> LogicalPlan:
    m = re.fullmatch(r"UnionLoop (\d+)(?:, (\d+))?(?:, (\d+))?", o.text)
    if m is None:
        return o.opaque()
    anchor, recursion = o.inputs
    depth, limit = (None if n is None else int(n) for n in m.group(2, 3))
    listed = o.columns.loops.get(int(m[1]), ())
    if len(listed) != len(anchor.output):
        listed = tuple((a.name, next_id(), False) for a in anchor.output)
    pairs = zip(listed, anchor.output, strict=True)
    own = tuple(AttributeReference(name, a.data_type, True, number) for (name, number, _), a in pairs)
    return UnionLoop(int(m[1]), anchor, recursion, own, depth, limit)


def _loop_ref(o: Operator) -> LogicalPlan:
    m = re.fullmatch(r"UnionLoopRef (\d+), \[.*\], (true|false)", o.text)
    return UnionLoopRef(int(m[1]), o.own_columns(o.text), m[2] == "true") if m is not None else o.opaque()


READERS: dict[str, Callable[[Operator], LogicalPlan]] = {
    "Relation": _relation,
    "LocalRelation": _local,
    "OneRowRelation": lambda o: OneRowRelation(),
    "Range": _range,
    "LogicalRDD": _rdd,
    "CTERelationRef": _cte_ref,
    "Project": _project,
    "Filter": _filter,
    "Aggregate": _aggregate,
    "Sort": _sort,
    "GlobalLimit": _limit(GlobalLimit),
    "LocalLimit": _limit(LocalLimit),
    "Offset": _limit(Offset),
    "SubqueryAlias": _alias,
    "View": _view,
    "Window": _window,
    "WindowGroupLimit": _group_limit,
    "Expand": _expand,
    "Generate": _generate,
    "ResolvedHint": _hint,
    "Repartition": _repartition,
    "RepartitionByExpression": _by_expression,
    "RebalancePartitions": _rebalance,
    "Sample": _sample,
    "Deduplicate": _deduplicate,
    "CTERelationDef": _cte_definition,
    "WithCTE": _with,
    "Distinct": lambda o: Distinct(o.child),
    "Union": _union,
    "Intersect": _set(Intersect),
    "Except": _set(Except),
    "Join": _join,
    "LateralJoin": _lateral,
    "UnionLoop": _loop,
    "UnionLoopRef": _loop_ref,
    "PipeOperator": lambda o: PipeOperator(o.child),
    "BatchEvalPython": _eval_python,
    "ArrowEvalPython": _eval_python,
}
