"""`planviz join-order`: how the cost-based search orders the joins of a query, level by level."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence

from planviz.cli.files import read_text, show_each
from planviz.cli.optimize import errors_of, statement_heading, statement_json
from planviz.cli.settings import open_file
from planviz.document.cardinality.join_order import order_table
from planviz.errors import PlanvizError
from planviz.execution import QueryExecution
from planviz.jsontypes import JsonObject
from planviz.units import exact

_ENDINGS = {"text": "txt", "json": "json"}
#: From here on a number of times says no more than that it is large: what it is held against costs next to nothing.
_BEYOND = 1e15
_ON = {"spark.sql.cbo.enabled": True, "spark.sql.cbo.joinReorder.enabled": True}


def join_order(options: argparse.Namespace) -> int:
    """Print the searches of each file's queries, made as if both settings that switch the search on were true."""

    def show(name: str) -> tuple[str, Sequence[PlanvizError]]:
        document = open_file(read_text(name), options, "optimized")
        found = [
            (s, _searched(s.execution)) for s in document.statements if s.execution is not None and s.error is None
        ]
        if options.format == "json":
            told = [{**statement_json(s), **table} for s, table in found]
            shown = json.dumps({"file": name, "statements": told}, ensure_ascii=True, indent=1) + "\n"
        else:
            heads = [statement_heading(s) if len(found) > 1 else "" for s, _ in found]
            tables = ["".join(f"{line}\n" for line in _lines(table)) for _, table in found]
            shown = "\n".join(head + text for head, text in zip(heads, tables, strict=True))
        return shown, errors_of(document)

    return show_each(options.files, options.out, _ENDINGS[options.format], show)


def _searched(execution: QueryExecution) -> dict[str, object]:
    return order_table(execution.again(execution.config.with_settings(_ON)))


def _lines(table: JsonObject) -> Iterator[str]:
    for search in table["searches"]:
        yield from _search(search)
    for reason in table["refused"]:
        yield f"Not searched: {reason}"
    if not table["searches"] and not table["refused"]:
        yield "There are no joins to put in order."


def _search(search: JsonObject) -> Iterator[str]:
    relations = search["relations"]
    names = [r["name"] for r in relations]
    yield f"{len(relations)} relations, {search['candidates']} candidates; rows weigh {search['weight']} of a cost"
    for relation in relations:
        yield f"  {relation['name']}: {_cost(relation['rows'], relation['bytes'])}"
    for level in search["levels"]:
        yield f"level {level['level']}: {level['candidates']} candidates"
        for entry in level["sets"]:
            yield f"  {'*' if entry['chosen'] else ' '} {_set(entry['set'], names)}"
            for at, (left, right, rows, size, times) in enumerate(entry["candidates"]):
                mark = "kept" if not at else f"{times:,.4g} times that" if times < _BEYOND else "far more than that"
                yield f"      {_set(left, names)} with {_set(right, names)}: {_cost(rows, size)}, {mark}"
            hidden = entry["count"] - len(entry["candidates"])
            if hidden:
                yield f"      and {hidden} more"
    if search["chosen"] is None:
        yield "No order joins all relations without a product."
    else:
        yield f"chosen: {_order(search['chosen'], names)}; in between {_cost(*search['cost'])}"


def _cost(rows: int | None, size: int) -> str:
    return f"{'unknown' if rows is None else exact(rows)} rows, {exact(size)} bytes"


def _set(items: Sequence[int], names: Sequence[str]) -> str:
    return "{" + ", ".join(names[i] for i in items) + "}"


#: A plan as nested pairs of the numbers of relations.
Order = int | list["Order"]


def _order(order: Order, names: Sequence[str]) -> str:
    if isinstance(order, int):
        return names[order]
    left, right = order
    return f"({_order(left, names)} ⋈ {_order(right, names)})"
