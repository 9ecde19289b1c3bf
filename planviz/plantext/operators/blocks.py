"""The detail block of an operator -> the same named parts as its one-line form gives."""

from __future__ import annotations

from collections.abc import Callable

from planviz.plantext.formatted import Block
from planviz.plantext.operators import aggregates, joins, rows, scans
from planviz.plantext.operators.exchanges import read_reused
from planviz.plantext.operators.pieces import Parts, attributes, rest, snake, split, value, whole

_NAMES = {
    "Join condition": "condition",
    "Loop id": "id",
}


def read_block(op: str, suffix: str, block: Block, reader: Callable[[str, str], Parts]) -> Parts:
    """Parts from a block; the line in the tree tells some too (`Inner BuildRight`, `[Reuses operator id: 6]`).

    `suffix` is what the tree says after the operator's name, without its number; `reader` reads the block's
    `Arguments`, which are the operator's one-line form.
    """
    parts: Parts = {}
    named = block.name[len(op) :].strip(" :")
    is_join = "Join" in op or op.endswith("CartesianProduct")
    if op.startswith("Reused"):
        parts.update(read_reused(op, named))
    elif is_join:
        joins.read_join_words(suffix.strip(" ,").removeprefix("(skew=true) "), parts)
        if "skew=true" in suffix:
            parts["skew"] = True
    elif named:
        parts.update(reader(op, named))
    elif suffix.startswith("(columnarIn="):
        parts.update(rows.named(suffix.strip("()")))
    elif suffix.strip(" ,") and not op.endswith(("ShuffleRead", "ShuffleReader")):
        rest(parts, split(suffix.strip(" ,")))
    for key, text in block.entries():
        if key == "Arguments":
            read = scans.read_rdd if parts.get("table") in ("ExistingRDD", "OneRowRelation") else reader
            line = f"{named} {text}" if op == "Execute" else text
            for name, part in read(op, line).items():
                parts.setdefault(name, part)
        else:
            _read_entry(op, key, text, parts)
    _shared_names(op, parts)
    return parts


def _read_entry(op: str, key: str, text: str, parts: Parts) -> None:
    name = _NAMES.get(key) or snake(key)
    if text == "None" and name in ("condition", "limit"):
        return
    if name == "functions":
        parts["functions"] = aggregates.functions(value(text) if text != "[]" else [])
    elif name == "condition":
        parts["condition"] = whole(text)
    elif scans.is_entry(key):
        scans.read_entry(key, text, parts)
    elif name in ("output", "input", "left_output", "right_output", "results", "aggregate_attributes"):
        parts[name] = attributes(text)
    else:
        parts[name] = value(text)


def _shared_names(op: str, parts: Parts) -> None:
    """Give what only the block spells out the name that it has on the line."""
    if op.endswith("Project") and "TakeOrdered" not in op and "output" in parts and "project_list" not in parts:
        parts["project_list"] = parts.pop("output")  # ProjectExec prints its expressions as its output
    elif "results" in parts and "output" not in parts:
        parts["output"] = aggregates.output_of(parts["results"])
    elif "TakeOrdered" in op and "project_list" in parts:
        parts["output"] = aggregates.output_of(parts["project_list"])
