"""The version of Spark that is planned as: one widget for every page, and the evidence for that of a pasted text."""

from __future__ import annotations

from html import escape
from typing import Literal

import streamlit as st

from planviz.config import default_profile
from planviz.plantext.versions import PrintedBy
from planviz.ui import reader, state
from planviz.ui.opened import Opened
from planviz.versions import PROFILES
from planviz.versions.vendors import RUNTIMES, title_of, told_of


def choices(opened: Opened) -> dict[str, str]:
    """What may be chosen for an open document, with its words: versions first, then vendors' runtimes by vendor."""
    if not opened.facts.is_pasted:
        first = title_of(default_profile())
    else:
        first = f"As found: {opened.facts.printed.words or 'any version'}"
    names = [n for n in (*PROFILES, *RUNTIMES) if opened.facts.is_pasted or n != default_profile()]
    return {"": first} | {name: title_of(name) for name in names}


def version_picker(opened: Opened) -> None:
    """The version that the open SQL is planned as; of a pasted text the version found, why, and another one."""
    if not opened.facts.is_pasted:
        _select(opened, "Planned as", width=150)
    elif opened.facts.stages or opened.facts.steps:
        printed = opened.facts.printed
        with st.popover(_label(opened, printed), help="Which Spark printed this, and what tells it"):
            st.html(evidence_html(printed))
            _select(opened, "Read and plan again as", width="stretch")


def _select(opened: Opened, label: str, width: int | Literal["stretch"]) -> None:
    offered = choices(opened)
    key = f"{state.PROFILE}.{opened.key[:8]}"
    names = list(offered)
    runtime = RUNTIMES.get(opened.profile)
    st.selectbox(
        label,
        names,
        index=names.index(opened.profile) if opened.profile in names else 0,
        format_func=lambda name: reader.told(offered[name]),
        key=key,
        on_change=state.turn_profile,
        args=(key,),
        width=width,
        help=None if runtime is None else told_of(runtime),
        label_visibility="visible" if opened.facts.is_pasted else "collapsed",
    )


def _label(opened: Opened, printed: PrintedBy) -> str:
    if opened.profile:
        return f"{title_of(opened.profile)} (chosen)"
    return f"{_DOUBTS.get(printed.confidence, '')}{printed.words}" if printed.words else "Version unknown"


def evidence_html(printed: PrintedBy) -> str:
    """What tells the version of a text, as a table; those that bound it first."""
    if printed.contradicted:
        lead = "The spellings contradict each other: a vendor's Spark, or texts of several versions."
    elif printed.words:
        lead = f"{printed.words}. Confidence: {_CONFIDENCE[printed.confidence]}."
    else:
        lead = "Nothing in the text tells its version."
    ordered = sorted(printed.evidence, key=lambda e: e.first != printed.first and e.last != printed.last)
    cells = [("" if e.line is None else f"{e.line:,}", escape(e.words), escape(e.versions)) for e in ordered]
    rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in cells)
    head = '<tr><th scope="col">line</th><th scope="col">what stands there</th><th scope="col">printed by</th></tr>'
    return f'<div class="pv-evidence"><p>{escape(lead)}</p>{f"<table>{head}{rows}</table>" if rows else ""}</div>'


_DOUBTS = {"medium": "probably ", "low": "perhaps "}
_CONFIDENCE = {
    "stated": "the text says so itself",
    "high": "high, one or two minor versions print so",
    "medium": "medium, up to four minor versions print so",
    "low": "low, more than four minor versions print so",
    "none": "none",
}
