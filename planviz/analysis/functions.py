"""Calls, names for unnamed columns, lambdas, seeds, time zones."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from typing_extensions import override

from planviz.analysis.context import AnalyzerRule, folded, sql_text
from planviz.analysis.names import extract_value
from planviz.analysis.not_loaded import AVRO, not_loaded
from planviz.analysis.python import named_python_call, python_call, python_table
from planviz.analysis.routines import called
from planviz.analysis.sql_table_functions import sql_table_function
from planviz.analysis.table_functions import TABLE_FUNCTIONS, table_function, with_aliases
from planviz.catalog.tables import JvmFunction, PythonFunction, SqlFunction
from planviz.evaluation import DEFAULT_EVALUATOR, Evaluator
from planviz.expressions.aggregates import (
    AggregateCall,
    AggregateExpression,
    AggregateFunction,
    FirstLast,
    GroupingID,
)
from planviz.expressions.calls import FunctionCall, Replaced
from planviz.expressions.casts import Cast
from planviz.expressions.common_expressions import written_out
from planviz.expressions.complex import ExtractValue
from planviz.expressions.core import (
    AUTO_GENERATED,
    Alias,
    AttributeReference,
    Expression,
    GeneratorMark,
    Literal,
    NamedExpression,
    SortOrder,
    alias,
    lit,
    occurs,
)
from planviz.expressions.counters import CounterDiff
from planviz.expressions.earlier import as_called_then, name_then, undetermined, with_named_fields, with_shown_casts
from planviz.expressions.ids import next_id
from planviz.expressions.lambdas import LambdaFunction, NamedLambdaVariable, UnresolvedLambdaVariable
from planviz.expressions.objects import ScalaUDF
from planviz.expressions.specs import AnsiFlag, FunctionSpec, OpenZone
from planviz.expressions.subqueries import ListQuery, SubqueryExpression
from planviz.expressions.unresolved import (
    NO_NAME,
    ExpressionWithUnresolvedIdentifier,
    MultiAlias,
    OuterReference,
    UnresolvedAlias,
    UnresolvedAttribute,
    UnresolvedFunction,
    UnresolvedPythonCall,
)
from planviz.expressions.windows import LagLead, NthValue, NTile, RankLike, WindowExpression
from planviz.frontend.errors import analysis_error
from planviz.frontend.naming import constant_text, name_parts
from planviz.functions.builders.aggregates import ORDERINGS, mode, percentile_of
from planviz.functions.builders.base import wrong_count
from planviz.functions.builders.conditions import asserted, two_comparisons
from planviz.functions.builders.lambdas import HIGHER_ORDER
from planviz.functions.registry import INTERNAL, build, is_aggregate_function, known, nearest
from planviz.functions.signatures import accepts
from planviz.logical.operators import Aggregate, Generate, Project
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import Range
from planviz.logical.unresolved import (
    PlanWithUnresolvedIdentifier,
    UnresolvedRelation,
    UnresolvedTableValuedFunction,
    UnresolvedTVFAliases,
)
from planviz.trees.depth import deep
from planviz.trees.node import TreeNode
from planviz.types import BOOLEAN, INT, LONG, NULL, UNKNOWN, ArrayType, DataType, MapType, is_string
from planviz.versions import PROFILES
from planviz.versions.functions import functions_after, gives_tables, least_arguments, most_arguments


class LookupFunctions(AnalyzerRule):
    """Note the first function name that nobody knows; each becomes an opaque call of unknown type.

    Spark refuses the query here. The note is for a query that turns out to be wrong anyway: it gets Spark's error.
    """

    matches = (UnresolvedFunction,)

    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        """Never changes the plan."""

        def note(e: Expression) -> Expression:
            if isinstance(e, UnresolvedFunction) and self.context.counters.unknown is None:
                name = e.parts[-1].lower()
                if (
                    not (known(name) or name in TABLE_FUNCTIONS or name in AVRO)
                    and self.context.catalog.function(e.parts) is None
                ):
                    self.context.counters.unknown = e
            elif isinstance(e, SubqueryExpression):
                self.apply(e.plan)
            return e

        plan.resolve_expressions(note, UnresolvedFunction.BIT | SubqueryExpression.BIT)
        return plan


class ResolveIdentifierClause(AnalyzerRule):
    """Read the name that IDENTIFIER gives.

    IDENTIFIER('t.a')  =>  't.a
    """

    matches = (ExpressionWithUnresolvedIdentifier, PlanWithUnresolvedIdentifier)
    package = "org.apache.spark.sql.catalyst.analysis"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan | None:
        evaluator = Evaluator.of(self.context.config)

        def read(e: Expression) -> Expression:
            if not isinstance(e, ExpressionWithUnresolvedIdentifier) or not e.name_expression.resolved:
                return e
            name = _name_of(e.name_expression, e, evaluator)
            if isinstance(e.call, Expression):
                return _called_by(name, e.call)
            return e.rebuilt(UnresolvedAttribute(name))

        def table(p: LogicalPlan) -> LogicalPlan:
            if not isinstance(p, PlanWithUnresolvedIdentifier):
                return p
            if not p.name_expression.resolved:
                if p.name_expression.bits & SubqueryExpression.BIT:
                    raise analysis_error("NOT_A_CONSTANT_STRING.NOT_CONSTANT", _NO_NAME, p)
                return p
            return UnresolvedRelation(_name_of(p.name_expression, p, evaluator))

        return plan.resolve_expressions(read, self.mask).resolve_operators_up(table, PlanWithUnresolvedIdentifier.BIT)


_NO_NAME = "The name in IDENTIFIER must be a constant string."


def _called_by(name: tuple[str, ...], call: Expression) -> Expression:
    """A call under the name that was computed."""

    def named(x: Expression) -> Expression:
        return x.rebuilt(x.replace(parts=name)) if isinstance(x, UnresolvedFunction) and x.parts == NO_NAME else x

    made: Expression = call.transform_up(named, UnresolvedFunction.BIT)
    return made


def _name_of(name: Expression, at: TreeNode, evaluator: Evaluator) -> tuple[str, ...]:
    """The parts of the name that an expression gives. Raises AnalysisError where it is no constant text."""
    text = constant_text(name)
    if text is not None:
        return name_parts(text)
    why = "NOT_CONSTANT"
    if name.foldable:
        known = evaluator.value_of(name)
        if known is not None and isinstance(known.value, str):
            return name_parts(known.value)
        why = "WRONG_TYPE" if not is_string(name.data_type) else "NULL" if known is not None else why
    raise analysis_error(f"NOT_A_CONSTANT_STRING.{why}", _NO_NAME, name if name.origin is not None else at)


#: Where Spark's own functions are.
_BUILT_IN = (("builtin",), ("system", "builtin"))


class ResolveFunctions(AnalyzerRule):
    """Find the expression that a call means, and the relation that a call in FROM means.

    'sum('a)  =>  sum(a)          range(10)  =>  Range (0, 10, step=1)

    A call waits until its arguments are bound; a lambda's body may stay open.
    """

    matches = (UnresolvedFunction, UnresolvedPythonCall, UnresolvedTableValuedFunction, UnresolvedTVFAliases)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.resolve_operators_up(self._calls, self.mask)

    def _calls(self, plan: LogicalPlan) -> LogicalPlan:
        if isinstance(plan, UnresolvedTableValuedFunction) and all(a.resolved for a in plan.args):
            own = self.context.catalog.function(plan.parts) if self.context.catalog.functions else None
            if isinstance(own, SqlFunction):
                return sql_table_function(own, plan, self.context)
            if isinstance(own, PythonFunction) and own.columns is not None:
                return python_table(own, plan.args, self.context.config)
            if plan.parts[-1].lower() != "range" and not gives_tables(self.context.config.profile, tuple(PROFILES)):
                name = sql_text(plan.parts)
                raise analysis_error(
                    "UNRESOLVABLE_TABLE_VALUED_FUNCTION", f"No table function has the name {name}.", plan
                )
            made = table_function(plan)
            open_slices = isinstance(made, Range) and self.context.config.behaviour.ranges_show_open_slices
            return made.replace(shows_none=True) if open_slices else made
        if isinstance(plan, UnresolvedTVFAliases):
            return with_aliases(plan) if plan.child.resolved else plan
        self._refuse_tables(plan)
        return plan.transform_expressions_up(self._one, UnresolvedFunction.BIT | UnresolvedPythonCall.BIT)

    def _refuse_tables(self, plan: LogicalPlan) -> None:
        """What is called in FROM alone is no value, and no generator of LATERAL VIEW."""
        for e in plan.expressions:
            for call in e.collect(UnresolvedFunction):
                name = call.parts[-1].lower()
                own = self.context.catalog.function(call.parts)
                if own is not None:
                    if isinstance(own, PythonFunction) and own.columns is not None:
                        self._refuse_table_function(plan, call)
                    continue
                if isinstance(plan, Generate) and not known(name) and name not in TABLE_FUNCTIONS and self._refuses():
                    shown = f"{sql_text(call.parts)}.{nearest(name)}"
                    raise analysis_error("ROUTINE_NOT_FOUND", f"Cannot resolve routine {shown}", plan)
                if len(call.parts) > 1 or name not in TABLE_FUNCTIONS:
                    continue
                self._refuse_table_function(plan, call)

    @staticmethod
    def _refuse_table_function(plan: LogicalPlan, call: UnresolvedFunction) -> None:
        name = "ROUTINE_NOT_FOUND" if isinstance(plan, Generate) else "NOT_A_SCALAR_FUNCTION"
        raise analysis_error(name, f"{sql_text(call.parts)} gives a table: it is called in FROM.", call)

    def _one(self, e: Expression) -> Expression:
        if isinstance(e, UnresolvedPythonCall) and e.children_resolved:
            return python_call(e.function, e.arguments, self.context, e.result_id)
        if not isinstance(e, UnresolvedFunction):
            return e
        if not all(c.resolved or isinstance(c, LambdaFunction) for c in e.children):
            return e
        own = self.context.catalog.function(e.parts) if self.context.catalog.functions else None
        if isinstance(own, PythonFunction):
            hidden = self.context.config.behaviour.own_functions_come_first and known(e.parts[-1].lower())
            if len(e.parts) > 1 or not hidden:
                return named_python_call(own, e, self.context)
            own = None
        if isinstance(own, JvmFunction):
            return ScalaUDF(e.arguments, own.returns, own.name, own.nullable, own.inputs, own.primitive)
        # Spark's own functions are found first: another of the name is called by its schema.
        if own is not None and (len(e.parts) > 1 or not known(e.parts[-1].lower())):
            return called(own, e)
        self._refuse_later(e)
        without_zone = self.context.config.get("spark.sql.timestampType") == "TIMESTAMP_NTZ"
        if e.parts[-1].lower() in INTERNAL and not e.internal:
            return self._opaque(e)
        if len(e.parts) > 1 and tuple(p.lower() for p in e.parts[:-1]) not in _BUILT_IN:
            return self._opaque(e)
        made = build(e.parts, e.arguments, e, without_zone)
        if isinstance(made, Replaced) and made.name == "between":
            config = self.context.config
            twice = not config.behaviour.between_is_a_function or config.get("spark.sql.legacy.duplicateBetweenInput")
            return two_comparisons(made) if twice else made
        if isinstance(made, Replaced) and not self.context.config.behaviour.expressions_are_shared:
            # What it stands for is typed where it stands: of decimals the type changes while it is resolved.
            made = made.replace(replacement=written_out(made.replacement))
        if isinstance(made, Replaced) and made.name == "assert_true" and len(e.arguments) == 1:
            shows_sql = self.context.config.behaviour.assertions_show_sql
            return made if shows_sql else asserted(e.arguments[0], _shown(e.arguments[0]))
        if made is None:
            return self._opaque(e)
        made = as_called_then(_with_nulls(made, e), self.context.config.behaviour)
        if isinstance(made, GroupingID) and not self.context.config.behaviour.grouping_id_is_long:
            made = made.replace(type=INT)
        if isinstance(made, RankLike | NTile) and not self.context.config.behaviour.ranks_are_never_null:
            made = made.replace(is_nullable=True)
        if not self.context.config.behaviour.ordered_functions_are_deterministic:
            made = undetermined(made)
        if is_aggregate_function(made):
            assert isinstance(made, AggregateFunction)
            if isinstance(made, AggregateCall) and made.name in ("collect_list", "collect_set"):
                shows = self.context.config.behaviour.collections_show_nulls
                made = made if shows else made.replace(tail=made.tail[:-1])
            elif isinstance(made, AggregateCall) and made.name in (
                shorter := dict(self.context.config.behaviour.calls_show_less)
            ):
                made = made.replace(tail=made.tail[: -shorter[made.name]])
            _check_filter(e)
            _check_order(e)
            return AggregateExpression(e.rebuilt(_ordered(made, e)), "Complete", e.distinct, e.where, next_id())
        if e.distinct or e.where is not None or e.order:
            what = "DISTINCT" if e.distinct else "WITHIN GROUP (ORDER BY ...)" if e.order else "FILTER clause"
            raise analysis_error(
                "INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX",
                f"Invalid SQL syntax: The function `{e.parts[-1]}` does not support {what}.",
                e,
            )
        return made

    def _refuse_later(self, e: UnresolvedFunction) -> None:
        """A function that came with a later version is none: Spark looks it up in vain."""
        profile = self.context.config.profile
        version = functions_after(profile, tuple(PROFILES)).get(e.parts[-1].lower())
        if version is not None:
            told = f"it came with Spark {version}, and {profile.removeprefix('spark-')} is planned as"
            raise analysis_error("UNRESOLVED_ROUTINE", f"Cannot resolve routine {sql_text(e.parts)}: {told}.", e)
        most = most_arguments(profile, tuple(PROFILES)).get(e.parts[-1].lower())
        if most is not None and len(e.arguments) > most:
            wrong_count(e.parts[-1], str(most), len(e.arguments), e)
        least = least_arguments(profile, tuple(PROFILES)).get(e.parts[-1].lower(), 0)
        if len(e.arguments) < least:
            wrong_count(e.parts[-1], str(least), len(e.arguments), e)

    def _refuses(self) -> bool:
        return self.context.config.get("planviz.unknownFunctions") == "refuse"

    def _opaque(self, e: UnresolvedFunction) -> Expression:
        name = ".".join(e.parts)
        if self._refuses():
            if len(e.parts) == 1 and e.parts[0].lower() in AVRO:
                raise not_loaded(e)
            raise analysis_error("UNRESOLVED_ROUTINE", f"Cannot resolve routine {sql_text(e.parts)}.{nearest(name)}", e)
        self.context.counters.warn(f"The function {name} is not known; its type stays open.{nearest(name)}")
        return FunctionCall(name, e.arguments, opaque_spec(name))


@lru_cache(maxsize=1024)  # two calls are the same only where their signatures are
def opaque_spec(name: str) -> FunctionSpec:
    """The signature of a function that nobody knows."""
    return FunctionSpec(name, (), lambda _: UNKNOWN, True, null_intolerant=False, foldable=False)


def _check_filter(e: UnresolvedFunction) -> None:
    """FILTER (WHERE ...) is a test of single rows."""
    where = e.where
    if where is None:
        return
    wrong = (
        ("NON_DETERMINISTIC", "it is not deterministic", not where.deterministic),
        ("NOT_BOOLEAN", "it is no boolean", where.data_type not in (BOOLEAN, UNKNOWN)),
        ("CONTAINS_AGGREGATE", "it holds an aggregate function", occurs(where, AggregateExpression.BIT)),
        ("CONTAINS_WINDOW_FUNCTION", "it holds a window function", occurs(where, WindowExpression.BIT)),
    )
    for subclass, why, found in wrong:
        if found:
            raise analysis_error(
                f"INVALID_AGGREGATE_FILTER.{subclass}",
                f'The FILTER expression "{where.pretty}" in an aggregate function is invalid: {why}.',
                e,
            )


def _check_order(e: UnresolvedFunction) -> None:
    """WITHIN GROUP (ORDER BY ...) is for some functions, and some of them ask for it (SupportsOrderingWithinGroup)."""
    name = e.parts[-1].lower()
    keys = ORDERINGS.get(name)
    if keys is None:
        if e.order:
            raise analysis_error(
                "INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX",
                f"Invalid SQL syntax: The function `{name}` does not support WITHIN GROUP (ORDER BY ...).",
                e,
            )
        return
    given = name == "mode" and bool(e.arguments)
    wanted = 0 if given else keys
    wrong = None
    if keys and e.distinct:
        wrong = ("DISTINCT_UNSUPPORTED", "The function does not support DISTINCT with WITHIN GROUP.")
    elif keys and not given and not e.order:
        wrong = ("WITHIN_GROUP_MISSING", "WITHIN GROUP is required for the function.")
    elif keys and len(e.order) != wanted:
        told = f"The function requires {wanted} orderings in WITHIN GROUP but got {len(e.order)}."
        wrong = ("WRONG_NUM_ORDERINGS", told)
    elif e.distinct and e.order:
        item, order = e.arguments[0], [o.child for o in e.order if isinstance(o, SortOrder)]
        if len(order) != 1 or not order[0].semantic_equals(item):
            shown = ", ".join(f'"{o.pretty}"' for o in order)
            told = f'With DISTINCT the expressions "{item.pretty}" and {shown} of the ordering must match.'
            wrong = ("MISMATCH_WITH_DISTINCT_INPUT", told)
    if wrong is not None:
        subclass, why = wrong
        raise analysis_error(
            f"INVALID_WITHIN_GROUP_EXPRESSION.{subclass}", f"Invalid function `{name}` with WITHIN GROUP. {why}", e
        )


def _with_nulls(made: Expression, e: UnresolvedFunction) -> Expression:
    if e.ignore_nulls is None:
        return made
    if isinstance(made, FirstLast):
        # Setting the flag, Spark copies the function and loses the name it was called by.
        name = made.name if made.name == "any_value" else made.name.removesuffix("_value")
        return made.replace(ignore_nulls=e.ignore_nulls, name=name)
    if isinstance(made, LagLead | NthValue):
        return made.replace(ignore_nulls=e.ignore_nulls)
    if e.ignore_nulls and not isinstance(made, AggregateCall):
        raise analysis_error(
            "INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX",
            f"Invalid SQL syntax: The function `{e.parts[-1]}` does not support IGNORE NULLS.",
            e,
        )
    return made


def _ordered(made: AggregateFunction, e: UnresolvedFunction) -> AggregateFunction:
    """WITHIN GROUP (ORDER BY ...)."""
    if not e.order or not isinstance(made, AggregateCall):
        return made
    orders = [o for o in e.order if isinstance(o, SortOrder)]
    key = orders[0]
    if made.name.startswith("percentile"):
        falling = key.direction == "DESC"
        shown = f"WITHIN GROUP (ORDER BY {key.child.pretty}{' DESC' if falling else ''})"
        return percentile_of(made, key.child, falling, f"{made.name}({made.arguments[0].pretty}) {shown}")
    if made.name == "mode":
        falling = key.direction == "DESC"
        shown = f"mode() WITHIN GROUP (ORDER BY {key.child.pretty}{'' if falling else ' DESC'})"
        return mode((key.child,), f"Some({'false' if falling else 'true'})", shown)
    text = ", ".join(f"{o.child.pretty} {o.direction} {o.null_order}" for o in orders)
    spec = replace(made.spec, inputs=(*made.spec.inputs, accepts("*")))
    # What is ordered is copied, and the copy is called by its class.
    name = "listagg" if made.name == "string_agg" else made.name
    return made.replace(
        name=name, arguments=(*made.arguments, *orders), spec=spec, sql_tail=f" WITHIN GROUP (ORDER BY {text})"
    )


class ResolveAliases(AnalyzerRule):
    """Name the unnamed items of a select list.

    unresolvedalias(a + 1)  =>  (a + 1) AS (a + 1)#1
    """

    matches = (UnresolvedAlias, OuterReference)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.resolve_operators_up(self._operator, self.mask)

    def _operator(self, plan: LogicalPlan) -> LogicalPlan:
        if not plan.children_resolved or not any(isinstance(e, self.matches) for e in plan.expressions):
            return plan
        if isinstance(plan, Project):
            return plan.replace(projects=tuple(self._name(e) for e in plan.projects))
        if isinstance(plan, Aggregate):
            return plan.replace(aggregates=tuple(self._name(e, True) for e in plan.aggregates))
        return plan

    def _name(self, e: Expression, grouped: bool = False) -> Expression:
        known = self.context.config.behaviour
        keeps = not known.outer_columns_are_renamed
        if isinstance(e, OuterReference):
            return e if keeps else alias(e, e.name)
        if not isinstance(e, UnresolvedAlias):
            return e
        child = e.child
        if isinstance(child, GeneratorMark):
            return e.rebuilt(MultiAlias(child, ())) if child.resolved else e
        if isinstance(child, Cast) and isinstance(child.child, UnresolvedAlias):
            # A program's cast of a cast: the inner one is named by itself, and so is what is made of it.
            inner = self._name(child.child)
            return e.rebuilt(alias(child.replace(child=inner.child), inner.name)) if isinstance(inner, Alias) else e
        if not child.resolved:
            return e
        if isinstance(child, OuterReference):
            if keeps:
                return child
            return e.rebuilt(alias(child, child.name))
        if isinstance(child, NamedExpression) and not isinstance(child, NamedLambdaVariable):
            return child
        cast = isinstance(child, Cast) and (child.mode != "TRY" or known.tried_casts_are_casts)
        if cast and isinstance(child.children[0], NamedExpression):
            return e.rebuilt(alias(child, child.children[0].name))
        shown = child if known.names_leave_out_casts else with_shown_casts(child)
        if known.names_leave_out_fields != "always":
            shown = with_named_fields(shown, grouped and known.names_leave_out_fields == "in groups")
        named = alias(child, shown.pretty if known.names_hide_replacements else name_then(shown))
        if isinstance(child, ExtractValue | Literal):
            return e.rebuilt(named)
        return e.rebuilt(named.remarked(AUTO_GENERATED))


class ResolveLambdaVariables(AnalyzerRule):
    """Type the arguments of lambdas by the function that takes them.

    transform(xs, 'x -> 'x + 1)  =>  transform(xs, lambda x#1 -> lambda x#1 + 1)
    """

    matches = (UnresolvedLambdaVariable,)
    package = "org.apache.spark.sql.catalyst.analysis"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:

        def operator(p: LogicalPlan) -> LogicalPlan:
            return p.map_expressions(lambda e: self._resolve(e, {}) if e.bits & UnresolvedLambdaVariable.BIT else e)

        return plan.resolve_operators_up(operator, UnresolvedLambdaVariable.BIT)

    @deep
    def _resolve(self, e: Expression, known_names: dict[str, NamedLambdaVariable]) -> Expression:
        if isinstance(e, UnresolvedLambdaVariable):
            found = known_names.get(folded(e.parts[0]))
            if found is None:
                return self._free(e)
            value: Expression = found
            for p in e.parts[1:]:
                value = extract_value(value, lit(p), e)
            return value
        if isinstance(e, FunctionCall) and any(isinstance(a, LambdaFunction) for a in e.arguments):
            return self._function(e, known_names)
        if isinstance(e, UnresolvedFunction):
            return e.map_children(lambda c: self._inside(c, known_names))
        if isinstance(e, LambdaFunction):
            return self._inside(e, known_names)
        return e.map_children(lambda c: self._resolve(c, known_names))

    def _inside(self, e: Expression, known_names: dict[str, NamedLambdaVariable]) -> Expression:
        """A call that is still open inside a lambda: its plain arguments may use the variables, its lambdas wait."""
        return e if isinstance(e, LambdaFunction) else self._resolve(e, known_names)

    def _free(self, e: UnresolvedLambdaVariable) -> Expression:
        return e.rebuilt(UnresolvedAttribute(e.parts))

    def _function(self, call: FunctionCall, known_names: dict[str, NamedLambdaVariable]) -> Expression:
        if call.name not in HIGHER_ORDER or isinstance(call.arguments[0], LambdaFunction):
            raise analysis_error(
                "INVALID_LAMBDA_FUNCTION_CALL.NON_HIGHER_ORDER_FUNCTION",
                f"A lambda function should only be used in a higher order function, but {call.name} takes none here.",
                call,
            )
        queries = self.context.config.behaviour.lambdas_take_queries
        if not queries and call.bits & SubqueryExpression.BIT:
            raise analysis_error(
                "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.HIGHER_ORDER_FUNCTION",
                "Unsupported subquery expression: Subquery expressions are not supported within higher-order "
                "functions; compute them beside the call.",
                call,
            )
        plain = [a if isinstance(a, LambdaFunction) else self._resolve(a, known_names) for a in call.arguments]
        if not all(a.resolved for a in plain if not isinstance(a, LambdaFunction)):
            return call.replace(arguments=tuple(plain))
        out: list[Expression] = []
        for a in plain:
            waits = call.name in ("aggregate", "reduce") and any(isinstance(x, LambdaFunction) for x in out)
            if isinstance(a, LambdaFunction) and not a.resolved and not (waits and not out[-1].resolved):
                types = _argument_types(
                    call.name, plain, len(a.arguments), len([x for x in out if isinstance(x, LambdaFunction)]), out
                )
                if len(types) != len(a.arguments):
                    raise analysis_error(
                        "INVALID_LAMBDA_FUNCTION_CALL.NUM_ARGS_MISMATCH",
                        f"The lambda of {call.name} takes {len(types)} arguments, not {len(a.arguments)}.",
                        a,
                    )
                names = [str(getattr(v, "name", "")) for v in a.arguments]
                # A lambda that was opened before and waits for its body keeps its variables.
                variables = [
                    v if isinstance(v, NamedLambdaVariable) else NamedLambdaVariable(n, t, nullable, next_id())
                    for v, n, (t, nullable) in zip(a.arguments, names, types, strict=False)
                ]
                inner = {**known_names, **{folded(n): v for n, v in zip(names, variables, strict=True)}}
                out.append(LambdaFunction(self._resolve(a.body, inner), tuple(variables), a.hidden))
            else:
                out.append(a)
        return call.replace(arguments=tuple(out))


def _argument_types(
    name: str, args: list[Expression], count: int, which: int, done: list[Expression]
) -> list[tuple[DataType, bool]]:
    """Types of a lambda's arguments and whether they may be null; `which` is the number of lambdas before it."""

    def known_type(e: Expression) -> DataType:
        return e.data_type if e.resolved else UNKNOWN

    def element(e: Expression) -> tuple[DataType, bool]:
        t = known_type(e)
        return (t.element, t.contains_null) if isinstance(t, ArrayType) else (UNKNOWN, True)

    first = known_type(args[0])
    if name == "zip_with":
        return [(element(e)[0], True) for e in args[:2]]
    if name in ("aggregate", "reduce"):
        return [(known_type(args[1]), True), element(args[0])] if which == 0 else [(known_type(done[2]), True)]
    if name == "map_zip_with" and isinstance(first, MapType):
        second = known_type(args[1])
        value = second.value if isinstance(second, MapType) else UNKNOWN
        return [(first.key, False), (first.value, True), (value, True)]
    if isinstance(first, MapType):
        return [(first.key, False), (first.value, first.value_contains_null)]
    if first == NULL and name.startswith(("map_", "transform_")):
        return [(UNKNOWN, True)] * 2
    if name == "array_sort":
        return [element(args[0])] * 2
    return [element(args[0]), (INT, False)][: count if name in ("transform", "filter") else 1]


class ResolveTimeZone(AnalyzerRule):
    """Give the expressions that read the session's time zone its name; casts do not show it."""

    matches = (Cast, FunctionCall, Replaced, CounterDiff)
    package = "org.apache.spark.sql.catalyst.analysis"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        zone = self.context.config.text("spark.sql.session.timeZone")

        def step(e: Expression) -> Expression:
            if isinstance(e, Cast | CounterDiff) and e.time_zone is None:
                return e.replace(time_zone=zone)
            if isinstance(e, FunctionCall) and _open(e.tail):
                return e.replace(tail=_zoned(e.tail, zone))
            if isinstance(e, Replaced):
                named = (f"Some({zone})" if isinstance(p, OpenZone) else p for p in e.parameters)
                shown = tuple(inner(p) if isinstance(p, Expression) else p for p in named)
                same = all(a is b for a, b in zip(shown, e.parameters, strict=True))
                return e if same else e.replace(parameters=shown)
            if isinstance(e, ListQuery):
                # Coercion may have put casts into the plan on the right of IN after it was analyzed.
                return e.with_plan(self.apply(e.plan))
            return e

        def inner(e: Expression) -> Expression:
            # Spark calls a function when its arguments are resolved, so those that it shows have their zone.
            return e.transform_up(step, self.mask)

        return plan.resolve_expressions(step, self.mask | ListQuery.BIT)


def _open(parts: tuple[object, ...]) -> bool:
    return any(isinstance(p, OpenZone) for p in parts)


def _zoned(parts: tuple[AnsiFlag | OpenZone | str, ...], zone: str) -> tuple[AnsiFlag | str, ...]:
    return tuple(f"Some({zone})" if isinstance(p, OpenZone) else p for p in parts)


class ResolveRandomSeed(AnalyzerRule):
    """Give rand(), uuid() and shuffle() a seed of their own.

    rand()  =>  rand(seed)
    """

    matches = (FunctionCall,)
    NAMES = frozenset(("rand", "random", "randn"))

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        import random

        def seed() -> int:
            return random.randrange(10**17, 9 * 10**17)

        def step(e: Expression) -> Expression:
            if not isinstance(e, FunctionCall) or e.spec.deterministic:
                return e
            if e.name in self.NAMES and e.arguments and not e.arguments[0].foldable:
                raise analysis_error(
                    "SEED_EXPRESSION_IS_UNFOLDABLE",
                    f'The seed expression "{e.arguments[0].pretty}" of the expression "{e.pretty}" must be foldable.',
                    e,
                )
            if e.name in self.NAMES and not e.arguments:
                return e.replace(arguments=(Literal(seed(), LONG),), spec=replace(e.spec, hidden=1))
            if e.name == "randstr" and len(e.arguments) == 1:
                hidden = replace(e.spec, hidden=1)
                return e.replace(arguments=(*e.arguments, Literal(seed(), LONG)), tail=("true",), spec=hidden)
            if e.name == "uniform" and len(e.arguments) == 2:
                hidden, tail = replace(e.spec, hidden=1), ("true", *e.tail[1:])
                return e.replace(arguments=(*e.arguments, Literal(seed(), LONG)), tail=tail, spec=hidden)
            if e.name == "uuid" and e.arguments:
                given = DEFAULT_EVALUATOR.value_of(e.arguments[0])
                return e.replace(arguments=(), tail=(f"Some({given})",)) if given is not None else e
            if e.name in ("uuid", "shuffle") and not e.tail:
                return e.replace(tail=(f"Some({seed()})",))
            return e

        return plan.resolve_expressions(step, FunctionCall.BIT)


def _shown(e: Expression) -> str:
    """Spark: simpleString, which gives a column its type."""
    return f"{e}: {e.data_type.simple_string}" if isinstance(e, AttributeReference) else str(e)
