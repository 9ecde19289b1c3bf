"""What `planviz check` found, as text, JSON, JUnit XML and SARIF."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from xml.sax.saxutils import escape, quoteattr

from planviz.cli.sarif import counted, sarif, sarif_level, sarif_result
from planviz.document.comparison.plans import difference_json
from planviz.document.comparison.stored_plans import Checked
from planviz.graph.effect import KINDS
from planviz.render.text import file_name, one_line

_MOST = 12
_STATES = {
    "same": "same",
    "changed": "changed",
    "new": "new",
    "stale": "without a query",
    "failed": "failed",
    "empty": "without a plan",
}
_SIGNS = {"same": "✓", "empty": "·", "changed": "≠", "new": "+", "stale": "−", "failed": "✗"}
#: Rules of SARIF for what is no effect.
_RULES = {
    "plan-changed": "the stored plan is not what the query gives now",
    "plan-new": "no plan of this query is stored",
    "plan-stale": "a stored plan has no query any more",
    "plan-failed": "the query cannot be planned",
}
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def text_report(found: Sequence[Checked], kinds: Sequence[str]) -> str:
    """A line for each query that is not the same, what differs below it, and the sum."""
    lines = []
    for one in found:
        if one.state in ("same", "empty"):
            continue
        lines.append(f"{_SIGNS[one.state]} {file_name(one.name)}: {one_line(one.headline, 400)}")
        effects = one.effects
        for effect in effects[:_MOST]:
            sign = "▲" if effect.worse else "▼" if effect.worse is False else "·"
            lines.append(f"    {sign} {one_line(effect.words, 240)}")
        if len(effects) > _MOST:
            lines.append(f"    and {len(effects) - _MOST} more")
    counts: Counter[str] = Counter(one.state for one in found)
    told = ", ".join(f"{counts[state]:,} {words}" for state, words in _STATES.items() if counts[state])
    return "\n".join([*lines, f"{len(found):,} {'query' if len(found) == 1 else 'queries'}: {told}."]) + "\n"


def json_report(found: Sequence[Checked], kinds: Sequence[str]) -> str:
    """`{"format": "planviz-check/1", "ok", "queries": [...]}`; a changed query has its differences in full."""
    told = {
        "format": "planviz-check/1",
        "ok": not any(one.fails(kinds) for one in found),
        "queries": [
            {
                "name": one.name, "file": one.path, "state": one.state, "fails": one.fails(kinds),
                "message": one.headline, "differences": [difference_json(each) for each in one.differences],
            }
            for one in found
        ],
    }  # fmt: skip
    return json.dumps(told, ensure_ascii=True, indent=1) + "\n"


def junit_report(found: Sequence[Checked], kinds: Sequence[str]) -> str:
    """JUnit XML: a test case for each query."""
    failing = [one for one in found if one.fails(kinds)]
    errors = sum(one.state == "failed" for one in failing)
    seconds = sum(one.seconds for one in found)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    counts = f'tests="{len(found)}" failures="{len(failing) - errors}" errors="{errors}" time="{seconds:.3f}"'
    lines.append(f'<testsuites {counts}><testsuite name="planviz check" {counts}>')
    for one in found:
        head = (
            f'<testcase classname="planviz" name={_quoted(one.name)} file={_quoted(one.path)} time="{one.seconds:.3f}"'
        )
        if one.state == "empty":
            lines.append(f"{head}><skipped/></testcase>")
        elif not one.fails(kinds):
            lines.append(f"{head}/>")
        else:
            tag = "error" if one.state == "failed" else "failure"
            body = "\n".join(effect.words for effect in one.effects)
            message = f"{_STATES[one.state]}: {one.headline}"
            lines.append(
                f"{head}><{tag} type={_quoted(one.state)} message={_quoted(message)}>{_xml(body)}</{tag}></testcase>"
            )
    lines.append("</testsuite></testsuites>")
    return "\n".join(lines) + "\n"


def _xml(text: str) -> str:
    return escape(_NO_XML.sub("�", text))


def _quoted(text: str) -> str:
    return quoteattr(_NO_XML.sub("�", text), {"\n": "&#10;"})


def sarif_report(found: Sequence[Checked], kinds: Sequence[str]) -> str:
    """SARIF 2.1.0: a result for each difference, at the query it is about."""
    rules = {**KINDS, **_RULES}
    results: list[dict[str, object]] = []
    for one in found:
        if one.state in ("same", "empty"):
            continue
        fails = one.fails(kinds)
        if not one.effects:
            results.append(_result(f"plan-{one.state}", "error" if fails else "note", one.headline, one))
        for effect in one.effects:
            counts = fails and counted(effect, kinds)
            results.append(_result(effect.kind, sarif_level(effect) if counts else "note", effect.words, one))
    return sarif(results, rules)


def _result(rule: str, level: str, words: str, one: Checked) -> dict[str, object]:
    return sarif_result(rule, level, f"{one.name}: {words}", one.path, one.line)


#: Reports by the names that `--format` takes.
REPORTS: dict[str, Callable[[Sequence[Checked], Sequence[str]], str]] = {
    "text": text_report,
    "json": json_report,
    "junit": junit_report,
    "sarif": sarif_report,
}
