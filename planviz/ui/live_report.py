"""What the Live page tells of a captured query: figures, rows expected and measured, planviz beside Spark (G-010)."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from planviz.catalog.tables import Catalog
from planviz.document import Document, open_sql
from planviz.document.comparison.normalization import without_numbering
from planviz.document.comparison.spark import Comparison, Expected, StageComparison, compare, settings_of
from planviz.errors import InputError, PlanvizError
from planviz.graph import PlanGraph, PlanNode
from planviz.graph.diff import PlanDiff, diff
from planviz.jsontypes import JsonObject
from planviz.render.text import one_line
from planviz.ui import cache
from planviz.ui.opened import Opened, in_worker
from planviz.units import duration, exact

RECOGNISED = "Spark capture"
#: Estimates that are off by less are not worth a word.
FAR_OFF = 10.0
_NEAR = 1.05
#: Differences of one kind that are told, and rules that are named.
_MOST = 8
_MEASURED = "number of output rows"
#: Operators by how much it matters that they differ.
_ORDER = ("join", "exchange", "aggregate", "sort", "window", "scan", "filter")


def is_capture(opened: Opened | None) -> bool:
    """Whether a document is a capture of a live Spark."""
    return opened is not None and opened.facts.recognised == RECOGNISED


@in_worker
def captured(opened: Opened) -> JsonObject:
    """The capture's own values, without plans and rules."""
    if ("captured",) not in opened.made:
        whole = json.loads(opened.text)
        kept = ("sql", "at", "spark", "conf", "milliseconds", "executed")
        told = {name: whole.get(name) or {} for name in kept}
        told["executed"] = {name: value for name, value in told["executed"].items() if name != "plan"}
        told["differs"] = (whole.get("trace") or {}).get("differs") or []
        opened.made["captured",] = told
    found: JsonObject = opened.made["captured",]
    return found


@in_worker
def packed(opened: Opened) -> bytes:
    """The capture as the file that `planviz spark capture` writes."""
    return gzip.compress(opened.text.encode(), 9, mtime=0)


# -- figures


@in_worker
def figures(opened: Opened) -> list[tuple[str, str]]:
    """What happened, as number and words: planned, rules, ran, rows."""
    told, trace = captured(opened), opened.document.trace
    found = [(duration(told["milliseconds"].get("planned", 0)), "to plan")]
    if trace.steps:
        found.append((f"{len(trace.steps):,}", "rules at work"))
    executed = told["executed"]
    if executed:
        found.append((duration(executed["milliseconds"]), "to run"))
        if executed["rows"] is None:
            found.append(("failed", "while it ran"))
        else:
            found.append((exact(executed["rows"]), "row came" if executed["rows"] == 1 else "rows came"))
    worst = worst_estimate(opened)
    if worst is not None:
        found.append((worst.factor_words, f"{worst.direction}: {worst.op}"))
    return found


# -- rows


@dataclass(frozen=True)
class Rows:
    """An operator of the plan that ran: rows expected (None: not known) and measured, and how far they are apart."""

    depth: int
    op: str
    about: str
    expected: int | None
    measured: int | None

    @property
    def factor(self) -> float:
        """How many times too few or too many were expected; 1 where either is not known."""
        if self.expected is None or self.measured is None:
            return 1.0
        low, high = sorted((max(self.expected, 1), max(self.measured, 1)))
        return high / low

    @property
    def factor_words(self) -> str:
        """The factor for people: `12×`."""
        return f"{self.factor:,.0f}×" if self.factor >= FAR_OFF else f"{self.factor:.1f}×"

    @property
    def direction(self) -> str:
        """Whether too few or too many rows were expected."""
        if self.expected is None or self.measured is None or self.factor < _NEAR:
            return ""
        return "too few expected" if self.expected < self.measured else "too many expected"


@in_worker
def rows(opened: Opened) -> list[Rows]:
    """The operators that ran, in the order of the plan; empty for a query that was only planned."""
    plan = _executed(opened)
    if plan is None:
        return []
    nodes = [node for node in plan if node.estimate is not None or _MEASURED in (node.metrics or {})]
    top = min((node.depth for node in nodes), default=0)
    return [_rows(node, top) for node in nodes]


def _rows(node: PlanNode, top: int) -> Rows:
    about = node.arguments.get("table") or node.arguments.get("join_type") or ""
    expected = node.estimate.rows if node.estimate is not None else None
    measured = (node.metrics or {}).get(_MEASURED)
    return Rows(node.depth - top, node.op, str(about), expected, None if measured is None else int(measured))


def worst_estimate(opened: Opened) -> Rows | None:
    """The operator whose rows are farthest from what was expected, if that is far."""
    worst = max(rows(opened), key=lambda found: found.factor, default=None)
    return worst if worst is not None and worst.factor >= FAR_OFF else None


def _executed(opened: Opened) -> PlanGraph | None:
    plans = opened.document.plans
    return plans[-1] if plans and plans[-1].title.endswith("· final") else None


# -- planviz beside Spark


@dataclass(frozen=True)
class Verdict:
    """planviz beside Spark in words: a headline, the differences with the most important first, and the numbers."""

    headline: str
    differences: tuple[str, ...] = ()
    comparison: Comparison | None = None


@in_worker
def verdict(opened: Opened, catalog: str) -> Verdict:
    """The query of a capture planned by planviz with a catalogue of `cache`, beside what Spark made of it."""
    key = ("verdict", catalog)
    if key not in opened.made:
        try:
            opened.made[key] = _verdict(opened, catalog)
        except PlanvizError as error:
            opened.made[key] = Verdict(f"planviz has no plan to compare: {error}")
    found: Verdict = opened.made[key]
    return found


def _verdict(opened: Opened, catalog: str) -> Verdict:
    told = captured(opened)
    if not told["sql"]:
        raise InputError("the capture is of a DataFrame and holds no SQL")
    # As the version of Spark that was captured, where no other one was chosen.
    config = opened.config.with_settings(settings_of(told))
    ours = open_sql(told["sql"], _catalog(told["sql"], catalog), config, stage="physical")
    if ours.error is not None:
        raise ours.error
    found = compare(ours, opened.document)
    return Verdict(_headline(found), tuple(_differences(found, ours, opened.document)), found)


def _catalog(sql: str, name: str) -> Catalog | None:
    return cache.catalog_of(cache.open_document(sql, name).catalog)


def _headline(found: Comparison) -> str:
    equal = [stage for stage in found.stages if stage.equal]
    told = [f"{len(equal)} of {len(found.stages)} plans equal, operator by operator"]
    if found.rules or found.only_spark or found.only_planviz:
        both, every = len(found.rules), len(found.rules) + len(found.only_spark) + len(found.only_planviz)
        told.append(f"{both} of {every} rules fired on both sides")
    if found.expected:
        told.append(f"{len(found.expected) - len(found.wrong)} of {len(found.expected)} estimates equal")
    return f"{'planviz and Spark agree' if found.equal else 'planviz and Spark differ'}: {', '.join(told)}."


def _differences(found: Comparison, ours: Document, spark: Document) -> Iterable[str]:
    for stage in reversed(found.stages):
        if stage.missing:
            yield f"{stage.missing} has no {stage.stage} plan."
        elif not stage.equal:
            yield from _of_stage(stage, ours, spark)
    for one in found.wrong[:_MOST]:
        yield f"Estimate of {one.operator}: Spark {_size(*one.spark)}, planviz {_size(*one.planviz)}."
    for who, rules in (("Spark", found.only_spark), ("planviz", found.only_planviz)):
        if rules:
            more = f" and {len(rules) - _MOST} more" if len(rules) > _MOST else ""
            yield f"Fired in {who} alone: {', '.join(rules[:_MOST])}{more}."


def _of_stage(stage: StageComparison, ours: Document, spark: Document) -> Iterable[str]:
    own, theirs = (_plan(document, stage.stage) for document in (ours, spark))
    told = _words(diff(theirs, own, numbers=True)) if own is not None and theirs is not None else []
    if not told and stage.difference is not None:
        told = [f"Spark has “{stage.difference[0] or 'nothing'}”, planviz “{stage.difference[1] or 'nothing'}”"]
    for words in told[:_MOST]:
        yield f"{stage.stage.capitalize()} plan: {words}."
    if len(told) > _MOST:
        yield f"{stage.stage.capitalize()} plan: {len(told) - _MOST} more differences."


def _plan(document: Document, stage: str) -> PlanGraph | None:
    return next((plan for plan in document.plans if plan.stage == stage), None)


def _words(found: PlanDiff) -> list[str]:
    """The differences of two plans, Spark's before and planviz's after, those that matter most first."""
    told: list[tuple[PlanNode, str]] = []
    for match in found.changed:
        node = found.before[match.before]
        if without_numbering(node.text) != without_numbering(found.after[match.after].text):
            told.append((node, f"{node.op}, from Spark to planviz: {'; '.join(map(str, match.changes[:3]))}"))
    told += [(found.before[id], f"{found.before[id].op} only in Spark") for id in found.removed]
    told += [(found.after[id], f"{found.after[id].op} only in planviz") for id in found.inserted]
    told += [(found.before[m.before], f"{found.before[m.before].op} stands elsewhere") for m in found.moved]
    return [one_line(words, 300) for _, words in sorted(told, key=lambda pair: _weight(pair[0]))]


def _weight(node: PlanNode) -> int:
    return _ORDER.index(node.kind) if node.kind in _ORDER else len(_ORDER)


def _size(rows: int | None, size: int | None) -> str:
    return f"{'unknown' if rows is None else exact(rows)} rows and {exact(size or 0)} bytes"


# -- as HTML


def figures_html(opened: Opened) -> str:
    """The figures as a row of tiles."""
    told = [f"<div><b>{escape(number)}</b><span>{escape(words)}</span></div>" for number, words in figures(opened)]
    return f'<div class="pv-figures">{"".join(told)}</div>'


def rows_html(opened: Opened) -> str:
    """Rows expected beside rows measured, for every operator that ran."""
    lines = "".join(_row_html(found) for found in rows(opened))
    names = ("Operator", "#Expected", "#Measured", "Off")
    return _table_html("Rows expected and measured", names, lines)


def _row_html(found: Rows) -> str:
    about = f" <span>{escape(one_line(found.about, 60))}</span>" if found.about else ""
    off = ""
    if found.direction:
        tone = ("under" if found.direction.startswith("too few") else "over") if found.factor >= FAR_OFF else ""
        width = min(100, math.log10(found.factor) * 25)
        off = (
            f'<i class="pv-off pv-{tone}" style="width:{width:.0f}px"></i>'
            f"{escape(found.factor_words)} <span>{escape(found.direction)}</span>"
        )
    elif found.expected is not None and found.measured is not None:
        off = "<span>as expected</span>"
    numbers = "".join(f"<td class=pv-number>{_number(n)}</td>" for n in (found.expected, found.measured))
    return f"<tr><td {_indent(found.depth)}>{escape(found.op)}{about}</td>{numbers}<td>{off}</td></tr>"


def _number(value: int | None) -> str:
    return "<span>–</span>" if value is None else exact(value)


def verdict_html(found: Verdict) -> str:
    """planviz beside Spark: the headline, what differs, and a line for every stage."""
    tone = "" if found.comparison is None else ("pv-same" if found.comparison.equal else "pv-differs")
    told = "".join(f"<li>{escape(words)}</li>" for words in found.differences)
    listed = f"<ol>{told}</ol>" if told else ""
    return (
        f'<div class="pv-verdict {tone}"><p><b>{escape(found.headline)}</b></p>{listed}'
        f"{_compared_html(found.comparison) if found.comparison is not None else ''}</div>"
    )


def _compared_html(found: Comparison) -> str:
    tables = [_stages_html(found)] + ([_expected_html(found.expected)] if found.expected else [])
    return f'<div class="pv-side-by-side">{"".join(tables)}</div>'


def _expected_html(expected: Iterable[Expected]) -> str:
    """Rows of the optimized plan's operators: what both expect, and what Spark measured."""
    lines = []
    for one in expected:
        numbers = [one.spark[0], one.planviz[0], one.measured]
        cells = "".join(f"<td class=pv-number>{_number(number)}</td>" for number in numbers)
        mark = "" if one.equal else " <span>≠</span>"
        lines.append(f"<tr><td {_indent(one.depth)}>{escape(one.operator)}{mark}</td>{cells}</tr>")
    names = ("Optimized plan, rows", "#Spark expects", "#planviz expects", "#measured")
    return _table_html("Rows expected by Spark and planviz", names, "".join(lines))


def _indent(depth: int) -> str:
    return f'style="padding-left:{min(depth, 40) * 14}px"'


def _stages_html(found: Comparison) -> str:
    lines = []
    for stage in found.stages:
        word = f"{stage.missing} has none" if stage.missing else ("equal" if stage.equal else "differs")
        mark = "✓" if stage.equal else "≠"
        lines.append(
            f"<tr><td>{stage.stage.capitalize()}</td><td>{mark} {escape(word)}</td>"
            f"<td class=pv-number>{stage.same:,} of {stage.operators:,}</td></tr>"
        )
    names = ("Plan", "", "#Operators at the same place")
    return _table_html("Plans of planviz and Spark", names, "".join(lines))


def catalog_html(text: str) -> str:
    """The tables of a planviz-catalog/1 text with rows, bytes and columns that have statistics."""
    lines = []
    for name, table in json.loads(text)["tables"].items():
        stats = table["stats"]
        numbers = (stats.get("rowCount"), stats.get("sizeInBytes"), len(stats.get("columns") or {}))
        cells = "".join(f"<td class=pv-number>{_number(number)}</td>" for number in numbers)
        lines.append(f"<tr><td>{escape(one_line(name, 120))}</td>{cells}</tr>")
    names = ("Table", "#Rows", "#Bytes", "#Columns counted")
    return _table_html("Collected statistics", names, "".join(lines))


def _table_html(label: str, names: Sequence[str], lines: str) -> str:
    """A table; columns whose names begin with # hold numbers."""
    kinds = (' class="pv-number"' if name.startswith("#") else "" for name in names)
    head = "".join(f'<th scope="col"{kind}>{name.lstrip("#")}</th>' for name, kind in zip(names, kinds, strict=True))
    return (
        f'<div class="pv-table pv-told" tabindex="0" role="region" aria-label="{escape(label)}">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table></div>"
    )
