"""Which versions of Spark print a plan so: spellings that came or went with a version, each a bound with its place.

`[plan_id=` came with 3.2, `promote_precision` went with 3.3. Vendors carry spellings back into older versions, so
bounds that contradict each other tell nothing. The bounds are measured on plans that Spark 3.0 to 4.3 printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from planviz.graph import PlanGraph, PlanNode

Minor = tuple[int, int]
Where = Literal["logical", "physical", "operators", "details", "everywhere"]
Confidence = Literal["stated", "high", "medium", "low", "none"]

OLDEST, NEWEST = (1, 0), (99, 0)
_MOST_OPERATORS, _MOST_LINES, _MOST_CHARACTERS = 400, 4_000, 4_000
_NUMBERED = re.compile(r" \(\d+\)$")
_LOGICAL = frozenset({"parsed", "analyzed", "optimized"})
#: What only Databricks' runtimes print.
_DATABRICKS = re.compile(r"^\W*Photon[A-Z]|\bEXECUTOR_BROADCAST\b|\bfinalmerge_\w+\(merge ")
_IN_DATABRICKS = ("Photon", "EXECUTOR_BROADCAST", "finalmerge_")
#: The minor versions there are, to count how many a text leaves.
_MINORS: tuple[Minor, ...] = (
    *((1, n) for n in range(7)),
    *((2, n) for n in range(5)),
    *((3, n) for n in range(6)),
    *((4, n) for n in range(4)),
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What stands in a text (`words`), where (`line` from 1, None for the text as a whole), and the versions that
    print so: from `first` to `last`, both included."""

    words: str
    first: Minor
    last: Minor
    line: int | None = None
    weak: bool = False

    @property
    def versions(self) -> str:
        """The versions that print so, in words."""
        return _in_words(self.first, self.last)


@dataclass(frozen=True, slots=True)
class PrintedBy:
    """The versions that may have printed a text, from `first` to `last`, with the evidence in the order of the text.

    `stated` is a version that the text names itself, as it names it, `vendor` whose it is where that is told.
    `contradicted`: the evidence leaves no version.
    """

    first: Minor = OLDEST
    last: Minor = NEWEST
    evidence: tuple[Evidence, ...] = ()
    stated: str = ""
    vendor: str = ""
    contradicted: bool = False

    @property
    def words(self) -> str:
        """`Spark 3.4 to 3.5`, `Spark 3.3 or later`, `Spark 3.5.1` as stated; empty where nothing is told."""
        if self.stated:
            return f"Spark {self.stated}{f' ({self.vendor})' * bool(self.vendor)}"
        return "" if self.contradicted else _in_words(self.first, self.last)

    @property
    def left(self) -> int:
        """How many of the known minor versions, 1.0 to 4.3, are left."""
        return sum(self.first <= minor <= self.last for minor in _MINORS)

    @property
    def confidence(self) -> Confidence:
        """stated: the text names it. high: one or two minor versions are left, medium: up to four, low: more."""
        if self.stated:
            return "stated"
        if not self.words:
            return "none"
        return "high" if self.left <= 2 else "medium" if self.left <= 4 else "low"

    def includes(self, version: Minor) -> bool:
        """Whether this version may have printed the text."""
        return self.contradicted or self.first <= version <= self.last


@dataclass(frozen=True, slots=True)
class Spelling:
    """A spelling that a version brought or gave up. `literal` stands in every text that `pattern` finds (a quick test);
    `where`: operators of logical or physical plans, of either, or the lines beneath a formatted plan."""

    literal: str
    pattern: re.Pattern[str]
    first: Minor
    last: Minor
    words: str
    where: Where = "operators"
    #: Somebody who tidies up a text makes the same of what other versions print: it counts while nothing contradicts.
    weak: bool = False


def _spelling(
    literal: str, pattern: str, first: str, last: str, words: str, where: Where = "operators", *, weak: bool = False
) -> Spelling:
    since, until = _minor(first) or OLDEST, _minor(last) or NEWEST
    return Spelling(literal, re.compile(pattern), since, until, words, where, weak)


def _minor(text: str) -> Minor | None:
    major, _, minor = text.partition(".")
    return (int(major), int(minor)) if minor else None


#: Of columns with their numbers: who writes a plan by hand leaves both out.
_FLAGS = r"^BroadcastHashJoin \[[^#]*#.*, Build(?:Left|Right)(?:, \(.*\))?"
_ANY: Where = "everywhere"
SPELLINGS: tuple[Spelling, ...] = (
    _spelling("Partitioning", r"^Exchange \((?:Hash|Range)Partitioning ", "", "1.6", "partitioning as a case class"),
    _spelling("MetastoreRelation", r"MetastoreRelation \w+, \w+, (?:None|Some)", "", "1.6", "MetastoreRelation"),
    _spelling(
        "Tungsten", r"^Tungsten(?:Aggregate|Exchange|Sort|Project)", "1.5", "1.6", "operators are named Tungsten…"
    ),
    _spelling("ConvertTo", r"^ConvertTo(?:Uns|S)afe$", "1.5", "1.6", "ConvertToUnsafe or ConvertToSafe"),
    _spelling("isDistinct=", r",mode=\w+,isDistinct=", "1.5", "1.6", "aggregates show mode and isDistinct"),
    # Subqueries of every version join what they read with && in brackets.
    _spelling(") && ", r"^[^\[]*\) && ", "", "2.4", "conjunctions are written &&"),
    _spelling(") || ", r"^[^\[]*\) \|\| ", "", "2.4", "alternatives are written ||"),
    _spelling(
        "Batched: ", r"\bBatched: (?:true|false), Format: ", "2.0", "2.4", "a scan without DataFilters", weak=True
    ),
    _spelling(" AND ", r"\) AND \(|#\d+L?\) AND ", "3.0", "", "conjunctions are written AND"),
    _spelling("[id=#", r"^Exchange .*, (?:true|false), \[id=#\d+\]$", "3.0", "3.0", "an exchange shows true or false"),
    _spelling(
        "[id=#",
        r"partitioning\(.*, (?:true|false), \[id=#\d+\]$",
        "3.0",
        "3.0",
        "an exchange shows true or false",
        "details",
    ),
    _spelling("[id=#", r"^(?:Broadcast)?Exchange .*\), \[id=#\d+\]$", "3.0", "3.2", "an exchange shows [id=#…]"),
    _spelling(
        "Exchange ",
        r"^Exchange (?:hash|range)partitioning\(.*#\d+.*, \d+\)$",
        "",
        "2.4",
        "an exchange has no number",
        "physical",
        weak=True,
    ),
    _spelling(
        "ENSURE_REQUIREMENTS, [id", r"ENSURE_REQUIREMENTS, \[id=#\d+\]", "3.1", "3.2", "[id=#…] in exchanges", _ANY
    ),
    # Databricks' own; the first runtime with it, 11.3, is built on Spark 3.3.
    _spelling("EXECUTOR_BROADCAST", r"\bEXECUTOR_BROADCAST\b", "3.3", "", "EXECUTOR_BROADCAST (Databricks 11.3)", _ANY),
    _spelling("ENSURE_REQUIREMENTS", r"\bENSURE_REQUIREMENTS\b", "3.1", "", "ENSURE_REQUIREMENTS", _ANY),
    _spelling("[plan_id=", r"\[plan_id=\d+\]", "3.2", "", "[plan_id=…] in exchanges", _ANY),
    _spelling(
        "BroadcastMode(List(",
        r"HashedRelationBroadcastMode\(List\(.*\)\), \[",
        "",
        "3.0",
        "a broadcast mode without a flag",
        _ANY,
    ),
    _spelling(
        "BroadcastMode(List(",
        r"HashedRelationBroadcastMode\(List\(.*\), ?(?:true|false)\), \[",
        "3.1",
        "",
        "a broadcast mode with a flag",
        _ANY,
    ),
    _spelling("BroadcastHashJoin [", _FLAGS + "$", "", "3.0", "a broadcast join without a flag", "physical"),
    _spelling(
        "BroadcastHashJoin [",
        r"^BroadcastHashJoin \[.*, (?:true|false), (?:true|false)$",
        "4.2",
        "",
        "a broadcast join shows two flags",
        "physical",
    ),
    _spelling(
        "BroadcastHashJoin [",
        r"^BroadcastHashJoin \[.*(?:Build(?:Left|Right)|\)), (?:true|false)$",
        "3.1",
        "4.1",
        "a broadcast join shows one flag",
        "physical",
    ),
    _spelling("CustomShuffleReader", r"^CustomShuffleReader", "3.0", "3.1", "CustomShuffleReader"),
    _spelling("AQEShuffleRead", r"^AQEShuffleRead", "3.2", "", "AQEShuffleRead"),
    _spelling("REPARTITION_BY_NUM", r"\bREPARTITION_BY_NUM\b", "3.1", "", "REPARTITION_BY_NUM", _ANY),
    _spelling("REBALANCE_PART", r"\bREBALANCE_PARTITIONS_BY_\w+", "3.2", "", "REBALANCE_PARTITIONS", _ANY),
    _spelling("InMemoryFileIndex(", r"\bInMemoryFileIndex\(\d+ paths\)\[", "3.2", "", "a scan counts its paths"),
    _spelling("InMemoryFileIndex[", r"\bInMemoryFileIndex\[", "", "3.1", "a scan does not count its paths", "physical"),
    _spelling("Relation[", r"^Relation\[", "2.0", "3.1", "relations are printed without their name", "logical"),
    _spelling("Relation ", r"^Relation [\w.`]+\[", "3.2", "", "relations are printed with their name", "logical"),
    _spelling(
        "spark_catalog.", r"^Relation spark_catalog\.", "3.4", "", "relations are named spark_catalog.…", "logical"
    ),
    _spelling("Relation ", r"^Relation \w+\.\w+\[.*\] \w+$", "3.2", "3.3", "relations without a catalogue", "logical"),
    _spelling("Scan", r"^(?:File)?Scan \w+ spark_catalog\.", "3.4", "", "scans are named spark_catalog.…", "physical"),
    _spelling(
        "Scan",
        r"^(?:File)?Scan (?:parquet|orc|json|csv|text|avro) \w+\.\w+(?:\[| \(|$)",
        "2.0",
        "3.3",
        "scans are named without a catalogue",
        "physical",
    ),
    _spelling(
        "promote_precision(", r"\bpromote_precision\(", "2.0", "3.3", "decimals pass promote_precision", "everywhere"
    ),
    _spelling("ansi_cast(", r"\bansi_cast\(", "3.0", "3.3", "casts are printed as ansi_cast", _ANY),
    _spelling("Union", r"^Union$", "", "3.0", "a logical Union without flags", "logical"),
    _spelling("Union ", r"^Union (?:true|false), (?:true|false)$", "3.1", "", "a logical Union with flags", "logical"),
    _spelling("CTERelationDef", r"^CTERelationDef \d+$", "3.2", "3.2", "CTERelationDef without a flag", "logical"),
    _spelling("CTERelation", r"^CTERelationDef \d+, ", "3.3", "", "CTERelationDef with a flag", "logical"),
    _spelling(
        "CTERelationRef", r"^CTERelationRef \d+, \w+, \[.*\]$", "3.2", "3.3", "CTERelationRef without flags", "logical"
    ),
    _spelling(
        "CTERelationRef",
        r"^CTERelationRef \d+, \w+, \[.*\], (?:true|false)$",
        "3.4",
        "3.5",
        "CTERelationRef with one flag",
        "logical",
    ),
    _spelling(
        "CTERelationRef",
        r"^CTERelationRef \d+, \w+, \[.*\], (?:true|false), (?:true|false)",
        "4.0",
        "",
        "CTERelationRef with two flags",
        "logical",
    ),
    _spelling(
        "CTERelationRef",
        r"^CTERelationRef .*\], (?:true|false), (?:true|false), \d+$",
        "4.1",
        "",
        "CTERelationRef knows its number of rows",
        "logical",
    ),
    _spelling("Join type: ", r"^Join type: \w+", "3.4", "", "the formatted mode names the join's type", "details"),
    _spelling("WindowGroupLimit", r"^WindowGroupLimit", "3.5", "", "WindowGroupLimit"),
    _spelling("toprettystring(", r"\btoprettystring\(", "3.5", "", "toprettystring"),
    _spelling("might_contain(", r"\bmight_contain\(", "3.3", "", "a bloom filter of another side", _ANY),
    _spelling("between(", r"(?<![\w`])'?between\(", "4.0", "", "BETWEEN is a function", _ANY),
    _spelling("unresolvedalias(", r"\bunresolvedalias\(.*, None\)", "2.0", "3.5", "an alias shows None", "logical"),
    _spelling("SubqueryBroadcast ", r"^SubqueryBroadcast [\w#]+, \d+, ", "3.0", "3.5", "SubqueryBroadcast, one key"),
    _spelling("SubqueryBroadcast ", r"^SubqueryBroadcast [\w#]+, \[\d", "4.0", "", "SubqueryBroadcast, keys in []"),
    _spelling("PythonMapInArrow", r"^PythonMapInArrow\b", "3.3", "3.5", "PythonMapInArrow"),
    _spelling("MapInArrow", r"^MapInArrow\b", "4.0", "", "MapInArrow"),
    _spelling("ArrowWindowPython", r"^ArrowWindowPython\b", "4.1", "", "ArrowWindowPython"),
    _spelling("ArrowAggregatePython", r"^ArrowAggregatePython\b", "4.1", "", "ArrowAggregatePython"),
    _spelling("AggregateInPandas", r"^AggregateInPandas\b", "2.4", "4.0", "AggregateInPandas"),
    _spelling("WindowInPandas", r"^WindowInPandas\b", "2.4", "4.0", "WindowInPandas"),
    _spelling("ResultQueryStage", r"^ResultQueryStage\b", "4.0", "", "ResultQueryStage"),
    _spelling("UnionLoop", r"^UnionLoop\b", "4.0", "", "UnionLoop"),
)
_IN_OPERATORS = {
    stage: tuple(s for s in SPELLINGS if s.where in ("operators", "everywhere", stage))
    for stage in ("logical", "physical")
}
_IN_DETAILS = tuple(s for s in SPELLINGS if s.where in ("details", _ANY))


def minor_words(version: Minor) -> str:
    """`3.5`."""
    return f"{version[0]}.{version[1]}"


def _in_words(first: Minor, last: Minor) -> str:
    if first == OLDEST and last == NEWEST:
        return ""
    if last == NEWEST:
        return f"Spark {minor_words(first)} or later"
    if first == OLDEST:
        return f"Spark {minor_words(last)} or earlier"
    return f"Spark {minor_words(first)}" if first == last else f"Spark {minor_words(first)} to {minor_words(last)}"


def printed_by(
    plans: Sequence[PlanGraph], details: Iterable[tuple[int, str]] = (), *, stages: bool = True
) -> PrintedBy:
    """The versions that plans betray by their spellings.

    `details` are the lines beneath formatted plans with their numbers, from 1. Without `stages` the marks of generated
    code tell nothing, for another engine wrote them. Plans and lines are looked at up to a
    fixed number; raises nothing.
    """
    found: dict[Spelling, Evidence] = {}
    operators = [(plan.stage, node) for plan in plans for node in islice(plan, _MOST_OPERATORS)]
    in_operators, in_details = _IN_OPERATORS, _IN_DETAILS
    if any(_is_databricks(node.text) for _, node in operators):
        in_operators = {kind: _of_databricks(spellings) for kind, spellings in in_operators.items()}
        in_details = _of_databricks(in_details)
    for stage, node in islice(operators, 4 * _MOST_OPERATORS):
        kind = "logical" if stage in _LOGICAL else "physical"
        line = None if node.source is None else node.source[0]
        _look(in_operators[kind], node.text[:_MOST_CHARACTERS], line, found)
    for number, text in islice(details, _MOST_LINES):
        _look(in_details, text.strip()[:_MOST_CHARACTERS], number, found)
    marks = _by_codegen([node for _, node in operators]) if stages else ()
    evidence = [*found.values(), *marks]
    return _bounded(evidence)


def _is_databricks(text: str) -> bool:
    # The pattern tries every word of a text: what it finds holds one of these.
    return any(word in text for word in _IN_DATABRICKS) and _DATABRICKS.search(text) is not None


def _of_databricks(spellings: Sequence[Spelling]) -> tuple[Spelling, ...]:
    """Those that tell a version in Databricks' runtimes, too: these kept [id=#…] when Spark 3.2 went over to
    [plan_id=…], and showed a second flag of broadcast joins long before Spark 4.2."""
    return tuple([s for s in spellings if "[id" not in s.literal and not s.literal.startswith("BroadcastHashJoin")])


def _look(spellings: Sequence[Spelling], text: str, line: int | None, found: dict[Spelling, Evidence]) -> None:
    for s in spellings:
        if s.literal in text and s not in found and s.pattern.search(text):
            found[s] = Evidence(s.words, s.first, s.last, line, s.weak)


def _bounded(evidence: Sequence[Evidence]) -> PrintedBy:
    ordered = tuple(sorted(evidence, key=lambda e: (e.line or 0, e.words)))
    first = max((e.first for e in ordered), default=OLDEST)
    last = min((e.last for e in ordered), default=NEWEST)
    if first > last and any(e.weak for e in ordered):
        return _bounded([e for e in ordered if not e.weak])
    if first > last:
        return PrintedBy(evidence=ordered, contradicted=True)
    return PrintedBy(first, last, ordered)


def _by_codegen(operators: Sequence[PlanNode]) -> Iterable[Evidence]:
    """`*Project` until 2.2, `*(1) Project` since; `explain formatted` prints `* Project (4)` in all versions."""
    numbered = next((node for node in operators if node.codegen_stage is not None), None)
    if numbered is not None:
        yield Evidence("generated stages are numbered", (2, 3), NEWEST, numbered.source and numbered.source[0])
        return
    starred = [node for node in operators if "codegen" in node.badges]
    if starred and not any(node.operator_id is not None or _NUMBERED.search(node.text) for node in starred):
        yield Evidence("generated stages have no number", (2, 0), (2, 2), starred[0].source and starred[0].source[0])
