"""The findings of a whole document, query by query, and changes of settings that were planned to prove them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from planviz.config import OptimizerConfig
from planviz.document.alternatives.replanning import with_sql
from planviz.document.alternatives.rewrites import (
    APPROXIMATE_COUNTS,
    NOT_EXISTS,
    PREFIXES,
    REPARTITION_TO_ONE,
    UNION_ALL,
    YEAR_RANGES,
    Rewrite,
    rewritten,
)
from planviz.document.model import Document, SqlStatement
from planviz.document.opening.plans import planned
from planviz.errors import PlanvizError
from planviz.execution import QueryExecution
from planviz.findings.finding import SEVERITIES, Finding, WhatIf
from planviz.findings.plan_view import EXCHANGES
from planviz.findings.registry import findings, ignored
from planviz.graph.plan_graph import PlanGraph
from planviz.graph.scan_names import name_of
from planviz.settings import SETTINGS, known, spark_words

#: What a document of an event log is recognised as.
EVENT_LOG = "event log"
#: Stages that are looked at beside the executed plan: they alone have estimates in a pasted text.
_BESIDE = ("optimized",)
#: Operators by which a plan is told in a what-if.
_TOLD = ("join", "exchange", "sort", "aggregate", "limit")


@dataclass(frozen=True)
class QueryFindings:
    """The findings of one query: `plan` is the index of the plan in the document that they are about.

    `statement` is the query's place in an SQL text, from 0, and `line` the line where it begins; None and 1 for a
    pasted plan. A query can come twice, once for each of its plans that has findings. `execution` is the number and
    description that an event log tells, as in "6: collect at job.py:17"; empty for anything else.
    """

    plan: int
    statement: int | None
    line: int
    findings: tuple[Finding, ...]
    execution: str = ""


#: What is tried for a finding, in this order.
REWRITES: Mapping[str, tuple[Rewrite, ...]] = {
    "count-distinct": (APPROXIMATE_COUNTS,),
    "distinct-expand": (APPROXIMATE_COUNTS,),
    "union-distinct": (UNION_ALL,),
    "not-in-nulls": (NOT_EXISTS,),
    "filter-not-pushed": (YEAR_RANGES, PREFIXES),
    "large-broadcast": (NOT_EXISTS,),
    "coalesce-to-one": (REPARTITION_TO_ONE,),
}
#: Of which severities no finding may come that was not there.
_ABOVE: Mapping[str, tuple[str, ...]] = {one: SEVERITIES[: SEVERITIES.index(one)] for one in SEVERITIES}
#: Findings that are true only where it is known which table a column belongs to.
_OF_KNOWN_TABLES = ("unused-outer-side",)


#: What a replay sets so that a pasted part of a plan comes out as printed, whatever stood above it.
_GUESSED = ("spark.sql.adaptive.enabled",)


class KnownSettings(Mapping[str, str]):
    """The settings of a query that planviz planned, in Spark's words, but for those that were only guessed."""

    def __init__(self, config: OptimizerConfig, guessed: Collection[str] = ()) -> None:
        self._config, self._guessed = config, guessed

    def __getitem__(self, key: str) -> str:
        value = None if key in self._guessed else self._config.get(key)
        if value is None:
            raise KeyError(key)
        return spark_words(value)

    def __iter__(self) -> Iterator[str]:
        return iter(SETTINGS)

    def __len__(self) -> int:
        return len(SETTINGS)


#: An action that asks for some rows: Spark plans it with a limit that the plan of the DataFrame alone has not.
_SHOWS = re.compile(r"\.show\([^()]*\)\s*;?\s*$|^\s*display\(")
#: Findings on what it costs to have all rows of a result.
_OF_ALL_ROWS = frozenset({"global-sort"})


def logged_settings(plan: PlanGraph) -> Mapping[str, str] | None:
    """The settings that an event log tells of a plan's session, in Spark's words; None where it tells none."""
    return {key: spark_words(value) for key, value in known(plan.settings).items()} or None


def document_findings(document: Document, without: Collection[str] = (), what_if: bool = False) -> list[QueryFindings]:
    """The findings of every query of a document, in its order; `without` names those to leave out.

    Of each query the last physical plan is looked at, and the optimized one for what only it tells. With `what_if`
    the changes of settings that findings name are planned, and those that keep their promise are told with them.
    """
    found: list[QueryFindings] = []
    # A text of thousands of plans is looked through once.
    silent = {*without, *ignored(document.text)}
    for group in document.groups:
        plans = [document.plans[at] for at in group]
        statement = statement_of(document, group[0])
        for at in _looked_at(document, group):
            siblings = [plan for plan in plans if plan is not document.plans[at]]
            made = _findings_of(document, at, siblings, silent)
            seen = {one.name for earlier in found if earlier.plan in group for one in earlier.findings}
            made = [one for one in made if one.name not in seen]
            if what_if and statement is not None and statement.execution is not None:
                made = [tried(one, statement.execution) for one in made]
            if made:
                index = statement.index if statement is not None else None
                line = statement.line if statement is not None else 1
                execution = plans[0].title.removesuffix(" · final") if document.recognised == EVENT_LOG else ""
                found.append(QueryFindings(at, index, line, tuple(made), execution))
    return found


def plan_findings(
    document: Document, at: int, siblings: Collection[PlanGraph] = (), without: Collection[str] = ()
) -> list[Finding]:
    """The findings of one plan of a document."""
    return _findings_of(document, at, siblings, {*without, *ignored(document.text)})


def _findings_of(
    document: Document, at: int, siblings: Collection[PlanGraph], without: Collection[str]
) -> list[Finding]:
    statement = statement_of(document, at)
    execution = statement.execution if statement is not None else None
    replayed = statement is not None and statement.replay is not None
    settings: Mapping[str, str] | None = logged_settings(document.plans[at])
    if execution is not None:
        settings = KnownSettings(execution.config, _GUESSED if replayed else ())
    if not siblings:
        group = next((g for g in document.groups if at in g), (at,))
        siblings = [document.plans[one] for one in group if one != at]
    in_house = execution is not None and not replayed
    if execution is not None and execution.guesses_tables_of_columns:
        without = {*without, *_OF_KNOWN_TABLES}
    if statement is not None and document.recognised.endswith(" program") and _SHOWS.search(statement.sql):
        without = {*without, *_OF_ALL_ROWS}
    return findings(document.plans[at], tuple(siblings), settings, document.text, without, in_house, comments=False)


def statement_of(document: Document, plan: int) -> SqlStatement | None:
    """The statement of an SQL text or program that a plan belongs to."""
    return next((s for s in document.statements if plan in s.plans), None)


def _looked_at(document: Document, group: tuple[int, ...]) -> list[int]:
    """The plans of a query to look at: the physical one, and an optimized one that has estimates."""
    stages = {document.plans[at].stage: at for at in group}
    main = next((stages[stage] for stage in ("physical", "initial", "optimized", "other") if stage in stages), None)
    beside = [stages[s] for s in _BESIDE if s in stages and stages[s] != main]
    return ([] if main is None else [main]) + beside


def tried(finding: Finding, execution: QueryExecution) -> Finding:
    """The finding with a change planned, of settings or of the query's text; as it was where none helps."""
    found = _with_settings(finding, execution) if finding.settings else finding
    for rewrite in () if found.what_if is not None else REWRITES.get(finding.name, ()):
        found = _with_rewrite(finding, execution, rewrite)
        if found.what_if is not None:
            break
    return found


def _with_rewrite(finding: Finding, execution: QueryExecution, rewrite: Rewrite) -> Finding:
    """The finding with the query written otherwise: offered when fewer of its kind and none graver are left."""
    sql = rewritten(execution.sql, rewrite) if execution.sql else ""
    if sql == execution.sql:
        return finding
    try:
        other = with_sql(execution, sql)
        before, after = _plans(execution.again()), _plans(other)
    except PlanvizError:
        return finding
    known = KnownSettings(execution.config)
    was, left = (findings(plans[-1], plans[:-1], known) for plans in (before, after))
    fewer = _places(left, finding.name) < _places(was, finding.name)
    graver = any(_count(left, severity) > _count(was, severity) for severity in _ABOVE[finding.severity])
    told, then = difference_in_words(before[-1], after[-1])
    if not fewer or graver:
        return finding
    if told == then:
        told, then = (_pushed(plan) for plan in (before[-1], after[-1]))
    return replace(finding, what_if=WhatIf(rewrite.words, told, then))


def _pushed(plan: PlanGraph) -> str:
    """What the scans of a plan were given to skip by."""
    scans = [(name_of(n), n.arguments.get("pushed_filters")) for n in plan if n.kind == "scan"]
    return "; ".join(f"{name}: {', '.join(map(str, pushed)) or 'nothing'} pushed" for name, pushed in scans if pushed)


def _places(found: Collection[Finding], name: str) -> int:
    return sum(len(one.nodes) for one in found if one.name == name)


def _count(found: Collection[Finding], severity: str) -> int:
    return sum(one.severity == severity for one in found)


def _with_settings(finding: Finding, execution: QueryExecution) -> Finding:
    """The finding with its change of settings planned; as it was where the change does not help."""
    try:
        config = execution.config.with_settings(dict(finding.settings))
        before, after = (_plans(execution.again(c)) for c in (execution.config, config))
    except PlanvizError:
        return finding
    left = findings(after[-1], after[:-1], KnownSettings(config))
    still = sum(len(one.nodes) for one in left if one.name == finding.name and one.evidence == finding.evidence)
    told, other = difference_in_words(before[-1], after[-1])
    if still or told == other:
        return finding
    change = ", ".join(f"{key} = {value}" for key, value in finding.settings)
    return replace(finding, what_if=WhatIf(change, told, other))


def _plans(execution: QueryExecution) -> list[PlanGraph]:
    _ = execution.physical
    return planned(execution, lambda _: None)[0]


def difference_in_words(before: PlanGraph, after: PlanGraph) -> tuple[str, str]:
    """What of two plans differs in number: joins, exchanges, sorts and aggregates by name."""
    counts = [Counter(n.op for n in plan if n.kind in _TOLD or n.op in EXCHANGES) for plan in (before, after)]
    names = [op for op in dict.fromkeys([*counts[0], *counts[1]]) if counts[0][op] != counts[1][op]]
    was, now = (", ".join(f"{count[op]} {op}" for op in names) for count in counts)
    if before.count("AdaptiveSparkPlan") != after.count("AdaptiveSparkPlan"):
        was = ", ".join(filter(None, [was, f"{before.count('AdaptiveSparkPlan')} AdaptiveSparkPlan"]))
        now = ", ".join(filter(None, [now, f"{after.count('AdaptiveSparkPlan')} AdaptiveSparkPlan"]))
    return was, now


def finding_json(finding: Finding) -> dict[str, object]:
    """A finding as JSON values; `line` counts from 1, `nodes` are ids of the plan."""
    told: dict[str, object] = {
        "name": finding.name,
        "severity": finding.severity,
        "title": finding.title,
        "evidence": finding.evidence,
        "why": finding.why,
        "advice": finding.advice,
        "cost": finding.cost,
        "nodes": list(finding.nodes),
        "node": finding.node,
        "line": finding.line,
    }
    if finding.stake is not None:
        told["stake"] = {
            "amount": finding.stake.amount, "unit": finding.stake.unit, "measured": finding.stake.measured,
        }  # fmt: skip
    if finding.what_if is not None:
        told["what_if"] = {
            "change": finding.what_if.change, "before": finding.what_if.before, "after": finding.what_if.after,
        }  # fmt: skip
    return told


def together(found: Collection[QueryFindings]) -> list[QueryFindings]:
    """The findings of a program whose actions share a line once, at the first query that has them."""
    queries = Counter((f.name, f.line, f.evidence) for query in found for f in query.findings)
    seen: set[tuple[str, int | None, str]] = set()
    kept: list[QueryFindings] = []
    for query in found:
        ones: list[Finding] = []
        for finding in query.findings:
            key = finding.name, finding.line, finding.evidence
            if finding.line is None or queries[key] == 1:
                ones.append(finding)
            elif key not in seen:
                seen.add(key)
                ones.append(replace(finding, evidence=f"{finding.evidence} So in {queries[key]} queries."))
        if ones:
            kept.append(replace(query, findings=tuple(ones)))
    return kept


def counted(all: Collection[Finding]) -> dict[str, int]:
    """How many findings there are of each severity, the gravest first."""
    counts = Counter(one.severity for one in all)
    return {severity: counts[severity] for severity in SEVERITIES if counts[severity]}
