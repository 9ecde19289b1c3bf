"""What moves rows between tasks, and what points elsewhere: exchanges, stages, reuse, subqueries."""

from __future__ import annotations

import re

from planviz.plantext.operators.pieces import Parts, bracketed, fits, is_list, items, number, rest, split, take_options

_PARTITIONING = (
    ("hash", re.compile(r"\w*hash\w*partitioning\(", re.IGNORECASE)),
    ("range", re.compile(r"\w*rangepartitioning\(", re.IGNORECASE)),
    ("single", re.compile(r"\w*single_?partition", re.IGNORECASE)),
    ("round robin", re.compile(r"\w*RoundRobin\w*", re.IGNORECASE)),
    ("broadcast", re.compile(r"\w*BroadcastMode|\w*BroadcastPartitioning|IdentityBroadcast")),
    ("unknown", re.compile(r"UnknownPartitioning")),
    ("identity", re.compile(r"KeyGroupedPartitioning|KeyedPartitioning|\w*PassThrough|IdentityPartitioning")),
)
#: Why an exchange of Databricks is there that broadcasts without the driver.
EXECUTOR_BROADCAST = "EXECUTOR_BROADCAST"
#: How RAPIDS hashes, behind the number of partitions since 25.10.
_HASH_MODE = re.compile(r"\w+Mode$")
_OLD_PARTITIONING = re.compile(r"\(?(Hash|Range)Partitioning (\[.*\])(?:, (\d{1,18}))?\)?$", re.DOTALL)  # up to 1.4
_ORIGIN = re.compile(r"[A-Z][A-Z_]{5,}$")
_CUT_ID = re.compile(r"\[(?:plan_id|id)=?#?\d*$")  # where a text ends
_SHUFFLE_MODE = re.compile(r"\w*Shuffle$")
_REUSES = re.compile(r"\[?Reuses operator id: (\d{1,18})")
_PLAN_ID = re.compile(r",? ?\[(?:plan_id=|id=#)(\d+)\]\s*$")
_FINAL = re.compile(r"isFinalPlan=(true|false)")


def read_exchange(op: str, text: str) -> Parts:
    """`Exchange hashpartitioning(a#1, 200), ENSURE_REQUIREMENTS, [plan_id=12]`, `BroadcastExchange mode, [..]`.

    3.0 prints a flag in place of the origin: false when the user asked for this number of partitions.
    """
    parts: Parts = {}
    leftover: list[str] = []
    if text.endswith(" ..."):  # shortened by hand
        text, parts["cut"] = text[:-4], "..."
    for piece in take_options(split(text), parts):
        if "partitioning_kind" not in parts and _read_partitioning(piece, parts):
            continue
        if _ORIGIN.match(piece):
            parts["origin"] = piece
        elif fits(piece, "bool"):
            parts["number_by_user"] = piece == "false"
        elif _CUT_ID.match(piece):
            parts["cut"] = piece
        elif piece.startswith("[OUTPUT] "):  # Gluten: `[OUTPUT] List(a:IntegerType, b:StringType)`
            listed = items(f"[{bracketed(piece[piece.find('(') :])[1]}]") if "(" in piece else []
            parts["output"] = [name.rpartition(":")[0] or name for name in listed]
        elif is_list(piece):
            parts.setdefault("output", items(piece))
        elif _SHUFFLE_MODE.match(piece):
            parts["shuffle_mode"] = piece
        elif fits(piece, "int"):
            parts["advisory_size"] = int(piece)
        elif piece != "None":
            leftover.append(piece)
    if "Broadcast" in op:
        parts.setdefault("partitioning_kind", "broadcast")
    if parts.get("origin") == EXECUTOR_BROADCAST:
        # The executors fetch the rows of all partitions: no task reads one partition of all rows.
        parts["partitioning_kind"] = "broadcast"
        parts.pop("partitions", None)
    return rest(parts, leftover)


def _read_partitioning(piece: str, parts: Parts) -> bool:
    if old := _OLD_PARTITIONING.match(piece):
        parts["partitioning"], parts["partitioning_kind"] = piece.strip("()"), old[1].lower()
        parts["partition_keys"] = items(old[2])
        if old[3]:
            parts["partitions"] = int(old[3])
        return True
    kind = next((name for name, pattern in _PARTITIONING if pattern.match(piece)), None)
    if kind is None:
        return False
    parts["broadcast_mode" if kind == "broadcast" else "partitioning"] = piece
    parts["partitioning_kind"] = kind
    if kind == "single":
        parts["partitions"] = 1
    elif kind != "broadcast" and "(" in piece:
        inside = items(bracketed(piece[piece.index("(") :])[1])
        if len(inside) > 1 and _HASH_MODE.match(inside[-1]):
            inside.pop()
        if inside and isinstance(partitions := number(inside[-1]), int):
            parts["partitions"] = partitions
            inside.pop()
        if inside:
            parts["partition_keys"] = inside
    return True


def read_shuffle_read(op: str, text: str) -> Parts:
    """`AQEShuffleRead coalesced and skewed`: in which ways the partitions are read."""
    return {"read": text.split(" and ")} if text else {}


def read_adaptive(op: str, text: str) -> Parts:
    """`AdaptiveSparkPlan isFinalPlan=true`."""
    match = _FINAL.search(text)
    return {"final": match[1] == "true"} if match else rest({}, split(text))


def read_reused(op: str, text: str) -> Parts:
    """`ReusedExchange [a#1], Exchange hashpartitioning(..), [plan_id=5]`, `[Reuses operator id: 6]`."""
    if match := _REUSES.match(text):
        return {"reuses": f"operator {match[1]}"}
    found: Parts = {}
    exchange = text
    if is_list(text):
        head, _, tail = bracketed(text)
        found["output"] = items(head)
        exchange = tail.strip(" ,")
    if plan := _PLAN_ID.search(exchange):
        found["reuses"] = f"plan_id {plan[1]}"
        found["exchange"] = exchange[: plan.start()]
    elif exchange:
        found["reuses"] = exchange
    return found


def read_subquery(op: str, text: str) -> Parts:
    """`Subquery scalar-subquery#12, [id=#30]`; ReusedSubquery prints the whole of the one it reuses."""
    parts: Parts = {}
    pieces = take_options(split(text.removeprefix("Subquery ")), parts)
    if pieces:
        parts["reuses" if op.startswith("Reused") else "subquery"] = pieces.pop(0)
    return rest(parts, pieces)
