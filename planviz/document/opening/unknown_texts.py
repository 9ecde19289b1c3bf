"""Texts in quotes whose value a template gives when it is used: `'{{ ds }}'`, `DATE '${hiveconf:dt}'`, `'%(day)s'`.

Where such a text is only compared with texts it stands as it is written. Where it is made a date or a number nobody can
calculate it: then what stands in the plan is its name, as for the values that a program does not tell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from planviz.document.model import Document
from planviz.errors import ParseError
from planviz.expressions.calls import RuntimeReplaceable
from planviz.expressions.casts import Cast
from planviz.expressions.core import Expression, Literal
from planviz.expressions.objects import Placeholder
from planviz.expressions.subqueries import SubqueryExpression
from planviz.frontend import Parameters
from planviz.frontend.lexer import STRING, tokenize
from planviz.frontend.parameters import text_key
from planviz.logical.plan import LogicalPlan
from planviz.types import STRING as STRING_TYPE

_PART = re.compile(
    r"\{\{\s*([^{}\n]{1,200}?)\s*\}\}|\$\{([A-Za-z_][\w.:-]*)\}|%\(([A-Za-z_]\w*)\)s|^\{([A-Za-z_]\w*)\}$"
)
_TYPED = frozenset({"DATE", "TIMESTAMP", "TIMESTAMP_LTZ", "TIMESTAMP_NTZ"})
#: Texts of a document that are looked at, and how often it is read again for those that turn out to be converted.
_MOST, _AGAIN = 5_000, 3
#: Names that the note tells.
_TOLD = 8


def with_unknown_texts(
    sql: str, parameters: Parameters | None, analyzed: Callable[[Parameters | None], Document]
) -> tuple[Parameters | None, tuple[str, ...]]:
    """The parameters to read SQL with, names of texts that nobody knows among them, and what is to be said of those.

    Such a text has a name where it is converted to another type. `analyzed` makes the document of the SQL's analyzed
    plans with parameters, for SQL that has such texts at all; what it raises is raised.
    """
    found = _unknown(sql) if isinstance(parameters, Mapping | None) else {}
    chosen = {text for text, typed in found.items() if typed}
    for _ in range(_AGAIN if found else 0):
        document = analyzed(_with_names(parameters, chosen))
        more = {text for text in _converted(document) if text in found} - chosen
        if not more:
            break
        chosen |= more
    told = sorted({str(_name(text)) for text in chosen})
    names = ", ".join(told[:_TOLD]) + (f" and {len(told) - _TOLD} more" if len(told) > _TOLD else "")
    note = f"Texts of a template ({names}) stand in the plan by their names; nothing is calculated from them."
    return _with_names(parameters, chosen), (note,) if chosen else ()


def _unknown(sql: str) -> dict[str, bool]:
    """The texts in quotes with something in them that nobody knows, and whether a type stands before one."""
    if _PART.search(sql) is None and "'{" not in sql:
        return {}
    try:
        tokens = tokenize(sql)
    except ParseError:
        return {}
    found: dict[str, bool] = {}
    for at, kind in enumerate(tokens.kinds):
        if kind != STRING or len(found) >= _MOST:
            continue
        text = tokens.texts[at][1:-1]  # one with an escape in it is no name of a value
        if _PART.search(text):
            found[text] = found.get(text, False) or tokens.keys[at - 1] in _TYPED
    return found


def _name(text: str) -> Placeholder:
    shown = _PART.sub(lambda m: next(filter(None, m.groups())), text)
    return Placeholder(shown, STRING_TYPE)


def _with_names(parameters: Parameters | None, texts: set[str]) -> Parameters | None:
    if not texts:
        return parameters
    given = dict(parameters) if isinstance(parameters, Mapping) else {}
    return given | {text_key(text): _name(text) for text in texts}


def _converted(document: Document) -> Iterator[str]:
    """The texts that the queries of a document convert to another type; all of a query that fails."""
    for statement in document.statements:
        execution = statement.execution
        if execution is None:
            continue
        failed = execution.error_until("analyzed") is not None
        yield from _texts_of(execution.parsed if failed else execution.analyzed, failed)


def _texts_of(plan: LogicalPlan, every: bool) -> Iterator[str]:
    for node in plan.walk():
        for expression in node.expressions:
            yield from _texts(expression, every)


def _texts(expression: Expression, every: bool) -> Iterator[str]:
    for e in expression.walk():
        literal = e if every else e.child if isinstance(e, Cast) else None
        if isinstance(literal, Literal) and isinstance(literal.value, str):
            yield literal.value
        elif isinstance(e, RuntimeReplaceable):
            yield from _texts(e.replacement, every or e.data_type != STRING_TYPE)
        elif isinstance(e, SubqueryExpression):
            yield from _texts_of(e.plan, every)
