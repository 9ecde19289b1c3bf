"""The part of the Compare page that is there when both sides are the same queries as two versions of Spark."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from html import escape
from importlib.resources import files

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from planviz.config import default_profile
from planviz.errors import PlanvizError
from planviz.ui import reader, state, upgrade, views
from planviz.ui.compare import Other
from planviz.ui.opened import Opened
from planviz.ui.upgrade import Causes, Query, Versions
from planviz.versions import PROFILES
from planviz.versions.vendors import title_of

#: What makes a second side the chosen one.
Choose = Callable[[Opened, Other], None]
_ANOTHER, _QUERY = "planviz.upgrade.another", "planviz.upgrade.query"


@cache
def _style() -> str:
    return f"<style>{files('planviz.ui').joinpath('upgrade.css').read_text('utf-8')}</style>"


def another_spark(opened: Opened, other: Other, choose: Choose) -> None:
    """The widget that makes the second side the same queries as another version of Spark."""
    own, versions = opened.profile or default_profile(), upgrade.versions_of(opened, other)
    names = ["", *(name for name in PROFILES if name != own)]
    st.selectbox(
        f"The same query in another Spark than {title_of(own)}: what changes, and why",
        names,
        index=names.index(versions.new) if versions is not None else 0,
        format_func=lambda name: title_of(name) if name else "–",
        key=f"{_ANOTHER}.{other.key}",
        on_change=_turn,
        args=(opened, other, choose),
    )


def _turn(opened: Opened, other: Other, choose: Choose) -> None:
    profile = str(st.session_state.get(f"{_ANOTHER}.{other.key}") or "")
    if profile:
        choose(opened, Other(settings=f"profile={profile}", plan_a=other.plan_a, numbers=other.numbers))


def example(choose: Choose) -> None:
    """A button that opens an upgrade to begin with."""
    st.button(upgrade.EXAMPLE[0], key="planviz.upgrade.example", on_click=_example, args=(choose,))


def _example(choose: Choose) -> None:
    title, sql, profile, settings = upgrade.EXAMPLE
    if state.open_text(sql, name=title, catalog="tpch", profile=profile) and (opened := state.current()) is not None:
        choose(opened, Other(settings=settings))


def place(opened: Opened, other: Other) -> DeltaGenerator | None:
    """Where `told` tells, above the picture; None where the comparison is not one of two versions."""
    if upgrade.versions_of(opened, other) is None:
        return None
    st.html(_style())
    return st.container(key="planviz-upgrade", gap="xsmall")


def told(where: DeltaGenerator | None, opened: Opened, other: Other, choose: Choose) -> None:
    """Which queries change, what changed the one that is shown, and what would keep its old plan.

    Called when all else is drawn: causes are looked for by planning again and again.
    """
    versions = upgrade.versions_of(opened, other)
    if where is None or versions is None:
        return
    with where:
        try:
            queries = upgrade.queries(opened, other)
            if queries:
                _told(opened, other, versions, queries, choose)
        except PlanvizError as error:
            st.html(f'<p class="pv-upgrade-why">What changed the plan was not found: {escape(str(error))}</p>')


def _told(opened: Opened, other: Other, versions: Versions, queries: tuple[Query, ...], choose: Choose) -> None:
    shown = _shown(opened, other, queries)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.html(f'<h2 class="pv-upgrade-head">{escape(upgrade.headline(versions, shown))}</h2>', width="content")
        if len(queries) > 1:
            labels = [query.label for query in queries]
            key = f"{_QUERY}.{other.key}"
            st.selectbox(
                upgrade.summary(queries), range(len(queries)), index=shown.number,
                format_func=lambda at: reader.told(labels[at]), key=key, on_change=_show,
                args=(opened, other, queries, key, choose), label_visibility="collapsed", width=300,
                help=upgrade.summary(queries),
            )  # fmt: skip
            st.html(f'<span class="pv-upgrade-sum">{escape(upgrade.summary(queries))}</span>', width="content")
        actions = st.container(horizontal=True, horizontal_alignment="right", gap="xsmall", width="stretch")
    with actions:
        _reports(opened, other)
    if shown.state in ("same", "reworded", "failed"):
        return
    found = st.empty()
    found.html('<p class="pv-upgrade-why" role="status">Undoing Spark\'s changes one by one…</p>')
    causes = upgrade.causes(opened, other, shown.number)
    found.html(table(versions, causes))
    if causes.kept and versions.new == versions.newer and shown.state == "changed":
        settings = f"{other.settings.strip()}\n{causes.kept}"
        actions.button(
            f"Plan {title_of(versions.new)} with these settings", key="planviz.upgrade.keep", type="tertiary",
            help="Plan the query again with every setting of the last column, and compare that",
            on_click=choose, args=(opened, replace(other, settings=settings)),
        )  # fmt: skip


def _shown(opened: Opened, other: Other, queries: tuple[Query, ...]) -> Query:
    """The query whose plan is drawn."""
    number = upgrade.number_of(opened, other.plan_a or views.first_plan(opened))
    return queries[number] if number < len(queries) else queries[-1]


def _show(opened: Opened, other: Other, queries: tuple[Query, ...], key: str, choose: Choose) -> None:
    query = queries[int(st.session_state[key])]
    choose(opened, replace(other, plan_a=query.plan_a, plan_b=query.plan_b))


def _reports(opened: Opened, other: Other) -> None:
    with st.popover("Report", type="tertiary", help="All queries of the text with all causes"), st.container(gap=None):
        for format, (label, kind) in upgrade.FORMATS.items():
            st.download_button(
                label, data=_report(opened, other, format), mime=kind, on_click="ignore", type="tertiary",
                file_name=f"{views.file_name(state.name(), 'upgrade')}.{'md' if format == 'markdown' else format}",
                key=f"planviz.upgrade.report.{format}",
            )  # fmt: skip


def _report(opened: Opened, other: Other, format: str) -> Callable[[], bytes]:
    return lambda: upgrade.report(opened, other, format)


def table(versions: Versions, causes: Causes) -> str:
    """The causes as HTML: what changed the plan, since when, and the setting that keeps the older plan."""
    rows = "".join(
        f"<tr><td><b>{escape(cause.words)}</b><span>{escape(cause.about)}</span></td><td>{escape(cause.since)}</td>"
        f"<td>{f'<code>{escape(cause.keep)}</code>' if cause.keep else 'no setting does'}</td></tr>"
        for cause in causes.found
    )
    unexplained = "".join(
        f"<p>{escape(version)} plans it otherwise, too; no set of its changes, undone, gave the plan before back.</p>"
        for version in causes.unexplained
    )
    if not rows:
        return f'<div class="pv-upgrade-why">{unexplained}</div>'
    head = "".join(
        f'<th scope="col">{escape(words)}</th>'
        for words in (
            "Because (undone, it gives the older plan back)", "Since",
            f"On {title_of(versions.newer)} this keeps the older plan",
        )
    )  # fmt: skip
    return (
        f'<div class="pv-upgrade-why" tabindex="0" role="region" aria-label="What changed the plan"><table><thead><tr>'
        f"{head}</tr></thead><tbody>{rows}</tbody></table>{unexplained}</div>"
    )
