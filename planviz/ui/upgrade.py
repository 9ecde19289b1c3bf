"""What another version of Spark does to the queries that are open, and which of its changes does so (no Streamlit)."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass

from planviz.config import OptimizerConfig, default_profile
from planviz.document import PASTE_LIMIT, Document, open_text
from planviz.document.comparison.upgrade_reports import REPORTS, Report, cause_words
from planviz.document.comparison.upgrades import Upgrade, Upgraded
from planviz.document.model import SqlStatement
from planviz.errors import InputError
from planviz.render.text import one_line
from planviz.ui.cache import catalog_of
from planviz.ui.compare import Other, other_side, settings_of
from planviz.ui.opened import Opened, in_worker
from planviz.versions import PROFILES
from planviz.versions.vendors import title_of

#: The report's forms that can be saved: what they are called, and their kind.
FORMATS = {"html": ("HTML", "text/html"), "markdown": ("Markdown for a pull request", "text/markdown")}
SIGNS = {"changed": "≠", "breaks": "✗", "works": "✓", "failed": "✗", "reworded": "≈", "same": "="}
#: An upgrade to begin with: title, SQL on TPC-H tables, the version of the open side and the settings of the other.
EXAMPLE = (
    "Two queries from Spark 3.3 to 4.3",
    """SELECT n_name, sum(l_extendedprice * (1 - l_discount)) AS revenue
FROM customer, orders, lineitem, supplier, nation, region
WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND l_suppkey = s_suppkey
  AND c_nationkey = s_nationkey AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey
  AND r_name = 'ASIA' AND o_orderdate >= DATE'1994-01-01' AND o_orderdate < DATE'1995-01-01'
GROUP BY n_name;

SELECT o_custkey, o_orderkey, o_totalprice
FROM (SELECT *, rank() OVER (PARTITION BY o_custkey ORDER BY o_totalprice DESC) AS place FROM orders)
WHERE place <= 3;
""",
    "spark-3.3",
    "profile=spark-4.3",
)
_EXCLUDED = "spark.sql.optimizer.excludedRules"


@dataclass(frozen=True)
class Versions:
    """The versions that the two sides of a comparison are planned as, as profiles."""

    old: str
    new: str

    @property
    def older(self) -> str:
        """Which of them is the older one, whatever side it is on."""
        return max(self.old, self.new, key=list(PROFILES).index)

    @property
    def newer(self) -> str:
        """The other one."""
        return min(self.old, self.new, key=list(PROFILES).index)


@dataclass(frozen=True)
class Query:
    """A query of the open text as both versions plan it.

    `number` counts from 0; `line` and `words` say which one it is, `plan_a` and `plan_b` name its physical plans in the
    documents of both sides, "" where there is none.
    """

    number: int
    line: int
    words: str
    state: str
    message: str
    plan_a: str
    plan_b: str

    @property
    def label(self) -> str:
        """The query in a list of all."""
        return f"{SIGNS[self.state]} line {self.line}: {self.words}"


@dataclass(frozen=True)
class Because:
    """A change of Spark that was seen to change the plan; `keep` is the setting that keeps the old one, or empty."""

    words: str
    since: str
    about: str
    keep: str


@dataclass(frozen=True)
class Causes:
    """What changed a query's plan, and the versions that did so by no change that planviz could find."""

    found: tuple[Because, ...]
    unexplained: tuple[str, ...]

    @property
    def kept(self) -> str:
        """All settings that keep the old plan, one in a line; rules that are switched off together in one."""
        told = [cause.keep for cause in self.found if cause.keep]
        rules = [keep.partition("=")[2] for keep in told if keep.startswith(f"{_EXCLUDED}=")]
        lines = [keep for keep in told if not keep.startswith(f"{_EXCLUDED}=")]
        return "\n".join([*dict.fromkeys(lines), *([f"{_EXCLUDED}={','.join(rules)}"] if rules else [])])


def versions_of(opened: Opened, other: Other) -> Versions | None:
    """The versions of a comparison whose sides are the same queries as two versions of Spark; None for any other."""
    if other.text is not None or opened.facts.is_pasted or not opened.facts.planned:
        return None
    try:
        settings = settings_of(other.settings)
        if set(settings) != {"profile"}:
            return None
        old, new = opened.profile or default_profile(), OptimizerConfig.of(str(settings["profile"])).profile
    except InputError:
        return None  # the place of the picture says what is wrong
    # A vendor's runtime has more than its version of Spark: whose changes planviz does not know one by one.
    if old not in PROFILES or str(settings["profile"]) not in PROFILES or old == new:
        return None
    return Versions(old, new)


def headline(versions: Versions, query: Query) -> str:
    """What becomes of a query, in a sentence."""
    old, new = title_of(versions.old), title_of(versions.new)
    return {
        "changed": f"{new} plans this query otherwise than {old}.",
        "reworded": f"{new} plans this query as {old} does; only casts and names are written otherwise.",
        "same": f"{new} plans this query exactly as {old} does.",
        "breaks": f"This query fails on {new}, not on {old}.",
        "works": f"This query fails on {old}, not on {new}.",
        "failed": "This query fails on both versions.",
    }[query.state]


def summary(queries: tuple[Query, ...]) -> str:
    """How many queries change."""
    states = [query.state for query in queries]
    told = [f"{states.count('changed'):,} of {len(queries):,} queries get another plan"]
    told += [f"{states.count('breaks'):,} break"] if "breaks" in states else []
    return ", ".join(told)


@in_worker
def queries(opened: Opened, other: Other) -> tuple[Query, ...]:
    """Every query of the open text with what becomes of it. Raises PlanvizError where the other side fails to open."""
    sides = [_plans_of(opened.document), _plans_of(other_side(opened, other).document)]
    words = [one_line(statement.sql, 70) for statement in _queries(opened.document)]
    found = []
    for at, query in enumerate(_upgraded(opened, other, ())):
        plan_a, plan_b = (side[at] if at < len(side) else "" for side in sides)
        told = words[at] if at < len(words) else ""
        found.append(Query(at, query.line, told, query.state, one_line(query.message, 300), plan_a, plan_b))
    return tuple(found)


@in_worker
def number_of(opened: Opened, plan: str) -> int:
    """The number of the query that has a plan, of any of its stages; 0 for a plan of none."""
    found = [statement.plans for statement in _queries(opened.document)]
    return next((at for at, plans in enumerate(found) if plan.isdigit() and int(plan) in plans), 0)


@in_worker
def causes(opened: Opened, other: Other, number: int) -> Causes:
    """What changed the plan of the query of this number: its changes are undone one by one. Raises as `queries`."""
    query = next(query for at, query in enumerate(_upgraded(opened, other, (number,))) if at == number)
    found = [
        Because(cause_words(cause), title_of(cause.change.since), _about(cause_words(cause), cause.about), cause.keep)
        for cause in query.causes
    ]
    return Causes(tuple(found), tuple(map(title_of, query.unexplained)))


@in_worker
def report(opened: Opened, other: Other, format: str) -> bytes:
    """All queries with all causes, in one of `FORMATS`. Raises as `queries`."""
    versions = _versions(opened, other)
    told = Report.of(Upgrade(versions.old, versions.new), list(_upgraded(opened, other, None)))
    return REPORTS[format](told).encode("utf-8", "replace")


def _versions(opened: Opened, other: Other) -> Versions:
    versions = versions_of(opened, other)
    if versions is None:
        raise InputError("An upgrade is asked of SQL or a program, with another version of Spark and nothing else.")
    return versions


def _upgraded(opened: Opened, other: Other, explain: Container[int] | None) -> Iterator[Upgraded]:
    versions, catalog = _versions(opened, other), catalog_of(opened.catalog)

    def opener(config: OptimizerConfig) -> Document:
        return open_text(opened.text, limit=PASTE_LIMIT, catalog=catalog, config=config)

    upgrade = Upgrade(versions.old, versions.new)
    return upgrade.queries("query", "", opener, OptimizerConfig.of(versions.new), explain)


def _queries(document: Document) -> list[SqlStatement]:
    """The statements that are queries, as `Upgrade.queries` counts them."""
    return [
        statement
        for statement in document.statements
        if statement.kind == "query" and (statement.execution is not None or statement.error is not None)
    ]


def _plans_of(document: Document) -> list[str]:
    """The last physical plan of every query, by the name that `Opened.graph` takes; "" where there is none."""
    found = []
    for statement in _queries(document):
        plans = [at for at in statement.plans if document.plans[at].stage == "physical"]
        found.append(str(plans[-1]) if plans else "")
    return found


def _about(words: str, about: str) -> str:
    return "" if about.rstrip(".") == words else about
