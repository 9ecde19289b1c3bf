"""Queries: WITH, SELECT, set operations, ORDER BY and LIMIT."""

from __future__ import annotations

from collections.abc import Callable

from planviz.expressions.casts import Cast
from planviz.expressions.core import Alias, Expression, Literal, SortOrder
from planviz.expressions.ids import next_id
from planviz.expressions.predicates import Predicate
from planviz.expressions.unresolved import GroupingSets, UnresolvedAttribute, UnresolvedOrdinal
from planviz.expressions.windows import WindowSpec
from planviz.frontend.lexer import NUMBER
from planviz.frontend.scripts import ScriptReader
from planviz.logical.combining import Except, Intersect, Union
from planviz.logical.operators import (
    Aggregate,
    Distinct,
    Filter,
    GlobalLimit,
    LocalLimit,
    Offset,
    Project,
    RepartitionByExpression,
    Sort,
    SubqueryAlias,
)
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import OneRowRelation
from planviz.logical.unresolved import (
    LimitAll,
    UnresolvedHaving,
    UnresolvedHint,
    UnresolvedQualify,
    UnresolvedRelation,
    UnresolvedSubqueryColumnAliases,
    UnresolvedWith,
    WithWindowDefinition,
)
from planviz.types import BOOLEAN, INT

Script = Callable[[LogicalPlan], LogicalPlan]
#: What a query begins with.
QUERY_WORDS = ("SELECT", "WITH", "FROM", "VALUES", "TABLE", "MAP", "REDUCE", "(")
_SET_WORDS = ("UNION", "EXCEPT", "MINUS", "SETMINUS", "INTERSECT")


class QueryReader(ScriptReader):
    """Reads whole queries."""

    def query(self) -> LogicalPlan:
        """[WITH ...] terms [ORDER BY ... LIMIT ...]."""
        start = self.at
        if self.sees("WITH") and (self.peek(2) in ("AS", "(", "MAX") or self.peek(1) == "RECURSIVE"):
            return self._with(start)
        plan = self._set_operations(0)
        return self.organized(plan)

    def _with(self, start: int) -> LogicalPlan:
        defined = self.definitions()
        self.deeper()
        plan = self.query()
        self.depth -= 1
        return self.placed(defined(plan), start)

    def definitions(self) -> Script:
        """WITH q AS (...), ...: what puts the definitions around the plan that follows them."""
        start = self.at
        self.expect("WITH")
        recursive = self.sees("RECURSIVE") and self.peek(1) not in ("AS", "(")
        if recursive:
            self.came_with("WITH RECURSIVE", self.at + 1)
            self.at += 1
        definitions = self.separated(self._definition)
        names = [n for n, _, _ in definitions]
        lowered = [n.lower() for n in names]
        for i, n in enumerate(lowered):
            if n in lowered[:i]:
                raise self.error("DUPLICATED_CTE_NAMES", f"The WITH clause defines `{names[i]}` twice.", start)
        plans = tuple(p for _, p, _ in definitions)
        depths = tuple(d for _, _, d in definitions)
        if not recursive and any(d is not None for d in depths):
            raise self.error(
                "_LEGACY_ERROR_TEMP_0035", "Operation not allowed: MAX RECURSION LEVEL is for WITH RECURSIVE.", start
            )
        return lambda plan: UnresolvedWith(plan, tuple(names), plans, recursive, depths)

    def _definition(self) -> tuple[str, LogicalPlan, int | None]:
        start = self.at
        name = self.identifier()
        columns = self.identifier_list() if self.sees("(") and not self._query_follows(0) else ()
        depth: int | None = None
        if self.accept("MAX", "RECURSION", "LEVEL"):
            depth = self.integer()
        self.accept("AS")
        self.expect("(")
        self.deeper()
        plan = self.query()
        self.depth -= 1
        self.expect(")")
        if columns:
            plan = self.placed(UnresolvedSubqueryColumnAliases(columns, plan), start)
        return name, self.placed(SubqueryAlias((name,), plan), start), depth

    # -------------------------------------------------------------------------------------------- set operations

    def _set_operations(self, level: int) -> LogicalPlan:
        """Pipes, UNION, EXCEPT (level 0) over INTERSECT (level 1) over primaries."""
        start = self.at
        # Behind a pipe operator nothing binds tighter any more: INTERSECT takes all that is left of it.
        words = ("INTERSECT",) if level else ("|>", *_SET_WORDS)
        in_order = self.dialect.set_operations_in_order
        plan = self._query_primary() if level or in_order else self._set_operations(1)
        chain = 0
        while self.sees_any(*words):
            chain = self.longer(chain, "set operations")
            if self.sees("|>"):
                self.came_with("a pipe operator")
            clause, word = self.at, self.take().upper()
            if word == "|>" and not self.sees_any(*_SET_WORDS):
                plan = self.piped(plan, start)
                continue
            primary = word == "|>" or level == 1 or in_order
            if word == "|>":
                word = self.take().upper()
            everything = self.accept("ALL")
            if not everything:
                self.accept("DISTINCT")
            right = self._query_primary() if primary or word == "INTERSECT" else self._set_operations(1)
            made: LogicalPlan
            if word == "UNION":
                made = Union((plan, right))
                made = made if everything else Distinct(made)
            elif word == "INTERSECT":
                made = Intersect(plan, right, everything)
            else:
                made = Except(plan, right, everything)
            plan = self.placed(made, start, clause)
        return plan

    def _query_primary(self) -> LogicalPlan:
        start = self.at
        if self.accept("("):
            self.deeper()
            plan = self.query()
            self.depth -= 1
            self.expect(")")
            return plan
        if self.sees("SELECT"):
            return self._select(None)
        if self._maps():
            return self._map_or_reduce(None)
        if self.sees("FROM"):
            return self._from_first()
        if self.sees("VALUES"):
            return self.inline_table()
        if self.accept("TABLE"):
            return self.placed(UnresolvedRelation(self.identifier_parts()), start)
        raise self.syntax_error("a query (SELECT, WITH, VALUES, TABLE or FROM) was expected")

    def query_from(self, source: LogicalPlan) -> LogicalPlan:
        """SELECT, MAP or REDUCE to its ORDER BY and LIMIT, over a FROM clause that was read before."""
        return self.organized(self._map_or_reduce(source) if self._maps() else self._select(source))

    def _from_first(self) -> LogicalPlan:
        self.expect("FROM")
        source = self.from_clause()
        if not self.sees("SELECT"):
            return self._map_or_reduce(source) if self._maps() else source
        # Several select lists over one FROM are united.
        found = [self._select(source)]
        while self.sees("SELECT"):
            found.append(self.query_from(source))
        return found[0] if len(found) == 1 else Union(tuple(found))

    def _maps(self) -> bool:
        return self.sees_any("MAP", "REDUCE") and self.peek(1) not in ("", "(", ".", ",", ")", ";")

    def _map_or_reduce(self, source: LogicalPlan | None) -> LogicalPlan:
        """MAP or REDUCE expressions USING ...: TRANSFORM under older names."""
        start = self.at
        self.at += 1
        return self._selected(start, self.separated(self.named_expression), self.script(start), source)

    # -------------------------------------------------------------------------------------------- select

    def piped(self, left: LogicalPlan, query: int) -> LogicalPlan:
        """One pipe operator over `left`, the sign |> taken."""
        raise NotImplementedError

    def select_clause(self, source: LogicalPlan) -> LogicalPlan:
        """SELECT with its list and WINDOW definitions over `source`, nothing else (of a pipe)."""
        start = self.at
        self.expect("SELECT")
        hints = self._hints()
        distinct = self._distinct()
        plan: LogicalPlan = self.placed(Project(tuple(self.separated(self.named_expression)), source), start)
        if distinct:
            plan = self.placed(Distinct(plan), start)
        return self._hinted(self.windows(plan), hints, start)

    def _distinct(self) -> bool:
        """Whether DISTINCT stands here; ALL, which means nothing, is passed over unless it is a column."""
        if self.accept("DISTINCT"):
            return True
        if self.sees("ALL") and self.peek(1) not in (",", ".", "FROM"):
            self.at += 1
        return False

    def _hinted(self, plan: LogicalPlan, hints: list[tuple[str, tuple[Expression, ...]]], start: int) -> LogicalPlan:
        for name, parameters in reversed(hints):
            plan = self.placed(UnresolvedHint(name, parameters, plan), start)
        return plan

    def _select(self, source: LogicalPlan | None) -> LogicalPlan:
        start = self.at
        self.expect("SELECT")
        hints = self._hints()
        distinct = self._distinct()
        script: Script | None = None
        if self.script_follows():
            items = self.script_items()
            script = self.script(start)
        else:
            items = self.separated(self.named_expression)
        plan = self._selected(start, items, script, source)
        if distinct:
            plan = self.placed(Distinct(plan), start)
        return self._hinted(self.windows(plan), hints, start)

    def _selected(
        self, start: int, items: list[Expression], script: Script | None, source: LogicalPlan | None
    ) -> LogicalPlan:
        """The clauses from FROM to QUALIFY, under the script that the rows go through."""
        plan: LogicalPlan
        if source is not None:
            plan = source
        elif self.accept("FROM"):
            plan = self.from_clause()
        else:
            plan = OneRowRelation()
        while self.sees("LATERAL", "VIEW"):
            plan = self._lateral_view(plan)
        clause = self.at
        if self.accept("WHERE"):
            plan = self.placed(Filter(self.expression(), plan), start, clause)
        plan = self._grouped(plan, tuple(items), start)
        clause = self.at
        if self.sees("QUALIFY"):
            self.came_with("QUALIFY")
            self.at += 1
            plan = self.placed(UnresolvedQualify(self.expression(), plan), start, clause)
        return plan if script is None else script(plan)

    def _grouped(self, plan: LogicalPlan, items: tuple[Expression, ...], start: int) -> LogicalPlan:
        clause = self.at
        grouped = self.accept("GROUP", "BY")
        if grouped:
            plan = self.placed(Aggregate(tuple(self.grouping()), items, plan), start, clause)
        clause = self.at
        if self.accept("HAVING"):
            condition = _tested(self.expression())
            if not grouped and self.dialect.having_is_where:
                return self.placed(UnresolvedHaving(condition, self.placed(Project(items, plan), start)), start, clause)
            if not grouped:
                plan = self.placed(Aggregate((), items, plan), start)
            return self.placed(UnresolvedHaving(condition, plan), start, clause)
        return plan if grouped else self.placed(Project(items, plan), start)

    def windows(self, plan: LogicalPlan) -> LogicalPlan:
        """The plan under WINDOW definitions, if they follow."""
        if not self.sees("WINDOW") or (self.peek(2) != "AS" and not self.sees("WINDOW", "IDENTIFIER", "(")):
            return plan
        clause = self.at
        self.at += 1

        def one() -> tuple[str, WindowSpec | str]:
            name = self.identifier()
            self.expect("AS")
            if (self.sees("(") and self.peek(2) == ")") or not self.sees("("):
                return name, self._window_of_that_name()
            return name, self.window_spec()

        pairs = self.separated(one)
        names = [n.lower() for n, _ in pairs]
        again = next((n for i, n in enumerate(names) if n in names[:i]), None)
        if again is not None:
            raise self.error(
                "INVALID_SQL_SYNTAX.REPETITIVE_WINDOW_DEFINITION",
                f"The definition of window `{again}` is repetitive.",
                clause,
            )
        known = {n.lower(): s for n, s in pairs}
        specs = tuple(self._meant_window(s, known) if isinstance(s, str) else s for _, s in pairs)
        return WithWindowDefinition(tuple(n for n, _ in pairs), specs, plan)

    def _meant_window(self, name: str, known: dict[str, WindowSpec | str]) -> WindowSpec:
        found = known.get(name.lower())
        if found is None:
            raise self.error(
                "INVALID_SQL_SYNTAX.UNRESOLVED_WINDOW_REFERENCE", f"There is no window `{name}` that could be meant."
            )
        if isinstance(found, str):
            raise self.error(
                "INVALID_SQL_SYNTAX.INVALID_WINDOW_REFERENCE", f"Window `{name}` is another window's name itself."
            )
        return found

    def _window_of_that_name(self) -> str:
        grouped = self.accept("(")
        name = self.identifier()
        if grouped:
            self.expect(")")
        return name

    def _hints(self) -> list[tuple[str, tuple[Expression, ...]]]:
        hints: list[tuple[str, tuple[Expression, ...]]] = []
        while self.accept("/*+"):
            while not self.accept("*/"):
                name = self.identifier()
                parameters: list[Expression] = []
                if self.accept("("):
                    if not self.sees(")"):
                        parameters = self.separated(self.primary_with_sign)
                    self.expect(")")
                hints.append((name, tuple(parameters)))
                self.accept(",")
        return hints

    def primary_with_sign(self) -> Expression:
        """A hint's parameter: a number may have a sign."""
        if self.sees_any("+", "~") or (self.sees("-") and self.kinds[self.at + 1] != NUMBER):
            self.fail()
        return self.signed()

    # -------------------------------------------------------------------------------------------- grouping

    def grouping(self, named: bool = False) -> list[Expression]:
        """What stands behind GROUP BY; `named` lets expressions have an alias."""
        at = self.at
        items = self.separated(self._named_grouping_item if named else self._grouping_item)
        inner = [i for i in items if isinstance(i, GroupingSets)]
        if inner and len(items) > 1:
            self.came_with("grouping sets beside other keys", at)
        if self.sees_any("WITH") and self.peek(1) in ("ROLLUP", "CUBE"):
            self.at += 1
            kind = self.take().lower()
            return [GroupingSets(kind, tuple((i,) for i in range(len(items))), tuple(items))]
        if self.sees("GROUPING", "SETS"):
            sets = self._grouping_item()
            assert isinstance(sets, GroupingSets)
            return [GroupingSets(sets.kind, sets.sets, sets.columns, tuple(items))]
        return items

    def _named_grouping_item(self) -> Expression:
        start = self.at
        item = self._grouping_item()
        if self.accept("AS") or (self.alias_word() and not self.sees_any("WITH")):
            return self.placed(Alias(item, self.identifier(), next_id()), start)
        return item

    def _grouping_item(self) -> Expression:
        start = self.at
        if self.sees_any("ROLLUP", "CUBE") and self.peek(1) == "(":
            kind = self.take().lower()
            return self.placed(_grouping_sets(kind, self._sets()), start)
        if self.sees("GROUPING", "SETS"):
            self.at += 2
            return self.placed(_grouping_sets("groupingsets", self._sets()), start)
        return self._ordinal(self.expression())

    def _sets(self) -> list[list[Expression]]:
        self.expect("(")
        sets = self.separated(self._set)
        self.expect(")")
        return sets

    def _set(self) -> list[Expression]:
        if (self.sees_any("ROLLUP", "CUBE") and self.peek(1) == "(") or self.sees("GROUPING", "SETS"):
            self.came_with("grouping sets beside other keys")
            return [self._grouping_item()]
        if self.accept("("):
            if self.accept(")"):
                return []
            items = self.separated(self._set_item)
            self.expect(")")
            return items
        return [self._set_item()]

    def _set_item(self) -> Expression:
        return self._ordinal(self.expression())

    def _ordinal(self, e: Expression) -> Expression:
        written = self.dialect.groups_by_position and self.kinds[self.at - 1] == NUMBER
        if written and isinstance(e, Literal) and e.type == INT:
            return e.rebuilt(UnresolvedOrdinal(e.value))
        return e

    # -------------------------------------------------------------------------------------------- organization

    def organized(self, plan: LogicalPlan) -> LogicalPlan:
        """The plan under ORDER BY, SORT BY, DISTRIBUTE BY, CLUSTER BY, WINDOW, OFFSET and LIMIT."""
        start = limits = offsets = self.at
        self._one_order()
        if self.accept("ORDER", "BY"):
            plan = self.placed(Sort(self._orders(), True, plan), start)
        elif self.accept("CLUSTER", "BY"):
            keys = tuple(self.separated(self.expression))
            plan = RepartitionByExpression(keys, plan)
            plan = self.placed(Sort(tuple(SortOrder(k) for k in keys), False, plan), start)
        else:
            if self.accept("DISTRIBUTE", "BY"):
                plan = self.placed(RepartitionByExpression(tuple(self.separated(self.expression)), plan), start)
            clause = self.at
            if self.accept("SORT", "BY"):
                plan = self.placed(Sort(self._orders(), False, plan), start, clause)
        plan = self.windows(plan)
        limit: Expression | None = None
        everything = False
        offset: Expression | None = None
        for _ in range(2):
            if self.sees("LIMIT") and limit is None and not everything:
                limits = self.at
                self.at += 1
                everything = self.accept("ALL")
                limit = None if everything else self.expression()
            elif self.sees("OFFSET") and offset is None:
                self.came_with("OFFSET")
                offsets = self.at
                self.at += 1
                offset = self.expression()
        if offset is not None:
            plan = self.placed(Offset(offset, plan), start, offsets)
        if everything:
            plan = LimitAll(plan)
        elif limit is not None:
            plan = self.placed(GlobalLimit(limit, self.placed(LocalLimit(limit, plan), start, limits)), start, limits)
        return plan

    def _one_order(self) -> None:
        """ORDER BY and CLUSTER BY stand alone, without SORT BY and DISTRIBUTE BY."""
        words = ("ORDER", "CLUSTER", "SORT", "DISTRIBUTE")
        if self.peek() not in words or self.peek(1) != "BY":
            return
        at, first, depth = self.at, self.peek(), 0
        for i in range(at + 2, len(self.keys) - 1):
            key = self.keys[i]
            depth += {"(": 1, ")": -1}.get(key, 0)
            if depth < 0 or key == ";" or (depth == 0 and key == "|>"):
                return
            if depth == 0 and key in words and self.keys[i + 1] == "BY" and {first, key} & {"ORDER", "CLUSTER"}:
                raise self.error(
                    "UNSUPPORTED_FEATURE.COMBINATION_QUERY_RESULT_CLAUSES",
                    "Combination of ORDER BY/SORT BY/DISTRIBUTE BY/CLUSTER BY is not supported.",
                )

    def _orders(self) -> tuple[SortOrder, ...]:
        if self.sees("ALL") and self.peek(1) not in (".", "(", ","):
            start = self.at
            everything = self.placed(UnresolvedAttribute((self.take(),)), start)
            direction = "DESC" if self.accept("DESC") else "ASC"
            self.accept("ASC")
            nulls = "NULLS FIRST" if direction == "ASC" else "NULLS LAST"
            if self.accept("NULLS"):
                nulls = f"NULLS {self.take().upper()}"
            return (SortOrder(everything, direction, nulls),)
        return tuple(self._order() for _ in [0]) + tuple(self._more_orders())

    def _more_orders(self) -> list[SortOrder]:
        out = []
        while self.accept(","):
            out.append(self._order())
        return out

    def _order(self) -> SortOrder:
        order = self.sort_item()
        if not self.dialect.orders_by_position:
            return order
        if isinstance(order.child, Literal) and order.child.type == INT:
            ordinal = order.child.rebuilt(UnresolvedOrdinal(order.child.value))
            return order.rebuilt(SortOrder(ordinal, order.direction, order.null_order))
        return order


def _grouping_sets(kind: str, sets: list[list[Expression]]) -> GroupingSets:
    """Sets of expressions as positions into one list of columns, as Spark prints them."""
    positions: list[tuple[int, ...]] = []
    columns: list[Expression] = []
    for s in _flattened(sets) if kind == "groupingsets" else sets:
        positions.append(tuple(range(len(columns), len(columns) + len(s))))
        columns += s
    return GroupingSets(kind, tuple(positions), tuple(columns))


def _flattened(sets: list[list[Expression]]) -> list[list[Expression]]:
    """Grouping sets with the ROLLUPs and CUBEs nested in them written out."""
    from planviz.expressions.grouping import selected_sets

    out: list[list[Expression]] = []
    for s in sets:
        if len(s) == 1 and isinstance(s[0], GroupingSets):
            out += selected_sets(s[0])
        else:
            out.append(s)
    return out


def _tested(e: Expression) -> Expression:
    """A condition of HAVING: what is no predicate by its form is cast (Spark: withHavingClause)."""
    return e if isinstance(e, Predicate) else Cast(e, BOOLEAN)
