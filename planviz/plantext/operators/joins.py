"""Joins: keys, join type, build side, condition, hints."""

from __future__ import annotations

import re

from planviz.plantext.operators.pieces import Parts, bracketed, is_list, items, number, rest, split, whole

JOIN_TYPE = re.compile(
    r"(?:Inner|Cross|LeftOuter|RightOuter|FullOuter|LeftSemi|LeftAnti|LeftSingle|ExistenceJoin\([^)]*\)|"
    r"UsingJoin\(.*\)|NaturalJoin\(.*\)|Natural\w*)$",
    re.DOTALL,
)
BUILD = {"BuildLeft": "left", "BuildRight": "right", "GpuBuildLeft": "left", "GpuBuildRight": "right"}
_KEYED = ("SortMergeJoin", "BroadcastHashJoin", "ShuffledHashJoin")
_WORDS = re.compile(r"(\w+(?:\([^)]*\))?)(?: (\w+))?$")
_GEOMETRY = re.compile(r"[^,()]+: (?:geometry|geography|raster)$")
_PREDICATE = re.compile(r"([A-Z]{4,}|true|false)?(?:^| ?)((?:ST|RS)_\w+\(.*\)|\(.*\))?$", re.DOTALL)
_DISTANCE = re.compile(r"[\d.]+$")
_SIDES = re.compile(r"condition = \[ .*full = (.*) \]$", re.DOTALL)


def read_join(op: str, text: str) -> Parts:
    """`SortMergeJoin [l#1], [r#2], Inner, (a#3 > b#4)`, `Join Inner, (..)`,
    `BroadcastNestedLoopJoin BuildRight, Inner`.

    Also what a tree of `explain formatted` says of a join: `Inner BuildRight`.
    """
    parts: Parts = {}
    if text.startswith("("):  # SortMergeJoin(skew=true) [..], or CartesianProduct (condition)
        head, inside, tail = bracketed(text)
        if inside.startswith("skew="):
            if inside.endswith("true"):
                parts["skew"] = True
            text = tail.strip()
        elif not tail:
            return {"condition": whole(head)}
    if "," not in text and read_join_words(text, parts):
        return parts
    leftover = _read_pieces(op, text, parts)
    if op == "StreamingSymmetricHashJoin":
        return _streaming(parts, leftover)
    if op == "LateralJoin" and leftover:
        parts["subquery"] = leftover.pop(0)
    return _read_rest(op, leftover, parts)


def _read_pieces(op: str, text: str, parts: Parts) -> list[str]:
    """Keys, sides, types and hints of a join into `parts`; what is none of these."""
    lists: list[list[str]] = []
    leftover: list[str] = []
    for piece in split(text):
        if is_list(piece) and not leftover and "join_type" not in parts and len(lists) < 2:
            lists.append(items(piece))
        elif piece in BUILD:
            parts["build_side"] = BUILD[piece]
        elif "join_type" not in parts and JOIN_TYPE.match(piece):
            parts["join_type"] = piece
        elif piece.startswith(("leftHint=", "rightHint=", "hint=")):
            parts["hints"] = f"{parts['hints']}, {piece}" if "hints" in parts else piece
        else:
            leftover.append(piece)
    if len(lists) == 2:
        parts["left_keys"], parts["right_keys"] = lists
    elif lists and parts.get("join_type") and op in _KEYED and not any("#" in key for key in lists[0]):
        parts["left_keys"] = parts["right_keys"] = lists[0]  # by hand, of columns with the same names
    elif lists:
        leftover.insert(0, f"[{', '.join(lists[0])}]")
    return leftover


def _read_rest(op: str, leftover: list[str], parts: Parts) -> Parts:
    """Flags and condition of a join, from what is left of its line."""
    flags = [piece for piece in leftover if piece in ("true", "false")]
    # Spark's broadcast joins end with one; what the booleans of other engines' joins mean is not known.
    if flags and flags[0] == "true" and "BroadcastHash" in op and parts.get("join_type") == "LeftAnti":
        parts["null_aware"] = True
    leftover = [piece for piece in leftover if piece not in ("true", "false", "None")]
    # RAPIDS' nested loops end with the size of a batch.
    sizes = [piece for piece in leftover if piece.isdigit()]
    leftover = [piece for piece in leftover if not piece.isdigit()]
    if "join_type" not in parts and (implied := _implied_type(op, parts)):
        parts["join_type"] = implied
    if leftover:
        condition = leftover.pop(0)
        # A literal may hold a comma outside brackets; what follows still belongs to the condition.
        while leftover and condition.count("(") > condition.count(")"):
            condition += ", " + leftover.pop(0)
        parts["condition"] = whole(condition)
    return rest(parts, [*leftover, *sizes])


def _implied_type(op: str, parts: Parts) -> str | None:
    """The join type that Spark up to 1.6 leaves to the operator's name."""
    if "LeftSemiJoin" in op:
        return "LeftSemi"
    whole_keys = "right_keys" in parts and not any("..." in key for key in parts["right_keys"])
    inner = whole_keys and op in ("SortMergeJoin", "BroadcastHashJoin", "ShuffledHashJoin", "HashJoin")
    return "Inner" if inner else None


def read_spatial_join(op: str, text: str) -> Parts:
    """Sedona's joins: `RangeJoin a#1: geometry, b#2: geometry, WITHIN`, `BroadcastIndexJoin a#1: geometry, LeftSide,
    RightSide, Inner, INTERSECTS ST_Intersects(a#1, b#2)`, `DistanceJoin a#1: geometry, b#2: geometry, 2.0, true`.

    An inner join unless it says otherwise.
    """
    parts: Parts = {}
    leftover = []
    for piece in split(text):
        if _GEOMETRY.match(piece):
            parts.setdefault("left_keys" if "left_keys" not in parts else "right_keys", [piece.partition(":")[0]])
        elif piece in BUILD:
            parts.setdefault("build_side", BUILD[piece])
        elif JOIN_TYPE.match(piece):
            parts["join_type"] = piece
        elif match := _PREDICATE.match(piece):
            if match[1] and match[1] not in ("true", "false"):
                parts["predicate"] = match[1]
            if match[2]:
                parts["condition"] = match[2]
        elif _DISTANCE.match(piece):
            parts["distance"] = piece
        elif piece not in ("true", "false", "LeftSide", "RightSide"):
            leftover.append(piece)
    parts.setdefault("join_type", "Inner")
    return rest(parts, leftover)


def read_join_words(text: str, parts: Parts) -> bool:
    """`Inner BuildRight` into `parts`; False when the text is something else."""
    match = _WORDS.match(text)
    if match is None:
        return False
    words = [word for word in match.groups() if word]
    if not all(word in BUILD or JOIN_TYPE.match(word) for word in words):
        return False
    for word in words:
        if word in BUILD:
            parts["build_side"] = BUILD[word]
        else:
            parts["join_type"] = word
    return True


def _streaming(parts: Parts, leftover: list[str]) -> Parts:
    """Conditions and state of a join of two streams; the condition shown is the one on both sides."""
    unnamed = []
    for piece in leftover:
        if match := _SIDES.match(piece):
            if match[1] != "null":
                parts["condition"] = whole(match[1])
        elif piece.startswith("state info"):
            parts["state_info"] = piece
        elif piece.startswith("state cleanup"):
            parts["state_cleanup"] = piece
        elif isinstance(watermark := number(piece), int):
            parts.setdefault("watermarks", []).append(watermark)
        elif piece in ("Append", "Update", "Complete"):
            parts["output_mode"] = piece
        else:
            unnamed.append(piece)
    return rest(parts, unnamed)
