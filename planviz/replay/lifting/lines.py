"""One physical operator in the one-line form of the simple mode, from a line or from a block of the formatted mode."""

from __future__ import annotations

import re
from dataclasses import dataclass

from planviz.graph import PlanNode
from planviz.graph.kinds import spark_operator
from planviz.plantext.operators import detail_block
from planviz.replay.lifting.vendors import spark_line

_STATISTICS = re.compile(r",? ?Statistics\([^()]*\)?\s*$")
_NUMBER = re.compile(r" \((?:\d+|unknown)\)(?=$|,| \()")
_SKEW = re.compile(r"\(skew=true\) ?")
_SUBQUERY = re.compile(r"(?:ReusedSubquery )?Subquery (?:scalar-)?subquery#(\d+)(?:, \[id=#\d+\])?")
_IN_SUBQUERY = re.compile(r" IN (?:ReusedSubquery )?(?:Subquery )?subquery#(\d+)(?:, \[id=#\d+\])?")
_PRUNING = re.compile(r"dynamicpruningexpression\((.+?) IN (?:ReusedSubquery )?(?:SubqueryBroadcast )?dynamicpruning#")
_PRUNED = re.compile(r"(?<=dynamicpruning#)(\d+)((?:, \[?\d+\]?, \[[^\]]*\], \[id=#\d+\])?\))")


@dataclass
class PhysicalLine:
    """An operator: Spark's name for it and its line. `results` are the expressions that an aggregate gives and
    `attributes` the columns of its functions, both as lists in text; only the formatted mode prints them. `output` are
    the columns that a formatted block lists."""

    op: str
    text: str
    results: str = ""
    attributes: str = ""
    output: str = ""
    printed: str = ""


def line_of(node: PlanNode) -> PhysicalLine:
    """The line of an operator of a physical plan."""
    name = spark_operator(node.op)
    block = detail_block(node)
    if block is not None:
        entries = dict(block.entries())
        line = _from_block(name, node, block.name, entries)
    else:
        text = _STATISTICS.sub("", node.text.lstrip("'!~"))
        rest = text[len(node.op) :] if text.startswith(node.op) else ""
        if name == "Scan" and node.op != name and "ReadSchema: " in rest:
            name = "FileScan"
        line = PhysicalLine(name, name + _SKEW.sub("", spark_line(node.op, rest)))
    line.text = logical_words(line.text)
    line.results = logical_words(line.results)
    line.printed = node.text
    return line


def logical_words(text: str) -> str:
    """Subqueries and dynamic pruning as logical plans write them."""
    if "ubquery" in text:
        text = _IN_SUBQUERY.sub(r" IN (list#\1 [])", text)
        text = _SUBQUERY.sub(r"scalar-subquery#\1 []", text)
    if "dynamicpruningexpression(" in text:
        text = text.replace("dynamicpruningexpression(true)", "true")
        text = _pruning(text)
    return text


def _pruning(text: str) -> str:
    """`dynamicpruningexpression(k#1 IN dynamicpruning#2)` as `dynamicpruning#2 [k#1]`."""
    while (m := _PRUNING.search(text)) is not None:
        end = _PRUNED.match(text, m.end())
        if end is None:
            return text.replace("dynamicpruningexpression(", "dynamicpruning(")
        text = f"{text[: m.start()]}dynamicpruning#{end.group(1)} [{m.group(1)}]{text[end.end() :]}"
    return text


def _from_block(name: str, node: PlanNode, head: str, entries: dict[str, str]) -> PhysicalLine:
    arguments = entries.get("Arguments", "")
    output = entries.get("Output", "")
    if "Join" in name or name == "CartesianProduct":
        return PhysicalLine(name, _join(name, node, entries))
    if name.endswith("Aggregate") and "Functions" in entries:
        word = "key" if name == "SortAggregate" else "keys"
        text = f"{name}({word}={entries.get('Keys', '[]')}, functions={entries['Functions']})"
        return PhysicalLine(name, text, entries.get("Results", ""), entries.get("Aggregate Attributes", ""))
    if name.endswith("Aggregate") and "Keys" in entries:
        text = f"{name}(keys={entries['Keys']}, functions=[])"
        return PhysicalLine(name, text, entries.get("Results", ""), entries.get("Aggregate Attributes", ""))
    if name == "Project":
        return PhysicalLine(name, f"Project {output}")
    if name == "Filter":
        return PhysicalLine(name, f"Filter {entries.get('Condition', '')}")
    if name.startswith("Reused"):
        return PhysicalLine(name, f"{name} {output}", output=output)
    if "Scan" in name or name == "Range":
        return PhysicalLine(name, _scan(name, head[len(node.op) :].strip(), entries), output=output)
    return PhysicalLine(name, f"{name} {arguments}".rstrip(), output=output)


def _join(name: str, node: PlanNode, entries: dict[str, str]) -> str:
    side = re.search(r"Build(?:Left|Right)", node.text)
    kind = entries.get("Join type", "") or "Inner"
    condition = entries.get("Join condition", "None")
    # A block that was cut may have the one and not the other.
    parts = [entries["Left keys"], entries.get("Right keys", "[]")] if "Left keys" in entries else []
    if name == "BroadcastNestedLoopJoin":
        parts += [side.group()] if side else []
        parts.append(kind)
    elif name != "CartesianProduct":
        parts += [kind, *([side.group()] if side else [])]
    if condition != "None":
        parts.append(condition)
    if name == "BroadcastHashJoin":
        parts.append("false")
    return f"{name} {', '.join(parts)}"


def _scan(name: str, named: str, entries: dict[str, str]) -> str:
    """`FileScan parquet t[a#1, b#2] Batched: true, ..., ReadSchema: struct<...>`."""
    output = entries.get("Output", "[]")
    if name == "Range":
        return f"{entries.get('Arguments', '')}"
    if name == "LocalTableScan":
        return f"LocalTableScan {entries.get('Arguments') or output}"
    if name == "InMemoryTableScan":
        return f"InMemoryTableScan {entries.get('Arguments') or output}"
    kept = [f"{k}: {v}" for k, v in entries.items() if k not in ("Output", "Arguments")]
    if name == "Scan" and "ReadSchema" in entries and ("Batched" in entries or "Location" in entries):
        name = "FileScan"
    if "Location" in entries and "PartitionFilters" not in entries:
        kept.append("PartitionFilters: []")
    # The schema stands last, as on a line.
    kept.sort(key=lambda k: k.startswith("ReadSchema"))
    between = "" if " " in named else " "
    return f"{name} {named}{between}{output} {', '.join(kept)}".rstrip()
