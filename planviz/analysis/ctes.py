"""WITH: definitions, references to them."""

from __future__ import annotations

from typing_extensions import override

from planviz.analysis.context import AnalyzerRule, same_name, subplans
from planviz.analysis.deduplication import repeats_ids
from planviz.expressions.core import AttributeReference
from planviz.expressions.subqueries import QueryPlan, SubqueryExpression
from planviz.frontend.errors import analysis_error
from planviz.logical.combining import CTERelationDef, Union, UnionLoop, WithCTE
from planviz.logical.operators import Distinct, SubqueryAlias
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import CTERelationRef, UnionLoopRef
from planviz.logical.unresolved import UnresolvedRelation, UnresolvedSubqueryColumnAliases, UnresolvedWith

Definitions = list[tuple[str, CTERelationDef]]


class CTESubstitution(AnalyzerRule):
    """Replace names of CTEs by references to their definitions.

    UnresolvedWith(query, definitions)  =>  WithCTE(CTERelationDef..., query over CTERelationRef)

    Inner definitions hide outer ones of the same name. All definitions of a query, those nested in other definitions
    included, gather at its outermost WITH, those of several at the lowest operator over all of these; a subquery keeps
    its own. Spark 3.0 puts a definition in place of its name; a recursive one, which it does not know, stays one.
    """

    matches = (UnresolvedWith,)
    package = "org.apache.spark.sql.catalyst.analysis"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        if self.context.config.get("spark.sql.legacy.ctePrecedencePolicy") == "EXCEPTION":
            _refuse_hidden_names(plan, ())
        definitions: list[CTERelationDef] = []
        last: list[LogicalPlan] = []
        new = self._traverse(plan, [], definitions, last)
        if not definitions:
            return new
        # Where nobody reads them they stay at the first.
        read = new.bits & (CTERelationRef.BIT | SubqueryExpression.BIT)
        top = _over(new, {id(p) for p in (last if read else last[:1])})
        ordered = tuple(sorted(definitions, key=lambda d: d.id))
        return new.transform_up(lambda p: _once(p, top, ordered))

    def _traverse(
        self, plan: LogicalPlan, outer: Definitions, found: list[CTERelationDef], last: list[LogicalPlan]
    ) -> LogicalPlan:
        mask = UnresolvedWith.BIT
        if not plan.bits & mask:
            return plan
        if isinstance(plan, UnresolvedWith):
            relations = self._definitions(plan, outer, found) + outer
            child = self._traverse(plan.child, relations, found, [])
            substituted = self._substitute(child, relations)
            last.append(substituted)
            return substituted
        new = subplans(plan, self.apply)
        return new.map_children(lambda c: self._traverse(c, outer, found, last))

    def _definitions(self, plan: UnresolvedWith, outer: Definitions, found: list[CTERelationDef]) -> Definitions:
        relations: Definitions = []
        depths = plan.depths or (None,) * len(plan.names)
        for name, relation, depth in zip(plan.names, plan.plans, depths, strict=True):
            recursive = plan.recursive and _refers(relation, name)
            if recursive:
                # What it defines for itself may read it, and stays in it.
                number = self.context.counters.next_cte()
                inner = self._kept_inside(relation, relations + outer)
                substituted = self._substitute(inner, relations + outer)
                substituted = _recursive(substituted, name, number, depth, plan)
            else:
                inner = self._traverse(relation, relations + outer, found, [])
                substituted = self._substitute(inner, relations + outer)
                number = self.context.counters.next_cte()
            flag = False if self.context.config.behaviour.cte_definitions_show_a_flag else None
            definition = CTERelationDef(substituted, number, recursive, flag, depth=depth if recursive else None)
            if recursive or self.context.config.behaviour.ctes_are_kept:
                found.append(definition)
            relations = [(name, definition), *relations]
        return relations

    def _kept_inside(self, plan: LogicalPlan, outer: Definitions) -> LogicalPlan:
        """The plan with every WITH of it as a WithCTE of its own, where it stood."""
        if not plan.bits & UnresolvedWith.BIT:
            return plan
        if isinstance(plan, UnresolvedWith):
            own: list[CTERelationDef] = []
            relations = self._definitions(plan, outer, own) + outer
            child = self._substitute(self._kept_inside(plan.child, relations), relations)
            return WithCTE(tuple(sorted(own, key=lambda d: d.id)), child) if own else child
        new = subplans(plan, self.apply)
        return new.map_children(lambda c: self._kept_inside(c, outer))

    def _substitute(self, plan: LogicalPlan, relations: Definitions) -> LogicalPlan:
        def step(p: LogicalPlan) -> LogicalPlan:
            if isinstance(p, UnresolvedRelation) and len(p.parts) == 1:
                for name, d in relations:
                    if same_name(name, p.parts[0]):
                        if not self.context.config.behaviour.ctes_are_kept and not d.recursive:
                            return d.child
                        said = self.context.config.behaviour.cte_reference_flags
                        streaming, recursive = (False if said > at else None for at in range(2))
                        ref = CTERelationRef(d.id, False, (), streaming, recursive)
                        return SubqueryAlias((p.parts[0],), ref)
                return p
            if p.bits & SubqueryExpression.BIT and not isinstance(p, UnresolvedRelation):
                return subplans(p, lambda q: self.apply(self._substitute(q, relations)))
            return p

        return plan.transform_up(step, UnresolvedRelation.BIT | SubqueryExpression.BIT)


def _refuse_hidden_names(plan: QueryPlan, outer: tuple[str, ...], begins: bool = True) -> None:
    """AnalysisError where the WITH that a definition or subquery begins with takes a name of an outer one.

    (Spark: CTESubstitution.assertNoNameConflictsInCTE)
    """
    if isinstance(plan, UnresolvedWith):
        names = outer
        for name, relation in zip(plan.names, plan.plans, strict=True):
            if begins and any(same_name(name, n) for n in outer):
                raise analysis_error(
                    "AMBIGUOUS_ALIAS_IN_NESTED_CTE",
                    f"Name `{name}` is ambiguous in nested CTE. Please set spark.sql.legacy.ctePrecedencePolicy to "
                    "CORRECTED so that the name in the inner CTE takes precedence.",
                    plan,
                )
            _refuse_hidden_names(relation.children[0], names)
            names = (*names, name)
        _refuse_hidden_names(plan.child, names, False)
        return
    if not plan.bits & (UnresolvedWith.BIT | SubqueryExpression.BIT):
        return
    for e in plan.expressions:
        for s in e.collect(SubqueryExpression):
            _refuse_hidden_names(s.plan, outer)
    for child in plan.children:
        _refuse_hidden_names(child, outer, False)


def _over(plan: LogicalPlan, wanted: set[int]) -> LogicalPlan:
    """The lowest operator beneath which, itself included, all the wanted ones are."""
    while id(plan) not in wanted:
        holding = [c for c in plan.children if any(id(p) in wanted for p in c.walk())]
        if len(holding) != 1:
            return plan
        plan = holding[0]
    return plan


def _once(plan: LogicalPlan, top: LogicalPlan, definitions: tuple[CTERelationDef, ...]) -> LogicalPlan:
    return WithCTE(definitions, plan) if plan is top else plan


def _refers(plan: QueryPlan, name: str) -> bool:
    """Whether the name is read, subqueries and definitions included."""
    if plan.bits & UnresolvedWith.BIT and any(_refers(d, name) for w in plan.collect(UnresolvedWith) for d in w.plans):
        return True
    if any(len(r.parts) == 1 and same_name(r.parts[0], name) for r in plan.collect(UnresolvedRelation)):
        return True
    holders = (p for p in plan.walk() if p.bits & SubqueryExpression.BIT)
    return any(_refers(s.plan, name) for p in holders for e in p.expressions for s in e.collect(SubqueryExpression))


def _recursive(plan: LogicalPlan, name: str, number: int, depth: int | None, around: UnresolvedWith) -> LogicalPlan:
    """The definition's UNION as a loop over its anchor and its recursion. Raises AnalysisError where it has none."""
    mask = UnresolvedRelation.BIT | SubqueryExpression.BIT

    def refer(p: LogicalPlan) -> LogicalPlan:
        if isinstance(p, UnresolvedRelation):
            own = len(p.parts) == 1 and same_name(p.parts[0], name)
            return SubqueryAlias((p.parts[0],), CTERelationRef(number, False, (), False, True)) if own else p
        return subplans(p, lambda q: q.transform_up(refer, mask))

    def loop(p: LogicalPlan) -> LogicalPlan:
        inner = p.child if isinstance(p, Distinct) else p
        if isinstance(inner, Union) and len(inner.inputs) == 2:
            anchor, recursion = inner.inputs
            if _refers(recursion, name) and not _refers(anchor, name):
                if inner is not p:
                    raise analysis_error(
                        "UNION_NOT_SUPPORTED_IN_RECURSIVE_CTE",
                        "The UNION operator is not yet supported within recursive common table expressions; use "
                        "UNION ALL instead.",
                        around,
                    )
                return UnionLoop(number, anchor, recursion.transform_up(refer, mask), (), depth)
        if isinstance(p, SubqueryAlias | UnresolvedSubqueryColumnAliases):
            return p.map_children(loop)
        if isinstance(p, WithCTE):
            return p.replace(plan=loop(p.plan))
        raise analysis_error(
            "INVALID_RECURSIVE_CTE",
            "Invalid recursive definition found. A recursive query is a UNION ALL of two queries, of which the first "
            "does not read the query itself.",
            p,
        )

    return loop(plan)


class ResolveWithCTE(AnalyzerRule):
    """Give the references to a CTE its columns once its definition is resolved.

    CTERelationRef(id, unresolved)  =>  CTERelationRef(id, columns of the definition)
    """

    matches = (WithCTE,)
    package = "org.apache.spark.sql.catalyst.analysis"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return self._resolve(plan, {})

    def _definition(self, definition: LogicalPlan, known: dict[int, LogicalPlan]) -> CTERelationDef:
        made = self._resolve(definition, known)
        assert isinstance(made, CTERelationDef)
        return made

    def _resolve(self, plan: LogicalPlan, known: dict[int, LogicalPlan]) -> LogicalPlan:
        if not plan.bits & (WithCTE.BIT | CTERelationRef.BIT):
            return plan
        if isinstance(plan, WithCTE):
            definitions = []
            told_apart = self.context.config.behaviour.relations_are_deduplicated
            for d in plan.definitions:
                new = self._definition(d, known)
                definitions.append(new)
                if new.recursive and not new.resolved:
                    new = _with_columns(new)
                    seen = _seen_inside(new)
                    new = self._definition(new, known if seen is None else {**known, new.id: seen})
                    definitions[-1] = new
                if new.resolved and not (told_apart and repeats_ids(new.child)):
                    known[new.id] = new
            changed = (
                tuple(definitions)
                if any(a is not b for a, b in zip(definitions, plan.definitions, strict=True))
                else plan.definitions
            )
            return plan.replace(definitions=changed, plan=self._resolve(plan.plan, known))
        if isinstance(plan, CTERelationRef):
            target = known.get(plan.id)
            if plan.is_resolved or target is None:
                return plan
            if not isinstance(target, CTERelationDef):
                return _renewed(target)
            rows = target.max_rows if self.context.config.behaviour.cte_references_know_most_rows else None
            return plan.replace(is_resolved=True, attributes=target.output, rows=rows)
        inside = subplans(plan, lambda p: self._resolve(p, known))
        return inside.map_children(lambda c: self._resolve(c, known))


def _with_columns(definition: CTERelationDef) -> CTERelationDef:
    """The loop's columns, once its anchor has some."""

    def step(p: LogicalPlan) -> LogicalPlan:
        if not isinstance(p, UnionLoop) or p.attributes or not p.left.resolved:
            return p
        return p.replace(attributes=_nullable(p.left.output))

    return definition.replace(child=definition.child.transform_up(step, UnionLoop.BIT))


def _nullable(columns: tuple[AttributeReference, ...]) -> tuple[AttributeReference, ...]:
    """Columns of the same types under fresh ids: what the recursion makes may be null where the anchor is not."""
    return tuple(a.new_instance().with_nullability(True) for a in columns)


def _seen_inside(definition: CTERelationDef) -> LogicalPlan | None:
    """What the recursion reads under the CTE's name: the loop's rows, renamed where the CTE names its columns."""
    loop = next((x for x in definition.collect(UnionLoop) if x.id == definition.id), None)
    if loop is None or not loop.attributes:
        return None
    reference = UnionLoopRef(loop.id, _nullable(loop.left.output))
    names = definition.collect(UnresolvedSubqueryColumnAliases)
    return UnresolvedSubqueryColumnAliases(names[0].names, reference) if names else reference


def _renewed(plan: LogicalPlan) -> LogicalPlan:
    return plan.transform_up(lambda p: p.new_instance() if isinstance(p, UnionLoopRef) else p)
