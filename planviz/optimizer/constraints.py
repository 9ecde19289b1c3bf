"""What holds for every row of a plan (Spark: QueryPlanConstraints)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import TypeGuard

from planviz.config import OptimizerConfig
from planviz.expressions.aggregates import is_aggregate
from planviz.expressions.calls import DatetimeMinus, DatetimePlus, RegexpForm, StringForm
from planviz.expressions.casts import Cast
from planviz.expressions.complex import GetStructField
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal
from planviz.expressions.hash_sets import expressions_in_hash_set
from planviz.expressions.predicates import And, EqualNullSafe, EqualTo, IsNotNull, Or
from planviz.expressions.predicates import split_conjunction as split
from planviz.expressions.specs import SignatureCall
from planviz.logical.combining import Except, Intersect, Join, Union
from planviz.logical.operators import Aggregate, Expand, Filter, GlobalLimit, LocalLimit, Project
from planviz.logical.plan import LogicalPlan, UnaryNode
from planviz.logical.relations import CTERelationRef
from planviz.optimizer.attributes import correlated, substitute
from planviz.trees.depth import deep
from planviz.trees.memo import Memo


class ExpressionSet:
    """Expressions in order of first appearance, each once however it is written; random ones are all kept."""

    __slots__ = ("_forms", "_items", "implied")

    def __init__(self, items: Iterable[Expression] = ()) -> None:
        self._items: list[Expression] = []
        self._forms: set[object] = set()
        #: What follows from the predicates of a set that is complete; None before somebody asked.
        self.implied: ExpressionSet | None = None
        for e in items:
            self.add(e)

    def add(self, e: Expression) -> None:
        """Add one expression unless an equal one is there."""
        if not e.deterministic:
            self._items.append(e)
            return
        forms = self._forms
        before = len(forms)
        forms.add(e.canonicalized)
        if len(forms) > before:
            self._items.append(e)

    def __contains__(self, e: Expression) -> bool:
        return e.canonicalized in self._forms

    def __iter__(self) -> Iterator[Expression]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def union(self, *others: Iterable[Expression]) -> ExpressionSet:
        """This set and what others add; itself when that is nothing."""
        new = self
        for o in others:
            for e in o:
                if e.deterministic and e.canonicalized in new._forms:
                    continue
                if new is self:
                    new = self.copy()
                new.add(e)
        return new

    def copy(self) -> ExpressionSet:
        """The same expressions in a set that can be added to."""
        new = ExpressionSet()
        new._items, new._forms = list(self._items), set(self._forms)
        return new

    def minus(self, other: ExpressionSet) -> ExpressionSet:
        """This set without what is in the other."""
        forms = other._forms
        return self.where(lambda e: e.canonicalized not in forms)

    def where(self, test: Callable[[Expression], object]) -> ExpressionSet:
        """The expressions for which `test` holds; the set itself when that is all of them."""
        kept: list[Expression] = []
        dropped: list[Expression] = []
        for e in self._items:
            (kept if test(e) else dropped).append(e)
        if not dropped:
            return self
        new = ExpressionSet()
        new._items, new._forms = kept, self._forms.difference([e.canonicalized for e in dropped])
        return new


EMPTY = ExpressionSet()
_CONSTRAINTS: Memo[ExpressionSet] = Memo("constraints")
_ABOUT: Memo[tuple[Expression, Expression] | None] = Memo("about")
_STRICT: Memo[list[Expression]] = Memo("strict_attributes")


@deep
def constraints(plan: LogicalPlan) -> ExpressionSet:
    """The predicates over the plan's columns that every row fulfils; computed once per plan node."""
    found = _CONSTRAINTS.get(plan)
    if found is None:
        valid = valid_constraints(plan)
        out = plan.output_set
        found = valid.union(inferred(valid), not_null(valid, plan.output)).where(
            lambda c: c.references and c.references <= out and c.deterministic
        )
        found = _CONSTRAINTS.set(plan, as_set(found))
    return found


def valid_constraints(plan: LogicalPlan) -> ExpressionSet:
    """What the operator itself guarantees; not yet limited to its columns."""
    match plan:
        case Filter(condition, child):
            # What a correlated subquery says of a row need not hold for another column of the same value.
            return constraints(child).union(as_set(ExpressionSet(c for c in split(condition) if not correlated(c))))
        case Project(items, child):
            return _aliased(items, constraints(child))
        case Aggregate(_, items, child):
            plain = [i for i in items if not is_aggregate(i)]
            return _aliased(plain, constraints(child))
        case Join():
            return _join(plan)
        case Union(inputs):
            return _union(plan, inputs)
        case Intersect(left, right, _):
            mapping = {b.expr_id: a for a, b in zip(left.output, right.output, strict=True)}
            return constraints(left).union([substitute(c, mapping) for c in constraints(right)])
        case Except(left, _, _):
            return constraints(left)
        case Expand() | CTERelationRef():
            return EMPTY
        case GlobalLimit() | LocalLimit() | UnaryNode():
            return constraints(plan.child)
    return EMPTY


def _aliased(items: Iterable[Expression], below: ExpressionSet) -> ExpressionSet:
    """The child's constraints, also in terms of the aliases, and what the aliases are."""
    new = below.copy()
    for a in items:
        if not isinstance(a, Alias):
            continue
        attribute = a.to_attribute()
        child = a.child
        if isinstance(child, Literal):
            new.add(EqualNullSafe(attribute, child))
            continue
        form, read = child.canonicalized, child.references
        for c in list(new):
            if not read <= c.references:
                continue
            replaced = c.transform_down(partial(_named, form, attribute))
            if replaced is not c:
                new.add(replaced)
        if child.deterministic:
            new.add(EqualNullSafe(child, attribute))
    return new


def _named(form: Expression, attribute: AttributeReference, e: Expression) -> Expression:
    """The attribute for what has this canonical form."""
    return attribute if e.deterministic and e.canonicalized == form else e


def _join(plan: Join) -> ExpressionSet:
    left, right, kind = plan.left, plan.right, plan.kind
    condition = split(plan.condition) if plan.condition is not None else []
    if kind in ("Inner", "Cross"):
        return constraints(left).union(constraints(right), condition)
    if kind == "LeftSemi":
        return constraints(left).union(condition)
    if kind in ("LeftOuter", "LeftAnti", "ExistenceJoin"):
        return constraints(left)
    if kind == "RightOuter":
        return constraints(right)
    return EMPTY


def _union(plan: LogicalPlan, inputs: tuple[LogicalPlan, ...]) -> ExpressionSet:
    """What holds in every input, in the first one's columns."""
    first = inputs[0].output
    sets = []
    for i in inputs:
        mapping = {b.expr_id: a for a, b in zip(first, i.output, strict=True)}
        sets.append(ExpressionSet(substitute(c, mapping) for c in constraints(i)))
    merged = sets[0]
    for s in sets[1:]:
        common = merged.where(s.__contains__)
        others_a = [c for c in merged if c not in common]
        others_b = [c for c in s if c not in common]
        same_reference_a, same_reference_b = _attribute_only(others_a), _attribute_only(others_b)
        both = [_either(x, same_reference_b[i]) for i, x in same_reference_a.items() if i in same_reference_b]
        merged = common.union(both)
    return merged


def _attribute_only(items: list[Expression]) -> dict[int, Expression]:
    """By attribute, the conjunction of the predicates that read only it."""

    found: dict[int, Expression] = {}
    for c in items:
        if len(c.references) == 1:
            (i,) = c.references
            found[i] = And(found[i], c) if i in found else c
    return found


def _either(a: Expression, b: Expression) -> Or:
    from planviz.expressions.predicates import Or

    return Or(a, b)


def inferred(known: ExpressionSet) -> ExpressionSet:
    """What equalities say about other predicates: a = b and b > 1 give a > 1."""
    if known.implied is None:
        known.implied = _inferred(known)
    return known.implied


def _inferred(known: ExpressionSet) -> ExpressionSet:
    predicates = [c for c in known if not isinstance(c, IsNotNull)]
    readers = _readers(predicates)
    equalities = _Equalities([] if _constraints_are_hashed.get() else predicates)
    found = ExpressionSet()
    for eq in predicates:
        if not isinstance(eq, EqualTo):
            continue
        left, right = eq.left, eq.right
        if isinstance(left, AttributeReference) and isinstance(right, AttributeReference):
            for source, target in ((left, right), (right, left)):
                _replace_into(found, equalities.unsaid(source, target, readers), eq, source, target)
        elif isinstance(left, AttributeReference) and isinstance(right, Literal):
            # Other equalities of the attribute are left to the cases of two attributes.
            _replace_into(found, readers(left.expr_id), eq, left, right, but=(EqualTo, EqualNullSafe))
        elif _is_cast(left) and isinstance(right, AttributeReference):
            _replace_into(found, readers(right.expr_id), eq, right, left)
        elif isinstance(left, AttributeReference) and _is_cast(right):
            _replace_into(found, readers(left.expr_id), eq, left, right)
    return as_set(found).minus(known)


def _readers(predicates: list[Expression]) -> Callable[[int], list[Expression]]:
    """Which predicates are to be looked at where an attribute is replaced, by its id: those that read it.

    The others stay as they are known, and nothing is new with them; the size of a hashed set counts them, too.
    """
    if _constraints_are_hashed.get():
        return lambda _: predicates
    found: dict[int, list[Expression]] = {}
    for p in predicates:
        for i in p.references:
            found.setdefault(i, []).append(p)
    return lambda i: found.get(i, [])


#: The id of a column that no plan has.
_ANY = -1


class _Equalities:
    """The equalities of two columns, and what is said of single columns, so that nothing is made that is known already.

    A hundred tables that are joined on one column are 4,950 equalities, and every two of them give a third; a filter on
    the column holds for each of its equals, and says so to each other.
    """

    def __init__(self, predicates: list[Expression]) -> None:
        self._pairs: dict[int, tuple[AttributeReference, AttributeReference]] = {}
        equal: dict[Expression, set[Expression]] = {}
        for p in predicates:
            if isinstance(p, EqualTo) and _is_column(p.left) and _is_column(p.right):
                self._pairs[id(p)] = (p.left, p.right)
                a, b = p.left.canonicalized, p.right.canonicalized
                equal.setdefault(a, {a}).add(b)
                equal.setdefault(b, {b}).add(a)
        #: With every column those that it is known to be equal to, itself too.
        self._equal = _shared(equal)
        said: dict[Expression, set[Expression]] = {column: set() for column in equal}
        #: By id of a predicate that reads one column alone, the predicate without it.
        self._forms: dict[int, Expression] = {}
        for p in predicates if equal else ():
            if id(p) not in self._pairs and (about := _about(p)) is not None:
                column, self._forms[id(p)] = about
                if column in said:
                    said[column].add(self._forms[id(p)])
        self._said = _shared(said)
        #: By id of a column, what reads it and others, and is no equality.
        self._others: dict[int, list[Expression]] = {}

    def unsaid(
        self, source: AttributeReference, target: AttributeReference, readers: Callable[[int], list[Expression]]
    ) -> Iterable[Expression]:
        """What reads `source`, without what is known of `target`, too."""
        if not self._equal:
            return readers(source.expr_id)
        here, there = source.canonicalized, target.canonicalized
        known, said = self._equal[there], self._said[there]
        if known is self._equal[here] and said is self._said[here]:
            if source.expr_id not in self._others:
                self._others[source.expr_id] = [
                    p for p in readers(source.expr_id) if id(p) not in self._pairs and id(p) not in self._forms
                ]
            return self._others[source.expr_id]
        return [
            p
            for p in readers(source.expr_id)
            if self._forms.get(id(p)) not in said
            and ((sides := self._pairs.get(id(p))) is None or not known.issuperset(s.canonicalized for s in sides))
        ]


def _shared(sets: dict[Expression, set[Expression]]) -> dict[Expression, frozenset[Expression]]:
    """The sets, one object for equal ones."""
    found: dict[frozenset[Expression], frozenset[Expression]] = {}
    return {column: found.setdefault(own, own) for column, own in ((c, frozenset(s)) for c, s in sets.items())}


def _about(p: Expression) -> tuple[Expression, Expression] | None:
    """The only column that a predicate reads, and the predicate with any column in its place; None for others."""
    if p not in _ABOUT:
        columns = p.collect(AttributeReference)
        alone = len(p.references) == 1 and p.deterministic and all(map(_is_column, columns))
        forms = {c.canonicalized for c in columns} if alone else set()
        if len(forms) == 1:
            column: AttributeReference = columns[0]
            form = substitute(p, {column.expr_id: AttributeReference("none", column.type, True, _ANY)}).canonicalized
        _ABOUT.set(p, (column.canonicalized, form) if len(forms) == 1 else None)
    return _ABOUT.get(p)


def _is_column(e: Expression) -> TypeGuard[AttributeReference]:
    return type(e) is AttributeReference


def _is_cast(e: Expression) -> bool:
    return isinstance(e, Cast) and isinstance(e.child, AttributeReference)


def _replace_into(
    found: ExpressionSet,
    readers: Iterable[Expression],
    eq: Expression,
    source: AttributeReference,
    target: Expression,
    but: tuple[type, ...] = (),
) -> None:
    """Add what those of `readers` beside `eq` that read `source` say of `target`; not those of the kinds `but`."""
    mapping = {source.expr_id: target}
    for p in readers:
        if p is not eq and not isinstance(p, but):
            found.add(substitute(p, mapping))


def not_null(known: ExpressionSet, output: Iterable[AttributeReference]) -> ExpressionSet:
    """isnotnull of every attribute whose null would make a known predicate null, and of the never-null columns."""
    columns = {c.child.expr_id for c in known if isinstance(c, IsNotNull) and type(c.child) is AttributeReference}
    found = ExpressionSet()
    strict = [a for c in known for a in _strict_attributes_of(c)]
    for a in strict + [a for a in output if not a.is_nullable]:
        if type(a) is not AttributeReference:
            found.add(IsNotNull(a))
        elif a.expr_id not in columns:
            columns.add(a.expr_id)
            found.add(IsNotNull(a))
    return as_set(found).minus(known)


def _strict_attributes_of(c: Expression) -> list[Expression]:
    found = _STRICT.get(c)
    return _STRICT.set(c, strict_attributes(c.child if isinstance(c, IsNotNull) else c)) if found is None else found


#: What is called by name, and dates with intervals.
_FUNCTIONS = (SignatureCall, StringForm, RegexpForm, DatetimePlus, DatetimeMinus)
_functions_are_strict: ContextVar[bool] = ContextVar("functions_are_strict", default=True)
_fields_are_known: ContextVar[bool] = ContextVar("fields_are_known", default=True)
_constraints_are_hashed: ContextVar[bool] = ContextVar("constraints_are_hashed", default=False)


def _is_plain(e: Expression) -> bool:
    """Whether Spark 3.0 knows that it is null where one of its inputs is: an operator, substring()."""
    return not isinstance(e, _FUNCTIONS) or getattr(e, "name", "") in ("substr", "substring")


@contextmanager
def inferring(config: OptimizerConfig) -> Iterator[None]:
    """Within the block constraints are inferred as the configured version does: through functions or not, and in which
    order they lie."""
    known = config.behaviour
    strict = _functions_are_strict.set(known.functions_are_known_to_be_strict)
    hashed = _constraints_are_hashed.set(known.constraints_are_hashed)
    fields = _fields_are_known.set(known.fields_are_known_not_to_be_null)
    try:
        yield
    finally:
        _functions_are_strict.reset(strict)
        _fields_are_known.reset(fields)
        _constraints_are_hashed.reset(hashed)


def as_set(found: ExpressionSet) -> ExpressionSet:
    """The same expressions as a set of the configured version gives them: as they came, or in the order of Scala's."""
    if not _constraints_are_hashed.get():
        return found
    return ExpressionSet(expressions_in_hash_set(list(found)))


def strict_attributes(e: Expression) -> list[Expression]:
    """The attributes (and parts of complex ones) whose null makes the expression null."""
    if isinstance(e, AttributeReference):
        return [e]
    if isinstance(e, GetStructField) and _extract_only(e):
        return [e] if _fields_are_known.get() else strict_attributes(e.child)
    if e.null_intolerant and (_functions_are_strict.get() or _is_plain(e)):
        return [a for c in e.children for a in strict_attributes(c)]
    return []


def _extract_only(e: Expression) -> bool:
    """Whether it is a field, perhaps of a field, of a column: nothing can fail or be missing on the way."""
    return isinstance(e, AttributeReference) or (isinstance(e, GetStructField) and _extract_only(e.child))
