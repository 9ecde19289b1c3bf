"""Plans of subqueries without outer references (Spark: DecorrelateInnerQuery, after Neumann and Kemper).

An outer attribute that an equality binds to an inner one is replaced by that one, and the equality becomes a condition
beside the subquery. For the others a DomainJoin gives their distinct values; the rule that turns the subquery into a
join puts the outer plan in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from planviz.evaluation import Evaluator
from planviz.expressions.aggregates import AggregateCall, AggregateExpression, Count
from planviz.expressions.conditional import If
from planviz.expressions.core import (
    Alias,
    AttributeReference,
    Expression,
    Literal,
    NamedExpression,
    alias,
    id_of,
    lit,
    occurs,
)
from planviz.expressions.ids import next_id
from planviz.expressions.predicates import EqualNullSafe, EqualTo, GreaterThan, IsNull, LessThanOrEqual, conjunction
from planviz.expressions.predicates import split_conjunction as split
from planviz.expressions.subqueries import above_aggregates
from planviz.expressions.unresolved import OuterReference
from planviz.expressions.windows import RUNNING_ROWS, RankLike, WindowExpression, WindowSpec
from planviz.logical.combining import DomainJoin, Except, Intersect, Join, Union
from planviz.logical.operators import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    GlobalLimit,
    LocalLimit,
    Offset,
    Project,
    Sort,
    Window,
)
from planviz.logical.plan import LogicalPlan, UnaryNode
from planviz.logical.relations import OneRowRelation
from planviz.optimizer.attributes import substitute
from planviz.types import BOOLEAN

#: Outer attributes by id.
Outer = dict[int, NamedExpression]


@dataclass(frozen=True)
class Part:
    """A plan without correlation, the conditions to join it on, and what stands for the outer attributes in it."""

    plan: LogicalPlan
    conditions: list[Expression] = field(default_factory=list)
    known: Outer = field(default_factory=dict)


def outer_of(expressions: Iterable[Expression]) -> Outer:
    """The outer attributes that expressions read, in order."""
    return {
        o.expr_id: o.attribute for e in expressions if e.bits & OuterReference.BIT for o in e.collect(OuterReference)
    }


def by_name(outer: Outer) -> Outer:
    """The attributes in the order of their names, as Spark lists a set of attributes."""
    return dict(sorted(outer.items(), key=lambda item: (item[1].name, item[0])))


def outer_in(plan: LogicalPlan) -> Outer:
    """The outer attributes that a plan reads."""
    return {i: a for p in plan.walk() for i, a in outer_of(p.expressions).items()}


def _replaced(e: Expression, known: Mapping[int, NamedExpression]) -> Expression:
    if not e.bits & OuterReference.BIT:
        return e
    return e.transform_up(lambda x: known.get(x.expr_id, x) if isinstance(x, OuterReference) else x, OuterReference.BIT)


def _reads_outer(e: Expression) -> bool:
    """Whether an expression reads an outer attribute here, not merely in the plan of a subquery nested in it."""
    return occurs(e, OuterReference.BIT)


def _correlated(plan: LogicalPlan) -> bool:
    if not plan.bits & OuterReference.BIT:
        return False
    return any(_reads_outer(e) for p in plan.walk() for e in p.expressions)


def equivalences(predicates: Iterable[Expression]) -> Outer:
    """Outer attributes that an equality binds to an attribute of the plan."""
    found: Outer = {}
    for p in predicates:
        match p:
            case EqualTo(OuterReference() as o, AttributeReference() as a) | EqualTo(
                AttributeReference() as a, OuterReference() as o
            ):
                found[o.expr_id] = a
            case EqualNullSafe(OuterReference() as o, AttributeReference() as a) | EqualNullSafe(
                AttributeReference() as a, OuterReference() as o
            ):
                found[o.expr_id] = a
    return found


def without_correlated_filters(plan: LogicalPlan) -> Part:
    """The plan without the predicates that read the query around, and these as conditions (before Spark 4.0).

    Projects and aggregates above such a filter give the columns that its predicates read, too (Spark:
    PullupCorrelatedPredicates.pullOutCorrelatedPredicates).
    """
    if not _correlated(plan):
        return Part(plan)
    if isinstance(plan, Filter):
        below = without_correlated_filters(plan.child)
        parts = split(plan.condition)
        outer = [p for p in parts if _reads_outer(p)]
        local = [p for p in parts if not _reads_outer(p)]
        return Part(Filter(conjunction(local), below.plan) if local else below.plan, outer + below.conditions)
    parts_below = [without_correlated_filters(child) for child in plan.children]
    conditions = [c for part in parts_below for c in part.conditions]
    new = plan.with_new_children(tuple(part.plan for part in parts_below))
    given = {a.expr_id: a for child in new.children for a in child.output}
    read = {a.expr_id: a for c in conditions for a in c.attributes if a.expr_id in given}
    missing = tuple(a for i, a in read.items() if i not in new.output_set)
    if isinstance(new, Project) and missing:
        new = Project(new.projects + missing, new.child)
    elif isinstance(new, Aggregate) and missing:
        new = Aggregate(new.grouping + missing, new.aggregates + missing, new.child)
    return Part(new, conditions)


def default_result(function: Expression) -> Literal | None:
    """What an aggregate function gives for no rows, None where that is null or a sketch (Spark: `defaultResult`)."""
    if isinstance(function, Count):
        return Literal(0, function.data_type)
    if isinstance(function, AggregateCall):
        match function.name:
            case "approx_count_distinct":
                return Literal(0, function.data_type)
            case "collect_list" | "collect_set":
                return Literal((), function.data_type)
            case "bitmap_construct_agg" | "bitmap_or_agg":
                return Literal(bytes(4096), function.data_type)
    return None


def zero_rows_value(item: Expression, evaluator: Evaluator) -> Literal | None:
    """What an item of an aggregate without keys gives for no rows: a literal, or None for null and unknown."""
    if isinstance(item, AttributeReference):
        return None

    def step(e: Expression) -> Expression:
        if isinstance(e, AggregateExpression):
            return default_result(e.function) or Literal(None, e.data_type)
        return e

    e = (item.child if isinstance(item, Alias) else item).transform_down(step, AggregateExpression.BIT)
    value = evaluator.value_of(e) if not e.references else None
    return None if value is None or value.value is None else value


class Decorrelation:
    """Takes one subquery's plan apart. With `counts` an aggregate without keys keeps its row for no rows."""

    def __init__(self, counts: bool, evaluator: Evaluator) -> None:
        self.counts, self.evaluator = counts, evaluator
        self.steps: dict[type, Callable[..., Part]] = {
            Filter: self._filter,
            Project: self._project,
            Aggregate: self._aggregate,
            Window: self._window,
            Sort: self._sort,
            GlobalLimit: self._limit,
            Offset: self._limit,
            Generate: self._generate,
            Join: self._join,
            Union: self._set_operation,
            Intersect: self._set_operation,
            Except: self._set_operation,
        }

    def part(self, plan: LogicalPlan, wanted: Outer, aggregated: bool = False, in_set: bool = False) -> Part:
        """The plan without correlation; `wanted` are the outer attributes that the operators above need from it."""
        if not _correlated(plan):
            return self._domain(plan, wanted, in_set)
        step = self.steps.get(type(plan))
        if step is not None:
            return step(plan, wanted, aggregated, in_set)
        if isinstance(plan, Distinct):
            aggregated = True
        if isinstance(plan, UnaryNode) and not outer_of(plan.expressions):
            below = self.part(plan.child, wanted, aggregated, in_set)
            return Part(plan.with_new_children((below.plan,)), below.conditions, below.known)
        return Part(plan)

    @staticmethod
    def _domain(plan: LogicalPlan, wanted: Outer, in_set: bool) -> Part:
        if not wanted:
            return Part(plan)
        wanted = by_name(wanted)
        known = {i: a.to_attribute().new_instance() for i, a in wanted.items()}
        conditions: list[Expression] = [EqualNullSafe(known[i], OuterReference(a)) for i, a in wanted.items()]
        return Part(DomainJoin(tuple(known.values()), plan), [] if in_set else conditions, {**known})

    def _filter(self, plan: Filter, wanted: Outer, aggregated: bool, in_set: bool) -> Part:
        parts = split(plan.condition)
        outer = [p for p in parts if _reads_outer(p)]
        local = [p for p in parts if not _reads_outer(p)]
        same = {} if in_set else equivalences(outer)
        upper = [] if in_set else [p for p in outer if above_aggregates(p)] if aggregated else outer
        stay = [p for p in outer if p not in upper]
        needed = {i: a for i, a in {**wanted, **outer_of(stay)}.items() if i not in same}
        below = self.part(plan.child, needed, aggregated, in_set)
        known = {**below.known, **same}
        kept = [*[_replaced(p, known) for p in stay], *local]
        return Part(Filter(conjunction(kept), below.plan) if kept else below.plan, below.conditions + upper, known)

    def _project(self, plan: Project, wanted: Outer, aggregated: bool, in_set: bool) -> Part:
        below = self.part(plan.child, {**wanted, **outer_of(plan.projects)}, aggregated, in_set)
        items = tuple(_named(i, below.known) for i in plan.projects)
        return Part(Project(items + _missing(items, below, in_set), below.plan), below.conditions, below.known)

    def _aggregate(self, plan: Aggregate, wanted: Outer, aggregated: bool, in_set: bool) -> Part:
        below = self.part(plan.child, {**wanted, **outer_of(plan.expressions)}, True, in_set)
        items = tuple(_named(i, below.known) for i in plan.aggregates)
        keys = tuple(_replaced(k, below.known) for k in plan.grouping)
        added = _missing(items, below, in_set)
        grouped = {k.expr_id for k in keys if isinstance(k, AttributeReference)}
        new_keys = keys + tuple(a for a in added if a.expr_id not in grouped)
        new = Aggregate(new_keys, items + added, below.plan)
        if plan.grouping or not self.counts:
            return Part(new, below.conditions, below.known)
        return self._with_empty_groups(new, len(items), below, in_set)

    def _with_empty_groups(self, plan: Aggregate, selected: int, below: Part, in_set: bool) -> Part:
        """The aggregate's row for every combination of outer values, also where no row matches.

        Of its results the first `selected` were asked for, the others serve the join's condition alone.
        """
        # In a set operation no condition is left for above: the values themselves tell.
        outer = below.known if in_set else by_name(outer_of(below.conditions))
        domains = {i: a.to_attribute().new_instance() for i, a in outer.items()}
        mark = Alias(Literal(True, BOOLEAN), "alwaysTrue", next_id())
        inner: list[Expression] = []
        results: list[Expression] = []
        for item in plan.aggregates:
            zero = zero_rows_value(item, self.evaluator)
            if zero is None or not isinstance(item, Alias):
                inner.append(item)
                results.append(item.to_attribute())
                continue
            made = Alias(item.child, item.name, next_id())
            missing = IsNull(mark.to_attribute().with_nullability(True))
            choice = If(missing, zero, made.to_attribute().with_nullability(True))
            inner.append(made)
            results.append(Alias(choice, item.name, item.expr_id))
        marked = (mark,) if any(isinstance(r, Alias) for r in results) else ()
        lower = plan.replace(aggregates=(*inner, *marked))
        tests = [_replaced(c, domains) for c in below.conditions]
        if in_set:
            tests = [EqualNullSafe(a, domains[i]) for i, a in below.known.items()]
        condition = conjunction(tests) if tests else None
        join = DomainJoin(tuple(domains.values()), lower, "LeftOuter", condition)
        conditions: list[Expression] = [EqualNullSafe(domains[i], OuterReference(a)) for i, a in outer.items()]
        conditions = [] if in_set else conditions
        return Part(Project((*results[:selected], *domains.values()), join), conditions, {**domains})

    def _window(self, plan: Window, wanted: Outer, aggregated: bool, in_set: bool) -> Part:
        below = self.part(plan.child, wanted, True, in_set)
        added = _missing((), below, in_set)
        new = plan.replace(functions=plan.functions + added, partition=plan.partition + added, child=below.plan)
        return Part(new, below.conditions, below.known)

    def _generate(self, plan: Generate, wanted: Outer, aggregated: bool, in_set: bool) -> Part:
        below = self.part(plan.child, {**wanted, **outer_of((plan.generator,))}, aggregated, in_set)
        generator = _replaced(plan.generator, below.known)
        return Part(plan.replace(generator=generator, child=below.plan), below.conditions, below.known)

    def _sort(self, plan: Sort, wanted: Outer, aggregated: bool, in_set: bool) -> Part:
        below = self.part(plan.child, {**wanted, **outer_of(plan.order)}, aggregated, in_set)
        order = tuple(_replaced(o, below.known) for o in plan.order)
        return Part(plan.replace(order=order, child=below.plan), below.conditions, below.known)

    def _limit(self, plan: LogicalPlan, wanted: Outer, aggregated: bool, in_set: bool) -> Part:
        """The rows that LIMIT and OFFSET leave for every combination of outer values: numbered within it."""
        limit, offset, child = _bounds(plan)
        order = child.order if isinstance(child, Sort) and child.whole else ()
        child = child.child if isinstance(child, Sort) and order else child
        below = self.part(child, {**wanted, **outer_of(order)}, True, in_set)
        read = outer_in(child)
        keys = tuple({below.known[i].expr_id: below.known[i] for i in read if i in below.known}.values())
        order = tuple(o.replace(child=_replaced(o.child, below.known)) for o in order)
        if not keys:
            # As in Spark, whose limit then counts over all outer rows together.
            rows = Sort(order, True, below.plan) if order else below.plan
            rows = rows if offset is None else Offset(offset, rows)
            rows = rows if limit is None else GlobalLimit(limit, LocalLimit(limit, rows))
            return Part(rows, below.conditions, below.known)
        number = alias(WindowExpression(RankLike("row_number"), WindowSpec(keys, order, RUNNING_ROWS)), "rn")
        rn = number.to_attribute()
        kept: list[Expression] = [] if offset is None else [GreaterThan(rn, offset)]
        if limit is not None:
            kept.append(LessThanOrEqual(rn, limit if offset is None else _sum(limit, offset)))
        window = Window((number,), keys, order, below.plan)
        return Part(Project(below.plan.output, Filter(conjunction(kept), window)), below.conditions, below.known)

    def _join(self, plan: Join, wanted: Outer, aggregated: bool, in_set: bool) -> Part:
        parts = split(plan.condition) if plan.condition is not None else []
        outer = [p for p in parts if _reads_outer(p)]
        inner = plan.kind in ("Inner", "Cross")
        same = equivalences(outer) if inner and not in_set else {}
        upper = [p for p in outer if above_aggregates(p) or not aggregated] if inner and not in_set else []
        # What reads the query around comes first among what the join still tests.
        stay = sorted((p for p in parts if p not in upper), key=lambda p: p not in outer)
        needed = {i: a for i, a in {**wanted, **outer_of(stay)}.items() if i not in same}
        go_left = plan.kind in ("LeftOuter", "LeftSemi", "LeftAnti", "FullOuter") or _correlated(plan.left)
        go_right = plan.kind in ("RightOuter", "FullOuter") or _correlated(plan.right)
        go_left = go_left or not go_right
        left = self.part(plan.left, needed, aggregated, in_set) if go_left else Part(plan.left)
        right = self.part(plan.right, needed, aggregated, in_set) if go_right else Part(plan.right)
        known = {**right.known, **left.known, **same}
        both = [EqualNullSafe(a, right.known[i]) for i, a in left.known.items() if i in right.known]
        condition = [*[_replaced(p, known) for p in stay], *both]
        new = plan.replace(left=left.plan, right=right.plan, condition=conjunction(condition) if condition else None)
        return Part(new, left.conditions + right.conditions + upper, known)

    def _set_operation(self, plan: LogicalPlan, wanted: Outer, aggregated: bool, in_set: bool) -> Part:
        """Every input with the outer attributes at its end, which the first input names."""
        needed = {**wanted, **outer_in(plan)}
        inputs, ends = [], []
        for c in plan.children:
            below = self.part(c, needed, aggregated, True)
            end = [below.known[i] for i in needed]
            inputs.append(Project((*c.output, *end), below.plan))
            ends.append(end)
        known = dict(zip(needed, ends[0], strict=True))
        conditions: list[Expression] = [EqualNullSafe(known[i], OuterReference(a)) for i, a in needed.items()]
        return Part(plan.with_new_children(tuple(inputs)), [] if in_set else conditions, known)


def _bounds(plan: LogicalPlan) -> tuple[Expression | None, Expression | None, LogicalPlan]:
    """The count of LIMIT, that of OFFSET (None: there is none) and the plan beneath them."""
    limit = offset = None
    if isinstance(plan, GlobalLimit):
        limit, plan = plan.limit, plan.child
        plan = plan.child if isinstance(plan, LocalLimit) else plan
    if isinstance(plan, Offset):
        offset, plan = plan.offset, plan.child
    return limit, offset, plan


def _sum(a: Expression, b: Expression) -> Literal:
    assert isinstance(a, Literal)
    assert isinstance(b, Literal)
    return lit(a.value + b.value)


def _named(item: Expression, known: Outer) -> Expression:
    """An item of a select list without outer references, its name and id kept."""
    new = _replaced(item, known)
    if isinstance(item, OuterReference) and isinstance(new, AttributeReference):
        return Alias(new, item.name, item.expr_id)
    return new


def _missing(items: tuple[Expression, ...], below: Part, in_set: bool) -> tuple[AttributeReference, ...]:
    """The columns that conditions, or in a set operation the operators above, read and the items do not give."""
    given = {id_of(i) for i in items}
    found: dict[int, AttributeReference] = {}
    for e in [*below.conditions, *(below.known.values() if in_set else ())]:
        for a in e.attributes:
            if a.expr_id not in given and a.expr_id in below.plan.output_set:
                found.setdefault(a.expr_id, a)
    return tuple(found.values())


def without_domains(outer: LogicalPlan, plan: LogicalPlan, conditions: Iterable[Expression]) -> LogicalPlan:
    """The plan with every DomainJoin replaced by a join with the outer plan's distinct values."""
    if not plan.bits & DomainJoin.BIT:
        return plan
    bound: dict[int, Expression] = {}
    for c in conditions:
        for p in split(c):
            if isinstance(p, EqualNullSafe | EqualTo):
                for a, b in ((p.left, p.right), (p.right, p.left)):
                    if isinstance(a, AttributeReference) and b.references <= outer.output_set:
                        bound.setdefault(a.expr_id, b)

    for part in plan.walk():
        for mine, other in _same_columns(part):
            if mine.expr_id in bound:
                bound.setdefault(other.expr_id, bound[mine.expr_id])

    def step(p: LogicalPlan) -> LogicalPlan:
        if not isinstance(p, DomainJoin) or not all(a.expr_id in bound for a in p.domains):
            return p
        values = tuple(bound[a.expr_id] for a in p.domains)
        items = tuple(Alias(v, a.name, a.expr_id) for v, a in zip(values, p.domains, strict=True))
        # What is beneath an outer join knows the outer plan's values by that join's condition alone.
        known = {a.expr_id: v for a, v in zip(p.domains, values, strict=True)}
        inner = [] if p.condition is None else [substitute(p.condition, known)]
        child = without_domains(outer, p.child, inner) if p.kind == "LeftOuter" else p.child
        domain = Aggregate(values, items, outer)
        # One row without columns beside every value adds nothing.
        alone = p.kind == "Inner" and p.condition is None and isinstance(child, OneRowRelation)
        return domain if alone else Join(domain, child, p.kind, p.condition)

    return plan.transform_down(step, DomainJoin.BIT)


def _same_columns(plan: LogicalPlan) -> list[tuple[AttributeReference, AttributeReference]]:
    """Pairs of columns of which the second, in another input, is bound as the first is."""
    match plan:
        case Union(inputs):
            return [p for other in inputs[1:] for p in zip(inputs[0].output, other.output, strict=True)]
        case DomainJoin(condition=c) if c is not None:
            # The join above an aggregate binds what the domains beneath it are compared with.
            return [pair for p in split(c) for a, b in _compared(p) for pair in ((a, b), (b, a))]
        case Join(kind="LeftSemi" | "LeftAnti", condition=c) if c is not None:
            # INTERSECT and EXCEPT are joins by now; each input has its domains.
            return [(a, b) if a.expr_id in plan.left.output_set else (b, a) for p in split(c) for a, b in _compared(p)]
    return []


def _compared(p: Expression) -> list[tuple[AttributeReference, AttributeReference]]:
    """The two attributes that a predicate says are equal, or nothing."""
    match p:
        case EqualNullSafe(AttributeReference() as a, AttributeReference() as b) | EqualTo(
            AttributeReference() as a, AttributeReference() as b
        ):
            return [(a, b)]
    return []
