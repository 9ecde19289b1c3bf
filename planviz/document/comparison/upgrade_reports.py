"""What an upgrade does to a workload, as text for a terminal, JSON, Markdown for a pull request, and one HTML file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from planviz.document.comparison.plans import difference_json
from planviz.document.comparison.upgrades import Cause, Upgrade, Upgraded
from planviz.render.text import file_name, markdown, one_line, within_tag
from planviz.settings import spark_words
from planviz.units import byte_size
from planviz.versions import Edit

_STATES = {
    "breaks": ("fails", "fail", "on the new version alone"),
    "changed": ("has", "have", "another plan"),
    "works": ("fails", "fail", "on the old version alone"),
    "reworded": ("has", "have", "the same plan with other forms of expressions"),
    "same": ("has", "have", "the same plan"),
    "failed": ("fails", "fail", "on both"),
}
_SIGNS = {"breaks": "✗", "changed": "≠", "works": "✓", "failed": "✗"}
_EFFECTS, _NAMES, _PICTURES = 8, 12, 60
#: What Spark takes for no limit: the largest of its integers, and of its long ones.
_NO_LIMIT = (2**31 - 1, 2**63 - 1)


@dataclass(frozen=True)
class Report:
    """An upgrade and its queries, those that need a look first: broken ones, then those over the largest tables."""

    upgrade: Upgrade
    queries: tuple[Upgraded, ...]

    @staticmethod
    def of(upgrade: Upgrade, queries: Sequence[Upgraded]) -> Report:
        """The report of queries in any order."""
        order = list(_STATES)
        ranked = sorted(queries, key=lambda q: (order.index(q.state), -q.bytes_at_stake, q.name))
        return Report(upgrade, tuple(ranked))

    @property
    def counts(self) -> dict[str, int]:
        """How many queries are in each state; states without a query are left out."""
        counts = Counter[str](q.state for q in self.queries)
        return {state: counts[state] for state in _STATES if counts[state]}

    @property
    def shown(self) -> tuple[Upgraded, ...]:
        """The queries that have something to tell."""
        return tuple(q for q in self.queries if q.state not in ("same", "reworded"))

    @property
    def causes(self) -> list[tuple[Cause, list[Upgraded]]]:
        """Every cause with the queries that it changes, those that change most queries first."""
        by_name: dict[tuple[str, str], tuple[Cause, list[Upgraded]]] = {}
        for query in self.queries:
            for cause in query.causes:
                by_name.setdefault((cause.change.since, cause.change.name), (cause, []))[1].append(query)
        return sorted(by_name.values(), key=lambda entry: -len(entry[1]))


def _version(profile: str) -> str:
    return profile.replace("spark-", "Spark ")


def cause_words(cause: Cause) -> str:
    """A cause in a few words: `spark.sql.ansi.enabled is true (was false)`, `the rule OptimizeExpand is new`."""
    change = cause.change
    if change.kind == "setting":
        before, after = (_value(change.name, value) for value in (change.before, cause.after))
        return f"{change.name} is {after} by default (was {before})"
    if change.kind == "rule":
        return f"the rule {change.name} runs where it did not"
    if change.kind == "batch":
        return _batch_words(change.undo.edits[0])
    if change.kind == "preparation":
        return f"the preparation {change.name} is new"
    return cause.about.rstrip(".") or change.name


def _value(setting: str, value: object) -> str:
    """A setting's value as a person says it: `true`, `128 MiB`, `without limit`."""
    if isinstance(value, bool) or not isinstance(value, int):
        return spark_words(value)
    if value in _NO_LIMIT:
        return "without limit"
    return byte_size(value) if setting.endswith("Bytes") and value >= 0 else str(value)


def _batch_words(undo: Edit) -> str:
    """What a version did to its batches, told by the edit that undoes it."""
    new = [rule for rule in undo.drop if rule not in undo.put]
    old = [rule for rule in undo.put if rule not in undo.drop]
    if new == ["*"]:
        return f"the batch {', '.join(undo.batches)} is new"
    if new and old:
        return f"{', '.join(new)} runs in place of {', '.join(old)}"
    if old:
        return f"{', '.join(old)} runs no longer in {', '.join(undo.batches) or undo.name}"
    return f"{', '.join(undo.put or undo.batches)} runs elsewhere or in another order among the batches"


def _because(query: Upgraded) -> list[str]:
    told = [f"{cause_words(cause)}, since {_version(cause.change.since)}" for cause in query.causes]
    return told + [
        f"{_version(name)} plans it otherwise; no single change of it was seen to" for name in query.unexplained
    ]


def _headline(query: Upgraded) -> str:
    if query.state != "changed" or query.difference is None:
        return one_line(query.message, 300)
    size = query.bytes_at_stake
    return query.difference.headline + (f" · over {byte_size(size)} of tables" if size else "")


def _sum(report: Report) -> str:
    told = ", ".join(
        f"{count:,} {_STATES[state][count > 1]} {_STATES[state][2]}" for state, count in report.counts.items()
    )
    count = len(report.queries)
    return f"{count:,} {'query' if count == 1 else 'queries'}: {told}."


def _names(queries: Sequence[Upgraded]) -> str:
    more = len(queries) - _NAMES
    return ", ".join(file_name(q.name) for q in queries[:_NAMES]) + (f" and {more} more" if more > 0 else "")


def text_report(report: Report) -> str:
    """The causes with the queries that they change, then every query that changes, and the sum."""
    lines = [f"{_version(report.upgrade.old)} → {_version(report.upgrade.new)}", ""]
    for cause, queries in report.causes:
        plans = "plan" if len(queries) == 1 else "plans"
        lines.append(f"{len(queries):,} {plans}: {cause_words(cause)}, since {_version(cause.change.since)}")
        lines += [f"    {cause.about}"] if cause.about and cause.change.kind != "behaviour" else []
        lines += [f"    to keep the old plan: {cause.keep}"] if cause.keep else []
        lines += [f"    {_names(queries)}", ""]
    for query in report.shown:
        lines.append(f"{_SIGNS[query.state]} {file_name(query.name)}: {_headline(query)}")
        for effect in query.effects[:_EFFECTS]:
            sign = "▲" if effect.worse else "▼" if effect.worse is False else "·"
            lines.append(f"    {sign} {one_line(effect.words, 200)}")
        more = len(query.effects) - _EFFECTS
        lines += [f"    and {more} more"] if more > 0 else []
        lines += [f"    because {told}" for told in _because(query)]
    return "\n".join([*lines, *([""] if report.shown else []), _sum(report)]) + "\n"


def json_report(report: Report) -> str:
    """`{"format": "planviz-upgrade/1", "from", "to", "counts", "causes", "queries"}`, as docs/upgrade.md has it."""
    told = {
        "format": "planviz-upgrade/1",
        "from": report.upgrade.old,
        "to": report.upgrade.new,
        "counts": report.counts,
        "causes": [{**_cause_json(cause), "queries": [q.name for q in queries]} for cause, queries in report.causes],
        "queries": [
            {
                "name": query.name,
                "file": query.path,
                "line": query.line,
                "state": query.state,
                "message": query.message,
                "bytes_at_stake": int(query.bytes_at_stake),
                "versions": list(query.versions),
                "causes": [_cause_json(cause) for cause in query.causes],
                "unexplained": list(query.unexplained),
                "difference": None if query.difference is None else difference_json(query.difference),
            }
            for query in report.queries
        ],
    }
    return json.dumps(told, ensure_ascii=True, indent=1) + "\n"


def _cause_json(cause: Cause) -> dict[str, object]:
    change = cause.change
    return {
        "since": change.since, "kind": change.kind, "name": change.name, "before": change.before, "after": cause.after,
        "about": cause.about, "keep": cause.keep,
    }  # fmt: skip


def markdown_report(report: Report) -> str:
    """The same for a pull request: causes as a table, each changed query folded."""
    lines = [f"### {_version(report.upgrade.old)} → {_version(report.upgrade.new)}", "", f"**{_sum(report)}**", ""]
    if report.causes:
        lines += ["| plans | because | keep the old plan with | queries |", "|--:|:--|:--|:--|"]
        for cause, queries in report.causes:
            keep = f"`{cause.keep}`" if cause.keep else ""
            words = markdown(f"{cause_words(cause)}, since {_version(cause.change.since)}")
            lines.append(f"| {len(queries):,} | {words} | {keep} | {markdown(_names(queries))} |")
        lines.append("")
    for query in report.shown:
        summary = f"{_SIGNS[query.state]} {within_tag(file_name(query.name))}: {within_tag(_headline(query))}"
        lines += [f"<details><summary>{summary}</summary>", ""]
        lines += [f"- `{effect.kind}` {markdown(effect.words, 200)}" for effect in query.effects]
        lines += [f"- because {markdown(told)}" for told in _because(query)]
        lines += ["", "</details>", ""]
    return "\n".join(lines).rstrip() + "\n"


def html_report(report: Report) -> str:
    """One page without script: the causes, and every changed query with both plans drawn beside each other."""
    title = f"{_version(report.upgrade.old)} → {_version(report.upgrade.new)}"
    rows = [
        f"<tr><td>{len(queries):,}</td><td><b>{escape(cause_words(cause))}</b>, since"
        f" {_version(cause.change.since)}<br>{escape(cause.about)}</td><td><code>{escape(cause.keep)}</code></td>"
        f"<td>{escape(_names(queries))}</td></tr>"
        for cause, queries in report.causes
    ]
    head = "<tr><th>Plans</th><th>Because</th><th>Keep the old plan with</th><th>Queries</th></tr>"
    table = f"<table>{head}{''.join(rows)}</table>" if rows else ""
    queries = "".join(_query_html(query, at < _PICTURES) for at, query in enumerate(report.shown))
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style>'
        f"<h1>{title}</h1><p>{escape(_sum(report))}</p>{table}{queries}</html>\n"
    )


_STYLE = (
    "body{font:14px/1.5 system-ui,sans-serif;max-width:1200px;margin:32px auto;padding:0 16px;color:#1a1f24;"
    "background:#fff}table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #d8dde2;padding:6px 12px;"
    "text-align:left;vertical-align:top}td:first-child{text-align:right}summary{cursor:pointer;padding:6px 0}"
    "code{font-size:12px;overflow-wrap:anywhere}svg{max-width:100%;height:auto}"
)


def _query_html(query: Upgraded, with_picture: bool) -> str:
    entries = [f"<li>{escape(one_line(effect.words, 300))}</li>" for effect in query.effects]
    entries += [f"<li>because {escape(told)}</li>" for told in _because(query)]
    picture = _picture(query) if with_picture else ""
    summary = f"{_SIGNS[query.state]} <b>{escape(file_name(query.name))}</b> {escape(_headline(query))}"
    return f"<details><summary>{summary}</summary><ul>{''.join(entries)}</ul>{picture}</details>"


def _picture(query: Upgraded) -> str:
    from planviz.render.step_drawing import draw_step
    from planviz.render.svg import svg

    if query.difference is None:
        return ""
    told = query.difference
    return svg(draw_step(told.trace, 0, view="split", theme="light", heading=query.name, names=told.names))


#: Reports by the names that `--format` takes.
REPORTS: dict[str, Callable[[Report], str]] = {
    "text": text_report,
    "json": json_report,
    "markdown": markdown_report,
    "html": html_report,
}
