"""The text of one operator -> named parts (docs/arguments.md), read when somebody looks.

`read_arguments` chooses a reader by the operator's name; what a reader does not name stays under `details`, so that no
part of the text is lost. Vendor operators print like the ones they replace and share their readers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from planviz.graph import PlanNode
from planviz.plantext.formatted import NUMBER, Block

Parts = dict[str, Any]

_OPEN, _CLOSE = "([{", ")]}"
_BRACKET = re.compile(r"[(\[{)\]}]|, ")
_PLAN_ID = re.compile(r"(?:,? ?\[(?:plan_id=|id=#)(\d+)\])")
_JOIN_TYPE = re.compile(
    r"(Inner|Cross|LeftOuter|RightOuter|FullOuter|LeftSemi|LeftAnti|LeftSingle|ExistenceJoin\([^)]*\)|"
    r"UsingJoin\(.*\)|NaturalJoin\(.*\)|Natural\w*)$"
)
_BUILD = {"BuildLeft": "left", "BuildRight": "right", "GpuBuildLeft": "left", "GpuBuildRight": "right"}
_STATISTICS = re.compile(r",? Statistics\([^()]*\)\s*$")
_MODE = re.compile(r"(partial|merge|final)_")
_DISTINCT = re.compile(r"^\w+\(distinct ", re.IGNORECASE)
_FILTER = re.compile(r" FILTER \(WHERE (.*)\)$")
_SCAN_HEAD = re.compile(r"\s*(?:\((\w+)\)\s*)?([\w.-]+ ?)?([^\[\s]*)\s*")
_KEYED = re.compile(r"([A-Za-z][\w ]*?)(?:=|: )(?=\S|$)(.*)$", re.DOTALL)
_SCAN_KEY = re.compile(
    r"(?:^|,? )(Batched|DataFilters|Format|Location|PartitionFilters|PushedFilters|ReadSchema|SelectedBucketsCount|"
    r"PartitionCount|PushedAggregation|PushedGroupBy|PushedGroupByExpressions|PushedGroupingExpressions|Bucketed|"
    r"DictionaryFilters|PushedLimit|PushedTopN|PushedSample|RuntimeFilters|RequiredDataFilters|OptionalDataFilters|"
    r"DppFilters|PushedOffset|PushedJoins): "
)
_SCAN_NAMES = {
    "Batched": "batched",
    "DataFilters": "data_filters",
    "Format": "format",
    "Location": "location",
    "PartitionFilters": "partition_filters",
    "PushedFilters": "pushed_filters",
    "ReadSchema": "read_schema",
    "Bucketed": "bucketed",
    "SelectedBucketsCount": "selected_buckets",
}
_PARTITIONING = (
    ("hash", re.compile(r"(?:\w*hash\w*partitioning|HashPartitioning)\(", re.IGNORECASE)),
    ("range", re.compile(r"rangepartitioning\(", re.IGNORECASE)),
    ("single", re.compile(r"SinglePartition")),
    ("round robin", re.compile(r"RoundRobinPartitioning", re.IGNORECASE)),
    ("broadcast", re.compile(r"BroadcastMode|BroadcastPartitioning|IdentityBroadcast")),
    ("unknown", re.compile(r"UnknownPartitioning")),
    ("identity", re.compile(r"KeyGroupedPartitioning|PassThrough|IdentityPartitioning")),
)


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
    rest = _STATISTICS.sub("", node.text[len(node.op) :]) if node.estimate is not None else node.text[len(node.op) :]
    if node.operator_id is not None:
        block = details.blocks.get(node.operator_id)
        rest = NUMBER.sub("", rest, count=1)
        if block is not None:
            return _from_block(node.op, rest, block)
    return _reader_of(node.op)(node.op, rest.strip())


# -- text into parts


def split(text: str) -> list[str]:
    """Parts of a text between commas that stand outside all brackets, each stripped.

    A bracket inside a literal can unbalance the text; then the last part holds what could not be split.
    """
    if ", " not in text:
        return [text.strip()] if text.strip() else []
    parts: list[str] = []
    depth = start = 0
    for match in _BRACKET.finditer(text):
        mark = match.group()
        if mark == ", ":
            if depth == 0:
                parts.append(text[start : match.start()].strip())
                start = match.end()
        elif mark in _OPEN:
            depth += 1
        elif depth:
            depth -= 1
    parts.append(text[start:].strip())
    return [part for part in parts if part]


def items(text: str) -> list[str]:
    """Entries of a printed list `[a, b, c]`; a scan prints them without spaces (`[a#1,b#2]`)."""
    inner = text.strip()
    if inner.startswith("["):
        inner = inner[1:-1] if inner.endswith("]") else inner[1:]
    if ", " not in inner and "," in inner:
        return _tight(inner)
    return [entry for part in split(inner) for entry in (_tight(part) if _is_tight(part) else [part])]


def _is_tight(part: str) -> bool:
    return "#" in part and "," in part and "(" not in part and " " not in part and "<" not in part


def _tight(inner: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for at, char in enumerate(inner):
        if char in "([{<":
            depth += 1
        elif char in ")]}>":
            depth = max(0, depth - 1)
        elif char == "," and depth == 0:
            parts.append(inner[start:at].strip())
            start = at + 1
    parts.append(inner[start:].strip())
    return [part for part in parts if part]


def _is_list(text: str) -> bool:
    return text.startswith("[")


def _whole(text: str) -> str:
    """An expression without the one pair of brackets that encloses all of it."""
    if text.startswith("(") and text.endswith(")"):
        depth = 0
        for at, char in enumerate(text):
            depth += (char == "(") - (char == ")")
            if depth == 0:
                return text[1:-1] if at == len(text) - 1 else text
    return text


def _number(text: str) -> int | str:
    return int(text) if text.lstrip("-").isdigit() else text


def _take_plan_id(text: str, parts: Parts) -> str:
    matches = list(_PLAN_ID.finditer(text))
    if not matches or text[matches[-1].end() :].strip(" ,"):
        return text
    match = matches[-1]
    parts["plan_id"] = int(match.group(1))
    return text[: match.start()]


def _rest(parts: Parts, leftover: list[str]) -> Parts:
    """Parts with what has no name: `key=value` under its key, the remainder under `details`."""
    unnamed = []
    for text in leftover:
        match = _KEYED.match(text)
        if match and "(" not in match.group(1) and len(match.group(1)) < 40 and match.group(1).count(" ") < 3:
            parts.setdefault(_snake(match.group(1)), _value(match.group(2)))
        else:
            unnamed.append(text)
    if unnamed:
        parts["details"] = unnamed
    return parts


@lru_cache(maxsize=1024)
def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|\s+|/", "_", name.strip()).lower().replace("__", "_")


def _value(text: str) -> Any:
    text = text.strip()
    if text in ("true", "false"):
        return text == "true"
    if _is_list(text) and text.endswith("]"):
        return items(text)
    return _number(text)


# -- readers, one per family of operators


def _generic(op: str, rest: str) -> Parts:
    if rest.startswith("(") and rest.endswith(")"):
        named = _named(rest)
        if named:
            return named
    parts: Parts = {}
    return _rest(parts, split(_take_plan_id(rest, parts)))


def _named(rest: str) -> Parts:
    """`(keys=[..], functions=[..], output=[..])` as parts; empty when no entry has a name."""
    found: Parts = {}
    leftover = []
    for part in split(rest[1:-1]):
        name, equals, value = part.partition("=")
        if equals and name.isidentifier():
            found[_snake(name)] = _value(value)
        else:
            leftover.append(part)
    return _rest(found, leftover) if found else {}


def _filter(op: str, rest: str) -> Parts:
    return {"condition": _whole(rest)} if rest else {}


def _project(op: str, rest: str) -> Parts:
    return {"project_list": items(rest)} if rest else {}


def _aggregate(op: str, rest: str) -> Parts:
    """Physical: `(keys=[..], functions=[..], output=[..])`; logical: `[keys], [expressions]`."""
    if rest.startswith("("):
        head, _, tail = _bracketed(rest)
        named = _named(head) or {}
        if "functions" in named:
            named["functions"] = functions(named["functions"] if isinstance(named["functions"], list) else [])
        if "key" in named:
            named["keys"] = named.pop("key")
        return _rest(named, split(tail.lstrip(", ")))
    lists = split(rest)
    if op == "Aggregate" and len(lists) >= 2 and _is_list(lists[0]) and _is_list(lists[1]):
        parts: Parts = {
            "keys": items(lists[0]),
            "functions": [{"text": text, "mode": None} for text in items(lists[1])],
        }
        return _rest(parts, lists[2:])
    if op == "Deduplicate" and lists and _is_list(lists[0]):
        return _rest({"keys": items(lists[0])}, lists[1:])
    return _rest({}, lists)


def _bracketed(text: str) -> tuple[str, str, str]:
    """A text that starts with a bracket: the bracketed head, its inside, the tail."""
    depth = 0
    for match in re.finditer(r"[(\[{)\]}]", text):
        depth += 1 if match.group() in _OPEN else -1
        if depth == 0:
            end = match.end()
            return text[:end], text[1 : end - 1], text[end:]
    return text, text[1:], ""


def functions(texts: list[str]) -> list[dict[str, Any]]:
    """Aggregate functions with their mode: `partial_sum(a)` partial, `merge_sum(a)` merge, no prefix final or complete.

    The text alone cannot tell final from complete; the aggregate below decides (see `aggregate stages`), so the mode
    without prefix is "final".
    """
    found = []
    for text in texts:
        match = _MODE.match(text)
        function: dict[str, Any] = {
            "text": text[match.end() :] if match else text,
            "mode": match.group(1) if match else "final",
        }
        if _DISTINCT.match(function["text"]):
            function["distinct"] = True
        if where := _FILTER.search(function["text"]):
            function["filter"] = where.group(1)
        found.append(function)
    return found


def _join(op: str, rest: str) -> Parts:
    parts: Parts = {}
    if rest.startswith("("):  # SortMergeJoin(skew=true) [..], or CartesianProduct (condition)
        head, inside, tail = _bracketed(rest)
        if inside.startswith("skew="):
            parts["skew"] = inside.endswith("true")
            rest = tail.strip()
        elif not tail:
            return {"condition": _whole(head)}
    lists: list[list[str]] = []
    leftover: list[str] = []
    for part in split(rest):
        if _is_list(part) and not leftover and "join_type" not in parts and len(lists) < 2:
            lists.append(items(part))
        elif part in _BUILD:
            parts["build_side"] = _BUILD[part]
        elif "join_type" not in parts and _JOIN_TYPE.match(part):
            parts["join_type"] = part
        elif part.startswith(("leftHint=", "rightHint=", "hint=")):
            parts["hints"] = f"{parts['hints']}, {part}" if "hints" in parts else part
        else:
            leftover.append(part)
    if len(lists) == 2:
        parts["left_keys"], parts["right_keys"] = lists
    flags = [part for part in leftover if part in ("true", "false")]
    if flags and flags[0] == "true" and "Hash" in op:
        parts["null_aware"] = True
    if len(flags) > 1 and flags[1] == "true":
        parts["skew"] = True
    conditions = [part for part in leftover if part not in ("true", "false", "None")]
    if conditions:
        parts["condition"] = _whole(conditions[0])
    return _rest(parts, conditions[1:])


def _exchange(op: str, rest: str) -> Parts:
    parts: Parts = {}
    rest = _take_plan_id(rest, parts)
    pieces = split(rest)
    if not pieces:
        return parts
    if "Broadcast" in op:
        parts["broadcast_mode"] = pieces[0]
        parts["partitioning_kind"] = "broadcast"
    else:
        kind = next((name for name, pattern in _PARTITIONING if pattern.match(pieces[0])), None)
        if kind is None:
            return _rest(parts, pieces)
        parts["partitioning"] = pieces[0]
        parts["partitioning_kind"] = kind
        if "(" in pieces[0]:
            inside = split(_bracketed(pieces[0][pieces[0].index("(") :])[1])
            if inside and inside[-1].isdigit():
                parts["partitions"] = int(inside.pop())
            if inside:
                parts["partition_keys"] = inside
        elif kind == "single":
            parts["partitions"] = 1
    leftover = []
    for piece in pieces[1:]:
        if re.fullmatch(r"[A-Z][A-Z_]{5,}", piece):
            parts["origin"] = piece
        else:
            leftover.append(piece)
    return _rest(parts, leftover)


def _sort(op: str, rest: str) -> Parts:
    pieces = split(rest)
    parts: Parts = {}
    if pieces and _is_list(pieces[0]):
        parts["sort_order"] = items(pieces.pop(0))
    if pieces and pieces[0] in ("true", "false"):
        parts["global"] = pieces.pop(0) == "true"
    if pieces and pieces[0].isdigit():
        pieces.pop(0)
    return _rest(parts, pieces)


def _limit(op: str, rest: str) -> Parts:
    if rest.startswith("("):
        named = _named(rest)
        if "order_by" in named:
            named["sort_order"] = named.pop("order_by")
        return named or _generic(op, rest)
    pieces = split(rest)
    parts: Parts = {}
    if op == "Offset" and pieces:
        parts["offset"] = _number(pieces.pop(0))
    elif pieces and not _is_list(pieces[0]) and op != "Sample":
        parts["limit"] = _number(pieces.pop(0))
    return _rest(parts, pieces)


def _scan(op: str, rest: str) -> Parts:
    """`parquet db.t[a#1,b#2] Batched: true, DataFilters: [..], ...`; also `ExistingRDD[..]`, `hive t [..], ..`."""
    parts: Parts = {}
    at = rest.find("[")
    head = rest if at < 0 else rest[:at]
    keyed = _SCAN_KEY.search(head)
    if keyed:
        head, at = head[: keyed.start()], -1
    tail = rest[len(head) :]
    words = head.split()
    if op in ("FileScan", "Scan", "PhotonScan", "NativeFileScan", "CometScan") or op.endswith("FileScan"):
        if len(words) > 1 or (words and tail.startswith("[") and words[0].islower() and "." not in words[0]):
            parts["format"] = words.pop(0)
    if words:
        parts["table"] = " ".join(words)
    if tail.startswith("["):
        listed, _, tail = _bracketed(tail)
        parts["output"] = items(listed)
    _scan_metadata(tail.strip(), parts)
    return parts


def _scan_metadata(text: str, parts: Parts) -> None:
    matches = list(_SCAN_KEY.finditer(text))
    if not matches:
        if text:
            _rest(parts, split(text.lstrip(", ")))
        return
    if before := text[: matches[0].start()].strip(" ,"):
        parts["details"] = split(before)
    for match, following in zip(matches, [*matches[1:], None], strict=True):
        value = text[match.end() : following.start() if following else len(text)].strip().rstrip(",")
        _scan_entry(match.group(1), value, parts)


def _scan_entry(key: str, value: str, parts: Parts) -> None:
    name = _SCAN_NAMES.get(key, _snake(key))
    if name == "read_schema" or name == "location":
        parts[name] = value
    elif name.endswith("filters") and _is_list(value):
        parts[name] = items(value)
    elif name == "format":
        parts.setdefault(name, value)
    else:
        parts[name] = _value(value)


def _relation(op: str, rest: str) -> Parts:
    """`Relation db.t[a#1,b#2] parquet`, `LocalRelation <empty>, [a#1]`, `HiveTableRelation [`db`.`t`, ...]`."""
    parts: Parts = {}
    if op == "UnresolvedRelation":
        pieces = split(rest)
        if pieces and _is_list(pieces[0]):
            parts["table"] = ".".join(items(pieces.pop(0)))
        return _rest(parts, [piece for piece in pieces if piece not in ("[]", "false")])
    if op == "HiveTableRelation":
        pieces = split(rest.strip("[]"))
        if pieces:
            parts["table"] = pieces.pop(0).replace("`", "")
        return _rest(parts, pieces)
    if rest.startswith("<empty>"):
        parts["empty"] = True
        rest = rest[len("<empty>") :].lstrip(", ")
    at = rest.find("[")
    if at >= 0 and ", " not in rest[:at]:
        if rest[:at].strip():
            parts["table"] = rest[:at].strip()
        listed, _, tail = _bracketed(rest[at:])
        parts["output"] = items(listed)
        tail = tail.strip(" ,")
        if op == "Relation" and tail and "," not in tail:
            parts["format"] = tail
        elif tail:
            _rest(parts, split(tail))
        return parts
    if op in ("SubqueryAlias", "View"):
        return {"alias": rest}
    return _rest(parts, split(rest))


def _range(op: str, rest: str) -> Parts:
    return {"range": rest} if rest.startswith("(") else _generic(op, rest)


def _view(op: str, rest: str) -> Parts:
    inside = _bracketed(rest)[1] if rest.startswith("(") else rest
    pieces = split(inside)
    parts: Parts = {}
    if pieces:
        parts["table"] = pieces.pop(0).replace("`", "")
    if pieces and _is_list(pieces[0]):
        parts["output"] = items(pieces.pop(0))
    return _rest(parts, pieces)


def _alias(op: str, rest: str) -> Parts:
    return {"alias": rest.replace("`", "")} if rest else {}


def _window(op: str, rest: str) -> Parts:
    pieces = split(rest)
    parts: Parts = {}
    names = (
        ("partition_spec", "sort_order")
        if "GroupLimit" in op
        else ("window_expressions", "partition_spec", "sort_order")
    )
    for name in names:
        if pieces and _is_list(pieces[0]):
            parts[name] = items(pieces.pop(0))
    return _rest(parts, pieces)


def _generate(op: str, rest: str) -> Parts:
    pieces = split(rest)
    parts: Parts = {}
    if pieces:
        parts["generator"] = pieces.pop(0)
    lists = [items(piece) for piece in pieces if _is_list(piece)]
    if "true" in pieces:
        parts["outer"] = True
    if lists:
        parts["output"] = lists[-1]
    return _rest(parts, [piece for piece in pieces if not _is_list(piece) and piece not in ("true", "false")])


def _expand(op: str, rest: str) -> Parts:
    pieces = split(rest)
    parts: Parts = {}
    if pieces and _is_list(pieces[0]):
        parts["projections"] = [items(row) for row in split(pieces.pop(0)[1:-1])]
    if pieces and _is_list(pieces[0]):
        parts["output"] = items(pieces.pop(0))
    return _rest(parts, pieces)


def _reused(op: str, rest: str) -> Parts:
    if match := re.search(r"Reuses operator id: (\d+)", rest):
        return {"reuses": f"operator {match.group(1)}"}
    if op == "ReusedSubquery":
        parts = _subquery(op, rest.removeprefix("Subquery").strip())
        return {"reuses": parts.pop("subquery", rest), **parts}
    pieces = split(rest)
    found: Parts = {}
    if pieces and _is_list(pieces[0]):
        found["output"] = items(pieces.pop(0))
    exchange = ", ".join(pieces)
    parts = {}
    _take_plan_id(exchange, parts)
    found["reuses"] = f"plan_id {parts['plan_id']}" if "plan_id" in parts else exchange
    if "plan_id" in parts:
        found["exchange"] = exchange
    return found


def _subquery(op: str, rest: str) -> Parts:
    parts: Parts = {}
    pieces = split(_take_plan_id(rest, parts))
    if pieces:
        parts["subquery"] = pieces.pop(0)
    return _rest(parts, pieces)


def _adaptive(op: str, rest: str) -> Parts:
    match = re.search(r"isFinalPlan=(true|false)", rest)
    return {"final": match.group(1) == "true"} if match else _generic(op, rest)


def _stage(op: str, rest: str) -> Parts:
    pieces = split(rest)
    parts: Parts = {}
    if pieces and pieces[0].isdigit():
        parts["stage"] = int(pieces.pop(0))
    return _rest(parts, pieces)


def _shuffle_read(op: str, rest: str) -> Parts:
    return {"details": [rest]} if rest else {}


def _command(op: str, rest: str) -> Parts:
    return _rest({}, split(rest))


_READERS: dict[str, Callable[[str, str], Parts]] = {
    "Filter": _filter,
    "Project": _project,
    "Expand": _expand,
    "Sort": _sort,
    "Range": _range,
    "View": _view,
    "SubqueryAlias": _alias,
    "Generate": _generate,
    "ReusedExchange": _reused,
    "ReusedSubquery": _reused,
    "Subquery": _subquery,
    "SubqueryBroadcast": _subquery,
    "SubqueryAdaptiveBroadcast": _subquery,
    "AdaptiveSparkPlan": _adaptive,
    "AQEShuffleRead": _shuffle_read,
    "CustomShuffleReader": _shuffle_read,
    "CTERelationRef": _command,
    "CTERelationDef": _command,
}
_FAMILIES: tuple[tuple[re.Pattern[str], Callable[[str, str], Parts]], ...] = (
    (re.compile(r"Join|CartesianProduct"), _join),
    (re.compile(r"Aggregat|^Deduplicate|GroupingAgg"), _aggregate),
    (re.compile(r"QueryStage$"), _stage),
    (re.compile(r"Exchange|ShuffleExchange"), _exchange),
    (re.compile(r"Filter"), _filter),
    (re.compile(r"Project"), _project),
    (re.compile(r"Window"), _window),
    (re.compile(r"Limit|^TakeOrdered|^Tail|^Offset|TopK|TakeOrdered"), _limit),
    (re.compile(r"Sort$|SortExec"), _sort),
    (re.compile(r"Relation|LocalTableScan|InMemoryTableScan"), _relation),
    (re.compile(r"Scan|Reader$"), _scan),
    (re.compile(r"Expand"), _expand),
    (re.compile(r"Generate|Explode"), _generate),
    (re.compile(r"Command$|^Execute|^Create|^Insert"), _command),
)


@lru_cache(maxsize=4096)
def _reader_of(op: str) -> Callable[[str, str], Parts]:
    if op in _READERS:
        return _READERS[op]
    return next((reader for pattern, reader in _FAMILIES if pattern.search(op)), _generic)


# -- explain formatted


_BLOCK_NAMES = {
    "Output": "output",
    "Input": "input",
    "Condition": "condition",
    "Keys": "keys",
    "Functions": "functions",
    "Aggregate Attributes": "aggregate_attributes",
    "Results": "results",
    "Left keys": "left_keys",
    "Right keys": "right_keys",
    "Join type": "join_type",
    "Join condition": "condition",
    "Left output": "left_output",
    "Right output": "right_output",
}


def _from_block(op: str, suffix: str, block: Block) -> Parts:
    """Parts from a detail block; the tree line's own suffix (`Inner BuildRight`, `, coalesced`) is read too."""
    parts: Parts = {}
    tail = block.name[len(op) :].strip() if block.name.startswith(op) else ""
    if op.startswith("Reused"):
        parts.update(_reused(op, tail))
    elif tail and ("Scan" in op or "Scan" in block.name):
        parts.update(_scan(op, tail))
    for key, value in block.entries():
        if key == "Arguments":
            for name, part in _reader_of(op)(op, value).items():
                parts.setdefault(name, part)
        elif key == "Join condition" and value == "None":
            continue
        elif key == "Functions":
            parts["functions"] = functions(items(value))
        elif key in _SCAN_NAMES:
            _scan_entry(key, value, parts)
        else:
            name = _BLOCK_NAMES.get(key, _snake(key))
            parts[name] = _whole(value) if name == "condition" else _value(value)
    words = suffix.replace(",", " ").split()
    for word in words:
        if word in _BUILD:
            parts["build_side"] = _BUILD[word]
    if suffix.lstrip(", ") and not any(word in _BUILD or _JOIN_TYPE.match(word) for word in words) and not tail:
        parts.setdefault("details", [suffix.strip(" ,")])
    return parts
