"""Which SQL a live Spark is given: one query, made of operators on a list, read by two parsers.

`spark.sql()` executes many statements at once, before anybody asks for rows, and a plain SELECT can call methods of
Java or read any file. So planviz reads the text with its own parser first, and then asks Spark's parser what Spark
understands by it (that has no effect). Both have a list of what may occur; everything else is refused. Beside this,
Spark's settings refuse Java's methods and files by path (`session.py`), and time and memory are limited (`process.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from planviz import logical
from planviz.errors import InputError, StatementRefused
from planviz.expressions.core import Expression, Literal
from planviz.expressions.subqueries import SubqueryExpression
from planviz.expressions.unresolved import UnresolvedFunction
from planviz.frontend import Statement, parse_script
from planviz.frontend.lexer import line_and_column
from planviz.logical.plan import LogicalPlan
from planviz.logical.scripts import ScriptTransformation
from planviz.logical.unresolved import UnresolvedCommand, UnresolvedRelation, UnresolvedTableValuedFunction
from planviz.spark.function_options import known_functions, refused_option
from planviz.spark.growth import TooMuch, check_growth
from planviz.spark.jvm import JavaObject, class_name, items

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Functions that call Java, by the last part of their name.
_JAVA = frozenset({"reflect", "java_method", "try_reflect"})
#: Functions that take the path of a file, and at which argument.
_PATHS = {"from_protobuf": 2, "to_protobuf": 2}
#: Functions that read XML; a document type in it makes the reader fetch what it names.
_XML = ("xpath", "from_xml", "schema_of_xml")
_DOCUMENT_TYPE = re.compile(r"<!\s*(?:DOCTYPE|ENTITY)", re.IGNORECASE)
#: Databases that mean: the name behind is a file's path.
_FILES = frozenset({"parquet", "orc", "csv", "json", "text", "avro", "xml", "binaryfile", "delta", "iceberg", "hudi",
                    "jdbc", "kafka", "image", "libsvm", "noop", "socket", "rate"})  # fmt: skip
_TABLE_FUNCTIONS = frozenset({"range", "explode", "explode_outer", "posexplode", "posexplode_outer", "inline",
                              "inline_outer", "stack", "json_tuple", "variant_explode", "variant_explode_outer",
                              "collations", "sql_keywords"})  # fmt: skip
#: The operators of a parsed query as Spark's parser names them.
_OPERATORS = frozenset(
    {
        "Aggregate",
        "AsOfJoin",
        "CTERelationDef",
        "CTERelationRef",
        "Deduplicate",
        "Distinct",
        "Except",
        "Expand",
        "Filter",
        "Generate",
        "GlobalLimit",
        "Intersect",
        "Join",
        "LateralJoin",
        "LimitAll",
        "LocalLimit",
        "LocalRelation",
        "NearestByJoin",
        "Offset",
        "OneRowRelation",
        "PipeOperator",
        "Pivot",
        "Project",
        "Range",
        "RebalancePartitions",
        "RelationTimeTravel",
        "Repartition",
        "RepartitionByExpression",
        "ResolvedInlineTable",
        "Sample",
        "Sort",
        "SubqueryAlias",
        "Tail",
        "UnresolvedHaving",
        "UnresolvedHint",
        "UnresolvedInlineTable",
        "UnresolvedOffset",
        "UnresolvedPivot",
        "UnresolvedQualify",
        "UnresolvedRelation",
        "UnresolvedSubqueryColumnAliases",
        "UnresolvedTVFAliases",
        "UnresolvedTableValuedFunction",
        "UnresolvedUnpivot",
        "UnresolvedWith",
        "Union",
        "UnionLoop",
        "Unpivot",
        "Window",
        "WithWindowDefinition",
    }
)
#: Operators whose text does not begin with their name.
_PRINTED = frozenset({"CTE", "Relation", "LateralSubquery", "RecursiveCTE"})
_ADVICE = "Only a single query (SELECT, WITH, FROM, VALUES, TABLE) is given to a live Spark."


def queries_of(text: str) -> list[Statement]:
    """The queries of a text, each fit to be planned by a live Spark.

    Raises StatementRefused, with line and reason, for the first statement that is none or that could do more than give
    rows.
    """
    try:
        statements = parse_script(text)
    except InputError as error:
        raise StatementRefused(f"planviz cannot read this SQL, so it is not given to Spark: {error}") from None
    if not statements:
        raise StatementRefused(f"There is no statement in the text. {_ADVICE}")
    for statement in statements:
        if (found := _refusal(statement)) is not None:
            reason, part = found
            raise StatementRefused(f"{_place(text, statement, part)}: {reason}")
    return statements


def _place(text: str, statement: Statement, part: object) -> str:
    """Line, and column where a part of a statement is to blame."""
    if part is None or (origin := _origin(part)) is None:
        return f"Line {line_and_column(text, statement.start)[0]}"
    line, column = line_and_column(*origin[:2])
    return f"Line {line}, column {column}"


def _origin(part: JavaObject) -> tuple[str, int] | None:
    """Where a part of a plan was written, or the first thing in it whose place is known."""
    return next((node.origin for node in part.walk() if node.origin is not None), None)


def _refusal(statement: Statement) -> tuple[str, object] | None:
    """Why a statement is refused, and the part that is to blame."""
    if statement.kind != "query" or statement.plan is None or statement.in_block:
        word = "BEGIN" if statement.in_block else statement.sql.split(None, 1)[0].upper()
        return f"{word} does more than ask for rows; nothing of it was executed. {_ADVICE}", None
    plans = list(_plans(statement.plan))
    for plan in plans:
        if (reason := _operator_refusal(plan)) is not None:
            return reason, plan
        for expression in plan.expressions:
            for part in expression.walk():
                if (reason := _expression_refusal(part)) is not None:
                    return reason, part
    try:
        check_growth(statement.plan, plans)
    except TooMuch as much:
        return str(much), much.part
    return None


def _plans(plan: LogicalPlan) -> Iterator[LogicalPlan]:
    """Every operator, those of subqueries and of WITH included."""
    stack = [plan]
    while stack:
        node = stack.pop()
        yield node
        stack += [p for p in (*node.children, *node.inner_children) if isinstance(p, LogicalPlan)]
        for expression in node.expressions:
            if isinstance(expression, Expression):
                stack += [s.plan for s in expression.collect(SubqueryExpression)]


def _operator_refusal(plan: LogicalPlan) -> str | None:
    if isinstance(plan, ScriptTransformation):
        return f"TRANSFORM ... USING would start the program “{plan.script[:60]}”."
    if isinstance(plan, UnresolvedCommand):
        return f"A command stands where a query was expected. {_ADVICE}"
    if isinstance(plan, UnresolvedRelation) and (
        (len(plan.parts) == 2 and plan.parts[0].lower() in _FILES) or any(c in plan.parts[-1] for c in "/\\:")
    ):
        return f"{plan.parts[0]}.`...` reads a file by its path; register it as a table instead (--data, --catalog)."
    if isinstance(plan, UnresolvedRelation) and plan.options:
        return f"Options of a table ({plan.options[0][:60]}) can name another file or address; leave WITH (...) out."
    if isinstance(plan, UnresolvedTableValuedFunction) and plan.parts[-1].lower() not in _TABLE_FUNCTIONS:
        if plan.parts[-1].lower() == "identifier":
            return "IDENTIFIER(...) would name a table that nobody has seen; write the name itself."
        return f"The table function {plan.parts[-1]} is not on the list of those that only give rows."
    if type(plan).__module__.split(".")[:2] != logical.__name__.split("."):
        return f"The operator {type(plan).__name__} is not on the list of those that only give rows."
    return None


def _expression_refusal(expression: object) -> str | None:
    if not isinstance(expression, UnresolvedFunction):
        return None
    name = expression.parts[-1].lower()
    if name in _JAVA:
        return f"{name}() calls any method of Java, even while a query is only planned."
    if name in _PATHS and len(expression.arguments) > _PATHS[name]:
        return f"{name}() reads a file by its path."
    if name.startswith(_XML) and any(_DOCUMENT_TYPE.search(text) for text in _texts(expression)):
        return f"{name}() would fetch what the document type of its XML names."
    return refused_option(expression)


def _texts(expression: Expression) -> Iterator[str]:
    return (part.value for part in expression.collect(Literal) if isinstance(part.value, str))


#: A line of a plan's text: the way of its branches, then the operator.
_LINE = re.compile(r"(?:[ :]*[+:]- )?['!]*(\w+)")


def check_with_server(explained: str) -> None:
    """Let the parser of a Connect server judge: `explained` is what the server's EXPLAIN EXTENDED says of a query.

    EXPLAIN plans and executes nothing, so an operator off the list is found before the query itself is given to
    `spark.sql`. What analysis does by itself (reading a file's columns, say) has been done by then. Raises
    StatementRefused.
    """
    parsed = explained.split("== Parsed Logical Plan ==", 1)[-1].split("\n== ", 1)[0].strip("\n").splitlines()
    for number, line in enumerate(parsed):
        # Only the root stands at the margin; another line there is the rest of a text with a newline in it.
        if number and not re.match(r"[ :]*[+:]- ", line):
            continue
        found = _LINE.match(line)
        if found is None or found[1] not in _OPERATORS | _PRINTED:
            raise StatementRefused(_foreign(line.strip(" :+-'!")[:40] if found is None else found[1]))


def check_functions(session: SparkSession, statement: Statement) -> None:
    """Refuse what a Spark has built in and nobody has looked at: a function of a version newer than planviz knows.

    `session` is a live one, also of Spark Connect, asked only where a name is not in `functions.txt`; a function that
    somebody registered there is theirs, and passes. Raises StatementRefused.
    """
    called = {name.lower(): name for plan in _plans(cast(LogicalPlan, statement.plan)) for name in _called(plan)}
    unknown = called.keys() - known_functions()
    if not unknown:
        return
    built_in = {row[0].lower() for row in session.sql("SHOW SYSTEM FUNCTIONS").collect()}
    for name in sorted(unknown & built_in):
        raise StatementRefused(f"{called[name][:60]}() is a function of this Spark that planviz does not know yet.")


def _called(plan: LogicalPlan) -> Iterator[str]:
    if isinstance(plan, UnresolvedTableValuedFunction):
        yield plan.parts[-1]
    for expression in plan.expressions:
        if isinstance(expression, Expression):
            yield from (call.parts[-1] for call in expression.collect(UnresolvedFunction))


def _foreign(name: str) -> str:
    return f"Spark reads {name} in this text, which is not on the list of operators. {_ADVICE}"


def check_with_spark(jvm: JavaObject, session: JavaObject, sql: str) -> None:
    """Let Spark's own parser read a query, which has no effect. Raises StatementRefused for an operator off the list.

    Raises Spark's ParseException for what Spark cannot read.
    """
    stack = [session.sessionState().sqlParser().parsePlan(sql)]
    while stack:
        plan = stack.pop()
        name = class_name(jvm, plan).rstrip("$")
        if name not in _OPERATORS:
            raise StatementRefused(_foreign(name))
        for more in (plan.children(), plan.innerChildren(), plan.subqueries()):
            stack += items(jvm, more)
