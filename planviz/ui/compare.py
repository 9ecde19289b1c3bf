"""What the Compare page shows: the open plan beside another one, of the same text or another (no Streamlit here)."""

from __future__ import annotations

import gzip
import json
from dataclasses import asdict, dataclass, replace
from hashlib import sha256

from planviz.config import default_profile
from planviz.document import Document, open_sql
from planviz.document.comparison.chain_text import chain_data, chain_markdown, chain_page, chain_text, draw_chain
from planviz.document.comparison.chains import MOST, Chain, chain_json, compare_chain
from planviz.document.comparison.plans import Difference, compare_plans, difference_json
from planviz.document.comparison.text import difference_markdown, difference_text
from planviz.document.comparison.view import difference_data, difference_page
from planviz.errors import InputError
from planviz.graph import PlanGraph
from planviz.graph.planned import PART, planned
from planviz.render.png import png
from planviz.render.svg import svg
from planviz.render.text import one_line
from planviz.render.theme import tokens
from planviz.ui import questions, views
from planviz.ui.cache import catalog_of, open_document
from planviz.ui.opened import Opened, facts_of, in_worker
from planviz.versions import PROFILES
from planviz.versions.vendors import title_of

#: Settings to compare a query under, by what they are called.
PRESETS = {
    "Cost-based optimization": "spark.sql.cbo.enabled=true\nspark.sql.cbo.joinReorder.enabled=true",
    "No broadcast joins": "spark.sql.autoBroadcastJoinThreshold=-1",
    "Without adaptive execution": "spark.sql.adaptive.enabled=false",
    "Shuffled hash joins preferred": "spark.sql.join.preferSortMergeJoin=false",
    "As Spark 3.5": "profile=spark-3.5",
    "As Spark 4.0": "profile=spark-4.0",
}
FORMATS = {
    "md": ("Markdown for a pull request", "text/markdown"),
    "txt": ("Text", "text/plain"),
    "json": ("JSON", "application/json"),
    "svg": ("SVG picture", "image/svg+xml"),
    "png": ("PNG picture", "image/png"),
    "html": ("Interactive HTML", "text/html"),
}
_MOST_SETTINGS = 4_000


@dataclass(frozen=True)
class Other:
    """The second side: another text, or that of the first with other settings; which plan of either side.

    `text` is None for the text of the first side; `settings` are lines `key=value`, `profile=spark-3.5` for another
    version of Spark; `plan_a` and `plan_b` name plans as `Opened.graph` does, "" for the one shown first. `more`
    are names and texts of further plans of the same query, in the order of time: then all are compared as a chain.
    """

    text: str | None = None
    name: str = ""
    settings: str = ""
    plan_a: str = ""
    plan_b: str = ""
    numbers: bool = False
    catalog: str = ""
    more: tuple[tuple[str, str], ...] = ()

    @property
    def key(self) -> str:
        """The same for the same side."""
        told = json.dumps([*asdict(self).values()])
        return sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:24]


@in_worker
def default_other(opened: Opened) -> Other | None:
    """What to compare an open text with when nobody has said so: None where only another text will do.

    A query is compared with itself under cost-based optimization; of a text with several plans, the one that is shown
    first with the plan that it had before it ran, else with the one before it.
    """
    if opened.facts.planned:
        return Other(settings=next(iter(PRESETS.values())))
    if len(opened.facts.stages) > 1:
        first = views.first_plan(opened)
        at = int(first)
        before = _initial(opened.document, at)
        if before is None or before == at:
            before = at - 1 if at else 1
        return Other(plan_a=str(before), plan_b=first)
    return None


def other_side(opened: Opened, other: Other) -> Opened:
    """The document of the second side, made once. Raises PlanvizError where it cannot be opened."""
    if other.text is None and not other.settings.strip():
        return opened
    key = ("other-side", other.text, other.settings, other.catalog)
    if key not in opened.made:
        for old in [name for name in list(opened.made) if name[0] == "other-side"]:
            opened.made.pop(old, None)
        opened.made[key] = _other_side(opened, other)
    found: Opened = opened.made[key]
    return found


def _other_side(opened: Opened, other: Other) -> Opened:
    text = opened.text if other.text is None else other.text
    tables = other.catalog or opened.catalog or "auto"
    settings = settings_of(other.settings)
    profile = str(settings.pop("profile", "" if opened.document.is_pasted else opened.profile))
    second = open_document(text, tables, profile)
    if not settings:
        return second
    if not second.document.statements:
        raise InputError("Other settings are for SQL; this is a plan. Take the settings away, or paste SQL.")
    document = open_sql(text, catalog_of(second.catalog), second.config.with_settings(settings))
    key = sha256(f"{second.key}{other.settings}".encode()).hexdigest()
    return Opened(key, second.source, facts_of(document), second.catalog, here=document)


def settings_of(text: str) -> dict[str, str]:
    """Settings from lines `key=value`; `profile` is the version of Spark. Raises InputError for a line that is none."""
    found = {}
    for line in text[:_MOST_SETTINGS].splitlines():
        line = line.strip().removeprefix("SET ").removesuffix(";").strip()
        if not line:
            continue
        key, equals, value = line.partition("=")
        if not equals or not key.strip():
            raise InputError(f"{line[:100]}: write a setting as spark.sql.NAME=VALUE, one in a line.")
        found[key.strip()] = value.strip()
    return found


def version_words(settings: str) -> str:
    """The version of Spark that settings name, where they name nothing else; empty otherwise."""
    lines = settings.split()
    profile = lines[0].removeprefix("profile=") if len(lines) == 1 else ""
    return title_of(profile) if profile in PROFILES else ""


def compared(opened: Opened, other: Other, name: str) -> Difference:
    """The difference of both sides, made once; `name` is that of the first. Raises PlanvizError where there is none."""
    key = ("difference", other.key, name)
    if key not in opened.made:
        for old in [made for made in list(opened.made) if made[0] in ("difference", "difference-data")]:
            opened.made.pop(old, None)
        second = other_side(opened, other)
        if second.document.error is not None and not second.document.plans:
            raise second.document.error
        plans = [_plan(opened, other.plan_a), _plan(second, other.plan_b)]
        names = _names(opened, second, other, name)
        opened.made[key] = compare_plans(plans[0], plans[1], names, numbers=other.numbers)
    found: Difference = opened.made[key]
    return found


def chained(opened: Opened, other: Other, name: str) -> Chain:
    """Both sides and all further texts as a chain, made once. Raises PlanvizError as `compared` does."""
    key = ("chain", other.key, name)
    if key not in opened.made:
        for old in [made for made in list(opened.made) if made[0] == "chain"]:
            opened.made.pop(old, None)
        two = compared(opened, other, name)
        plans, names = [two.before, two.after], [*two.names]
        for words, text in other.more:
            side = _other_side(opened, Other(text=text, catalog=other.catalog))
            if side.document.error is not None and not side.document.plans:
                raise side.document.error
            plans.append(_plan(side, ""))
            names.append(one_line(words or views.name_of(side), 80))
        opened.made[key] = compare_chain(plans, names, numbers=other.numbers)
    found: Chain = opened.made[key]
    return found


def _plan(opened: Opened, plan: str) -> PlanGraph:
    """A plan by its name; one before the run with its subqueries as they were planned, which are printed apart."""
    plan = plan or views.first_plan(opened)
    try:
        found = opened.graph(plan)
    except KeyError:
        raise InputError("That plan is not in the text any more: choose another one.") from None
    if plan.isdigit() and _initial(opened.document, int(plan)) == int(plan):
        group = next(group for group in opened.document.groups if int(plan) in group)
        return planned([opened.document.plans[at] for at in group]) or found
    return found


def _initial(document: Document, at: int) -> int | None:
    """The plan before the run, of the query that a plan belongs to; None where there is none."""
    group = next((group for group in document.groups if at in group), ())
    initial = (
        p for p in group if document.plans[p].stage == "initial" and not document.plans[p].title.startswith(PART)
    )
    return next(initial, None)


def plan_labels(opened: Opened) -> dict[str, str]:
    """The plans of a document by name, with their labels."""
    return {tab.plan: tab.label for tab in views.tabs(opened)}


@in_worker
def other_labels(opened: Opened, other: Other) -> tuple[str, dict[str, str], str]:
    """Of the second side: its key, its plans by name with their labels, and which of them is shown first."""
    second = other_side(opened, other)
    return second.key, plan_labels(second), views.first_plan(second)


def _names(opened: Opened, second: Opened, other: Other, name: str) -> tuple[str, str]:
    """What both sides are called."""
    labels = []
    for side, plan in ((opened, other.plan_a), (second, other.plan_b)):
        labels.append(plan_labels(side).get(plan or views.first_plan(side), "Plan"))
    if other.text is None and not other.settings.strip():
        return labels[0], labels[1]
    if other.text is None:
        lines = [line.strip() for line in other.settings.splitlines() if line.strip()]
        told = ", ".join(version_words(line) or line.removeprefix("spark.sql.") for line in lines)
        preset = next((words for words, lines in PRESETS.items() if lines == other.settings.strip()), told)
        versions = any(map(version_words, lines))
        names = [title_of(opened.profile or default_profile()) if versions else "as it is"]
        names.append(one_line(told if versions else preset, 60))
    else:
        names = [name, other.name or views.name_of(second)]
        if names[0] == names[1]:
            names = [f"{names[0]} (A)", f"{names[1]} (B)"]
    if labels[0] != labels[1]:
        names = [f"{words} · {label}" for words, label in zip(names, labels, strict=True)]
    return one_line(names[0], 80), one_line(names[1], 80)


@in_worker
def data(opened: Opened, other: Other, name: str) -> bytes:
    """The element's data, gzipped: the same bytes for the same arguments."""
    key = ("difference-data", other.key, name)
    if key not in opened.made:
        place = f"{opened.key}/{other.key}"
        if other.more:
            told = chain_data(chained(opened, other, name), place)
        else:
            told = difference_data(compared(opened, other, name), place)
        told |= {"theme": tokens(), "dark": None}
        opened.made[key] = gzip.compress(json.dumps(told, separators=(",", ":"), allow_nan=False).encode(), 6, mtime=0)
    made: bytes = opened.made[key]
    return made


def begin(opened: Opened, other: Other, name: str, session: str) -> None:
    """Let a worker begin what the page of this comparison will ask, while `session` still begins to draw it."""

    def ask() -> None:
        plan_labels(opened)
        other_labels(opened, other)
        data(opened, other, name)

    questions.begin(ask, session)


@in_worker
def exported(opened: Opened, other: Other, name: str, format: str, theme: str = "light") -> bytes:
    """The difference in one of `FORMATS`."""
    chain = chained(opened, other, name) if other.more else None
    told = compared(opened, other, name)
    if format == "json":
        made = difference_json(told) if chain is None else chain_json(chain)
        return (json.dumps(made, ensure_ascii=True, indent=1) + "\n").encode()
    if format in ("svg", "png"):
        drawing = draw_chain(chain or Chain((told,), told), theme=theme)
        return svg(drawing).encode("utf-8", "replace") if format == "svg" else png(drawing)
    if chain is not None:
        words = {"html": chain_page, "md": chain_markdown, "txt": chain_text}[format](chain)
    else:
        words = {"html": difference_page, "md": difference_markdown, "txt": difference_text}[format](told)
    return words.encode("utf-8", "replace")


def longer(opened: Opened, other: Other, name: str, text: str) -> Other:
    """The same with one more plan at its end. Raises PlanvizError for a text that cannot be opened, or one too many."""
    if len(other.more) + 3 > MOST:
        raise InputError(f"A chain has at most {MOST} plans.")
    open_document(text, other.catalog or opened.catalog or "auto", near=opened.key)
    return replace(other, more=(*other.more, (one_line(name, 80), text)))


def examples() -> tuple[tuple[str, str, str, Other], ...]:
    """Comparisons to begin with: title, SQL, catalogue, the other side."""
    cost_based, sorted_joins = PRESETS["Cost-based optimization"], PRESETS["No broadcast joins"]
    return (
        ("TPC-H q5 with and without cost-based optimization", _Q5, "tpch", Other(settings=cost_based)),
        ("TPC-H q5 without broadcast joins", _Q5, "tpch", Other(settings=sorted_joins)),
        ("TPC-H q5 before and after the optimizer", _Q5, "tpch", Other(plan_a="1", plan_b="2")),
    )


_Q5 = """SELECT n_name, sum(l_extendedprice * (1 - l_discount)) AS revenue
FROM customer, orders, lineitem, supplier, nation, region
WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND l_suppkey = s_suppkey
  AND c_nationkey = s_nationkey AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey
  AND r_name = 'ASIA' AND o_orderdate >= DATE'1994-01-01' AND o_orderdate < DATE'1995-01-01'
GROUP BY n_name
ORDER BY revenue DESC"""
