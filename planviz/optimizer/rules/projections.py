"""Columns that nobody reads go; projections move, merge and vanish."""

from __future__ import annotations

from collections import Counter
from functools import cached_property

from typing_extensions import override

from planviz.expressions.complex import (
    CreateArray,
    CreateMap,
    CreateNamedStruct,
    ExtractValue,
    GetArrayItem,
    GetMapValue,
    GetStructField,
)
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal, id_of
from planviz.expressions.ids import next_id
from planviz.expressions.subqueries import ScalarSubquery, SubqueryExpression
from planviz.expressions.updates import UpdateFields
from planviz.logical.combining import Join, SetOperation, Union, WithCTE
from planviz.logical.operators import (
    Aggregate,
    Distinct,
    Expand,
    Filter,
    Generate,
    GlobalLimit,
    LocalLimit,
    Offset,
    Project,
    Repartition,
    Sample,
    Subquery,
    Window,
)
from planviz.logical.plan import LeafNode, LogicalPlan, UnaryNode
from planviz.optimizer.attributes import merged_projects, name_of, pruned_child, same_output, substitute
from planviz.optimizer.context import OptimizerContext, OptimizerRule
from planviz.optimizer.rules.nested_columns import with_fields, with_generated_fields
from planviz.optimizer.rules.with_expression import is_cheap
from planviz.trees.depth import Climb, climbed
from planviz.trees.node import Settled

_NESTED_SCHEMAS = "spark.sql.optimizer.nestedSchemaPruning.enabled"
_NESTED_EXPRESSIONS = "spark.sql.optimizer.expression.nestedPruning.enabled"


class ColumnPruning(OptimizerRule):
    """Remove columns that nothing above reads; a projection is put where a child gives too many.

    Project [a] over Join(l, r)  =>  Project [a] over Join(Project [a, k] over l, Project [k] over r)

    Pays because scans read and exchanges move fewer columns. Columns of a set operation stay: without c,
    `SELECT a FROM (SELECT a, c FROM t EXCEPT SELECT a, c FROM u)` would remove other rows.
    """

    matches = (Project, Aggregate, Expand, Join, Generate)
    settings = (_NESTED_SCHEMAS, _NESTED_EXPRESSIONS)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return self._without_projects_below_filters(plan.transform_down(self._step, self.mask, self.settled))

    def _step(self, plan: LogicalPlan) -> LogicalPlan:
        if isinstance(plan, Project):
            return self._project(plan)
        match plan:
            case Aggregate() | Expand():
                needed = plan.references
                if not plan.child.output_set <= needed:
                    return plan.replace(child=pruned_child(plan.child, needed))
                return self._fields_of(plan) or plan
            case Generate():
                return self._generated_fields_of(plan) or plan
            case Join(_, right, kind) if kind in ("LeftSemi", "LeftAnti", "ExistenceJoin"):
                if plan.condition is not None or right.output:
                    needed = plan.references
                    return plan if right.output_set <= needed else plan.replace(right=pruned_child(right, needed))
        return plan

    def _project(self, plan: Project) -> LogicalPlan:
        child = plan.child
        needed = plan.references
        if isinstance(child, Project | Aggregate | Window | Expand | WithCTE):
            return self._narrowed(plan, child, needed)
        if isinstance(child, Generate):
            if needed != child.output_set:
                return self._generate(plan, child, needed)
            return self._generated_fields_of(plan) or plan
        if isinstance(child, SetOperation | Distinct):
            return self.refuse(plan, "all columns below take part in telling rows apart", child.node_name)
        if isinstance(child, LeafNode):
            return self.refuse(plan, "the columns of a table are chosen by its scan", child.node_name)
        if isinstance(child, Union):
            return self._union(plan, child, needed)
        return self._general(plan, child, needed)

    def _fields_of(self, plan: LogicalPlan) -> LogicalPlan | None:
        # Through an operator beneath a projection, or out of the functions of an aggregate: a setting each.
        setting = _NESTED_SCHEMAS if isinstance(plan, Project) else _NESTED_EXPRESSIONS
        known = self.context.config.behaviour
        if not self.context.on(setting) or not (isinstance(plan, Project) or known.aggregates_take_fields):
            return None
        return with_fields(plan, known.fields_are_named)

    def _generated_fields_of(self, plan: Project | Generate) -> LogicalPlan | None:
        if not (self.context.on(_NESTED_SCHEMAS) or self.context.on(_NESTED_EXPRESSIONS)):
            return None
        return with_generated_fields(plan, self.context.config.behaviour.fields_are_named)

    def _general(self, plan: LogicalPlan, child: LogicalPlan, needed: frozenset[int]) -> LogicalPlan:
        taken = self._fields_of(plan)
        if taken is not None:
            return taken
        required = child.references | needed
        if child.input_set <= required:
            return self.refuse(plan, "every column of the input of the operator below is read", child.node_name)
        children = tuple(pruned_child(c, required) for c in child.children)
        if (
            isinstance(child, Filter)
            and not self._conflicts(child.condition, child.child)
            and self._step(children[0]) is children[0]
        ):
            # The projection below the filter would prune nothing further and go again.
            return plan
        return plan.replace(child=child.with_new_children(children))

    def _narrowed(self, plan: LogicalPlan, child: LogicalPlan, needed: frozenset[int]) -> LogicalPlan:
        match child:
            case Project(items, _):
                if child.output_set <= needed:
                    return self.refuse(plan, "every column of the projection below is read")
                return plan.replace(child=child.replace(projects=tuple(i for i in items if id_of(i) in needed)))
            case Aggregate(_, items, _) if not child.output_set <= needed:
                return plan.replace(child=child.replace(aggregates=tuple(i for i in items if id_of(i) in needed)))
            case Expand(projections, columns, _) if not child.output_set <= needed:
                keep = [i for i, c in enumerate(columns) if c.expr_id in needed]
                rows = tuple(tuple(p[i] for i in keep) for p in projections)
                return plan.replace(child=child.replace(projections=rows, columns=tuple(columns[i] for i in keep)))
            case Window(functions, _, _, below) if not {id_of(f) for f in functions} <= needed:
                kept = tuple(f for f in functions if id_of(f) in needed)
                return plan.replace(child=child.replace(functions=kept) if kept else below)
            case WithCTE():
                if child.output_set <= needed:
                    return plan
                return plan.replace(child=child.replace(plan=pruned_child(child.plan, needed)))
        return self._general(plan, child, needed)

    @staticmethod
    def _generate(plan: LogicalPlan, child: Generate, needed: frozenset[int]) -> LogicalPlan:
        required = (needed - child.produced) | child.generator.references
        below = pruned_child(child.child, required)
        needless = child.generator.references - needed
        positions = tuple(i for i, a in enumerate(below.output) if a.expr_id in needless)
        return plan.replace(child=child.replace(child=below, needless=positions))

    @staticmethod
    def _union(plan: LogicalPlan, child: Union, needed: frozenset[int]) -> LogicalPlan:
        if child.output_set <= needed:
            return plan
        first = child.inputs[0]
        keep = [i for i, a in enumerate(first.output) if a.expr_id in needed]
        inputs = tuple(Project(tuple(c.output[i] for i in keep), c) for c in child.inputs)
        return plan.replace(child=child.replace(inputs=inputs))

    @cached_property
    def _rid(self) -> Settled:
        """Nodes without such a projection beneath."""
        return {}

    def _without_projects_below_filters(self, plan: LogicalPlan) -> LogicalPlan:
        """Such a projection would keep filters from moving on."""

        def step(p: LogicalPlan) -> LogicalPlan:
            match p:
                case Project(_, Filter(condition, Project(items, child))) if (
                    all(isinstance(i, AttributeReference) for i in items)
                    and {id_of(i) for i in items} <= child.output_set
                    and not self._conflicts(condition, child)
                ):
                    return p.replace(child=Filter(condition, child))
            return p

        return plan.transform_up(step, Project.BIT, self._rid)

    def _conflicts(self, condition: Expression, child: LogicalPlan) -> bool:
        """Whether a subquery of the condition gives a column that the child gives, too."""
        looks = self.context.config.behaviour.filters_mind_their_subqueries
        return looks and bool(condition.bits & SubqueryExpression.BIT) and _shares_columns(condition, child)


def _shares_columns(condition: Expression, child: LogicalPlan) -> bool:
    return any(s.plan.output_set & child.output_set for s in condition.collect(SubqueryExpression))


def can_collapse(
    upper: tuple[Expression, ...],
    lower: tuple[Expression, ...],
    always: bool = False,
    calls: bool = False,
    parts: bool = False,
) -> bool:
    """Whether the lower expressions may be written into the upper ones: not twice, unless cheap; never random ones.

    `calls`: Python functions are cheap whatever they are called with; `parts`: structs, arrays and maps
    are put together as often as one likes.
    """
    made = {e.expr_id: e for e in lower if isinstance(e, Alias)}
    if not made:
        return True
    uses: Counter[int] = Counter()
    for e in upper:
        if e.references & made.keys():
            uses.update(a.expr_id for a in e.collect(AttributeReference) if a.expr_id in made)
    return all(
        _may_inline(i, n, made[i].child, upper, always or (parts and isinstance(made[i].child, _PUT_TOGETHER)))
        or (calls and is_cheap(made[i].child, calls))
        for i, n in uses.items()
    )


_PUT_TOGETHER = (CreateNamedStruct, UpdateFields, CreateMap, CreateArray)


def _may_inline(expr_id: int, uses: int, producer: Expression, upper: tuple[Expression, ...], always: bool) -> bool:
    if not producer.deterministic:
        return False
    if uses == 1 or always:
        return True
    if isinstance(producer, _PUT_TOGETHER):
        return sum(_costly_uses(e, expr_id, producer) for e in upper) <= 1
    return is_cheap(producer)


def _costly_uses(e: Expression, expr_id: int, producer: Expression) -> int:
    """How often an expression reads all of an attribute, or a part of what is put together there that has a cost."""
    if isinstance(e, AttributeReference):
        # A changed struct is taken apart, or stays where it is.
        return int(e.expr_id == expr_id) * (2 if isinstance(producer, UpdateFields) else 1)
    if isinstance(e, ExtractValue):
        part = _part(e, expr_id, producer)
        if part is not None:
            return int(not is_cheap(part)) + sum(_costly_uses(c, expr_id, producer) for c in e.children[1:])
    return sum(_costly_uses(c, expr_id, producer) for c in e.children)


def _part(e: Expression, expr_id: int, producer: Expression) -> Expression | None:
    """What an extraction takes out of what is put together; None for one of something else, or of an open place."""
    if isinstance(e, AttributeReference):
        return producer if e.expr_id == expr_id else None
    whole = _part(e.children[0], expr_id, producer) if isinstance(e, ExtractValue) else None
    match e, whole:
        case GetStructField(_, at), CreateNamedStruct():
            return whole.values[at]
        case GetStructField(_, at), UpdateFields():
            return whole.fields[at][1]
        case GetArrayItem(_, Literal(int() as at, _)), CreateArray(items):
            return items[at] if 0 <= at < len(items) else None
        case GetMapValue(_, Literal() as key), CreateMap(parts) if all(isinstance(k, Literal) for k in parts[::2]):
            return next((v for k, v in zip(parts[::2], parts[1::2], strict=True) if k == key), key)
        case _, CreateNamedStruct() | UpdateFields() | CreateArray() | CreateMap():
            return None
    return whole


class CollapseProject(OptimizerRule[Project]):
    """Merge a projection into the projection or aggregate below it.

    Project [x + 1 AS y] over Project [a * 2 AS x]  =>  Project [(a * 2) + 1 AS y]

    Pays because rows pass one operator less. An expression that is used twice is not written twice, and random ones
    never: `SELECT r, r FROM (SELECT rand() r FROM t)` must give equal numbers.
    """

    matches = (Project,)
    settings = ("spark.sql.optimizer.collapseProjectAlwaysInline",)
    order = "up"

    def __init__(self, context: OptimizerContext, always: bool = False) -> None:
        super().__init__(context)
        self.always = always

    @override
    def rewrite(self, node: Project) -> LogicalPlan:
        upper = node.projects
        always = self.always or self.context.on("spark.sql.optimizer.collapseProjectAlwaysInline")
        calls = self.context.config.behaviour.python_calls_are_cheap
        parts = self.context.config.behaviour.structs_are_put_together_twice
        match node.child:
            case Project(lower, child) if can_collapse(upper, lower, always, calls, parts):
                return Project(merged_projects(upper, lower), child)
            case Aggregate(grouping, lower, child) if can_collapse(
                upper, lower, always, parts=parts
            ) and not _correlated(upper):
                return Aggregate(grouping, merged_projects(upper, lower), child)
            case GlobalLimit(n, LocalLimit(m, Project(lower, child))) if _renames(upper, lower):
                return GlobalLimit(n, LocalLimit(m, Project(merged_projects(upper, lower), child)))
            case (LocalLimit() | Repartition() | Sample()) as between:
                match between.child:
                    case Project(lower, child) if _renames(upper, lower):
                        return between.replace(child=Project(merged_projects(upper, lower), child))
        return node if self.refusals is None else self._refused(node)

    def _refused(self, node: UnaryNode) -> UnaryNode:
        match node.child:
            case Project(lower) | Aggregate(_, lower):
                drawn = tuple(e for e in lower if not e.deterministic)
                if drawn:
                    return self.refuse(node, "the expressions below draw, they must not be written twice", drawn)
                costly = tuple(e for e in lower if isinstance(e, Alias) and not is_cheap(e.child))
                return self.refuse(node, "the expressions below are read more than once and cost something", costly)
        return self.refuse(node, "below stands no projection or aggregate", node.child.node_name)


def _correlated(items: tuple[Expression, ...]) -> bool:
    return any(s.outer for i in items if i.bits & ScalarSubquery.BIT for s in i.collect(ScalarSubquery))


def _renames(upper: tuple[Expression, ...], lower: tuple[Expression, ...]) -> bool:
    if len(upper) != len(lower):
        return False
    return all(
        a.semantic_equals(b.to_attribute())
        or (isinstance(a, Alias) and isinstance(a.child, AttributeReference) and name_of(a.child) == name_of(b))
        for a, b in zip(upper, lower, strict=True)
    )


class RemoveNoopOperators(OptimizerRule[Project | Window]):
    """Remove a projection that changes nothing and a window without functions.

    Project [a, b] over t[a, b]  =>  t

    Pays because rows pass one operator less. A projection that renames stays: `SELECT a AS A` changes the schema.
    """

    matches = (Project, Window)
    order = "up"

    @override
    def rewrite(self, node: Project | Window) -> LogicalPlan:
        match node:
            case Project(items, child) if same_output(node.output, child.output):
                # An item may be a constant under a column's id (FoldablePropagation): the column has that value.
                same = all(name_of(a) == name_of(b) for a, b in zip(items, child.output, strict=True))
                return child if same else node
            case Window(functions, _, _, child) if not functions:
                return child
        return node


class RemoveRedundantAliases(OptimizerRule):
    """Remove an alias that only gives an attribute its own name.

    Project [a#1 AS a#2] over t  =>  Project [a#1] over t, a#1 read above

    Pays because such projections then vanish. Kept where the sides of a join would share ids:
    `SELECT * FROM t x JOIN (SELECT a AS a FROM t) y` needs them apart.
    """

    matches = (Alias,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        removed: LogicalPlan = climbed(self._remove(plan, frozenset()))
        return removed

    # What is excluded differs from join to join, so results cannot be made lowest first (`deep`): steps are generators.

    def _remove(self, plan: LogicalPlan, excluded: frozenset[int]) -> Climb:
        if not plan.bits & Alias.BIT:
            return plan
        if isinstance(plan, Subquery):
            return plan.replace(child=(yield self._remove(plan.child, excluded | plan.child.output_set)))
        if isinstance(plan, Join):
            return (yield self._join(plan, excluded))
        if isinstance(plan, Union) and self.context.config.behaviour.unions_keep_aliases:
            return (yield self._union(plan, excluded))
        mapping: dict[int, AttributeReference] = {}
        children = []
        for c in plan.children:
            new = yield self._remove(c, excluded)
            _note(mapping, c, new)
            children.append(new)
        return self._cleaned(plan, tuple(children), mapping, excluded)

    @staticmethod
    def _cleaned(
        plan: LogicalPlan,
        children: tuple[LogicalPlan, ...],
        mapping: dict[int, AttributeReference],
        excluded: frozenset[int],
    ) -> LogicalPlan:
        new = plan.with_new_children(children)

        def clean(e: Expression) -> Expression:
            match e:
                case Alias(AttributeReference() as a, name) if (
                    name == a.name
                    and e.metadata in ((), a.metadata)
                    and a.expr_id not in excluded
                    and e.expr_id not in excluded
                ):
                    return a
            return e

        items = isinstance(plan, Project | Aggregate | Window)
        return new.map_expressions(lambda e: clean(_as_written(e, mapping)) if items else _as_written(e, mapping))

    def _join(self, plan: Join, excluded: frozenset[int]) -> Climb:
        left = yield self._remove(plan.left, excluded | plan.right.output_set)
        right = yield self._remove(plan.right, excluded | left.output_set)
        mapping: dict[int, AttributeReference] = {}
        _note(mapping, plan.left, left)
        _note(mapping, plan.right, right)
        condition = None if plan.condition is None else substitute(plan.condition, mapping)
        return plan.replace(left=left, right=right, condition=condition)

    def _union(self, plan: Union, excluded: frozenset[int]) -> Climb:
        first = plan.inputs[0]
        rest = excluded - first.output_set
        inputs = [(yield self._remove(first, excluded | first.output_set))]
        for other in plan.inputs[1:]:
            inputs.append((yield self._remove(other, rest)))
        return plan.replace(inputs=_same(plan.inputs, tuple(inputs)))


def _same(old: tuple[LogicalPlan, ...], new: tuple[LogicalPlan, ...]) -> tuple[LogicalPlan, ...]:
    return old if all(a is b for a, b in zip(old, new, strict=True)) else new


def _as_written(e: Expression, mapping: dict[int, AttributeReference]) -> Expression:
    """The expression over the new attributes, each under the name that the query calls it by: A stays A."""
    if not mapping or not e.bits & AttributeReference.BIT:
        return e

    def renewed(x: Expression) -> Expression:
        if not isinstance(x, AttributeReference) or x.expr_id not in mapping:
            return x
        new = mapping[x.expr_id]
        return new if new.name == x.name else new.replace(name=x.name)

    return e.transform_up(renewed, AttributeReference.BIT)


def _note(mapping: dict[int, AttributeReference], old: LogicalPlan, new: LogicalPlan) -> None:
    """Which attributes of `new` stand where those of `old` stood."""
    if old is new:
        return
    for a, b in zip(old.output, new.output, strict=True):
        if a.expr_id != b.expr_id:
            mapping.setdefault(a.expr_id, b)


class PushProjectionThroughUnion(OptimizerRule):
    """Project before the inputs are put together.

    Project [a + 1 AS x] over Union(t, u)  =>  Union(Project [a + 1 AS x] over t, Project [b + 1 AS x] over u)

    Pays because inputs are narrowed early and their projections merge. Random expressions stay above: rand(1) pushed
    into both inputs would draw the same numbers twice.
    """

    matches = (Union,)
    order = "up"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_up(self._step, Union.BIT, self.settled)

    @staticmethod
    def _step(plan: LogicalPlan) -> LogicalPlan:
        match plan:
            case Project(items, Union(inputs) as union) if all(i.deterministic for i in items):
                first = inputs[0]
                new = [Project(items, first)]
                for other in inputs[1:]:
                    mapping = {a.expr_id: b for a, b in zip(first.output, other.output, strict=True)}
                    new.append(Project(tuple(_fresh(substitute(i, mapping)) for i in items), other))
                return union.replace(inputs=tuple(new))
        return plan


def _fresh(item: Expression) -> Expression:
    return Alias(item.child, item.name, next_id()) if isinstance(item, Alias) else item


class PushProjectionThroughLimitAndOffset(OptimizerRule):
    """Project before rows are cut off.

    Project over GlobalLimit over LocalLimit  =>  GlobalLimit over LocalLimit over Project

    Pays because the projection may merge with one below. Random expressions stay above.
    """

    matches = (LocalLimit, GlobalLimit, Offset)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_down(self._step, self.mask, self.settled)

    @staticmethod
    def _step(plan: LogicalPlan) -> LogicalPlan:
        if not isinstance(plan, Project) or not all(i.deterministic for i in plan.projects):
            return plan
        match plan.child:
            case GlobalLimit(n, LocalLimit(m, child)):
                return GlobalLimit(n, LocalLimit(m, plan.replace(child=child)))
            case LocalLimit(n, child):
                return LocalLimit(n, plan.replace(child=child))
            case Offset(n, child):
                return Offset(n, plan.replace(child=child))
        return plan
