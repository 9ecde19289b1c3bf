"""WITH: definitions, references to them."""

from __future__ import annotations

from typing import Any

from planviz.analysis.context import AnalyzerRule, same_name, subplans
from planviz.expressions.subqueries import SubqueryExpression
from planviz.logical.combining import CTERelationDef, Union, UnionLoop, WithCTE
from planviz.logical.operators import Distinct, SubqueryAlias
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import CTERelationRef
from planviz.logical.unresolved import UnresolvedRelation, UnresolvedSubqueryColumnAliases, UnresolvedWith

Definitions = list[tuple[str, CTERelationDef]]


class CTESubstitution(AnalyzerRule):
    """Replace names of CTEs by references to their definitions.

    UnresolvedWith(query, definitions)  =>  WithCTE(CTERelationDef..., query over CTERelationRef)

    Inner definitions hide outer ones of the same name. All definitions of a query, those nested in other definitions
    included, gather at its outermost WITH; a subquery keeps its own.
    """

    matches = (UnresolvedWith,)
    package = "org.apache.spark.sql.catalyst.analysis"

    def apply(self, plan: Any) -> Any:
        """See the class."""
        definitions: list[CTERelationDef] = []
        last: list[LogicalPlan] = []
        new = self._traverse(plan, [], definitions, last)
        if not definitions:
            return new
        top = last[-1]
        ordered = tuple(sorted(definitions, key=lambda d: d.id))
        return new.transform_up(lambda p: _once(p, top, ordered))

    def _traverse(self, plan: Any, outer: Definitions, found: list[CTERelationDef], last: list[LogicalPlan]) -> Any:
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
            inner = self._traverse(relation, relations + outer, found, [])
            substituted = self._substitute(inner, relations + outer)
            number = self.context.counters.next_cte()
            recursive = plan.recursive and _refers(substituted, name)
            if recursive:
                substituted = _recursive(substituted, name, number, depth)
            definition = CTERelationDef(substituted, number, recursive)
            found.append(definition)
            relations = [(name, definition), *relations]
        return relations

    def _substitute(self, plan: Any, relations: Definitions) -> Any:
        def step(p: Any) -> Any:
            if isinstance(p, UnresolvedRelation) and len(p.parts) == 1:
                for name, d in relations:
                    if same_name(name, p.parts[0]):
                        ref = CTERelationRef(d.id, False, (), False, False)
                        return SubqueryAlias((p.parts[0],), ref)
                return p
            if p.bits & SubqueryExpression.BIT and not isinstance(p, UnresolvedRelation):
                return subplans(p, lambda q: self.apply(self._substitute(q, relations)))
            return p

        return plan.transform_up(step, UnresolvedRelation.BIT | SubqueryExpression.BIT)


def _once(plan: Any, top: LogicalPlan, definitions: tuple[CTERelationDef, ...]) -> Any:
    return WithCTE(definitions, plan) if plan is top else plan


def _refers(plan: Any, name: str) -> bool:
    return any(len(r.parts) == 1 and same_name(r.parts[0], name) for r in plan.collect(UnresolvedRelation))


def _recursive(plan: Any, name: str, number: int, depth: int | None) -> Any:
    """The definition's UNION as a loop over its anchor and its recursion."""

    def refer(p: Any) -> Any:
        if isinstance(p, UnresolvedRelation) and len(p.parts) == 1 and same_name(p.parts[0], name):
            return SubqueryAlias((p.parts[0],), CTERelationRef(number, False, (), False, True))
        return p

    def loop(p: Any) -> Any:
        inner = p.child if isinstance(p, Distinct) else p
        if isinstance(inner, Union) and len(inner.inputs) == 2:
            anchor, recursion = inner.inputs
            if _refers(recursion, name):
                return UnionLoop(number, anchor, recursion.transform_up(refer, UnresolvedRelation.BIT))
        if isinstance(p, SubqueryAlias | UnresolvedSubqueryColumnAliases):
            return p.map_children(loop)
        return p

    return loop(plan)


class ResolveWithCTE(AnalyzerRule):
    """Give the references to a CTE its columns once its definition is resolved.

    CTERelationRef(id, unresolved)  =>  CTERelationRef(id, columns of the definition)
    """

    matches = (WithCTE,)
    package = "org.apache.spark.sql.catalyst.analysis"

    def apply(self, plan: Any) -> Any:
        """See the class."""
        return self._resolve(plan, {})

    def _resolve(self, plan: Any, known: dict[int, CTERelationDef]) -> Any:
        if not plan.bits & (WithCTE.BIT | CTERelationRef.BIT):
            return plan
        if isinstance(plan, WithCTE):
            definitions = []
            for d in plan.definitions:
                new: Any = self._resolve(d, known)
                definitions.append(new)
                if new.recursive and not new.resolved:
                    anchor = _anchor_of(new)
                    if anchor is not None and anchor.resolved:
                        known[new.id] = CTERelationDef(anchor, new.id, True)
                        new = self._resolve(new, known)
                        definitions[-1] = new
                if new.resolved:
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
            columns = target.output if not plan.recursive else tuple(a.new_instance() for a in target.output)
            return plan.replace(is_resolved=True, attributes=columns, rows=target.max_rows)
        new = subplans(plan, lambda p: self._resolve(p, known))
        return new.map_children(lambda c: self._resolve(c, known))


def _anchor_of(plan: Any) -> Any:
    loops = plan.collect(UnionLoop)
    if not loops:
        return None
    anchor = loops[0].left
    names = plan.collect(UnresolvedSubqueryColumnAliases)
    if names and anchor.resolved and len(names[0].names) == len(anchor.output):
        from planviz.expressions.core import alias
        from planviz.logical.operators import Project

        return Project(tuple(alias(a, n) for a, n in zip(anchor.output, names[0].names, strict=True)), anchor)
    return anchor
