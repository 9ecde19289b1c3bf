"""The text of one operator -> named parts (docs/arguments.md), read when somebody looks.

`read_arguments` chooses a reader by the operator's name; what a reader does not name stays under `details`, so that no
part of the text is lost. Vendor operators print like the ones they replace and share their readers.

positions   operators whose arguments are told apart by their place
rows        filters, limits, windows, generators, hints
aggregates  keys, functions and their modes
joins       keys, join type, build side, condition
exchanges   exchanges, stages, reuse, subqueries
scans       scans, relations, cached and local data
commands    commands and writes
blocks      the same parts from a detail block of `explain formatted`
pieces      brackets, lists, numbers, cuts
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, partial

from planviz.graph import PlanNode
from planviz.graph.kinds import spark_name
from planviz.plantext.formatted import NUMBER, Block
from planviz.plantext.operators import aggregates, blocks, commands, exchanges, joins, rows, scans
from planviz.plantext.operators.pieces import Parts, in_order, is_list, rest, split, take_options, truncations
from planviz.plantext.operators.positions import POSITIONS

__all__ = ["Details", "Parts", "detail_block", "read_arguments", "truncations", "untold"]

Reader = Callable[[str, str], Parts]

_STATISTICS = re.compile(r",? ?Statistics\([^()]*\)?\s*$")
_OLD_NUMBER = re.compile(r"(?:^|\s)\((?:\d+|unknown)\)$")
_COLUMNAR = re.compile(r"\(\d+\) (\(columnarIn=.*\))$")
# What an author has written behind an operator, with an arrow.
_REMARK = re.compile(
    r"(?<!\s)\s++(?:←|\\u2190|<-+|<=+|//[-=]*|#+(?= )|--+(?= |>))"
    r"\s*((?:(?!\s(?:<-+|<=+|//|#+|--+) )(?:\[[^\[\]\n]*+\]|\([^()\n]*+\)|[^\])]))*)$",
    re.DOTALL,
)
# What may be compared, in place of words: a number, a text or a single name.
_OPERAND = re.compile(r"-?[\d'\"]|\S+$")
_MAY_HAVE_REMARK = ("←", "\\u2190", " <-", " <=", " //", " # ", " ## ", " -- ", " --> ")
# Why an engine left the operator to Spark (Comet's extended explain).
_FALLBACK = "[COMET: "
# Longer lines are read again each time: what is kept of them would be much memory.
_LONG = 2_000
_JAVA_ARRAY = re.compile(r"\[L(?:\w+\.)+(\w+);(?:@[0-9a-f]+)?")
# The expected plans of Spark's tests: references, output, the number of an exchange.
_SIMPLIFIED = re.compile(r"\[([^\[\]# ]*)\](?: \[([^\[\]# ]*)\])?(?: #(\d{1,18}))?$")


class Details:
    """The detail blocks of one `explain formatted`, by operator number."""

    __slots__ = ("blocks", "stages")

    def __init__(self) -> None:
        self.blocks: dict[int, Block] = {}
        self.stages: dict[int, int] = {}


def read_arguments(details: Details, node: PlanNode) -> Parts:
    """The named parts of an operator, from its detail block when there is one, else from its line.

    Never raises: text that no reader understands comes back under `details` as it stands.
    """
    op = node.op
    text = node.text[len(op) :].strip()
    if node.operator_id is None:
        return dict(_read_line(op, text) if len(text) <= _LONG else _read_line.__wrapped__(op, text))
    text, remark, fallback = _without_additions(text)
    text = NUMBER.sub("", " " + text, count=1).strip()
    block = details.blocks.get(node.operator_id)
    # Numbers repeat where a cached plan is printed inside another; the name tells whose block this is.
    if block is not None and block.name.startswith(op):
        return blocks.read_block(op, text, block, _reader_of(op))
    return _read_text(op, text, remark, fallback)


# Plans that are compared, and the steps of a trace, have most of their operators in common.
@lru_cache(maxsize=8_192)
def _read_line(op: str, text: str) -> Parts:
    """The parts of an operator that has no number, from its line alone."""
    text, remark, fallback = _without_additions(text)
    if text[-1:] == ")" and ", " not in text:
        text = _OLD_NUMBER.sub("", text)
    elif text[:1] == "(" and (columnar := _COLUMNAR.match(text)):
        return rows.named(columnar[1].strip("()"))
    return _read_text(op, text, remark, fallback)


def _read_text(op: str, text: str, remark: str, fallback: str) -> Parts:
    if "[L" in text:  # a Java array, of which the bracket is no bracket
        text = _JAVA_ARRAY.sub(r"\1[]", text)
    simplified = _SIMPLIFIED.match(text)
    parts = _read_simplified(simplified) if simplified and simplified.lastindex != 1 else _reader_of(op)(op, text)
    if fallback:
        parts["fallback"] = fallback
    if remark:
        parts["remark"] = remark
    return parts


def _without_additions(text: str) -> tuple[str, str, str]:
    """The text without what is no argument; what somebody has written behind it; the reason of a fallback."""
    if "Statistics(" in text:
        text = _STATISTICS.sub("", text)
    text, remark = _without_remark(text)
    text, fallback = _without_fallback(text)
    return text, remark, fallback


def detail_block(node: PlanNode) -> Block | None:
    """The block that `explain formatted` prints for an operator, or None where it has none."""
    reader = node.reader
    if not isinstance(reader, partial) or reader.func is not read_arguments or node.operator_id is None:
        return None
    block: Block | None = reader.args[0].blocks.get(node.operator_id)
    return block if block is not None and block.name.startswith(node.op) else None


def untold(node: PlanNode) -> bool:
    """Whether a line of the tree of `explain formatted` stands without its block: what it works on is not told.

    A join written by hand with no more than its type and side is such a line, too.
    """
    if node.operator_id is not None:
        reader = node.reader
        return isinstance(reader, partial) and reader.func is read_arguments and detail_block(node) is None
    words = node.text[len(node.op) :].strip()
    return node.kind == "join" and bool(words) and joins.read_join_words(words, {})


def _without_remark(text: str) -> tuple[str, str]:
    """The text and what somebody has written behind it, with an arrow or as a comment."""
    spaced = " " + text
    if not any(mark in spaced for mark in _MAY_HAVE_REMARK) or not (match := _REMARK.search(spaced)):
        return text, ""
    if spaced[match.start() : match.start(1)].strip() == "<=" and _OPERAND.match(match[1]):
        return text, ""  # a condition that an author wrote without brackets
    head = text[: max(0, match.start() - 1)].rstrip()
    balanced = head.count("(") <= head.count(")") and head.count("[") <= head.count("]")
    return (head, match[1].strip()) if balanced and match[1].strip() else (text, "")


def _without_fallback(text: str) -> tuple[str, str]:
    at = text.find(_FALLBACK) if text.endswith("]") else -1
    return (text[:at].rstrip(), text[at + len(_FALLBACK) : -1]) if at >= 0 else (text, "")


def _read_simplified(match: re.Match[str]) -> Parts:
    """`Exchange [a,b] #1`, `HashAggregate [a,b] [sum,a]`."""
    names = ("references", "produced")
    parts: Parts = {name: listed.split(",") for name, listed in zip(names, match.groups(), strict=False) if listed}
    if match[3]:
        parts["number"] = int(match[3])
    return parts


def _generic(op: str, text: str) -> Parts:
    if text.startswith("(") and text.endswith(")") and (found := rows.named(text[1:-1])):
        return found
    parts: Parts = {}
    pieces = take_options(split(text), parts)
    return rest(parts, pieces)


def _by_place(names: tuple[tuple[str, str], ...]) -> Reader:
    functions = ("functions", "list") in names

    def read(op: str, text: str) -> Parts:
        parts: Parts = {}
        pieces = split(text)
        if "[plan_id=" in text or "[id=#" in text or "[loreId=" in text:
            pieces = take_options(pieces, parts)
        in_order(pieces, names, parts)
        if functions and "functions" in parts:
            parts["functions"] = aggregates.functions(parts["functions"], "final" if "results" in parts else None)
        if "results" in parts:
            parts["output"] = aggregates.output_of(parts["results"])
        return parts

    return read


def _comet(reader: Reader) -> Reader:
    """Comet's operators print their output before what Spark's print."""

    def read(op: str, text: str) -> Parts:
        pieces = split(text) if is_list(text) else []
        if len(pieces) < 2:
            return reader(op, text)
        return {**_OUTPUT(op, pieces[0]), **reader(op, ", ".join(pieces[1:]))}

    return read


_OUTPUT = _by_place((("output", "list"),))

_READERS: dict[str, Reader] = {
    "Filter": rows.read_filter,
    "Sort": rows.read_sort,
    "UnresolvedHaving": rows.read_filter,
    "UnresolvedQualify": rows.read_filter,
    "Expand": rows.read_expand,
    "Range": rows.read_range,
    "Generate": rows.read_generate,
    "SubqueryAlias": rows.read_alias,
    "ResolvedHint": rows.read_hint,
    "UnresolvedHint": rows.read_hint,
    "Except": rows.read_set,
    "Intersect": rows.read_set,
    "EventTimeWatermark": rows.read_watermark,
    "UpdateEventTimeWatermarkColumn": rows.read_watermark,
    "FlatMapCoGroupsInPandas": _by_place(POSITIONS["FlatMapCoGroupsInPandas"]),
    "FlatMapCoGroupsInArrow": _by_place(POSITIONS["FlatMapCoGroupsInArrow"]),
    "AdaptiveSparkPlan": exchanges.read_adaptive,
    "AQEShuffleRead": exchanges.read_shuffle_read,
    "CustomShuffleReader": exchanges.read_shuffle_read,
    "ReusedExchange": exchanges.read_reused,
    "ReusedSubquery": exchanges.read_subquery,
    "Subquery": exchanges.read_subquery,
    "View": scans.read_view,
    "Relation": scans.read_relation,
    "RelationV2": scans.read_relation,
    "UnresolvedRelation": scans.read_unresolved_relation,
    "UnresolvedCatalogRelation": scans.read_unresolved_relation,
    "HiveTableRelation": scans.read_hive,
    "CatalogRelation": scans.read_hive,
    "HiveTableScan": scans.read_hive,
    "IntersectAll": rows.read_set,
    "ExceptAll": rows.read_set,
    "MetastoreRelation": lambda op, text: {"table": ".".join(split(text)[:2])},
    "InMemoryRelation": scans.read_cached,
    "InMemoryTableScan": scans.read_cached,
    "LocalRelation": scans.read_local,
    "LocalTableScan": scans.read_local,
    "CommandResult": commands.read_result,
    "EmptyRelation": scans.read_empty,
    "Execute": commands.read_execute,
    "RangeJoin": joins.read_spatial_join,
    "DistanceJoin": joins.read_spatial_join,
    "BroadcastIndexJoin": joins.read_spatial_join,
    "CometHashAggregate": aggregates.read_comet_aggregate,
}
_COMMANDS = re.compile(
    r"Command$|Command[A-Z]\w*$|Statement$|^(?:Create|Drop|Alter|Insert|Analyze|Cache|Describe|Write|Append(?!Columns)|"
    r"Delete|Merge(?!Rows)|Update(?!Event)|Overwrite|Replace)"
)
_READERS |= {op: _by_place(names) for op, names in POSITIONS.items() if op not in _READERS and not _COMMANDS.search(op)}
_READERS |= {op: commands.read_command for op in POSITIONS if op not in _READERS}

_FAMILIES: tuple[tuple[re.Pattern[str], Reader], ...] = (
    (re.compile(r"Join|CartesianProduct|CoGroup"), joins.read_join),
    (re.compile(r"Aggregat|GroupingAgg|^Agg$|Agg$"), aggregates.read_aggregate),
    (re.compile(r"QueryStage$"), _by_place(POSITIONS["ShuffleQueryStage"])),
    (re.compile(r"^Reused"), exchanges.read_reused),
    (re.compile(r"Exchange|ShuffleMapStage|^Shuffle(?!d|Coalesce)"), exchanges.read_exchange),
    (re.compile(r"Limit|TakeOrdered|^Tail|^CollectTail|Offset$|^TopN"), rows.read_limit),
    (re.compile(r"TopK"), rows.read_limit),
    (re.compile(r"Filter"), rows.read_filter),
    (re.compile(r"Window"), rows.read_window),
    (re.compile(r"Project"), _by_place(POSITIONS["Project"])),
    (re.compile(r"Sort$"), rows.read_sort),
    (
        re.compile(r"Command|^Create|^Insert|^Write|^Append|^Overwrite|^Replace|^Delete|^Merge(?!Rows)"),
        commands.read_command,
    ),
    (re.compile(r"InMemory"), scans.read_cached),
    (re.compile(r"LocalTable|LocalRelation"), scans.read_local),
    (re.compile(r"Scan|Relation|^Input(Iterator|Adapter)|RDD$"), scans.read_scan),
    (re.compile(r"Expand"), rows.read_expand),
    (re.compile(r"Generate|Explode"), rows.read_generate),
    (re.compile(r"Union"), _by_place(POSITIONS["Union"])),
    (re.compile(r"EvalPython"), _by_place(POSITIONS["ArrowEvalPython"])),
)
_LIMITS = re.compile(r"Limit(?!Limit)|TakeOrdered|TopN|TopK")


@lru_cache(maxsize=4096)
def _reader_of(op: str) -> Reader:
    if op in _READERS:
        return _READERS[op]
    name = spark_name(op)
    if op.startswith("Comet"):
        if "Aggregate" in name:
            return aggregates.read_comet_aggregate
        if re.match(r"(?:Project|Filter|Sort|Expand|Window|TakeOrdered|Generate|Explode)(?!.*Join)", name):
            return _comet(_reader_of(name))
    if "WindowGroupLimit" in name:
        return rows.read_window
    if name in _READERS and name not in ("Aggregate", "Relation"):
        return _READERS[name]
    return next((reader for pattern, reader in _FAMILIES if pattern.search(name)), _generic)
