"""Plans of Sparks before 3.0 in the words of 3.0, so that one reader reads all.

Spark 2 writes AND and OR as `&&` and `||` and puts names of aliases in backticks; until 3.1 a relation without a name
has no blank. Spark 1 has no blanks in lists, names
Tungsten's operators, and writes the stage of an aggregate's function behind it.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from functools import lru_cache

from planviz.graph import Link, PlanGraph, PlanNode
from planviz.graph.kinds import kind_of

#: What only Spark 1 prints, and what only Spark 1 and 2 print (or a stream: `time#1-T10000ms`
#: is time#1), and what somebody noted behind an operator.
_FIRST = re.compile(
    r"^(?:Tungsten|ConvertTo(?:Uns|S)afe|SortBasedAggregate|InMemoryColumnarTableScan|SortMergeOuterJoin"
    r"|(?:Broadcast|Shuffled)HashOuterJoin|\w*LeftSemiJoin)|,mode=(?:Partial|PartialMerge|Final|Complete),isDistinct="
    r"|^(?:Project|Aggregate|Sort|Window) \[[^\[\](),]*#\d+L?(?: ASC| DESC)?,(?=\S)"
)
_NAMED = re.compile(r"^Subquery (?!(?:true|false)$|(?:scalar-)?subquery#)[A-Za-z`][\w`.]*$")
_NOTE = re.compile(r"(?<!\s)\s+(?://|<-+|<==+|←)[- ]")
_SECOND = re.compile(
    rf" (?:&&|\|\|) |^SubqueryAlias .*`|(?:ASC|DESC)(?! NULLS)[,\]]|OneRowRelation\$|#\d+L?: \w+$|#\d+L?-T\d+ms"
    r"|^Range \(-?\d+, -?\d+, splits="
    rf"|^Relation\[|{_NOTE.pattern}|: sizeInBytes=|^Join \w+, (?:Some\(|None)|{_NAMED.pattern}"
)
_SUBQUERY = re.compile(r"(-subquery#\d+|\b(?:list|exists)#\d+) \[[^\]]*\]")
_STAGED = re.compile(r",mode=(Partial|PartialMerge|Final|Complete),isDistinct=(true|false)\)")
_PREFIX = {"Partial": "partial_", "PartialMerge": "merge_"}
_LEAF = re.compile(r"Relation\b|Scan\b|LogicalRDD|LocalRelation|InMemory|FileScan|HiveTableScan")
_OPERATORS = {
    "TungstenAggregate": "HashAggregate", "SortBasedAggregate": "SortAggregate", "TungstenProject": "Project",
    "TungstenExchange": "Exchange", "TungstenSort": "Sort", "Subquery": "SubqueryAlias",
    "InMemoryColumnarTableScan": "InMemoryTableScan", "OneRowRelation$": "OneRowRelation",
    "SortMergeOuterJoin": "SortMergeJoin", "BroadcastHashOuterJoin": "BroadcastHashJoin",
    "ShuffledHashOuterJoin": "ShuffledHashJoin", "BroadcastLeftSemiJoinHash": "BroadcastHashJoin",
    "LeftSemiJoinHash": "ShuffledHashJoin", "LeftSemiJoinBNL": "BroadcastNestedLoopJoin", "Limit": "GlobalLimit",
}  # fmt: skip
_KINDS = re.compile(r"\b(?:Inner|Cross|LeftOuter|RightOuter|FullOuter|LeftSemi|LeftAnti)\b")


def in_newer_words(plans: Sequence[PlanGraph]) -> list[PlanGraph]:
    """The plans as Spark 3.0 would have printed them; those that are written so already stay what they are."""
    texts = [n.text for p in plans for n in p]
    first = any(_is_of_spark_1(t) for t in texts)
    cut = any(_splits(n, p.stage) != n.text for p in plans for n in p if n.op == "Range")
    if not first and not cut and not any(_is_old(t) for t in texts):
        return list(plans)
    return [_rewritten(p, first) for p in plans]


@lru_cache(maxsize=8192)  # the lines of a text are looked at for every plan of it
def _is_of_spark_1(text: str) -> bool:
    return _FIRST.search(text) is not None


@lru_cache(maxsize=8192)
def _is_old(text: str) -> bool:
    return _SECOND.search(text) is not None


def newer_operator(op: str) -> str:
    """The name that Spark 3.0 has for an operator of any version; the name itself where it is no older one."""
    return _OPERATORS.get(op, op)


def _rewritten(plan: PlanGraph, first: bool) -> PlanGraph:
    nodes = []
    for node in plan:
        made = copy.copy(node)
        made.op, made.text = _words(node, first)
        made.text = _splits(made, plan.stage)
        made.kind = kind_of(made.op) if made.op != node.op else node.kind
        nodes.append(made)
    links = list(plan.links())
    for node in plan:
        if node.parent is not None and (type := plan.edge_type(node.parent, node.id)) != "child":
            links.append(Link(node.parent, node.id, type))
    return PlanGraph.from_nodes(plan.stage, plan.title, nodes, links, plan.notes)


def _splits(node: PlanNode, stage: str) -> str:
    """The line of an operator; a physical range has printed its splits as the logical one does until 2.2."""
    physical = stage in ("physical", "initial") and node.op == "Range" and node.operator_id is None
    return re.sub(r"splits=Some\((\d+)\)", r"splits=\1", node.text) if physical else node.text


def _words(node: PlanNode, first: bool) -> tuple[str, str]:
    """An operator's name and line."""
    op, text = node.op, _spark_2(node.text)
    if first:
        mark = text[:1] if text[:1] in "'!" else ""
        op = node.op if node.op == "Subquery" and not _NAMED.match(text) else _OPERATORS.get(node.op, node.op)
        text = mark + op + _spark_1(text[len(mark) + len(node.op) :], node.op)
    elif _NAMED.match(text):
        op, text = "SubqueryAlias", "SubqueryAlias" + text[len(op) :]
    elif op == "OneRowRelation$":
        op = text = "OneRowRelation"
    return op, text


def _spark_2(text: str) -> str:
    text = re.sub(rf"{_NOTE.pattern}.*$", "", text)
    if " && " in text or " || " in text:
        kept: list[str] = []

        def keep(m: re.Match[str]) -> str:
            kept.append(m.group())
            return f"\0{len(kept) - 1}\0"

        text = _SUBQUERY.sub(keep, text)
        text = text.replace(" && ", " AND ").replace(" || ", " OR ")
        text = re.sub("\0(\\d+)\0", lambda m: kept[int(m.group(1))], text)
    text = re.sub(r"^Relation\[", "Relation [", text)
    text = re.sub(r"^(Range \(-?\d+, -?\d+)(?=, splits=)", r"\1, step=1", text)
    if text.startswith("SubqueryAlias "):
        text = re.sub(r"^(SubqueryAlias [^,]+), .*", r"\1", text).replace("`", "")
    text = re.sub(r"(\bASC)(?! NULLS)(?=[,\]])", r"\1 NULLS FIRST", text)
    text = re.sub(r"(\bDESC)(?! NULLS)(?=[,\]])", r"\1 NULLS LAST", text)
    text = re.sub(r"(#\d+L?)-T\d+ms\b", r"\1", text)
    text = re.sub(r": sizeInBytes=[^=]*(?:, (?:isBroadcastable|rowCount|hints)=[^=]*)*$", "", text)
    text = re.sub(r"^(Filter .*#\d+L?): \w+$", r"\1", text)
    return re.sub(r"^(Join \w+), None$", r"\1", re.sub(r"^(Join \w+), Some\((.*)\)$", r"\1, \2", text))


def _spark_1(rest: str, op: str) -> str:
    """What stands behind an operator's name."""
    if _LEAF.search(op):
        return rest
    if op.endswith("Aggregate"):
        rest = rest.replace("(key=[", "(keys=[", 1)
    while (m := _STAGED.search(rest)) is not None:
        start = _opening(rest, m.end() - 1)
        call = rest[start + 1 : m.start()]
        if m.group(2) == "true":
            call = call.replace("(", "(distinct ", 1)
        rest = f"{rest[:start]}{_PREFIX.get(m.group(1), '')}{call}{rest[m.end() :]}"
    # Spark 3 has no blanks there either.
    listed, output = rest.rfind(", output=[") if op == "TakeOrderedAndProject" else -1, ""
    if listed >= 0:
        rest, output = rest[:listed], rest[listed:]
    rest = re.sub(r",(?=\S)", ", ", rest) + output
    if "Exchange" in op or op in ("Sort", "TungstenSort"):
        rest = re.sub(r"\), None$", ")", rest)
    return _joined(rest, op) if "Join" in op else rest


def _opening(text: str, closing: int) -> int:
    """Where the bracket opens that closes there; 0 where none does."""
    depth = 0
    for at in range(closing, -1, -1):
        depth += (text[at] == ")") - (text[at] == "(")
        if depth == 0:
            return at
    return 0


def _joined(rest: str, op: str) -> str:
    """The keys, the type, the build side and the condition of a join."""
    rest = re.sub(r", Some\((.*)\)$", r", \1", rest.removesuffix(", None"))
    if "Semi" in op:
        return re.sub(r"^( \[.*?\], \[.*?\])", r"\1, LeftSemi, BuildRight", rest) if "[" in rest else rest
    if _KINDS.search(rest) or op == "CartesianProduct":
        return rest
    return re.sub(r"^( \[.*?\], \[.*?\])(?=$|, )", r"\1, Inner", rest)
