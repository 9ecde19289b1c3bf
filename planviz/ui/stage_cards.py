"""The stages of one aggregate as HTML: cards from the input to the result, with what lies between them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape

from planviz.decisions.choices import Check
from planviz.decisions.estimates import figure_text
from planviz.document.decisions.aggregates import (
    ALLOWED,
    IN_PYTHON,
    MUTABLE,
    OBJECTS,
    PYTHON,
    REPLACE,
    SORTED,
    AggregateReport,
    StageReport,
    exchange_words,
)
from planviz.document.rows.aggregates import Played, StageEstimate, sample_columns
from planviz.expressions.core import AttributeReference
from planviz.mechanics.play import text_of
from planviz.physical.buffers import is_mutable
from planviz.plantext.operators.pieces import split
from planviz.render.text import one_line
from planviz.types.values import Value
from planviz.units import beyond, byte_size, short

#: What a mode does, in the words of inventory C-026.
MODES = {
    "partial": "rows → buffers",
    "merge": "buffers → buffers",
    "final": "buffers → results",
    "complete": "rows → results",
}
_LONGEST = 400
#: Beyond so many names a list has several in a line, so that what follows is seen, and an exchange counts the rest.
_LIST, _FEW = 4, 3
#: More bytes than any exchange moves (8 PiB): what comes of joins whose formulas multiply.
_IMMENSE = 1 << 53
#: Widths of the columns: the input, a stage, what lies between.
_INPUT, _STAGE = "minmax(172px, 250px)", "minmax(196px, 330px)"
_STEP, _SHUFFLE = "48px", "minmax(98px, 132px)"
_QUESTIONS = {
    PYTHON: ("A function written in Python?", "", ""),
    MUTABLE: ("Every buffer updated in place?", "HashAggregate", ""),
    OBJECTS: ("A function that keeps objects?", "", "SortAggregate"),
    ALLOWED: ("May objects be hashed?", "ObjectHashAggregate", "SortAggregate"),
    SORTED: ("Rows sorted by the keys already?", "SortAggregate", ""),
}
#: What is told of questions that were not asked.
_UNASKED = {OBJECTS: "Objects: not asked", ALLOWED: "May objects be hashed?"}
_CATALOGUE = re.compile(r"\bspark_catalog\.\w+\.")

Partitions = Sequence[Sequence[Sequence[Value]]]


def flow(
    report: AggregateReport,
    estimates: Sequence[StageEstimate],
    rows: int | None,
    played: Played | None,
    model: AggregateReport | None,
) -> str:
    """All cards in a row. `rows` are estimated at the input; `model` has the buffers' types, where there is one."""
    parts, columns = [_input(report, rows, played)], [_INPUT]
    if report.expand is not None:
        parts += [_between(None, None, None), _expand(report, played)]
        columns += [_STEP, _INPUT]
    for at, stage in enumerate(report.stages):
        before = estimates[at - 1] if at and estimates else None
        moved = played.stages[at].moved if played is not None else ()
        shuffled = stage.exchange is not None and (at > 0 or report.chain.input_shuffle is not None)
        parts.append(_between(stage, before, moved) if shuffled else _between(stage, None, None, at == 0))
        columns += [_SHUFFLE if shuffled else _STEP, _STAGE]
        planned = model.stages[at] if model is not None else None
        parts.append(_card(stage, planned, estimates[at] if estimates else None, played, at))
    style = f"grid-template-columns: {' '.join(columns)}"
    return f'<div class="pv-flow" style="{style}" tabindex="0" role="region" aria-label="Stages">{"".join(parts)}</div>'


def plain(text: object) -> str:
    """A text without ids and the names of the built-in catalogue, escaped."""
    return escape(one_line(_CATALOGUE.sub("", re.sub(r"#\d+L?(?!\w)", "", str(text))), _LONGEST))


def counted(names: Iterable[object]) -> list[str]:
    """Names as `plain` gives them, each once: of columns of one name from several tables `d_year ×3`."""
    found = Counter(map(plain, names))
    return [name if count == 1 else f"{name} ×{count}" for name, count in found.items()]


def few(names: Sequence[str]) -> str:
    """The first names, and how many more there are: the cards list them all."""
    return ", ".join(names) if len(names) <= _FEW + 1 else f"{', '.join(names[:_FEW])} and {len(names) - _FEW} more"


# -------------------------------------------------------------------------------------------------------- cards


def _input(report: AggregateReport, rows: int | None, played: Played | None) -> str:
    known = sample_columns(report) if report.execution is not None else ()
    columns = [(a.name, a.type.simple_string) for a in (known if played is None else played.columns)]
    about = "".join(f"<li><code>{n}</code> <i>{plain(t)}</i></li>" for n, t in _columns(columns))
    none = "not in the text" if played is None and report.execution is None else "none: rows are only counted"
    body = (
        _section("Columns", _list(about, len(columns)) if about else _quiet(none), "pv-tall")
        + _section(
            "Estimate",
            _quiet("unknown: no statistics of the input") if rows is None else _input_rows(rows),
        )
        + _rows(columns, played.partitions if played is not None else None, "sample rows")
    )
    return _plain_card("Input", "what the aggregate reads", body)


def _list(items: str, count: int) -> str:
    return f'<ul class="pv-list{" pv-many" if count > _LIST else ""}">{items}</ul>'


def _input_rows(rows: int) -> str:
    return _quiet("no usable estimate") if beyond(rows) else f"<b>{figure_text(rows)}</b> rows"


def _columns(columns: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Names, counted, and types of columns; those of one name and type once."""
    found = Counter((plain(name), kind) for name, kind in columns)
    return [(name if count == 1 else f"{name} ×{count}", kind) for (name, kind), count in found.items()]


def _expand(report: AggregateReport, played: Played | None) -> str:
    expand = report.expand
    columns = [(a.name, a.type.simple_string) for a in expand.columns]
    about = "".join(f"<li><code>{plain(n)}</code> <i>{plain(t)}</i></li>" for n, t in columns)
    copies = len(expand.projections)
    body = (
        _section("Columns", f'<ul class="pv-list">{about}</ul>')
        + _section("Copies", f"every row <b>{copies}</b> times: once per set, numbered by <code>gid</code>")
        + _section("", "")
        + _section("", "")
        + _section("", "")
        + _rows(columns, played.expanded if played is not None else None, "rows out")
    )
    return _plain_card("Expand", "rows once per set", body)


def _plain_card(title: str, about: str, body: str) -> str:
    return f'<section class="pv-card pv-input"><header><h3>{title}</h3><p>{about}</p></header>{body}</section>'


def _card(
    stage: StageReport, model: StageReport | None, found: StageEstimate | None, played: Played | None, at: int
) -> str:
    text = stage.text
    planned = model.planned if model is not None else None
    modes = text.mode.split(" and ")
    does = "; ".join(MODES.get(m, m) for m in modes) if text.functions else "removes duplicates"
    shown = played.stages[at] if played is not None else None
    head = (
        f'<header><h3 translate="no"><span class="pv-number">{text.number}</span>'
        f"{escape(_words(text.operator, text.mode))}</h3>"
        f"<p>{escape(does)}</p></header>"
    )
    keys = "".join(f"<li><code>{key}</code></li>" for key in counted(text.keys))
    body = (
        _section("Keys", _list(keys, len(text.keys)) if keys else _quiet("none: one group of all rows"))
        + _section("Functions", _functions(text.functions) or _quiet("none: only groups"))
        + _section("Buffers", _buffers(stage, planned.buffers if planned is not None else None))
        + _section("Operator", _path(stage.checks, text.operator))
        + _section("Estimate", _estimated(found))
        + _rows(shown.columns if shown else (), shown.partitions if shown else None, "rows out")
    )
    return f'<section class="pv-card">{head}{body}</section>'


def _words(operator: str, mode: str) -> str:
    """Partial Hash Aggregate."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", operator)
    lead = {"merge": "Merging", "merge and partial": "Merging and Partial", "partial and merge": "Merging and Partial"}
    return f"{lead.get(mode, mode.title())} {name}"


def _section(title: str, body: str, more: str = "") -> str:
    return f"<div class='pv-part {more}'>{f'<h4>{title}</h4>' if title else ''}{body}</div>"


def _quiet(words: str) -> str:
    return f'<span class="pv-quiet">{escape(words)}</span>'


def _functions(functions: Iterable[dict[str, object]]) -> str:
    rows = "".join(
        f'<li><code>{plain(f["text"])}</code> <i class="pv-mode">{escape(str(f["mode"]))}</i></li>' for f in functions
    )
    return f'<ul class="pv-list">{rows}</ul>' if rows else ""


def _buffers(stage: StageReport, buffers: Sequence[AttributeReference] | None) -> str:
    if stage.text.operator in IN_PYTHON:
        return _quiet("none: Python gets all rows of a group")
    if buffers is None:
        return _quiet("types are not in the text" if stage.text.functions else "none")
    if not buffers:
        return _quiet("none")
    shown = list(buffers)[:8]
    more = f"<li>{len(buffers) - 8} more</li>" if len(buffers) > 8 else ""
    rows = "".join(
        f"<li{'' if is_mutable(a.type) else ' class=pv-fixed'}><code>{plain(a.name)}</code> "
        f"<i translate=no>{plain(a.type.simple_string)}</i></li>"
        for a in shown
    )
    return f'<ul class="pv-list pv-buffers">{rows}{more}</ul>'


def _path(checks: Sequence[Check], operator: str) -> str:
    """The questions that chose the operator, those that were not asked greyed, and the outcome."""
    asked = {c.node: c for c in checks}
    if not asked:
        return f'<b class="pv-outcome">{escape(operator)}</b>' + _quiet("chosen by another engine or version")
    rows = []
    for name, (question, if_yes, if_no) in _QUESTIONS.items():
        check = asked.get(name)
        if check is None:
            if (name == OBJECTS and PYTHON not in asked) or (name == ALLOWED and OBJECTS in asked):
                rows.append(f"<li class='pv-unasked'><span>{_UNASKED[name]}</span></li>")
            continue
        answer = "?" if check.passed is None else "yes" if check.passed else "no"
        leaf = if_yes if check.passed is False else if_no
        seen = _seen(check)
        aside = f"<em>not {escape(leaf)}</em>" if leaf and check.passed is not None and leaf != operator else ""
        rows.append(
            f"<li><span>{question}</span> <b>{answer}</b>{f'<small>{seen}</small>' if seen else ''}{aside}</li>"
        )
    return f'<ol class="pv-path">{"".join(rows)}</ol><b class="pv-outcome">{escape(operator)}</b>'


def _seen(check: Check) -> str:
    values = dict(check.values)
    if check.node == MUTABLE:
        fixed = values.get("first_fixed")
        return f"<code>{plain(fixed)}</code> is not" if fixed else ""
    if check.node in (OBJECTS, PYTHON):
        return ", ".join(f"<code>{plain(f)}</code>" for f in check.texts("functions")) if check.passed else ""
    if check.node == SORTED and check.passed is False and values.get("value") is False:
        return f"<code>{REPLACE.rpartition('.')[2]}</code> is false"
    if check.passed is None:
        return "the text does not say"
    return f"<code>{escape(check.setting.rpartition('.')[2])}</code>" if check.setting and check.node == ALLOWED else ""


def _estimated(found: StageEstimate | None) -> str:
    if found is None:
        return _quiet("unknown")
    if found.rows is None or found.bytes is None:
        names = ", ".join(plain(n) for n in found.unknown[:3])
        return _quiet("unknown") + (f"<small>no statistics of {names}</small>" if names else "")
    if beyond(found.rows) or found.bytes >= _IMMENSE:
        told = f"{short(found.rows)} rows of {found.row_bytes} B" if not beyond(found.rows) else "more than 10¹⁵ rows"
        return _quiet("no usable estimate") + f"<small>the formulas give {told}</small>"
    rows = f"<b>{figure_text(found.rows)}</b> rows · <b>{byte_size(found.bytes)}</b>"
    first = f"<small>rows = {escape(found.calculation)}</small>" if found.calculation else ""
    return f"{rows}{first}<small>bytes = {escape(found.bytes_calculation)}</small>"


def _rows(columns: Sequence[tuple[str, str]], partitions: Partitions | None, caption: str) -> str:
    if partitions is None:
        return "<div class='pv-part pv-sample'></div>"
    head = "".join(f'<th scope="col" title="{plain(t)}">{plain(n)}</th>' for n, t in columns)
    bodies = []
    for number, rows in enumerate(partitions):
        label = f"partition {number}" if len(partitions) > 1 else "one partition"
        bodies.append(f'<tr class="pv-where"><th colspan="{max(1, len(columns))}" scope="rowgroup">{label}</th></tr>')
        bodies += [f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows if row]
        if not rows or not columns:
            told = f"{len(rows)} rows" if rows else "no rows"
            bodies.append(f'<tr><td class="pv-null" colspan="{max(1, len(columns))}">{told}</td></tr>')
    count = sum(map(len, partitions))
    words = caption if count != 1 else caption.replace("rows", "row")
    return (
        f"<div class='pv-part pv-sample'><h4>{count} {words}</h4><div class='pv-scroll'>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(bodies)}</tbody></table></div></div>"
    )


def _cell(value: object) -> str:
    if value is None:
        return '<td class="pv-null">null</td>'
    return f"<td>{escape(one_line(text_of(value), 60))}</td>"


# ------------------------------------------------------------------------------------------------- between cards


def _by(found: re.Match[str]) -> str:
    """The keys and the number of partitions of an exchange, from its text."""
    return f"by {few(counted(split(found[1] or '')))}<br>{found[2]} partitions"


def _between(
    stage: StageReport | None,
    before: StageEstimate | None,
    moved: Sequence[tuple[int, int]] | None,
    first: bool = False,
) -> str:
    """What lies between two cards: an exchange with what it moves, or nothing but the next stage of the same task."""
    if stage is None or stage.exchange is None or moved is None:
        words = "<span>same task</span>" if stage is not None and not first else ""
        sort = "<span class='pv-sort'>Sort by the keys</span>" if stage is not None and stage.sorts else ""
        return f'<div class="pv-between">{sort}{words}</div>'
    shown = exchange_words(stage.exchange)
    name, _, rest = shown.partition(" ")
    hashed = re.fullmatch(r"hashpartitioning\((?:(.*), )?(\d+)\)", rest)
    detail = plain(rest) if hashed is None else _by(hashed)
    parts = [f"<b>{escape(name)}</b><span>{detail.replace('SinglePartition', 'one partition')}</span>"]
    if before is not None and before.bytes is not None:
        size = "size unknown" if before.bytes >= _IMMENSE else f"≈ <strong>{byte_size(before.bytes)}</strong> shuffled"
        parts.append(f"<span>{size}</span>")
    if moved:
        gone = sum(a != b for a, b in moved)
        parts.append(f"<span>{gone} of {len(moved)} sample rows change partition</span>")
    if stage.sorts:
        parts.append("<span class='pv-sort'>Sort by the keys</span>")
    return f'<div class="pv-between pv-exchange">{"".join(parts)}</div>'
