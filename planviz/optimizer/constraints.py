"""What holds for every row of a plan (Spark: QueryPlanConstraints)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import product
from typing import TypeGuard

from planviz.config import OptimizerConfig
from planviz.expressions.aggregates import is_aggregate
from planviz.expressions.calls import DatetimeMinus, DatetimePlus, RegexpForm, StringForm
from planviz.expressions.casts import Cast
from planviz.expressions.complex import GetArrayStructFields, GetStructField
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
from planviz.optimizer.expression_set import ExpressionSet
from planviz.trees.depth import deep
from planviz.trees.memo import Memo

EMPTY = ExpressionSet()
_ABOUT: Memo[tuple[Expression, Expression] | None] = Memo("about")
#: What nodes remember of their constraints and of the attributes that they are strict in, by what the version says.
_MEMOS: dict[tuple[bool, ...], tuple[Memo[ExpressionSet], Memo[list[Expression]]]] = {
    said: (Memo(f"constraints {said}"), Memo(f"strict attributes {said}")) for said in product((True, False), repeat=3)
}


class Constraints:
    """What holds for every row of plans, as the configured version infers it: through functions or not, and in which
    order it lies.

    It holds nothing but what the version says: two with the same settings share what nodes remember.
    """

    def __init__(self, config: OptimizerConfig) -> None:
        known = config.behaviour
        self._functions_are_strict = known.functions_are_known_to_be_strict
        self._fields_are_known = known.fields_are_known_not_to_be_null
        self._hashed = known.constraints_are_hashed
        self._memo, self._strict = _MEMOS[self._functions_are_strict, self._fields_are_known, self._hashed]

    @deep
    def of(self, plan: LogicalPlan) -> ExpressionSet:
        """The predicates over the plan's columns that every row fulfils; computed once per plan node."""
        found = self._memo.get(plan)
        if found is None:
            valid = self._valid(plan)
            out = plan.output_set
            found = valid.union(self.inferred(valid), self.not_null(valid, plan.output)).where(
                lambda c: c.references and c.references <= out and c.deterministic
            )
            found = self._memo.set(plan, self.as_set(found))
        return found

    def inferred(self, known: ExpressionSet) -> ExpressionSet:
        """What equalities say about other predicates: a = b and b > 1 give a > 1."""
        if known.implied is None:
            known.implied = self._inferred(known)
        return known.implied

    def not_null(self, known: ExpressionSet, output: Iterable[AttributeReference]) -> ExpressionSet:
        """isnotnull of every attribute whose null would make a known predicate null, and of the never-null columns."""
        columns = {c.child.expr_id for c in known if isinstance(c, IsNotNull) and type(c.child) is AttributeReference}
        found = ExpressionSet()
        strict = [a for c in known for a in self._strict_attributes_of(c)]
        for a in strict + [a for a in output if not a.is_nullable]:
            if type(a) is not AttributeReference:
                found.add(IsNotNull(a))
            elif a.expr_id not in columns:
                columns.add(a.expr_id)
                found.add(IsNotNull(a))
        return self.as_set(found).minus(known)

    def as_set(self, found: ExpressionSet) -> ExpressionSet:
        """The same expressions in the order of the version's sets: as they came, or as in a hash set of Scala."""
        if not self._hashed:
            return found
        return ExpressionSet(expressions_in_hash_set(list(found)))

    def _valid(self, plan: LogicalPlan) -> ExpressionSet:
        """What the operator itself guarantees; not yet limited to its columns."""
        match plan:
            case Filter(condition, child):
                # What a correlated subquery says of a row need not hold for another column of the same value.
                said = ExpressionSet(c for c in split(condition) if not correlated(c))
                return self.of(child).union(self.as_set(said))
            case Project(items, child):
                return _aliased(items, self.of(child))
            case Aggregate(_, items, child):
                plain = [i for i in items if not is_aggregate(i)]
                return _aliased(plain, self.of(child))
            case Join():
                return self._join(plan)
            case Union(inputs):
                return self._union(plan, inputs)
            case Intersect(left, right, _):
                mapping = {b.expr_id: a for a, b in zip(left.output, right.output, strict=True)}
                return self.of(left).union([substitute(c, mapping) for c in self.of(right)])
            case Except(left, _, _):
                return self.of(left)
            case Expand() | CTERelationRef():
                return EMPTY
            case GlobalLimit() | LocalLimit() | UnaryNode():
                return self.of(plan.child)
        return EMPTY

    def _join(self, plan: Join) -> ExpressionSet:
        left, right, kind = plan.left, plan.right, plan.kind
        condition = split(plan.condition) if plan.condition is not None else []
        if kind in ("Inner", "Cross"):
            return self.of(left).union(self.of(right), condition)
        if kind == "LeftSemi":
            return self.of(left).union(condition)
        if kind in ("LeftOuter", "LeftAnti", "ExistenceJoin"):
            return self.of(left)
        if kind == "RightOuter":
            return self.of(right)
        return EMPTY

    def _union(self, plan: LogicalPlan, inputs: tuple[LogicalPlan, ...]) -> ExpressionSet:
        """What holds in every input, in the first one's columns."""
        first = inputs[0].output
        sets = []
        for i in inputs:
            mapping = {b.expr_id: a for a, b in zip(first, i.output, strict=True)}
            sets.append(ExpressionSet(substitute(c, mapping) for c in self.of(i)))
        merged = sets[0]
        for s in sets[1:]:
            common = merged.where(s.__contains__)
            others_a = [c for c in merged if c not in common]
            others_b = [c for c in s if c not in common]
            same_reference_a, same_reference_b = _attribute_only(others_a), _attribute_only(others_b)
            both = [_either(x, same_reference_b[i]) for i, x in same_reference_a.items() if i in same_reference_b]
            merged = common.union(both)
        return merged

    def _inferred(self, known: ExpressionSet) -> ExpressionSet:
        predicates = [c for c in known if not isinstance(c, IsNotNull)]
        readers = self._readers(predicates)
        equalities = _Equalities([] if self._hashed else predicates)
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
        return self.as_set(found).minus(known)

    def _readers(self, predicates: list[Expression]) -> Callable[[int], list[Expression]]:
        """Which predicates are to be looked at where an attribute is replaced, by its id: those that read it.

        The others stay as they are known, and nothing is new with them; the size of a hashed set counts them, too.
        """
        if self._hashed:
            return lambda _: predicates
        found: dict[int, list[Expression]] = {}
        for p in predicates:
            for i in p.references:
                found.setdefault(i, []).append(p)
        return lambda i: found.get(i, [])

    def _strict_attributes_of(self, c: Expression) -> list[Expression]:
        found = self._strict.get(c)
        if found is None:
            found = self._strict.set(c, self._strict_attributes(c.child if isinstance(c, IsNotNull) else c))
        return found

    def _strict_attributes(self, e: Expression) -> list[Expression]:
        """The attributes (and parts of complex ones) whose null makes the expression null."""
        if isinstance(e, AttributeReference):
            return [e]
        if isinstance(e, GetStructField | GetArrayStructFields) and _extract_only(e):
            return [e] if self._fields_are_known else self._strict_attributes(e.child)
        if e.null_intolerant and (self._functions_are_strict or _is_plain(e)):
            return [a for c in e.children for a in self._strict_attributes(c)]
        return []


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


def _attribute_only(items: list[Expression]) -> dict[int, Expression]:
    """By attribute, the conjunction of the predicates that read only it."""

    found: dict[int, Expression] = {}
    for c in items:
        if len(c.references) == 1:
            (i,) = c.references
            found[i] = And(found[i], c) if i in found else c
    return found


def _either(a: Expression, b: Expression) -> Or:
    return Or(a, b)


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


#: What is called by name, and dates with intervals.
_FUNCTIONS = (SignatureCall, StringForm, RegexpForm, DatetimePlus, DatetimeMinus)


def _is_plain(e: Expression) -> bool:
    """Whether Spark 3.0 knows that it is null where one of its inputs is: an operator, substring()."""
    return not isinstance(e, _FUNCTIONS) or getattr(e, "name", "") in ("substr", "substring")


def _extract_only(e: Expression) -> bool:
    """Whether it is a field, perhaps of a field, of a column: nothing can fail or be missing on the way."""
    return isinstance(e, AttributeReference) or (
        isinstance(e, GetStructField | GetArrayStructFields) and _extract_only(e.child)
    )
