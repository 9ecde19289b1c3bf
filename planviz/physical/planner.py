"""What Spark's planner consists of, as data: pipeline, classes, strategies, mappings (inventory D-001 to D-009)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from planviz.errors import InputError
from planviz.jsontypes import JsonObject
from planviz.versions import CHANGES, PROFILES, words


@dataclass(frozen=True)
class Mapping:
    """A logical operator and the physical one it becomes; `when` says in which case, empty for always."""

    logical: str
    physical: str
    strategy: str
    when: str = ""


@dataclass(frozen=True)
class Section:
    """One part of the overview as a table: its name on the command line, title, columns, rows, and a note to it."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


@cache
def _data() -> JsonObject:
    found: JsonObject = json.loads((files("planviz.physical") / "planner.json").read_text(encoding="utf-8"))
    return found


def pipeline() -> list[dict[str, str]]:
    """The stages in order: `name`, `made_by`, `what` (D-001)."""
    return list(_data()["pipeline"])


def cost_note() -> str:
    """Why no cost decides among physical plans (D-009)."""
    return str(_data()["cost_note"])


def hierarchy() -> list[dict[str, str | None]]:
    """The planner's classes: `name`, `parent`, `where`, `what` (D-002)."""
    return list(_data()["hierarchy"])


def strategies(profile: str = "spark-4.3") -> list[str]:
    """The strategies in the order in which they are asked (D-003). Raises InputError for an unknown profile."""
    known = _data()["strategies"]
    if profile not in PROFILES:
        raise InputError(f"There is no profile {profile!r}; there are {', '.join(PROFILES)}.")
    if profile in known:
        return list(known[profile])
    return [name for name in known["spark-4.3"] if name not in PROFILES[profile].without]


def one_to_one() -> list[Mapping]:
    """Operators that become one operator each (D-004)."""
    return [Mapping(**m) for m in _data()["one_to_one"]]


def patterns() -> list[dict[str, str]]:
    """Sub-trees that a strategy looks for as a whole: `name`, `used_by`, `what` (D-005)."""
    return list(_data()["patterns"])


def trees() -> list[dict[str, str | None]]:
    """The classes of plans, logical and physical (D-002); keys as in `hierarchy`."""
    return list(_data()["trees"])


def exchange_note() -> str:
    """Where exchanges come from (D-008)."""
    return str(_data()["exchange_note"])


def sections(profile: str = "spark-4.3") -> list[Section]:
    """The whole overview as tables, in the order of the page, for a version of Spark.

    Raises InputError for an unknown profile.
    """
    return [
        Section(
            "pipeline",
            "From the optimized plan to the executed one",
            ("stage", "made by", "what it is"),
            tuple([(s["name"], s["made_by"], s["what"]) for s in pipeline()]),
            f"{cost_note()} {exchange_note()}",
        ),
        Section(
            "classes",
            "Classes of the planner and of plans",
            ("class", "extends", "where", "what it does"),
            tuple(
                [(str(c["name"]), c["parent"] or "", str(c["where"]), str(c["what"])) for c in (*hierarchy(), *trees())]
            ),
        ),
        _strategies(profile),
        *([_otherwise(profile)] if profile != "spark-4.3" else []),
        Section(
            "mapping",
            "One operator becomes one operator",
            ("logical", "physical", "strategy", "when"),
            tuple([(m.logical, m.physical, m.strategy, m.when) for m in one_to_one()]),
        ),
        Section(
            "patterns",
            "Sub-trees planned as a whole",
            ("pattern", "used by", "what it takes"),
            tuple([(p["name"], p["used_by"], p["what"]) for p in patterns()]),
        ),
        Section(
            "categories",
            "Physical operators by their number of children",
            ("category", "operators"),
            tuple([(name, ", ".join(members)) for name, members in _data()["categories"].items()]),
        ),
        Section(
            "memory",
            "Where aggregates keep their groups",
            ("operator", "what", "how it works"),
            _rows("memory"),
        ),
        Section(
            "limits",
            "Two kinds of broadcast limit",
            ("asked at", "limit", "value", "what it counts"),
            _rows("broadcast_limits"),
            "Only the first chooses a join; exceeding one of the others fails the query while it runs.",
        ),
        Section(
            "corrections",
            "Where the documents are wrong",
            ("about", "the documents say", "Spark does"),
            _rows("corrections"),
            "planviz does what Spark does.",
        ),
    ]


def corrections(name: str) -> list[tuple[str, str]]:
    """Where the documents are wrong about a rule or operator: what they say, and what Spark does."""
    return [(said, done) for about, said, done in _rows("corrections") if about == name]


def _rows(name: str) -> tuple[tuple[str, ...], ...]:
    return tuple([tuple(row) for row in _data()[name]])


def _strategies(profile: str) -> Section:
    """Every strategy with its place in the version, in the newest and in the oldest one."""
    shown = list(dict.fromkeys((profile, "spark-4.3", "spark-3.0")))
    orders = [strategies(name) for name in shown]

    def place(name: str, order: list[str]) -> str:
        return str(order.index(name) + 1) if name in order else "–"

    named = dict.fromkeys(name for order in orders for name in order)
    about = _data()["strategy_about"]
    rows = [(*(place(name, order) for order in orders), name, about[name]) for name in named if name in about]
    columns = (*(name.replace("spark-", "Spark ") for name in shown), "strategy", "plans")
    return Section("strategies", "Strategies in the order asked", columns, tuple(rows), _data()["strategy_note"])


def _otherwise(profile: str) -> Section:
    """What a version does otherwise than 4.3, the newest change first: what each later version brought."""
    rows = []
    for version, changes in CHANGES.items():
        if version == profile:
            break
        for change in changes:
            told = words.CHANGES.get(change.name, "")
            rows.append((version.replace("spark-", "Spark "), change.kind, change.name, told))
    title = f"What {profile.replace('spark-', 'Spark ')} does not do yet"
    return Section("otherwise", title, ("came with", "kind", "name", "what it does"), tuple(rows))


def category(operator: str) -> str:
    """LeafExecNode, UnaryExecNode, BinaryExecNode or other (D-006), by class name or as plans print it."""
    name = operator if operator.endswith("Exec") else f"{operator}Exec"
    return next((c for c, members in _data()["categories"].items() if name in members), "other")
