"""What the Planner page shows: the stages of the open document, and the planner's parts as trees and tables."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from planviz.config import default_profile, profile_of
from planviz.document import Document
from planviz.document.cardinality.slides import slide_facts
from planviz.graph import PlanGraph
from planviz.graph.alignment import Matches
from planviz.graph.followed import followed, stage_matches
from planviz.graph.planned import planned
from planviz.graph.words import subtitle, title
from planviz.physical import planner
from planviz.physical.planner import Section
from planviz.render.glossary import terms
from planviz.render.text import one_line
from planviz.ui.opened import Opened, in_worker

#: Operators of a plan up to which their ways are shown.
_MOST_OPERATORS = 400
#: A plan text calls the last stage by another name than QueryExecution.
_PHYSICAL = {"physical": "executedPlan"}


def reached(document: Document | None) -> set[str]:
    """The stages of the pipeline that a document has plans of."""
    return {_PHYSICAL.get(plan.stage, plan.stage) for plan in document.plans} if document is not None else set()


def page(opened: Opened | None) -> str:
    """The page of an open document, or of none, as HTML."""
    return overview(None, profile_of(default_profile())) if opened is None else _page(opened)


@in_worker
def _page(opened: Opened) -> str:
    return overview(opened.document, opened.config.profile)


def overview(document: Document | None, profile: str = "spark-4.3") -> str:
    """The page as HTML for a version of Spark: the stages, the way of the open document's operators, the planner."""
    tables = [_table(s) for s in planner.sections(profile) if s.name not in ("pipeline", "classes")]
    notes = f"<p>{escape(planner.exchange_note())}</p><p>{escape(planner.cost_note())}</p>"
    stages = _pipeline(reached(document), document is not None)
    ways = _ways(document) if document is not None else ""
    listed = "".join([*tables, _table(_facts()), _table(_glossary())])
    return f'<div class="pv-planner">{_LEAD}{stages}{ways}{notes}{_classes()}{listed}</div>'


def _facts() -> Section:
    rows = tuple([(fact.about, fact.text) for fact in slide_facts()])
    return Section("slides", "Cost-based optimization: what the slides tell", ("about", "what they say"), rows)


def _glossary() -> Section:
    rows = tuple([(", ".join((t.name, *t.also)), t.chapter, t.meaning) for t in terms()])
    return Section("glossary", "Words", ("term", "about", "what it means"), rows)


def _ways(document: Document) -> str:
    """Every operator of the largest query's optimized plan through the stages, as a table; empty for one stage alone.

    Where adaptive execution's initial plan was printed, too, it comes before the one that ran.
    """
    group = max(document.groups, key=len, default=())
    mine = [document.plans[at] for at in group]
    plans = [plan for plan in mine if plan.stage not in ("initial", "physical")]
    plans += [*filter(None, [planned(mine)]), *[plan for plan in mine if plan.stage == "physical"][:1]]
    if len(plans) < 2:
        return ""
    if (most := max(map(len, plans))) > _MOST_OPERATORS:
        return f"<p>The way of every operator is shown of plans up to {_MOST_OPERATORS}; this one has {most:,}.</p>"
    matches = stage_matches(plans)
    stages = [plan.stage for plan in plans]
    whole = next((stages.index(stage) for stage in ("optimized", "initial") if stage in stages), len(plans) - 1)
    ways = [[followed(plans, matches, whole, node.id, at, near=False) for at in range(len(plans))]
            for node in plans[whole].walk()]  # fmt: skip
    if whole < len(plans) - 1:
        _add_planned(ways, plans, matches)
    names = tuple([_PHYSICAL.get(plan.stage, plan.stage) for plan in plans])
    note = _FROM_OPTIMIZED if "optimized" in stages else _FROM_INITIAL if "initial" in stages else ""
    rows = tuple([_cells(way, plans, whole) for way in ways])
    return _table(Section("ways", "Every operator through the stages", names, rows, note))


#: What the table's marks mean.
_FROM_OPTIMIZED = (
    "From the optimized plan to both sides; – where an operator is not there, was merged or became another; "
    "+ where the planner or a preparation such as EnsureRequirements put one in."
)
_FROM_INITIAL = (
    "From the initial plan to the one that ran; – where an operator is not there, was merged or became another; "
    "+ where adaptive execution put one in."
)


def _add_planned(ways: list[list[int | None]], plans: list[PlanGraph], matches: list[Matches]) -> None:
    """Put in the operators of the last plan that no operator of the optimized one became: above what they read."""
    executed, last = plans[-1], len(plans) - 1
    row = {way[last]: way for way in ways}
    for node in executed.walk():
        if node.id in row:
            continue
        below: int | None = node.id
        while below is not None and below not in row:
            below = next(iter(executed.children(below)), None)
        way = [followed(plans, matches, last, node.id, at, near=False) for at in range(len(plans))]
        ways.insert(ways.index(row[below]) if below is not None else len(ways), way)
        row[node.id] = way


def _cells(way: list[int | None], plans: list[PlanGraph], whole: int) -> tuple[str, ...]:
    """An operator in every stage: with what it does, by which two of a kind are told apart, where it comes from."""
    first = whole if way[whole] is not None else next(at for at, found in enumerate(way) if found is not None)
    cells = []
    for at, (plan, found) in enumerate(zip(plans, way, strict=True)):
        if found is None:
            cells.append("–")
            continue
        words, lines = title(plan[found]), subtitle(plan[found]) if at == first else []
        does = next((f" {lead} {text}" for lead, text in lines if lead in ("on", "where", "by")), "")
        cells.append(one_line(f"{'+ ' if at == first > whole else ''}{words}{does}", 80))
    return tuple(cells)


def _pipeline(there: set[str], is_open: bool) -> str:
    items = []
    for stage in planner.pipeline():
        has = stage["name"] in there
        word = ("in this document" if has else "not in this document") if is_open else ""
        items.append(
            f'<li class="{"pv-there" if has else ""}"><b>{escape(stage["name"])}</b>'
            f"<code>{escape(stage['made_by']).replace('.', '.<wbr>')}</code><span>{escape(stage['what'])}</span>"
            + (f"<em>{word}</em></li>" if word else "</li>")
        )
    return f'<ol class="pv-pipeline">{"".join(items)}</ol>'


def _classes() -> str:
    """Both families of classes, each below the one that it extends."""
    trees = [_below(None, classes) for classes in (planner.hierarchy(), planner.trees())]
    return f'<h2>Classes</h2><div class="pv-classes">{"".join(trees)}</div>'


def _below(parent: str | None, classes: Sequence[dict[str, str | None]]) -> str:
    items = [
        f"<li><div><b>{escape(str(c['name']))}</b> <code>{escape(str(c['where']))}</code>"
        f"<span>{escape(str(c['what']))}</span></div>{_below(c['name'], classes)}</li>"
        for c in classes
        if c["parent"] == parent
    ]
    return f"<ul>{''.join(items)}</ul>" if items else ""


def _table(section: Section) -> str:
    named = ' translate="no"' if section.name == "ways" else ""  # operators
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in section.columns)
    rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in section.rows)
    note = f"<p>{escape(section.note)}</p>" if section.note else ""
    return (
        f'<h2>{escape(section.title)}</h2>{note}<div class="pv-table" tabindex="0" role="region" '
        f'aria-label="{escape(section.title)}"><table><thead><tr>{head}</tr></thead><tbody{named}>{rows}</tbody></table></div>'
    )


_LEAD = (
    '<div class="pv-lead"><h1>How Spark plans</h1>'
    "<span>Five stages from the text to what runs; strategies turn logical operators into physical ones.</span></div>"
)
