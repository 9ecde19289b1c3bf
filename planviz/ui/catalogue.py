"""What the Catalogue page shows: entries as HTML, and what they say of the open document. No Streamlit in here."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from html import escape
from urllib.parse import urlencode

from planviz.document import Document
from planviz.document.alternatives.what_if import joins_of
from planviz.document.decisions.charts import draw_join
from planviz.errors import PlanvizError
from planviz.execution import QueryExecution
from planviz.reference import KINDS, Entry
from planviz.reference.demonstrations import BY_OPERATOR
from planviz.reference.shown import effect, executed, other_values, plan_of, step_of
from planviz.render.svg import svg
from planviz.ui.links import pack
from planviz.ui.opened import Opened, in_worker

#: Entries of a search that are listed; a narrower search finds the others.
MOST = 60


def listed(found: Sequence[Entry]) -> str:
    """How many entries there are, and how many of them are shown."""
    if not found:
        return "Nothing of that name or with these words."
    more = f", the first {MOST} of them here" if len(found) > MOST else ""
    return f"{len(found):,} {'entry' if len(found) == 1 else 'entries'}{more}"


def card(entry: Entry) -> str:
    """An entry as HTML: what it is, facts, versions, related entries as links to them."""
    parts = [f'<p class="pv-kind">{escape(entry.kind)} · {escape(entry.family)}</p><h2>{escape(entry.name)}</h2>']
    parts.append(f'<p class="pv-summary">{escape(entry.summary)}</p>')
    parts += [f"<p>{escape(paragraph)}</p>" for paragraph in entry.text]
    if entry.code:
        parts.append(f"<pre>{escape(entry.code)}</pre>")
    facts = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in entry.facts)
    parts.append(f"<dl>{facts}</dl>" if facts else "")
    if entry.versions:
        rows = "".join(f"<tr><th>{escape(v)}</th><td>{escape(told)}</td></tr>" for v, told in _runs(entry.versions))
        parts.append(f"<h3>Spark versions</h3><table>{rows}</table>")
    if entry.related:
        links = ", ".join(link(kind, name) for kind, name in entry.related)
        parts.append(f"<h3>See also</h3><p>{links}</p>")
    return f'<div class="pv-entry">{"".join(parts)}</div>'


def _runs(versions: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Versions that follow each other and say the same, in one line, newest first: "3.5 to 4.3"."""
    found: list[list[str]] = []
    for version, told in versions:
        if found and found[-1][2] == told:
            found[-1][1] = version
        else:
            found.append([version, version, told])
    return [(first if first == last else f"{last} to {first}", told) for first, last, told in found]


def link(kind: str, name: str) -> str:
    """A link to an entry of the page."""
    address = urlencode({"entry": f"{kind}:{name}"})
    return f'<a href="?{escape(address)}" target="_self">{escape(name)}</a>'


def example(entry: Entry) -> str:
    """An entry's example as HTML: the query, the step of the rule in it, the link that opens it."""
    if not entry.sql:
        return ""
    first = "".join(f"SET {key}={value};\n" for key, value in entry.settings.items())
    packed = pack(first + entry.sql)
    page, words = _page(entry)
    address = f"/{page}?{urlencode({'plan': packed, 'catalog': entry.catalog})}" if packed else ""
    opened = f'<p><a href="{escape(address)}" target="_self">{words}</a></p>' if address else ""
    try:
        step = plan_of(entry) if entry.kind == "operator" else step_of(entry)
    except PlanvizError as error:
        step = f"The example could not be planned: {error}"
    lines = "".join(f'<span class="{_mark(line)}">{escape(line)}</span>\n' for line in step.splitlines())
    return (
        f'<div class="pv-entry"><h3>Example</h3><pre>{escape(first + entry.sql)}</pre>'
        f'<pre class="pv-step-diff" tabindex="0">{lines}</pre>{_chart(entry)}{opened}</div>'
    )


def _chart(entry: Entry) -> str:
    """The decision tree by which the planner comes to a join's operator, the path of the example lit; "" for others."""
    if entry.kind != "operator" or BY_OPERATOR[entry.name].page != "joins":
        return ""
    execution = executed(entry)
    decision = next((one for one in joins_of(execution) if one.outcome == entry.name), None)
    if decision is None:
        return ""
    drawn = ""
    for theme in ("light", "dark"):
        drawing = draw_join(decision, execution.config.profile, theme=theme)
        picture = b64encode(svg(drawing).encode()).decode()  # Streamlit takes SVG in a page for unsafe
        words = escape(drawing.description)
        drawn += f'<img class="pv-{theme}" src="data:image/svg+xml;base64,{picture}" alt="{words}">'
    return f'<h3>How the planner comes to it</h3><div class="pv-chart">{drawn}</div>'


def _page(entry: Entry) -> tuple[str, str]:
    """The page on which an example opens, as its address has it, and what its link says."""
    if entry.kind != "operator":
        return ("" if entry.family == "preparations" else "rules"), "Open this query"
    page = BY_OPERATOR[entry.name].page
    words = {
        "joins": "Why this join, and what would make it another one",
        "aggregations": "Play its stages on sample rows",
    }
    return page, words.get(page, "Open this query")


def _mark(line: str) -> str:
    if line.startswith(("+++", "---")):
        return ""
    return {"+": "pv-plus", "-": "pv-minus"}.get(line[:1], "")


@in_worker
def effects_on(opened: Opened, name: str) -> str:
    """What other values of the setting of this name do to the queries of an open document, as HTML."""
    return _effects_on(name, opened.document)


def effects(entry: Entry, document: Document | None) -> str:
    """What other values of a setting do to the queries of the open document, as HTML; "" for what is no setting."""
    return _effects_on(entry.name, document) if entry.kind == "setting" else ""


def _effects_on(name: str, document: Document | None) -> str:
    executions = [s.execution for s in document.statements if s.execution is not None] if document is not None else []
    if not executions:
        asks = "Open SQL to see here what other values do to its plan."
        return f'<div class="pv-entry"><p class="pv-muted">{asks}</p></div>'
    told = "".join(_effects(name, execution) for execution in executions[:3])
    return f'<div class="pv-entry"><h3>On the open document</h3>{told}</div>'


def _effects(key: str, execution: QueryExecution) -> str:
    rows = [
        f"<tr><th>{escape(value)}</th><td>{escape(effect(key, value, execution))}</td></tr>"
        for value in other_values(key, execution.config)
    ]
    now = execution.config.get(key)
    told = str(now).lower() if isinstance(now, bool) else str(now)
    query = " ".join(execution.sql.split())
    shown = query if len(query) <= 80 else f"{query[:79]}…"
    return f"<p><code>{escape(shown)}</code>, now {escape(told)}; with</p><table>{''.join(rows)}</table>"


def kind_words() -> dict[str, str]:
    """The kinds with the words on their buttons."""
    return {kind: several.capitalize() for kind, several in KINDS.items()}
