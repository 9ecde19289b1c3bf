"""A query that would be planned as a pasted aggregate is: for buffer types and rows, which its text does not have.

Keys, functions and column types are read from the text; the query is planned, and believed only when its stages are the
pasted ones: number, operators and modes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from planviz.catalog.tables import Catalog, Table
from planviz.document.decisions.aggregates import AggregateReport, aggregates
from planviz.document.opening.sql import open_sql
from planviz.errors import PlanvizError
from planviz.graph import PlanGraph
from planviz.types import LONG, DataType, StructField, StructType, parse_type

_COLUMN = re.compile(r"( AS )?\b([A-Za-z_]\w*)#\d+(L?)(?!\w)")
_CUT = "…", "... "
#: What the optimizer writes around a value, and writes again when it sees the value alone.
_BRACKET = re.compile(r"\b(?:UnscaledValue|knownfloatingpointnormalized|normalizenanandzero)\(|[()]", re.IGNORECASE)
#: What plans print and SQL has no words for.
_NO_SQL = re.compile(r"\b(MakeDecimal|lambdafunction|bloom_filter_agg)\(", re.IGNORECASE)
_TYPED_TAIL = re.compile(
    r"((?:collect_list|collect_set|percentile_approx|percentile)\(.*?)(?:, 0, 0(?:, (?:true|false))?)\)"
)


def modelled(report: AggregateReport, graph: PlanGraph) -> AggregateReport | str:
    """The aggregate of the query that is planned like the pasted one; a sentence where there is none."""
    first, last = report.stages[0].text, report.stages[-1].text
    texts = [*first.keys, *last.keys, *[str(f["text"]) for f in (*first.functions, *last.functions)]]
    if any(mark in text for text in texts for mark in _CUT):
        return "Spark shortened the keys or the functions, so no rows can be sent through."
    if any(_NO_SQL.search(text) for text in texts):
        return "The functions read values in a form that SQL cannot say, so no rows can be sent through."
    types = dict(_types(texts, graph))
    if not types:
        return "The aggregate reads no columns, so there are no rows to send through."
    guessed = [name for name, t in types.items() if t is None]
    catalog = Catalog()
    if not guessed:
        columns = tuple([StructField(name, t) for name, t in types.items() if t is not None])
        catalog = catalog.with_table(Table("input", columns))
    try:
        document = open_sql(_query(report), catalog, infer=bool(guessed), stage="physical")
    except PlanvizError:
        return "The keys or functions cannot be read as SQL, so no rows can be sent through."
    found = aggregates(document) if document.error is None else ()
    if len(found) != 1 or not _alike(found[0], report):
        return "The keys or functions cannot be read as SQL that is planned like this, so no rows can be sent through."
    return found[0]


def _query(report: AggregateReport) -> str:
    """SELECT keys, functions FROM input GROUP BY keys; FILTERs are those of the stage that sees rows."""
    filters = {
        _function(str(f["text"])): str(f["filter"]) for s in report.stages for f in s.text.functions if f.get("filter")
    }
    functions = []
    for f in report.stages[-1].text.functions:
        text = _function(str(f["text"]))
        where = filters.get(text)
        functions.append(f"{text} FILTER (WHERE {_sql(where)})" if where else text)
    keys = [_sql(k.rpartition(" AS ")[0] or k) for k in _group_keys(report)]
    items = ", ".join([*keys, *functions]) or "1"
    return f"SELECT {items} FROM input" + (f" GROUP BY {', '.join(keys)}" if keys else "")


def _group_keys(report: AggregateReport) -> list[str]:
    """The keys as expressions over the input: those of the first stage that are the last one's, too."""
    last = {k.rpartition(" AS ")[2] for k in report.stages[-1].text.keys}
    return [k for k in report.stages[0].text.keys if k.rpartition(" AS ")[2] in last]


def _function(text: str) -> str:
    return _TYPED_TAIL.sub(r"\1)", _sql(text.partition(" FILTER (WHERE ")[0]))


def _sql(text: str) -> str:
    return _COLUMN.sub(r"\1`\2`", values_alone(text))


def values_alone(text: str) -> str:
    """An expression's text as written: without UnscaledValue and the like, which the optimizer puts around values."""
    kept: list[str] = []
    around: list[bool] = []  # of each open bracket
    at = 0
    for bracket in _BRACKET.finditer(text):
        opened = bracket[0] != ")"
        left_out = len(bracket[0]) > 1 if opened else bool(around and around.pop())
        if opened:
            around.append(left_out)
        kept.append(text[at : bracket.start() if left_out else bracket.end()])
        at = bracket.end()
    return "".join([*kept, text[at:]])


def _types(texts: list[str], graph: PlanGraph) -> Iterator[tuple[str, DataType | None]]:
    """The columns that the texts read with their types: from the scans' schemas, else bigint where the id says so."""
    known: dict[str, DataType] = {}
    for node in graph:
        schema = node.arguments.get("read_schema")
        if schema:
            try:
                read = parse_type(str(schema))
            except PlanvizError:
                continue
            if isinstance(read, StructType):
                known |= {f.name: f.data_type for f in read.fields}
    for text in texts:
        for made, name, long in _COLUMN.findall(text):
            if not made and f" AS {name}#" not in text:
                yield name, known.get(name, LONG if long else None)


def _alike(mine: AggregateReport, pasted: AggregateReport) -> bool:
    return [(s.text.operator, s.text.mode) for s in mine.stages] == [
        (s.text.operator, s.text.mode) for s in pasted.stages
    ]
