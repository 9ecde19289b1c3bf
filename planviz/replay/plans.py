"""A tree of operators, as plantext found it, to a plan of ours."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from planviz.expressions.core import AttributeReference
from planviz.expressions.subqueries import DynamicPruningSubquery
from planviz.graph import PlanGraph
from planviz.graph.node import Estimate
from planviz.logical.cached import CachedPlan, InMemoryRelation
from planviz.logical.combining import Join
from planviz.logical.join_keys import join_keys
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LogicalRelation
from planviz.replay.caches import cache_key, printed_tree
from planviz.replay.columns import HIVE_TABLE, Columns, columns_of
from planviz.replay.found import Found
from planviz.replay.opaque import Beneath, OpaqueOperator, PrintedOperator, PrintedRelation
from planviz.replay.operator_lines import Line, Operator, Scope
from planviz.replay.operators import read_operator
from planviz.replay.terms import SUBQUERY
from planviz.types import UNKNOWN

if TYPE_CHECKING:
    from planviz.expressions.core import Expression

#: What `explain cost` puts behind every operator.
STATISTICS = re.compile(r", Statistics\(sizeInBytes=[^()]*\)$")
_RELATION = re.compile(r"Relation ?([^\[]*)\[(.*?)\]")
_RANGE_ID = re.compile(r"\bid#(\d+)L")
_GIVEN_ID = re.compile(r"#(\d+)")
_MENTION = re.compile(r"(?<!\w)(?=\d*[^\W\d])(\w+)#(\d+)(L?)(?!\w)")
_MADE_ID = re.compile(r" AS [^,\[\]]*?#(\d+)")
_ALIAS_ID = re.compile(r" AS id#(\d+)")
#: How often a text is read again with the types that its own expressions told.
PASSES = 4


@dataclass
class ReadPlan:
    """A plan read back: `operators` and `expressions` count what there was, `opaque` are lines and texts that nobody
    could read, `columns` how many columns the leaves give, `inferred` those of a type that only their use tells, `open`
    those without a type."""

    plan: LogicalPlan
    operators: int
    expressions: int
    opaque_operators: list[str] = field(default_factory=list)
    opaque: list[str] = field(default_factory=list)
    columns: int = 0
    inferred: int = 0
    open: int = 0
    #: Operators that are known and stay as they stand: of Datasets, streams, commands.
    kept: int = 0
    #: Of a lifted plan: its joins as physical lines over its columns, and sentences about what the text leaves open.
    joins: list[str] = field(default_factory=list)
    assumed: list[str] = field(default_factory=list)
    #: The first id that a lifted plan has not.
    first_id: int = 0
    #: What the text estimates of operators, by the `id` of the operator in `plan`.
    estimates: dict[int, Estimate] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The plan printed again."""
        return self.plan.tree_string


def read_plan(graph: PlanGraph, columns: Columns, ansi: bool = True) -> ReadPlan:
    """The plan that a logical tree says. Never raises for what a text says: what cannot be read is opaque."""
    estimates: dict[int, Estimate] = {}

    def read(found: Found) -> LogicalPlan:
        reader = _Reader(graph, columns, ansi, found)
        plan = reader.plan()
        if graph.stage == "analyzed":
            _take_output(plan, columns)
        estimates.clear()
        estimates.update(reader.estimates)
        return plan

    made = typed(columns, len(graph), read)
    made.estimates = estimates
    return made


def _take_output(plan: LogicalPlan, columns: Columns) -> None:
    """Note the types that the line above an analyzed plan gives to what leaves give and nothing else tells of."""
    leaves = [n for n in plan.walk() if not n.children]
    unknown = {a.expr_id: n for n in leaves for a in n.output if a.type == UNKNOWN}
    for a, named in zip(plan.output, columns.output, strict=False) if unknown else ():
        if a.name != named.name:
            return
        leaf = unknown.get(a.expr_id)
        if leaf is not None:
            columns.by_id.setdefault(a.expr_id, named.data_type)
        if isinstance(leaf, LogicalRelation) and leaf.name:
            columns.by_name.setdefault((".".join(leaf.name).lower(), a.name.lower()), named.data_type)


def typed(columns: Columns, operators: int, read: Callable[[Found], LogicalPlan]) -> ReadPlan:
    """The plan that `read` gives, read again as long as its own expressions tell types that were not known."""
    for _ in range(PASSES):
        found = Found()
        known = len(columns.by_id), len(columns.never_null)
        plan = read(found)
        news = {i: t for i, t in found.told.items() if t != UNKNOWN and i not in columns.by_id}
        if not news and known == (len(columns.by_id), len(columns.never_null)):
            break
        columns.by_id |= news
        columns.inferred |= news.keys()
    opaque = [n.simple_string for n in plan.walk() if _is_opaque(n)]
    leaves = [a for n in plan.walk() if not n.children for a in n.output]
    return ReadPlan(
        plan,
        operators,
        found.expressions,
        opaque,
        found.opaque,
        len(leaves),
        sum(a.expr_id in columns.inferred for a in leaves),
        sum(a.type == UNKNOWN for a in leaves),
        sum(isinstance(n, PrintedOperator) for n in plan.walk()),
    )


def _is_opaque(plan: LogicalPlan) -> bool:
    return isinstance(plan, OpaqueOperator) and not isinstance(plan, PrintedRelation | PrintedOperator)


class _Reader:
    def __init__(self, graph: PlanGraph, columns: Columns, ansi: bool, found: Found) -> None:
        self.graph, self.columns, self.ansi, self.found = graph, columns, ansi, found
        self.known: dict[tuple[str, tuple[int, ...], tuple[int, ...], bool], LogicalPlan] = {}
        #: The ids of the columns of ranges, by node; those that other lines give.
        self.ranges: dict[int, int] = {}
        self.given = {int(i) for n in graph if not graph.children(n.id) for i in _GIVEN_ID.findall(n.text)}
        self.given |= {int(i) for n in graph for i in _ALIAS_ID.findall(n.text)}
        #: Dynamic pruning whose keys are known; the innermost join that has them is the one that it came from.
        self.pruned: set[int] = set()
        self.estimates: dict[int, Estimate] = {}
        #: The columns of leaves whose lines do not list them.
        self.unlisted = self._unlisted()

    def _unlisted(self) -> dict[int, list[tuple[str, int, bool]]]:
        """The columns of relations whose lines do not list them: those that the scans of the physical plan read, and
        those that an operator mentions which has no other such relation beneath."""
        graph = self.graph
        tables = {n.id: m.group() for n in graph if (m := HIVE_TABLE.match(n.text)) and not graph.children(n.id)}
        found: dict[int, list[tuple[str, int, bool]]] = {at: [] for at in tables}
        more: set[int] = set()
        for table in set(tables.values()):
            leaves = [at for at in tables if tables[at] == table]
            scans, pruned = self.columns.scans.get(table, []), self.columns.pruned.get(table, [])
            if len(leaves) == len(scans):
                found |= {at: list(read) for at, read in zip(leaves, scans, strict=True)}
            if len(leaves) == len(pruned):
                more.update(at for at, has_more in zip(leaves, pruned, strict=True) if has_more)
        if not found:
            return found
        made = {int(i) for n in graph for i in _MADE_ID.findall(n.text)} | self.given
        known = made | {i for read in found.values() for _, i, _ in read}
        for node in reversed(list(graph)):
            mentioned = [(n, int(i), bool(long)) for n, i, long in _MENTION.findall(node.text) if int(i) not in known]
            beneath = [n.id for n in graph.walk(node.id) if n.id in found] if mentioned else []
            if len(beneath) == 1:
                found[beneath[0]] += dict.fromkeys(mentioned)
                known |= {i for _, i, _ in mentioned}
        for at in more:  # What its other columns are called, nobody needs to know.
            found[at].append(("", -2 - at, False))
        return found

    def plan(self) -> LogicalPlan:
        return self._read(self.graph.roots[0], {})

    def _read(self, root: int, outer: Scope) -> LogicalPlan:
        """The plan beneath a node; inputs before an operator, its subqueries between."""
        graph = self.graph
        # Definitions of CTEs stand before their uses: leaves are read in the order of the text.
        done: dict[int, LogicalPlan] = {}
        for at in self._settled(root):
            node = graph[at]
            beneath = graph.children(at)
            if node.op == "InMemoryRelation" and (kept := self.columns.caches.get(cache_key(graph, at))) is not None:
                done[at] = self._cached(node.text, kept)
                continue
            inputs = tuple(done.pop(c) for c in beneath if not self._inside(at, c))
            inner = [c for c in beneath if self._inside(at, c)]
            scope = {**outer, **{a.expr_id: a for p in inputs for a in p.output}} if inner else outer
            plans = tuple(self._read(c, scope) for c in inner)
            text = STATISTICS.sub("", node.text.lstrip("'!~"))
            line = Line(node.op, text, inputs, plans, outer, node.text[:1] in "'!", self._range(at))
            if node.op == "Range":
                text += f" at {at}"  # its line does not say which column it gives
            # Trees of one text are one object, as they were to Spark: their aggregates share the columns in between.
            key = (text, tuple(map(id, inputs)), tuple(map(id, plans)), bool(outer))
            if key not in self.known:
                made = read_operator(Operator(line, self.columns, self.ansi, self.found))
                self.known[key] = self._with_trees(at, with_pruning_keys(made, self.pruned))
            done[at] = self.known[key]
            if at in self.unlisted:
                done[at] = self._with_columns(done[at], self.unlisted[at])
            if node.estimate is not None and node.estimate.size_in_bytes is not None:
                self.estimates[id(done[at])] = node.estimate
        return done[root]

    def _with_trees(self, at: int, made: LogicalPlan) -> LogicalPlan:
        """A leaf that stands as it was printed with the trees that its text has beneath it: what a command runs."""
        beneath = self.graph.children(at)
        if not isinstance(made, OpaqueOperator) or made.children or not beneath or SUBQUERY.search(made.simple_string):
            return made
        return made.replace(inner=Beneath(tuple(printed_tree(self.graph, c) for c in beneath)))

    def _cached(self, text: str, kept: CachedPlan) -> LogicalPlan:
        """The relation that reads a cache; what fills the cache is no part of this plan."""
        line = Line("InMemoryRelation", text[: text.find("], StorageLevel") + 1] or text, (), (), {})
        return InMemoryRelation(Operator(line, self.columns, self.ansi, self.found).own_columns(line.text), kept)

    def _with_columns(self, leaf: LogicalPlan, listed: list[tuple[str, int, bool]]) -> LogicalPlan:
        if not isinstance(leaf, OpaqueOperator):
            return leaf
        types = self.columns.type_of
        given = tuple(AttributeReference(n, types(i, "", n, long), True, i) for n, i, long in listed)
        return leaf.replace(given=given, own=frozenset(a.expr_id for a in given))

    def _range(self, at: int) -> int:
        """The id of range()'s column, which only the lines above say; a number that no text has where none does."""
        if self.graph[at].op != "Range":
            return -1
        if at not in self.ranges:
            above = self.graph[at].parent
            while above is not None and at not in self.ranges:
                for number in _RANGE_ID.findall(self.graph[above].text):
                    if int(number) not in self.given and int(number) not in self.ranges.values():
                        self.ranges[at] = int(number)
                        break
                above = self.graph[above].parent
            self.ranges.setdefault(at, -1 - at)
        return self.ranges[at]

    def _inside(self, at: int, child: int) -> bool:
        """Whether a node beneath another is the plan of a subquery, of a runtime filter, too."""
        return self.graph.edge_type(at, child) != "child"

    def _settled(self, root: int) -> list[int]:
        """The nodes beneath and the root, inputs first, in the order of the text."""
        graph = self.graph
        out: list[int] = []
        stack: list[tuple[int, bool]] = [(root, False)]
        while stack:
            at, ready = stack.pop()
            if ready:
                out.append(at)
                continue
            stack.append((at, True))
            if graph[at].op == "InMemoryRelation":
                continue
            inputs = [c for c in graph.children(at) if not self._inside(at, c)]
            stack.extend((c, False) for c in reversed(inputs))
        return out


def with_pruning_keys(plan: LogicalPlan, pruned: set[int]) -> LogicalPlan:
    """A join with the keys of the dynamic pruning beneath it, which only the join says; `pruned` are those that have
    theirs."""
    if not isinstance(plan, Join) or plan.condition is None or not plan.bits & DynamicPruningSubquery.BIT:
        return plan
    keys = join_keys(plan)
    sides = [(a, [k for _, k in keys], b) for a, b in keys] + [(b, [k for k, _ in keys], a) for a, b in keys]

    def one(e: Expression) -> Expression:
        if not isinstance(e, DynamicPruningSubquery) or e.expr_id in pruned:
            return e
        for mine, others, other in sides:
            if e.outer == (mine,) and other.references <= e.plan.output_set:
                pruned.add(e.expr_id)
                built = tuple(k for k in others if k.references <= e.plan.output_set)
                return e.replace(keys=built, index=built.index(other))
        return e

    return plan.transform_all_expressions(one, DynamicPruningSubquery.BIT)


def sizes_told(graph: PlanGraph) -> dict[str, int]:
    """The bytes of tables as `explain cost` prints them at a plan's relations, by the names of the tables."""
    told = ((name, e.size_in_bytes) for name, e in _estimates_told(graph))
    return {name: size for name, size in told if size is not None}


def row_counts_told(graph: PlanGraph) -> dict[str, int]:
    """The rows of tables, likewise; Spark prints three figures of them."""
    return {name: e.rows for name, e in _estimates_told(graph) if e.rows is not None}


def _estimates_told(graph: PlanGraph) -> Iterator[tuple[str, Estimate]]:
    for node in graph:
        m = _RELATION.match(node.text) if node.op == "Relation" else None
        if m is not None and node.estimate is not None:
            name = m.group(1).strip().lower()
            columns = (c.split("#")[0].strip() for c in m.group(2).split(","))
            yield name or "[" + ",".join(columns) + "]", node.estimate


def columns_in(plans: Iterable[PlanGraph], text: str) -> Columns:
    """What an explain text says of the types of its columns; `plans` are those that were found in it."""
    lines = text.split("\n")
    heads = (lines[i + 1] for i, line in enumerate(lines[:-1]) if line.startswith("== Analyzed Logical Plan"))
    return columns_of(plans, heads)
