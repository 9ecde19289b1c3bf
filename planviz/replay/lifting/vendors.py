"""Lines of other engines' operators in Spark's form: RAPIDS, Photon, Comet, Gluten."""

from __future__ import annotations

import re

from planviz.graph.kinds import spark_name

#: Names of vendors' operators that differ from Spark's by more than a prefix or suffix.
_OTHERS = {
    "GroupingAgg": "HashAggregate",
    "Agg": "HashAggregate",
    "TopK": "TakeOrderedAndProject",
    "TopN": "TakeOrderedAndProject",
    "ShuffleExchangeSink": "Exchange",
    "ShuffledHashJoinExec": "ShuffledHashJoin",
    "FlushableHashAggregate": "HashAggregate",
    "RegularHashAggregate": "HashAggregate",
    "HashJoin": "ShuffledHashJoin",
    "NativeScan": "FileScan",
    "FileGpuScan": "FileScan",
    "GpuScan": "FileScan",
}
#: RAPIDS writes functions, partitionings and build sides with a prefix.
_GPU = re.compile(r"(?<![A-Za-z0-9_.#])(partial_|merge_)?[gG]pu(?=[a-z]+[($]|Build(?:Left|Right))")
#: A stage of Databricks' aggregate: its functions name the columns of their buffers.
_BUFFERS = re.compile(r"functions=.*?(?:merge_\w+\(merge |(?:\[|, )partial_\w+\(.*?\) AS [\w(])")
#: A window of Databricks says behind its order whether it is one of another kind.
_FLAGGED_WINDOW = re.compile(r"\], (?:true|false)$")
_STAGE = re.compile(r"(?:finalmerge|merge)_(\w+)\(merge [^()]*\)")
_NAMED = re.compile(r" AS (?:\([^()]*\)|[^,\[\]]*?#\d+L?)(?=, |\])")
_RESULT = re.compile(r"finalmerge_\w+\(merge [^()]*\) AS (.*?)#(\d+)(L?)(?=, finalmerge_|\]\)?)")
#: Comet writes the stage in brackets or, in later versions, without, and no keys where there are none.
_COMET_AGGREGATE = re.compile(r" (\[.*\]), \[?(Final|Partial|PartialMerge)\]?, (?:(\[.*\]), )?(\[.*\])$")
_COMET_SCAN = re.compile(r"^ \[\w+\](?= \w+ )")
#: RAPIDS' sums and averages name the type of their result behind the argument.
_BASIC = re.compile(r"(?<![A-Za-z])basic(sum|average|min|max)\(")
#: What stands last in a hash join of RAPIDS is whether it is skewed, no condition.
_SKEW_FLAG = re.compile(r"(, Build(?:Left|Right).*?), (?:true|false)$")
_TYPED = re.compile(r", (?:[A-Z][a-z]+Type(?:\(\d+,\s*\d+\))?)(?:, (?:true|false))?(?=\))")


def spark_operator(op: str) -> str:
    """Spark's name of an operator, whoever printed it."""
    name = spark_name(op)
    return _OTHERS.get(name, name)


def spark_line(op: str, rest: str) -> str:
    """What stands behind an operator's name, as Spark writes it."""
    if op.startswith("Gpu"):
        return _of_rapids(rest)
    if op.startswith("Photon"):
        return _of_photon(op, rest)
    if op.startswith("Comet"):
        return _of_comet(spark_operator(op), rest)
    if op.endswith("Aggregate") and _BUFFERS.search(rest):
        return _of_databricks(rest)
    return _FLAGGED_WINDOW.sub("]", rest) if op == "Window" else rest


def in_databricks_words(op: str, text: str) -> bool:
    """Whether a line with one of Spark's operators says what only Databricks prints."""
    return bool(
        (op.endswith("Aggregate") and _BUFFERS.search(text)) or (op == "Window" and _FLAGGED_WINDOW.search(text))
    )


def _of_rapids(rest: str) -> str:
    rest = _GPU.sub(lambda m: m.group(1) or "", rest)
    rest = rest.replace("singlepartitioning$()", "SinglePartition")
    if _BASIC.search(rest):
        rest = _TYPED.sub("", _BASIC.sub(lambda m: "avg(" if m[1] == "average" else f"{m[1]}(", rest))
    rest = _SKEW_FLAG.sub(r"\1", rest)
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
    if name == "HashAggregate" and (m := _COMET_AGGREGATE.match(rest)) is not None:
        given, stage, keys, functions = m.groups()
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
