"""Lines of other engines' operators in Spark's form: RAPIDS, Photon, Comet, Gluten."""

from __future__ import annotations

import re

from planviz.graph.kinds import spark_operator

#: RAPIDS writes functions, partitionings and build sides with a prefix.
_GPU = re.compile(r"(?<![A-Za-z0-9_.#])(partial_|merge_)?[gG]pu(?=[a-z]+[($]|Build(?:Left|Right))")
#: A stage of Databricks' aggregate: its functions name the columns of their buffers. `_PARTIAL` begins one, `_BUFFER`
#: stands behind it.
_MERGED = re.compile(r"merge_\w{1,200}\(merge ")
_PARTIAL = re.compile(r"(?:\[|, )partial_\w{1,200}\(")
_BUFFER = re.compile(r"\) AS [\w(]")
#: A window of Databricks says behind its order whether it is one of another kind.
_FLAGGED_WINDOW = re.compile(r"\], (?:true|false)$")
_STAGE = re.compile(r"(?:finalmerge|merge)_(\w{1,200})\(merge [^()]*\)")
_NAMED = re.compile(r" AS (?:\([^()]*\)|(?:(?! AS )[^,\[\]])*?#\d+L?)(?=, |\])")
_RESULT = re.compile(
    r"finalmerge_\w{1,200}\(merge [^()]*\) AS ((?:(?!finalmerge_).)*?)#(\d+)(L?)(?=, finalmerge_|\]\)?)"
)
#: Comet writes the stage in brackets or, in later versions, without.
_COMET_MODE = re.compile(r", \[?(Final|Partial|PartialMerge)\]?, ")
_COMET_SCAN = re.compile(r"^ \[\w+\](?= \w+ )")
#: RAPIDS' sums and averages name the type of their result behind the argument.
_BASIC = re.compile(r"(?<![A-Za-z])basic(sum|average|min|max)\(")
_TYPED = re.compile(r", (?:[A-Z][a-z]+Type(?:\(\d+,\s*\d+\))?)(?:, (?:true|false))?(?=\))")


def spark_line(op: str, rest: str) -> str:
    """What stands behind an operator's name, as Spark writes it."""
    if op.startswith("Gpu"):
        return _of_rapids(op, rest)
    if op.startswith("Photon"):
        return _of_photon(op, rest)
    if op.startswith("Comet"):
        return _of_comet(spark_operator(op), rest)
    if op.endswith("Aggregate") and _names_buffers(rest):
        return _of_databricks(rest)
    return _FLAGGED_WINDOW.sub("]", rest) if op == "Window" else rest


def in_databricks_words(op: str, text: str) -> bool:
    """Whether a line with one of Spark's operators says what only Databricks prints."""
    return bool(
        (op.endswith("Aggregate") and _names_buffers(text)) or (op == "Window" and _FLAGGED_WINDOW.search(text))
    )


def _names_buffers(text: str) -> bool:
    """Whether an aggregate's functions name the columns of their buffers."""
    start = text.find("functions=")
    if start < 0:
        return False
    if _MERGED.search(text, start) is not None:
        return True
    # The name stands behind the function: an argument may have one of its own (`pivotfirst(a#1, sum(b) AS c#2, x)`).
    return any(_BUFFER.match(text, _closing(text, p.end() - 1) - 1) for p in _PARTIAL.finditer(text, start))


def _of_rapids(op: str, rest: str) -> str:
    if op == "GpuFilter":
        # Whether the batches that come out may be joined stands last.
        rest = re.sub(r", (?:true|false)$", "", rest)
    if op == "GpuBroadcastNestedLoopJoin":
        # So does the size that a batch should have.
        rest = re.sub(r", \d+$", "", rest)
    rest = _GPU.sub(lambda m: m.group(1) or "", rest)
    rest = rest.replace("singlepartitioning$()", "SinglePartition")
    if _BASIC.search(rest):
        rest = _TYPED.sub("", _BASIC.sub(lambda m: "avg(" if m[1] == "average" else f"{m[1]}(", rest))
    if ", Build" in rest and rest.endswith((", true", ", false")):
        # What stands last in a hash join of RAPIDS is whether it is skewed, no condition.
        rest = rest.rpartition(", ")[0]
    return re.sub(r"\)?, filters=List\(.*\)\)$", ")", rest).replace("])])", "])")


def _of_databricks(rest: str) -> str:
    """Functions without the columns of their buffers, which Databricks names behind them."""
    start = rest.index("functions=[")
    end = rest.find("], output=[", start)
    functions, behind = (rest[start:], "") if end < 0 else (rest[start : end + 1], rest[end + 1 :])
    if "finalmerge_" in functions:
        functions = f"functions=[{', '.join(name for name, _, _ in _RESULT.findall(functions))}]" + ")" * (end < 0)
    else:
        functions = _NAMED.sub("", _STAGE.sub(r"merge_\1()", functions))
    return rest[:start] + functions + behind


def _of_photon(op: str, rest: str) -> str:
    """Functions without the columns of their buffers; those of the last stage by the names of their results."""
    if op in ("PhotonGroupingAgg", "PhotonAgg"):
        results = [(name, number, long) for name, number, long in _RESULT.findall(rest)]
        if results:
            keys = rest[rest.index("=[") + 2 : rest.index("], functions=")]
            given = [k for k in (re.sub(r"^.* AS ", "", k) for k in keys.split(", ")) if k]
            functions = ", ".join(name for name, _, _ in results)
            output = ", ".join([*given, *(f"{name}#{number}{long}" for name, number, long in results)])
            return f"(keys=[{keys}], functions=[{functions}], output=[{output}])"
        start = rest.find("functions=[")
        return rest[:start] + _NAMED.sub("", _STAGE.sub(r"merge_\1()", rest[start:])) if start > 0 else rest
    if op == "PhotonSort" and rest.endswith("]"):
        return f"{rest}, true"
    return rest


def _of_comet(name: str, rest: str) -> str:
    """The line without the list of columns that Comet puts first."""
    if name == "HashAggregate" and (parts := _comet_aggregate(rest)) is not None:
        given, stage, keys, functions = parts
        output = f", output={given}" if stage != "Final" else ""
        return f"(keys={keys or '[]'}, functions={functions}{output})"
    if name in ("Filter", "Project", "Sort", "Expand") and rest.startswith(" ["):
        end = _closing(rest, 1)
        if rest.startswith(", ", end):
            return _sorted(f" {rest[end + 2 :]}") if name == "Sort" else f" {rest[end + 2 :]}"
    if name.endswith("Scan"):
        return _COMET_SCAN.sub("", rest)
    if name == "TakeOrderedAndProject" and "TakeOrderedAndProject(" in rest:
        return rest[rest.index("TakeOrderedAndProject(") + len("TakeOrderedAndProject") :]
    return rest


def _comet_aggregate(rest: str) -> tuple[str, str, str, str] | None:
    """Output, mode, keys and functions of ` [...], [Final], [...], [...]`, None for anything else."""
    modes = list(_COMET_MODE.finditer(rest))
    if not modes or not rest.startswith(" [") or not rest.endswith("]"):
        return None
    given, behind = rest[1 : modes[-1].start()], rest[modes[-1].end() :]
    if not (given.endswith("]") and behind.startswith("[")):
        return None
    between = behind.rfind("], [")
    if between < 0:  # there are no keys
        return given, modes[-1][1], "", behind
    return given, modes[-1][1], behind[: between + 1], behind[between + 3 :]


def _sorted(rest: str) -> str:
    return rest if rest.endswith((", true", ", false")) else f"{rest}, false"


def _closing(text: str, start: int) -> int:
    """Where the list that begins there ends, behind its bracket."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] in "[(") - (text[at] in "])")
        if depth == 0:
            return at + 1
    return len(text)
