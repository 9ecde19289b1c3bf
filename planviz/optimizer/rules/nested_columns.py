"""Fields of structs as columns of their own below the operators that keep more than is read of them."""

from __future__ import annotations

from collections.abc import Iterable

from planviz.expressions.complex import ExtractValue, GetArrayStructFields, GetStructField
from planviz.expressions.core import Alias, AttributeReference, Expression
from planviz.expressions.generators import Explode, Stack
from planviz.expressions.ids import next_id
from planviz.expressions.lambdas import NamedLambdaVariable
from planviz.logical.combining import Join
from planviz.logical.operators import (
    Aggregate,
    Expand,
    Filter,
    Generate,
    GlobalLimit,
    LocalLimit,
    Project,
    RebalancePartitions,
    Repartition,
    RepartitionByExpression,
    Sample,
    Sort,
    Window,
)
from planviz.logical.plan import LogicalPlan
from planviz.types import ArrayType, DataType, MapType, StructType

#: What has fields to take: without it there is nothing to do.
_FIELDS = GetStructField.BIT | GetArrayStructFields.BIT
_THROUGH = (
    GlobalLimit, Join, LocalLimit, RebalancePartitions, Repartition, RepartitionByExpression, Sample, Sort, Window,
)  # fmt: skip
_Fields = dict[int, list[GetStructField | GetArrayStructFields]]


def with_fields(plan: LogicalPlan, named: bool = True) -> LogicalPlan | None:
    """The plan with the fields that it reads taken below it; None where that would save nothing.

    Project [s.a] over Sort [k] over p  =>  Project [x] over Sort [k] over Project [k, s.a AS x] over p
    Aggregate [sum(s.a)] over p  =>  Aggregate [sum(x)] over Project [s.a AS x] over p

    `named`: the columns are named after their fields; else they are numbered, as before Spark 3.2. Only of structs of
    which not every field is read and that are not read as a whole (Spark: NestedColumnAliasing).
    """
    if not _reads_fields(plan):
        return None
    if isinstance(plan, Project):
        child = plan.child
        if isinstance(child, Filter) and isinstance(child.child, _THROUGH):
            read = (*plan.projects, child.condition, *child.child.expressions)
            return _taken(plan, read, child.child.produced, named)
        if isinstance(child, _THROUGH):
            return _taken(plan, (*plan.projects, *child.expressions), child.produced, named)
        return None
    return _taken(plan, plan.expressions, plan.produced, named) if isinstance(plan, Aggregate | Expand) else None


def with_generated_fields(plan: Project | Generate, named: bool = True) -> LogicalPlan | None:
    """The same for what a generator reads and for the rows that it makes; None where that would save nothing.

    Project [x.a] over Generate explode(xs) AS x  =>  Project [x] over Generate explode(xs.a) AS x

    A generator gives one field in place of structs: where two are read, structs stay.
    (Spark: GeneratorNestedColumnAliasing)
    """
    if not _reads_fields(plan):
        return None
    if isinstance(plan, Generate):
        if not _prunable(plan.generator):
            return None
        kept = [a for i, a in enumerate(plan.child.output) if i not in plan.needless]
        return _taken(plan, plan.generator.children, frozenset(a.expr_id for a in kept), named)
    generate = plan.child
    if not isinstance(generate, Generate) or not _prunable(generate.generator):
        return None
    fields = _fields_read((*plan.projects, *generate.generator.children), frozenset())
    if not fields:
        return None
    of_rows = [f for k, fs in fields.items() if k in generate.produced for f in fs]
    below = {k: fs for k, fs in fields.items() if k not in generate.produced}
    new = _rewritten(plan, below, named)
    if len(of_rows) == 1 and _explodes_structs(generate.generator) and isinstance(new, Project):
        return _exploding(new, of_rows[0])
    return new if below else None


def _reads_fields(plan: LogicalPlan) -> bool:
    """Whether a field is read by the operator, or under a projection by the one or two below it."""
    bits = plan.own_bits
    if isinstance(plan, Project):
        below = plan.child
        bits |= below.own_bits
        if isinstance(below, Filter):
            bits |= below.child.own_bits
    return bool(bits & _FIELDS)


def _prunable(generator: Expression) -> bool:
    return isinstance(generator, Explode | Stack)


def _explodes_structs(generator: Expression) -> bool:
    if not isinstance(generator, Explode) or generator.pretty_name == "inline":
        return False
    t = generator.child.data_type
    return isinstance(t, ArrayType) and not isinstance(t.element, ArrayType)


def _exploding(plan: Project, field: Expression) -> Project:
    """The projection over a generator that takes this field out of its array."""
    generate = plan.child
    assert isinstance(generate, Generate)
    assert isinstance(generate.generator, Explode)
    array = generate.generator.child

    def source(e: Expression) -> Expression:
        if isinstance(e, AttributeReference):
            return array
        below = source(e.children[0])
        if isinstance(below.data_type, ArrayType) and isinstance(e, GetStructField):
            return GetArrayStructFields(below, e.ordinal)
        return e.with_new_children((below, *e.children[1:]))

    generator = generate.generator.replace(child=source(field))
    columns = tuple(
        AttributeReference(c.name, f.data_type, f.nullable, c.expr_id, c.qualifier)
        for c, f in zip(generate.generator_output, generator.element_schema, strict=True)
    )
    new = generate.replace(generator=generator, columns=columns)
    (root,) = field.references
    row = next(a for a in new.output if a.expr_id == root)
    wanted = field.canonicalized

    def taken(e: Expression) -> Expression:
        return row if isinstance(e, GetStructField) and e.canonicalized == wanted else e

    projects = tuple(e.transform_down(taken, GetStructField.BIT) for e in plan.projects)
    return plan.replace(projects=projects, child=new)


def _taking(field: GetStructField | GetArrayStructFields, named: bool) -> Alias:
    number = next_id()
    return Alias(field, f"_extract_{field.field.name}" if named else f"_gen_alias_{number}", number)


def _taken(plan: LogicalPlan, read: Iterable[Expression], whole: frozenset[int], named: bool) -> LogicalPlan | None:
    fields = _fields_read(read, whole)
    return _rewritten(plan, fields, named) if fields else None


def _rewritten(plan: LogicalPlan, fields: _Fields, named: bool) -> LogicalPlan:
    """The plan reading the fields from projections on the children of the operator."""
    if not fields:
        return plan
    made = {k: [_taking(f, named) for f in fs] for k, fs in fields.items()}
    columns = {f.canonicalized: a.to_attribute() for k, fs in fields.items() for f, a in zip(fs, made[k], strict=True)}

    def column(e: Expression) -> Expression:
        return columns.get(e.canonicalized, e) if isinstance(e, ExtractValue) else e

    def reading(p: LogicalPlan) -> LogicalPlan:
        return p.map_expressions(lambda e: e.transform_down(column, _FIELDS))

    def below(p: LogicalPlan) -> Project:
        listed: list[Alias | AttributeReference] = []
        for a in p.output:
            listed += made.get(a.expr_id, [a])
        return Project(tuple(listed), p)

    operator = plan.child if isinstance(plan, Project) else plan
    new = reading(operator.with_new_children(tuple(below(c) for c in operator.children)))
    return reading(plan).replace(child=new) if isinstance(plan, Project) else new


def _fields_read(read: Iterable[Expression], whole: frozenset[int]) -> _Fields:
    """The fields that expressions take, by the attribute whose they are, where they are fewer than it has.

    Attributes that are read as a whole, and those of `whole`, are left out.
    """
    found: dict[int, dict[Expression, GetStructField | GetArrayStructFields]] = {}
    roots: dict[int, Expression] = {}
    other = set(whole)
    for e in read:
        for part in _parts(e):
            if isinstance(part, AttributeReference):
                other.add(part.expr_id)
            elif len(part.references) == 1 and not part.collect(NamedLambdaVariable):
                (attribute,) = part.collect(AttributeReference)[:1]
                roots[attribute.expr_id] = attribute
                found.setdefault(attribute.expr_id, {}).setdefault(part.canonicalized, part)
    fields: _Fields = {}
    for k, by_form in found.items():
        if k in other:
            continue
        # With a.b read as a whole, a.b.c is a part of it.
        mine = [f for f in by_form.values() if not any(n.canonicalized in by_form for n in f.children[0].walk())]
        if mine and sum(_width(f.data_type) for f in mine) < _width(roots[k].data_type):
            fields[k] = mine
    return fields


def _parts(e: Expression) -> list[AttributeReference | GetStructField | GetArrayStructFields]:
    """The attributes and the fields that an expression reads, each as far as it goes."""
    if isinstance(e, AttributeReference):
        return [e]
    if isinstance(e, GetStructField | GetArrayStructFields) and isinstance(e.child, ExtractValue | AttributeReference):
        return [e]
    return [part for c in e.children for part in _parts(c)]


def _width(t: DataType) -> int:
    """How many values without fields a type holds."""
    match t:
        case StructType(fields):
            return sum(_width(f.data_type) for f in fields)
        case ArrayType(element, _):
            return _width(element)
        case MapType(key, value, _):
            return _width(key) + _width(value)
    return 1
