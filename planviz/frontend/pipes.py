"""SQL pipes: `query |> operator |> operator ...`."""

from __future__ import annotations

from planviz.expressions.core import Alias, Expression, NamedExpression
from planviz.expressions.ids import next_id
from planviz.expressions.pipes import PipeExpression, UnresolvedPipeAggregateOrdinal, UnresolvedStarExceptOrReplace
from planviz.expressions.unresolved import (
    GroupingSets,
    UnresolvedAlias,
    UnresolvedAttribute,
    UnresolvedFunction,
    UnresolvedOrdinal,
    UnresolvedStar,
)
from planviz.expressions.windows import UnresolvedWindowExpression, WindowExpression
from planviz.frontend.lexer import END
from planviz.frontend.query import QueryReader
from planviz.logical.operators import Aggregate, Filter, Project, SubqueryAlias
from planviz.logical.plan import LogicalPlan
from planviz.logical.unresolved import PipeOperator, WithWindowDefinition

_ORGANIZATION = ("ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET")
_GROUPING_FUNCTIONS = ("grouping", "grouping_id")


class PipeReader(QueryReader):
    """Reads the operators behind `|>` (Spark: `AstBuilder.visitOperatorPipeRightSide`)."""

    def piped(self, left: LogicalPlan, query: int) -> LogicalPlan:
        """One operator over `left`, the sign |> taken; errors name the place of the whole query, its token `query`."""
        start = self.at
        plan = self._over_columns(left, start, query) or self._over_rows(left, start)
        if plan is None:
            raise self.syntax_error()
        return self.placed(plan, query, start)

    def _over_columns(self, left: LogicalPlan, start: int, query: int) -> LogicalPlan | None:
        """The operators that write a list of columns."""
        if self.sees("SELECT"):
            return self._piped_select(left)
        if self.accept("EXTEND"):
            items = [self._marked(e, False, "EXTEND") for e in self.separated(self.named_expression)]
            return self.windows(self.placed(Project((UnresolvedStar(), *items), left), query, start))
        if self.accept("SET"):
            return self._assigned(left, start, query)
        if self.accept("DROP"):
            names = tuple(self.separated(self.identifier_parts))
            return Project((self.placed(UnresolvedStar((), names), query),), left)
        return self._aggregate(left, start, query) if self.accept("AGGREGATE") else None

    def _over_rows(self, left: LogicalPlan, start: int) -> LogicalPlan | None:
        if self.accept("AS"):
            return SubqueryAlias((self.identifier(),), left)
        if self.accept("WHERE"):
            plan = Filter(self.expression(), PipeOperator(left))
            if self.sees("WINDOW"):
                raise self.error(
                    "NOT_ALLOWED_IN_PIPE_OPERATOR_WHERE.WINDOW_CLAUSE", "A pipe's WHERE takes no WINDOW clause.", start
                )
            return plan
        if self.sees("PIVOT", "(") or self.sees_any("UNPIVOT"):
            return self._piped_pivot(left, start)
        if self.sees("TABLESAMPLE"):
            return self.sample_clause()(left)
        if self.sees("WINDOW") and self.peek(2) == "AS":
            raise self.error(
                "UNSUPPORTED_FEATURE.CLAUSE_WITH_PIPE_OPERATORS",
                "A pipe operator of its own cannot define windows: write WINDOW behind |> SELECT.", start,
            )  # fmt: skip
        if self.sees_any(*_ORGANIZATION):
            return self._organized_once(left, start)
        return self.joined(left, start)

    # -------------------------------------------------------------------------------------------- columns

    def _piped_select(self, left: LogicalPlan) -> LogicalPlan:
        plan = self.select_clause(left)
        if isinstance(plan, WithWindowDefinition):
            plan = plan.rebuilt(plan.replace(piped=True))

        def mark(p: LogicalPlan) -> LogicalPlan:
            if p is left:
                return p
            if isinstance(p, Project):
                items = tuple(e if _bare(e) else self._marked(e, False, "SELECT") for e in p.projects)
                return p.rebuilt(Project(items, p.child))
            found: LogicalPlan = p.with_new_children(tuple(mark(c) for c in p.children))
            return found

        return mark(plan)

    def _marked(self, e: Expression, aggregates: bool, clause: str) -> Expression:
        """An item of a list with its expression inside a PipeExpression."""
        if isinstance(e, Alias | UnresolvedAlias):
            return e.rebuilt(e.replace(child=e.child.rebuilt(PipeExpression(e.child, aggregates, clause))))
        return e.rebuilt(UnresolvedAlias(e.rebuilt(PipeExpression(e, aggregates, clause))))

    def _assigned(self, left: LogicalPlan, start: int, query: int) -> LogicalPlan:
        plan = left
        while True:
            at = self.at
            parts = self.identifier_parts()
            if len(parts) > 1:
                raise self._not_allowed("|> SET assigns to columns by one name only, without a qualifier", at)
            self.expect("=")
            value = self.expression()
            new = Alias(value.rebuilt(PipeExpression(value, False, "SET")), parts[0], next_id())
            star = self.placed(UnresolvedStarExceptOrReplace((self.placed(new, query, at),)), query, at)
            plan = self.placed(Project((star,), plan), query, start)
            if not self.accept(","):
                return plan

    def _not_allowed(self, why: str, at: int) -> Exception:
        return self.error("_LEGACY_ERROR_TEMP_0035", f"Operation not allowed: {why}.", at)

    # -------------------------------------------------------------------------------------------- aggregates

    def _aggregate(self, left: LogicalPlan, start: int, query: int) -> LogicalPlan:
        items: list[Expression] = []
        grouped = self.accept("GROUP", "BY")
        if not grouped:
            if self.kind == END or self.sees_any(")", ";", "|>"):
                raise self._not_allowed("|> AGGREGATE needs aggregate expressions, GROUP BY expressions or both", start)
            items = [self._marked(e, True, "AGGREGATE") for e in self.separated(self.named_expression)]
            grouped = self.accept("GROUP", "BY")
        if not grouped:
            return Aggregate((), tuple(items), left)
        keys = self.grouping(named=True)
        for e in (*keys, *items):
            self._check_grouping(e, query)
        return Aggregate(tuple(keys), (*(self._shown(k) for k in keys), *items), left)

    @staticmethod
    def _shown(key: Expression) -> Expression:
        """A grouping expression as the list of columns has it."""
        if isinstance(key, UnresolvedOrdinal):
            return key.rebuilt(UnresolvedPipeAggregateOrdinal(key.ordinal))
        return key if isinstance(key, NamedExpression) else key.rebuilt(UnresolvedAlias(key))

    def _check_grouping(self, e: Expression, start: int) -> None:
        case = None
        if isinstance(e, UnresolvedAttribute) and len(e.parts) == 1 and e.parts[0].lower() == "all":
            case = "GROUP BY ALL"
        for x in e.walk():
            if isinstance(x, GroupingSets):
                case = {"cube": "GROUP BY CUBE", "rollup": "GROUP BY ROLLUP"}.get(x.kind, "GROUPING SETS")
            elif isinstance(x, WindowExpression | UnresolvedWindowExpression):
                case = "window functions"
            elif isinstance(x, UnresolvedFunction) and x.parts[-1].lower() in _GROUPING_FUNCTIONS:
                case = x.parts[-1].upper()
        if case is not None:
            raise self.error(
                "UNSUPPORTED_FEATURE.PIPE_OPERATOR_AGGREGATE_UNSUPPORTED_CASE",
                f"The SQL pipe operator |> AGGREGATE does not support {case}.",
                start,
            )

    # -------------------------------------------------------------------------------------------- rows

    def _piped_pivot(self, left: LogicalPlan, start: int) -> LogicalPlan:
        plan = self.pivot(left) if self.sees("PIVOT") else self.unpivot(left)
        if self.sees_any("PIVOT", "UNPIVOT"):
            raise self.error(
                "NOT_ALLOWED_IN_FROM.UNPIVOT_WITH_PIVOT", "One pipe operator cannot PIVOT and UNPIVOT.", start
            )
        return plan

    def _organized_once(self, left: LogicalPlan, start: int) -> LogicalPlan:
        plan = self.organized(PipeOperator(left))
        words = {self.keys[i] for i in self._clauses(start)}
        limits = words & {"LIMIT", "OFFSET"}
        if limits and words - limits:
            raise self.error(
                "MULTIPLE_QUERY_RESULT_CLAUSES_WITH_PIPE_OPERATORS",
                f"{(words - limits).pop()} BY and {limits.pop()} cannot stand in one pipe operator; write two.",
                start,
            )
        return plan

    def _clauses(self, start: int) -> list[int]:
        depth, found = 0, []
        for i in range(start, self.at):
            depth += {"(": 1, ")": -1}.get(self.keys[i], 0)
            word = self.keys[i]
            if depth == 0 and word in _ORGANIZATION and (word in ("LIMIT", "OFFSET") or self.keys[i + 1] == "BY"):
                found.append(i)
        return found


def _bare(e: Expression) -> bool:
    """Whether |> SELECT takes an item as it is: a name or a star."""
    return isinstance(e, NamedExpression) and not isinstance(e, Alias | UnresolvedAlias)
