"""Functions written in SQL: calls, and the bodies that take their place."""

from __future__ import annotations

from typing_extensions import override

from planviz.analysis.aggregates import functions_mask
from planviz.analysis.context import AnalyzerRule
from planviz.catalog.tables import SqlFunction
from planviz.errors import PlanTooLarge
from planviz.expressions.aggregates import AggregateExpression
from planviz.expressions.calls import Replaced
from planviz.expressions.casts import Cast
from planviz.expressions.core import Alias, AttributeReference, Expression, NamedExpression, alias, occurs
from planviz.expressions.lambdas import LambdaFunction
from planviz.expressions.routines import SQLFunctionExpression
from planviz.expressions.unresolved import TempResolvedColumn, UnresolvedAlias, UnresolvedFunction
from planviz.frontend.errors import analysis_error
from planviz.logical.combining import Join
from planviz.logical.operators import Aggregate, Filter, Project, SubqueryAlias
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LocalRelation, OneRowRelation
from planviz.logical.unresolved import UnresolvedHaving
from planviz.trees.node import TreeNode

#: How many bodies of SQL functions one query may take in: what doubles with every level reaches any number.
_BODIES = 1_000


def called(function: SqlFunction, e: UnresolvedFunction) -> SQLFunctionExpression:
    """The call with its arguments in the order of the parameters. Raises AnalysisError as `given_arguments` does."""
    if function.columns is not None:
        raise analysis_error("NOT_A_SCALAR_FUNCTION", f"{function.shown_name} gives a table.", e)
    wrong = "DISTINCT" if e.distinct else "FILTER CLAUSE" if e.where is not None else ""
    if wrong:
        raise analysis_error(
            "INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX",
            f"Invalid SQL syntax: The function {function.shown_name} does not support {wrong}.",
            e,
        )
    given = given_arguments(function, e.arguments, e)
    names = tuple(p.name.lower() for p in function.parameters if p.name.lower() in given)
    inputs = tuple(given[n] for n in names)
    return e.rebuilt(SQLFunctionExpression(function.shown_name, inputs, function.returns, (function, names)))


def given_arguments(function: SqlFunction, arguments: tuple[Expression, ...], e: TreeNode) -> dict[str, Expression]:
    """What a call gives to each parameter, by its name in small letters.

    Raises AnalysisError for too many or too few, and for a name that no parameter has.
    """
    parameters = function.parameters
    given: dict[str, Expression] = {}
    named: set[str] = set()
    for i, a in enumerate(arguments):
        if not isinstance(a, Alias) and i >= len(parameters):
            raise _wrong_number(function, len(arguments), e)
        name = a.name if isinstance(a, Alias) else parameters[i].name
        if not any(p.name.lower() == name.lower() for p in parameters):
            raise analysis_error("UNRECOGNIZED_PARAMETER_NAME", f"{function.name} has no parameter {name}.", e)
        if name.lower() in given:
            both = "DOUBLE_NAMED_ARGUMENT_REFERENCE" if name.lower() in named else "BOTH_POSITIONAL_AND_NAMED"
            raise analysis_error(
                f"DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.{both}",
                f"The call of {function.name} gives its parameter {name} twice.",
                a,
            )
        if isinstance(a, Alias):
            named.add(name.lower())
        given[name.lower()] = a.child if isinstance(a, Alias) else a
    if any(p.name.lower() not in given and p.default is None for p in parameters):
        raise _wrong_number(function, len(arguments), e)
    if named:
        # A call by name is put in order, what it leaves out included.
        given |= {
            p.name.lower(): Cast(p.default, p.type)
            for p in parameters
            if p.default is not None and p.name.lower() not in given
        }
    return given


def _wrong_number(function: SqlFunction, count: int, e: TreeNode) -> Exception:
    most = len(function.parameters)
    fewest = sum(p.default is None for p in function.parameters)
    wanted = f"{most}" if fewest == most else f"[{', '.join(map(str, range(fewest, most + 1)))}]"
    return analysis_error(
        "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
        f"The `{function.name}` requires {wanted} parameters but the actual number is {count}.",
        e,
    )


class ResolveSQLFunctions(AnalyzerRule):
    """Put the bodies of SQL functions in; a Project beneath computes their arguments.

    Project [f(a + 1) AS x] over p  =>  Project [f(n) AS x] over Project [*, cast(a + 1 as int) AS n] over p
    """

    matches = (SQLFunctionExpression,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return self._rewritten(plan)

    def _rewritten(self, plan: LogicalPlan) -> LogicalPlan:
        """The plan with bodies, parents first: an aggregate waits until what stands on it has been computed in it."""
        bit = SQLFunctionExpression.BIT
        if not plan.bits & bit:
            return plan
        if isinstance(plan, UnresolvedHaving | Filter) and isinstance(plan.child, Aggregate) and _waits(plan):
            return plan.replace(child=plan.child.map_children(self._rewritten))
        if not plan.resolved or not any(occurs(e, bit) for e in plan.expressions):
            return plan.map_children(self._rewritten)
        for e in plan.expressions:
            _refuse_in_lambdas(e)
        plan = plan.map_children(self._rewritten)
        if isinstance(plan, Project):
            items, below = self._expanded(plan.projects, plan.child)
            return plan.replace(projects=items, child=below)
        if isinstance(plan, Filter):
            (condition,), below = self._expanded((plan.condition,), plan.child)
            return Project(plan.output, plan.replace(condition=condition, child=below))
        if isinstance(plan, Aggregate):
            return self._aggregate(plan)
        if isinstance(plan, Join):
            return self._join(plan)
        found = next(x for e in plan.expressions for x in e.walk() if isinstance(x, SQLFunctionExpression))
        told = f"A SQL function cannot be put into {plan.node_name} here."
        raise analysis_error("UNSUPPORTED_SQL_UDF_USAGE", told, found)

    def _aggregate(self, plan: Aggregate) -> LogicalPlan:
        """Calls beneath aggregate functions and in keys go below the aggregate, those over them above it."""
        keys: dict[object, Alias] = {}

        def key(e: Expression) -> Expression:
            if isinstance(e, SQLFunctionExpression):
                return keys.setdefault(e.canonicalized, alias(e, e.name)).to_attribute()
            return e

        def replaced(e: Expression) -> Expression:
            return keys[e.canonicalized].to_attribute() if e.canonicalized in keys else e

        bit = SQLFunctionExpression.BIT
        grouping = tuple(e.transform_down(key) for e in plan.grouping)
        items = [e.transform_down(replaced) if e.bits & bit else e for e in plan.aggregates]
        computed: list[Expression] = []
        above = tuple(_over_computed(e, computed) for e in items)
        below: LogicalPlan = plan.child
        if keys:
            below = Project((*below.output, *keys.values()), below)
        inner, below = self._expanded(tuple(computed), below)
        made = plan.replace(grouping=grouping, aggregates=inner, child=below)
        return self._rewritten(Project(above, made))

    def _join(self, plan: Join) -> LogicalPlan:
        """A join's condition takes bodies whose arguments stand where they are read: nothing is computed beneath."""
        levels: list[list[Alias]] = [[]]
        condition = plan.condition
        assert condition is not None
        while occurs(condition, SQLFunctionExpression.BIT):
            condition = self._innermost(condition, levels)
        values = {a.expr_id: a.child for level in levels for a in level}

        def value(e: Expression) -> Expression:
            while isinstance(e, AttributeReference) and e.expr_id in values:
                e = values[e.expr_id]
            return e

        return plan.replace(condition=condition.transform_up(value, AttributeReference.BIT))

    def _expanded(
        self, items: tuple[Expression, ...], child: LogicalPlan
    ) -> tuple[tuple[Expression, ...], LogicalPlan]:
        """The expressions with bodies for calls, innermost calls first, and the child with what the bodies read."""
        while any(occurs(e, SQLFunctionExpression.BIT) for e in items):
            levels: list[list[Alias]] = [[]]
            items = tuple(self._innermost(e, levels) for e in items)
            for level in levels:
                child = Project((*child.output, *level), child)
        return items, child

    def _innermost(self, e: Expression, levels: list[list[Alias]]) -> Expression:
        if not occurs(e, SQLFunctionExpression.BIT):
            return e
        calls = any(occurs(c, SQLFunctionExpression.BIT) for c in e.children)
        if isinstance(e, SQLFunctionExpression) and not calls:
            return self._body(e, levels)
        return e.map_children(lambda c: self._innermost(c, levels))

    def _body(self, call: SQLFunctionExpression, levels: list[list[Alias]]) -> Expression:
        self.context.counters.bodies += 1
        if self.context.counters.bodies > _BODIES:
            raise PlanTooLarge(
                f"More than {_BODIES:,} calls of SQL functions are put into one query. A function that calls another "
                "one twice doubles them: write the body where it is used, or compute it once in a subquery."
            )
        function, names = call.function
        given = dict(zip(names, call.inputs, strict=True))
        arguments = []
        for p in function.parameters:
            value = given.get(p.name.lower())
            # What does not convert is told at the place of the call.
            converted = call.rebuilt(Cast(value if value is not None else Cast(p.default, p.type), p.type))
            arguments.append(alias(converted, p.name))
        levels[0] += arguments
        attributes = tuple(a.to_attribute() for a in arguments)
        source: LogicalPlan = LocalRelation(attributes, ()) if attributes else OneRowRelation()
        query = Project((UnresolvedAlias(function.body),), SubqueryAlias((function.name,), source))
        assert self.context.analyze is not None
        plan = self.context.analyze(query, self.context)
        if not isinstance(plan, Project) or not plan.resolved:
            raise analysis_error("UNRESOLVED_ROUTINE", f"The body of {function.name} has lost what it reads.", call)
        (made,) = plan.projects
        inner = []
        below = plan.child
        while isinstance(below, Project):
            # Calls in the body have brought their arguments.
            inner.append([e for e in below.projects if isinstance(e, Alias)])
            below = below.child
        for depth, found in enumerate(reversed(inner), 1):
            levels += [[] for _ in range(depth + 1 - len(levels))]
            levels[depth] += found
        body = made.child if isinstance(made, Alias) else made
        return call.rebuilt(Replaced(call.name, attributes, Cast(body, call.type)))


def _refuse_in_lambdas(e: Expression) -> None:
    """A lambda takes no body: the arguments of the call would be computed beneath it, where its variables are not."""
    for f in e.collect(LambdaFunction) if occurs(e, LambdaFunction.BIT) else ():
        call = next(iter(f.body.collect(SQLFunctionExpression)), None)
        if call is not None:
            raise analysis_error(
                "UNSUPPORTED_FEATURE.LAMBDA_FUNCTION_WITH_SQL_UDF",
                f"The SQL function {call.name} cannot be called in the lambda of a higher-order function.",
                call,
            )


def _waits(plan: UnresolvedHaving | Filter) -> bool:
    """Whether a condition over an aggregate is still to be computed in it."""
    bits = AggregateExpression.BIT | TempResolvedColumn.BIT | functions_mask()
    return isinstance(plan, UnresolvedHaving) or not plan.resolved or occurs(plan.condition, bits)


def _over_computed(e: Expression, computed: list[Expression]) -> Expression:
    """An item of an aggregate as it stands above it: what holds no call outside aggregate functions is computed in it.

    f(max(a)) + b  =>  f(max(a)#1) + b#2
    """
    if not _calls_outside(e):
        made = e if isinstance(e, NamedExpression) else alias(e, e.pretty)
        computed.append(made)
        return made.to_attribute()
    return e.map_children(lambda c: _over_computed(c, computed))


def _calls_outside(e: Expression) -> bool:
    """Whether a SQL function is called outside the arguments of aggregate functions."""
    if isinstance(e, AggregateExpression) or not occurs(e, SQLFunctionExpression.BIT):
        return False
    return isinstance(e, SQLFunctionExpression) or any(_calls_outside(c) for c in e.children)
