"""Every check, by family, and the findings of a plan: ranked by what is at stake, one for each cause."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache

from planviz.errors import InputError
from planviz.findings import (
    aggregates,
    ctes,
    engines,
    exchanges,
    filters,
    functions,
    joins,
    limits,
    measured,
    products,
    repeated,
    scans,
    statistics,
    streams,
)
from planviz.findings.finding import SEVERITIES, Check, Finding, Hit
from planviz.findings.plan_view import PlanView
from planviz.graph.plan_graph import PlanGraph

_FAMILIES = {
    "products": products, "joins": joins, "scans": scans, "filters": filters, "exchanges": exchanges,
    "aggregates": aggregates, "functions": functions, "limits": limits, "repeated": repeated, "ctes": ctes,
    "statistics": statistics, "measured": measured, "engines": engines, "streams": streams,
}  # fmt: skip
#: `-- planviz: ignore NAME, NAME` anywhere in the text; without names, all.
_IGNORED = re.compile(r"(?:--|#|//)\s*planviz:\s*ignore\b([^\n]*)", re.IGNORECASE)
#: Findings whose hits of one plan are listed in one another's place, so that one cause is told once.
_COVERS = {
    "cartesian-product": ("nested-loop-join",),
    "exchange-not-reused": ("repeated-subtree", "repeated-scan"),
    "repeated-subtree": ("repeated-scan",),
    "cte-computed-again": ("repeated-scan",),
    "missing-broadcast": ("late-broadcast", "shuffled-join"),
    "rdd-scan": ("shuffled-join",),
    "size-unknown": ("shuffled-join",),
}


@cache
def checks() -> Mapping[str, Check]:
    """Every check by its name, family by family in the order of their modules."""
    found: dict[str, Check] = {}
    for module in _FAMILIES.values():
        for value in vars(module).values():
            own = isinstance(value, type) and issubclass(value, Check) and value.__module__ == module.__name__
            if own and hasattr(value, "name"):
                found[value.name] = value()
    return found


def family(check: Check) -> str:
    """The family of a check, such as "joins"."""
    return type(check).__module__.rpartition(".")[2]


def check_named(name: str) -> Check:
    """A check by its name. Raises InputError with the names there are."""
    found = checks().get(name)
    if found is None:
        raise InputError(f"There is no finding {name!r}; there are {', '.join(sorted(checks()))}.")
    return found


def ignored(text: str) -> frozenset[str]:
    """The names that comments of a text silence, `-- planviz: ignore NAME, NAME`; all names for one without any.

    Words that are no finding's name silence nothing.
    """
    names: set[str] = set()
    for found in _IGNORED.finditer(text):
        told = re.findall(r"[a-z][a-z-]*[a-z]", found[1])
        names |= set(told) if told else set(checks())
    return frozenset(names & checks().keys())


def findings(
    graph: PlanGraph,
    siblings: Sequence[PlanGraph] = (),
    settings: Mapping[str, str] | None = None,
    text: str = "",
    without: Collection[str] = (),
    planned: bool = False,
    comments: bool = True,
) -> list[Finding]:
    """The findings of one plan, the gravest first, then by the time of their stages, where a log tells it, by what is
    at stake, and in the order of the text.

    `siblings` are the other plans of the same query, `settings` those it was planned with, where they are known. What
    `without` names is left out, and with `comments` what a comment in `text` silences. `planned` tells that planviz
    planned the query.
    """
    if not len(graph):
        return []
    plan = PlanView(graph, siblings, settings, text, planned)
    silent = {*without, *(ignored(text) if text and comments else ())}
    found: list[Finding] = []
    for check in checks().values():
        if check.name not in silent and graph.stage in check.stages:
            found += _of_check(check, plan)
    return sorted(_without_covered(found, plan), key=lambda finding: _rank(finding, plan))


def _of_check(check: Check, plan: PlanView) -> Iterable[Finding]:
    by_cause: dict[str, list[Hit]] = {}
    for hit in check.find(plan):
        by_cause.setdefault(hit.cause or str(hit.nodes), []).append(hit)
    return [_together(check, hits, plan) for hits in by_cause.values()]


def _together(check: Check, hits: list[Hit], plan: PlanView) -> Finding:
    """One finding of all hits of one cause: the words of the gravest, the operators of all."""
    first = max(hits, key=lambda h: h.stake.amount if h.stake else 0)
    nodes = tuple(dict.fromkeys(node for hit in [first, *hits] for node in hit.nodes))
    more = f" So at {len(hits)} operators." if len(hits) > 1 else ""
    source = plan.graph[nodes[0]].source if nodes else None
    return Finding(
        check.name,
        first.severity or check.severity,
        first.title or check.title,
        first.evidence + more,
        first.why or check.why,
        first.advice or check.advice,
        first.cost or check.cost,
        nodes,
        source[0] if source else None,
        first.stake,
        settings=first.settings,
    )


def _without_covered(found: list[Finding], plan: PlanView) -> list[Finding]:
    """Without findings all operators of which stand beneath or at one that is told with the same cause."""
    covered: dict[str, set[int]] = {}
    for finding in found:
        for name in _COVERS.get(finding.name, ()):
            beneath = {n.id for node in finding.nodes for n in plan.graph.walk(node)}
            covered.setdefault(name, set()).update(beneath)
    return [f for f in found if not (set(f.nodes) <= covered.get(f.name, set()) and f.nodes)]


#: Findings about no operator more than about others.
_OF_THE_WHOLE = frozenset(
    {"text-cut", "adaptive-off", "many-shuffles", "row-count-missing", "estimate-wrong", "hash-probes"}
)
_WEIGHTS = {"ms": 1e6, "bytes": 1.0, "rows": 50.0}


def _rank(finding: Finding, plan: PlanView) -> tuple[int, int, float, int]:
    """Severity, then what the tasks of its stage took, what is at stake (time before bytes before rows, in one
    measure), and the place. What is said of a text or of the plan as a whole has no stage.
    """
    stake = finding.stake
    weight = stake.amount * _WEIGHTS[stake.unit] if stake is not None else 0.0
    local = finding.node is not None and finding.name not in _OF_THE_WHOLE
    time = plan.stage_time(plan.graph[finding.node]) if local and finding.node is not None else 0
    return SEVERITIES.index(finding.severity), -time, -weight, finding.node if finding.node is not None else -1
