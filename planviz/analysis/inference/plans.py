"""Operators: which columns are in scope where, from the unresolved plan alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from planviz.analysis.inference.guesses import Guess
from planviz.analysis.inference.tables import GuessedTable, Relation, Resolver, Scope
from planviz.analysis.inference.values import Values
from planviz.analysis.ordinals import groups_by_all, orders_by_all
from planviz.catalog.tables import Catalog
from planviz.expressions.core import Alias, Expression
from planviz.expressions.unresolved import MultiAlias, UnresolvedAttribute, UnresolvedFunction, UnresolvedStar
from planviz.frontend import parse_plan
from planviz.logical.combining import Join, LateralJoin, SetOperation, Union
from planviz.logical.operators import Aggregate, Distinct, Filter, Generate, Project, Sort, SubqueryAlias
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LocalRelation
from planviz.logical.unresolved import (
    Pivot,
    RelationTimeTravel,
    Unpivot,
    UnresolvedHaving,
    UnresolvedInlineTable,
    UnresolvedQualify,
    UnresolvedRelation,
    UnresolvedSubqueryColumnAliases,
    UnresolvedTableValuedFunction,
    UnresolvedTVFAliases,
    UnresolvedWith,
)
from planviz.trees.depth import refuse_wide
from planviz.types import INT, LONG, STRING

Definitions = dict[str, Relation]
#: So many names are spelt out in a warning.
_NAMED = 20


@dataclass
class Output:
    """What an operator gives: its relations, and those below its select list, which ORDER BY and HAVING may name."""

    relations: list[Relation]
    hidden: list[Relation]

    @property
    def columns(self) -> list[tuple[str, Guess]]:
        """The columns in order, those of guessed tables as far as they are known."""
        found = [c for r in self.relations for c in r.columns]
        return found + [(t.spelt[k], g) for r in self.relations for t in r.open for k, g in t.columns.items()]

    @property
    def closed(self) -> bool:
        """Whether all columns are known."""
        return not any(r.open for r in self.relations)


#: The parts of a name that a script defines, and the place of its query among the plans; None where it has none.
Defined = Iterable[tuple[tuple[str, ...], int | None]]


def infer(
    plans: Iterable[LogicalPlan],
    catalog: Catalog,
    defined: Defined = (),
    variables: Iterable[str] = (),
) -> tuple[Catalog, list[str]]:
    """The catalogue with every table that the plans read and that it does not have, guessed; and warnings.

    `plans` are unresolved, in the order of the script. `defined` are the names that the script itself defines, which
    are not to be guessed, `variables` those of its session variables, which are no columns of a guessed table. The
    plans are walked twice: columns written with their table are surely its own, and help to place those without.
    """
    walk = _Walk(catalog, defined)
    walk.resolver.variables = frozenset(v.lower() for v in variables)
    plans = list(plans)
    for again in (False, True):
        if again:
            for table in walk.tables.values():
                table.forget_uses()
            walk.resolver.warnings.clear()
            walk.resolver.placed.clear()
            walk.made.clear()
        for at, plan in enumerate(plans):
            walk.made[at] = walk.query(plan, None, {})
    for table in walk.tables.values():
        catalog = catalog.with_table(table.table())
        if table.starred:
            known = _first(list(table.spelt.values())) or "none"
            walk.resolver.warn(
                f"* reads all columns of {table.name}, which no catalogue has: only those that the query names are "
                f"known ({known})."
            )
    names = [t.name for t in walk.tables.values()]
    if names:
        about = f"Guessed from the query, types too: {_first(names)}. A catalogue would make the plan sure."
        walk.resolver.warnings.insert(0, about)
    return catalog, walk.resolver.told()


def _first(names: list[str]) -> str:
    """Names as a sentence has them: of many the first."""
    left = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {left:,} more" if left > 0 else "")


class _Walk:
    def __init__(self, catalog: Catalog, defined: Defined) -> None:
        self.catalog = catalog
        #: The names that the script defines, by their last part.
        self.defined: dict[str, list[tuple[tuple[str, ...], int | None]]] = {}
        for parts, at in defined:
            self.defined.setdefault(parts[-1].lower(), []).append((tuple([p.lower() for p in parts]), at))
        #: What the plans walked so far give, by their place.
        self.made: dict[int, Output] = {}
        self.tables: dict[str, GuessedTable] = {}
        self.resolver = Resolver()
        self.definitions: Definitions = {}
        self.values = Values(self.resolver, lambda plan, scope: self.query(plan, scope, self.definitions).columns)

    def query(self, plan: LogicalPlan, outer: Scope | None, definitions: Definitions) -> Output:
        """A whole query with the CTEs that it sees."""
        before = self.definitions
        self.definitions = definitions
        try:
            return self.walk(plan, outer)
        finally:
            self.definitions = before

    def walk(self, plan: LogicalPlan, outer: Scope | None) -> Output:
        """One operator: its children first, then its own expressions."""
        handler = _HANDLERS.get(type(plan))
        if handler is not None:
            return handler(self, plan, outer)
        if isinstance(plan, SetOperation):
            return self.union(plan, outer)
        outputs = [self.walk(c, outer) for c in plan.children]
        relations = [r for o in outputs for r in o.relations]
        hidden = [r for o in outputs for r in o.hidden]
        scope = Scope(relations, hidden, outer)
        for e in plan.expressions:
            self.values.of(e, scope)
        return Output(relations, hidden)

    # ------------------------------------------------------------------------------------------ relations

    def relation(self, plan: RelationTimeTravel | UnresolvedRelation, outer: Scope | None) -> Output:
        """A name in FROM: a CTE, a table or view of the catalogue, or a table to be guessed."""
        name = plan.parts[-1]
        cte = self.definitions.get(name.lower()) if len(plan.parts) == 1 else None
        if cte is not None:
            return Output([replace(cte, qualifier=(name,))], [])
        table = self.catalog.table(plan.parts)
        if table is not None:
            known = [(c.name, Guess(known=c.data_type)) for c in table.columns]
            return Output([Relation(table.qualified, known)], [])
        view = self.catalog.view(plan.parts)
        if view is not None:
            made = self.query(view.plan or parse_plan(view.sql), None, {})
            return Output([_merged((view.name,), made)], [])
        defined = self._defined(plan.parts)
        if defined is not None:
            return defined
        key = ".".join(plan.parts).lower()
        return Output([Relation(plan.parts, [], [self.tables.setdefault(key, GuessedTable(plan.parts))])], [])

    def _defined(self, parts: tuple[str, ...]) -> Output | None:
        """What the script defines under a name, as far as it has been walked; None: it defines no such name.

        Names of two databases are different where both say which.
        """
        asked = tuple([p.lower() for p in parts])
        alike = self.defined.get(asked[-1], ())
        places = [at for name, at in alike if name[-len(asked) :] == asked[-len(name) :]]
        if not places:
            return None
        made = [self.made[at] for at in places if at is not None and at in self.made]
        return Output([_merged((parts[-1],), made[-1]) if made else Relation(parts)], [])

    def alias(self, plan: SubqueryAlias, outer: Scope | None) -> Output:
        """relation AS name."""
        return Output([_merged(plan.name, self.walk(plan.child, outer))], [])

    def column_aliases(self, plan: UnresolvedSubqueryColumnAliases, outer: Scope | None) -> Output:
        """relation AS t(a, b)."""
        made = self.walk(plan.child, outer)
        if not made.closed:
            first = next(t for r in made.relations for t in r.open)
            self.resolver.warn(f"The columns of {first.name} are taken to be called {', '.join(plan.names)}.")
            return Output([Relation((), [(n, first.column(n, sure=True)) for n in plan.names])], [])
        columns = [(n, g) for n, (_, g) in zip(plan.names, made.columns, strict=False)]
        return Output([Relation((), columns)], [])

    def rows(self, plan: UnresolvedInlineTable, outer: Scope | None) -> Output:
        """VALUES."""
        columns = [(n, Guess(n)) for n in plan.names]
        for row in plan.rows:
            for (_, g), cell in zip(columns, row, strict=False):
                g.agree(self.values.of(cell, Scope([], [], outer)))
        return Output([Relation((), columns)], [])

    def local(self, plan: LogicalPlan, outer: Scope | None) -> Output:
        """VALUES that are plain constants."""
        return Output([Relation((), [(a.name, Guess(known=a.data_type)) for a in plan.output])], [])

    def table_function(self, plan: UnresolvedTableValuedFunction, outer: Scope | None) -> Output:
        """A function in FROM."""
        scope = Scope([], [], outer)
        args = [self.values.of(a, scope) for a in plan.args]
        if plan.parts[-1].lower() == "range":
            return Output([Relation((), [("id", Guess(known=LONG))])], [])
        return Output([Relation((), _generated(plan.parts[-1].lower(), args, []))], [])

    def function_aliases(self, plan: UnresolvedTVFAliases, outer: Scope | None) -> Output:
        """A function in FROM with names for its columns."""
        made = self.walk(plan.child, outer).columns
        made += [("", Guess()) for _ in range(len(plan.names) - len(made))]
        named = [(n, g) for n, (_, g) in zip(plan.names, made, strict=False)] or made
        return Output([Relation(tuple(plan.parts), named)], [])

    def with_definitions(self, plan: UnresolvedWith, outer: Scope | None) -> Output:
        """WITH."""
        definitions = dict(self.definitions)
        for name, relation in zip(plan.names, plan.plans, strict=True):
            if plan.recursive:
                definitions[name.lower()] = self._anchor(name, relation, outer, definitions)
            made = self.query(relation, outer, definitions)
            definitions[name.lower()] = _merged((name,), made)
        return self.query(plan.child, outer, definitions)

    def _anchor(self, name: str, plan: LogicalPlan, outer: Scope | None, definitions: Definitions) -> Relation:
        """The columns of a recursive definition, from the part of its UNION that does not name it."""
        names: tuple[str, ...] = ()
        while not isinstance(plan, Union) and len(plan.children) == 1:
            if isinstance(plan, UnresolvedSubqueryColumnAliases):
                names = plan.names
            plan = plan.children[0]
        made = self.query(plan.children[0] if isinstance(plan, Union) else plan, outer, definitions)
        columns = [(n, g) for n, (_, g) in zip(names, made.columns, strict=False)] if names else made.columns
        return Relation((name,), columns)

    # ------------------------------------------------------------------------------------------ select lists

    def project(self, plan: Project, outer: Scope | None) -> Output:
        """SELECT without groups."""
        below = self.walk(plan.child, outer)
        self._warn_of_aliases(plan.projects, plan.child)
        return self._select(plan.projects, below, outer)

    def aggregate(self, plan: Aggregate, outer: Scope | None) -> Output:
        """SELECT with groups: GROUP BY may name what the select list defines."""
        below = self.walk(plan.child, outer)
        self._warn_of_aliases(plan.aggregates, plan.child)
        below = replace(below, relations=[*below.relations, *_windows(plan.grouping)])
        made = self._select(plan.aggregates, below, outer)
        scope = Scope(made.relations[:1], below.relations, outer)
        for g in () if groups_by_all(plan) else plan.grouping:
            self.values.of(g, scope)
        return made

    def _warn_of_aliases(self, items: Iterable[Expression], below: LogicalPlan) -> None:
        """Say which names in WHERE the select list defines and a guessed table was given: it is seldom meant so."""
        if not isinstance(below, Filter):
            return
        made = {i.name.lower(): i.child for i in items if isinstance(i, Alias)}
        for e in below.condition.collect(UnresolvedAttribute):
            name = e.parts[-1].lower()
            if len(e.parts) > 1 or name not in made or not any(name in t.columns for t in self.tables.values()):
                continue
            if name not in {a.parts[-1].lower() for a in made[name].collect(UnresolvedAttribute)}:
                self.resolver.warn(
                    f"{e.parts[-1]} in WHERE is taken for a column of a table: WHERE comes before the select list and "
                    f"cannot read the {e.parts[-1]} that is made there."
                )

    def _select(self, items: Iterable[Expression], below: Output, outer: Scope | None) -> Output:
        made, earlier = Relation(()), Relation(())
        for item in items:
            # What stands further left may be named.
            before = len(made.columns)
            self._item(item, Scope(below.relations, below.hidden, outer, earlier), below, made)
            earlier.columns += [(n, g) for n, g in made.columns[before:] if n]
        return Output([made], below.relations)

    def _item(self, item: Expression, scope: Scope, below: Output, made: Relation) -> None:
        if isinstance(item, UnresolvedStar):
            self._star(item, below, made)
        elif isinstance(item, MultiAlias):
            call = item.child
            args = self._arguments(call, scope)
            name = call.parts[-1].lower() if isinstance(call, UnresolvedFunction) else ""
            made.columns += _generated(name, args, list(item.names))
        else:
            made.columns.append((_name(item), self.values.of(item, scope)))

    def _star(self, star: UnresolvedStar, below: Output, made: Relation) -> None:
        dropped = {parts[-1].lower() for parts in star.excepted}
        wanted = [r for r in below.relations if not star.target or r.answers_to(star.target)]
        for r in wanted:
            made.columns += [c for c in r.columns if c[0].lower() not in dropped]
            refuse_wide(len(made.columns))
            made.open += r.open
            for t in r.open:
                t.starred = True
                for parts in star.excepted:
                    t.column(parts[-1], sure=True)

    def _arguments(self, call: Expression, scope: Scope) -> list[Guess]:
        if isinstance(call, UnresolvedFunction):
            return [self.values.of(a, scope) for a in call.arguments]
        return [self.values.of(c, scope) for c in call.children]

    # ------------------------------------------------------------------------------------------ other operators

    def filter(self, plan: Filter, outer: Scope | None) -> Output:
        """WHERE, HAVING, QUALIFY."""
        below = self.walk(plan.child, outer)
        self.values.condition(plan.condition, Scope(below.relations, below.hidden, outer))
        return below

    def join(self, plan: Join, outer: Scope | None) -> Output:
        """A join: both sides are in scope of its condition."""
        left, right = self.walk(plan.left, outer), self.walk(plan.right, outer)
        both = left.relations + right.relations
        if plan.condition is not None:
            self.values.condition(plan.condition, Scope(both, [], outer))
        for name in plan.using or ():
            sides = [self.resolver.column((name,), Scope(side.relations)) for side in (left, right)]
            if sides[0] is not None and sides[1] is not None:
                sides[0].agree(sides[1])
        if "Natural" in plan.kind and not (left.closed and right.closed):
            self.resolver.warn("A natural join of tables that no catalogue has joins on the columns that both name.")
        one_sided = "Semi" in plan.kind or "Anti" in plan.kind
        return Output(left.relations if one_sided else both, left.hidden + right.hidden)

    def lateral(self, plan: LateralJoin, outer: Scope | None) -> Output:
        """A lateral join: the right side sees the left."""
        left = self.walk(plan.child, outer)
        right = self.walk(plan.right.plan, Scope(left.relations, [], outer))
        both = left.relations + right.relations
        if plan.condition is not None:
            self.values.condition(plan.condition, Scope(both, [], outer))
        return Output(both, left.hidden)

    def union(self, plan: LogicalPlan, outer: Scope | None) -> Output:
        """UNION, INTERSECT, EXCEPT."""
        inputs: list[LogicalPlan] = [plan]
        # A chain of a thousand is as deep as it is long.
        while True:
            first = inputs[0]
            below = first.child if isinstance(first, Distinct) else first
            if not isinstance(below, Union | SetOperation):
                return self._together(inputs, outer)
            inputs[:1] = below.inputs if isinstance(below, Union) else (below.left, below.right)

    def _together(self, plans: list[LogicalPlan], outer: Scope | None) -> Output:
        outputs = [self.walk(p, outer) for p in plans]
        first = outputs[0]
        for other in outputs[1:]:
            if first.closed and other.closed:
                for (_, a), (_, b) in zip(first.columns, other.columns, strict=False):
                    a.agree(b)
        return Output([_merged((), first)], [])

    def generate(self, plan: Generate, outer: Scope | None) -> Output:
        """LATERAL VIEW."""
        below = self.walk(plan.child, outer)
        args = self._arguments(plan.generator, Scope(below.relations, [], outer))
        names = [_name(c) for c in plan.columns]
        call = plan.generator
        name = call.parts[-1].lower() if isinstance(call, UnresolvedFunction) else ""
        made = Relation((plan.qualifier,) if plan.qualifier else (), _generated(name, args, names))
        return Output([*below.relations, made], below.hidden)

    def sort(self, plan: Sort, outer: Scope | None) -> Output:
        """ORDER BY."""
        below = self.walk(plan.child, outer)
        if not orders_by_all(plan.order):
            scope = Scope(below.relations, below.hidden, outer)
            for e in plan.order:
                self.values.of(e, scope)
        return below

    def pivot(self, plan: Pivot, outer: Scope | None) -> Output:
        """PIVOT: a column per value beside the columns that are not used."""
        below = self.walk(plan.child, outer)
        scope = Scope(below.relations, below.hidden, outer)
        for e in (plan.column, *plan.values, *plan.aggregates):
            self.values.of(e, scope)
        made = Relation((), [(_name(v) or str(getattr(v, "value", v)), Guess()) for v in plan.values])
        return Output([made, *below.relations], below.hidden)

    def unpivot(self, plan: Unpivot, outer: Scope | None) -> Output:
        """UNPIVOT: rows of (name, values) beside the columns that are not used."""
        below = self.walk(plan.child, outer)
        scope = Scope(below.relations, below.hidden, outer)
        values = [Guess(n) for n in plan.value_columns]
        for group in plan.groups:
            for e, v in zip(group, values, strict=False):
                v.agree(self.values.of(e, scope))
        named = list(zip(plan.value_columns, values, strict=True))
        made = Relation((), [(plan.name_column, Guess(known=STRING)), *named])
        return Output([made, *below.relations], below.hidden)


def _merged(qualifier: tuple[str, ...], made: Output) -> Relation:
    """All relations under one name."""
    columns = [c for r in made.relations for c in r.columns]
    return Relation(qualifier, columns, [t for r in made.relations for t in r.open])


def _windows(grouping: Iterable[object]) -> list[Relation]:
    """The column that GROUP BY window(...) gives, a struct of start and end."""
    calls = (e.parts[-1].lower() for e in grouping if isinstance(e, UnresolvedFunction))
    names = (name for name in calls if name in ("window", "session_window"))
    return [Relation((), [(name, Guess(name))]) for name in names]


def _name(item: object) -> str:
    if isinstance(item, Alias):
        return item.name
    return item.parts[-1] if isinstance(item, UnresolvedAttribute) else ""


def _generated(name: str, args: list[Guess], names: list[str]) -> list[tuple[str, Guess]]:
    """The columns of a generator, under the names given or its own."""
    first = args[0] if args else Guess()
    if name in ("explode", "explode_outer", "posexplode", "posexplode_outer"):
        columns = [("col", first.item())]
        if len(names) - name.startswith("pos") == 2:
            first.root.is_map = True
            columns = [("key", Guess(known=STRING)), ("value", first.item())]
        if name.startswith("pos"):
            columns.insert(0, ("pos", Guess(known=INT)))
    elif name.startswith("inline"):
        columns = [(n, first.item().field(n)) for n in names]
    else:
        columns = [(f"c{i}", Guess()) for i in range(len(names))]
    return [(n, g) for n, (_, g) in zip(names, columns, strict=False)] if names else columns


Handler = Callable[[_Walk, Any, Scope | None], Output]
_HANDLERS: dict[type, Handler] = {
    UnresolvedRelation: _Walk.relation,
    RelationTimeTravel: _Walk.relation,
    SubqueryAlias: _Walk.alias,
    UnresolvedSubqueryColumnAliases: _Walk.column_aliases,
    UnresolvedInlineTable: _Walk.rows,
    LocalRelation: _Walk.local,
    UnresolvedTableValuedFunction: _Walk.table_function,
    UnresolvedTVFAliases: _Walk.function_aliases,
    UnresolvedWith: _Walk.with_definitions,
    Project: _Walk.project,
    Aggregate: _Walk.aggregate,
    Filter: _Walk.filter,
    UnresolvedHaving: _Walk.filter,
    UnresolvedQualify: _Walk.filter,
    Sort: _Walk.sort,
    Join: _Walk.join,
    LateralJoin: _Walk.lateral,
    Union: _Walk.union,
    Generate: _Walk.generate,
    Pivot: _Walk.pivot,
    Unpivot: _Walk.unpivot,
}
