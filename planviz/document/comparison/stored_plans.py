"""Plans as text files that live beside their queries in git, and what became of them since (`planviz check`).

A stored plan is what `explain` prints, without the ids that another run or another column would change; it opens
everywhere a pasted plan does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import zip_longest
from typing import Literal

from planviz.catalog.tables import Catalog
from planviz.config import OptimizerConfig
from planviz.document import Document, open_sql, open_text
from planviz.document.comparison.plans import Difference, compare_plans
from planviz.document.opening.programs import NoActions, open_program
from planviz.errors import InputError, PlanvizError
from planviz.graph import PlanGraph
from planviz.graph.effect import Effect
from planviz.plantext.captures import captured_explain
from planviz.render.text import one_line

#: How a stored file begins; a file that begins otherwise is nobody's to overwrite or delete.
MARK = "-- planviz-plan/1"
State = Literal["same", "changed", "new", "stale", "failed", "empty"]
_IDS = re.compile(r"(plan_id=|\bid=#|(?:subquery|dynamicpruning|dynamicpruningexpression)#)(\d+)")
_EMPTY_ID = re.compile(r",? ?\[(?:plan_id|id)=#?\]")
_EXPRESSION_ID = re.compile(r"(?<!subquery)(?<!dynamicpruning)(?<!id=)#\d+L?(?:-T\d+ms)?(?!\w)")
_HEADINGS = {
    "parsed": "Parsed Logical Plan",
    "analyzed": "Analyzed Logical Plan",
    "optimized": "Optimized Logical Plan",
    "sparkPlan": "Spark Plan",
    "physical": "Physical Plan",
}
_QUOTED = re.compile(r"'((?:[^'\\]|\\.|'')*)'|\"((?:[^\"\\]|\\.)*)\"")
NOW = "planviz.now"
_STORED_CLOCK = re.compile(rf"^-- {re.escape(NOW)}=(\S+)$", re.MULTILINE)
#: Functions of the time and the texts that stand for it; a word too many costs a line in the stored file.
_ASKS_FOR_TIME = re.compile(
    r"\b(?:current_?(?:date|time(?:stamp)?)|curdate|now|localtimestamp|unix_timestamp|today|yesterday|tomorrow)\b",
    re.IGNORECASE,
)
_STATEMENT = re.compile(r"^-- statement (\d+)$", re.MULTILINE)


def plain_plan(text: str, literals: Sequence[str] = ()) -> str:
    """A plan's text without expression ids; ids that something refers to count from 1, others are left out.

    `literals` are texts of the query that look as if they had an id (`Brand#12`), and stay.
    """
    for number, literal in enumerate(literals):
        text = text.replace(literal, f"\x00{number}\x00")
    often = Counter(_IDS.findall(text))
    numbers: dict[str, int] = {}

    def renumbered(found: re.Match[str]) -> str:
        if sum(count for (_, id), count in often.items() if id == found[2]) < 2:
            return found[1] if "#" not in found[1] or found[1].endswith("id=#") else found[1].rstrip("#")
        return f"{found[1]}{numbers.setdefault(found[2], len(numbers) + 1)}"

    plain = _EMPTY_ID.sub("", _IDS.sub(renumbered, text))
    plain = _EXPRESSION_ID.sub("", plain)
    for number, literal in enumerate(literals):
        plain = plain.replace(f"\x00{number}\x00", literal)
    return plain


def _literals(sql: str) -> list[str]:
    """The texts in quotes that hold what looks like an id, the longest first; a program's strings hold some, too."""
    quoted = [text for pair in _QUOTED.findall(sql) for text in pair]
    quoted += [text for whole in quoted for pair in _QUOTED.findall(whole) for text in pair]
    found = {text.strip("%_") for text in quoted if _EXPRESSION_ID.search(text)}
    return sorted(found, key=lambda text: (-len(text), text))


def planned_program(
    text: str, catalog: Catalog | None, config: OptimizerConfig, infer: bool | None = None
) -> Document | None:
    """The queries of a program's actions, None for one without any. Raises the first error of the program."""
    try:
        document = open_program(text, catalog, config, infer)
    except NoActions:
        return None
    if document is not None and document.error is not None:
        raise document.error
    return document


def captured_plans(text: str, stage: str) -> list[str]:
    """The plain text of the plan of a stage that a capture of a real Spark holds.

    Raises InputError where it has none of that stage, NotAPlan for a text that is no capture or a damaged one.
    """
    sql, explain = captured_explain(text)
    parts = iter(re.split(r"^== ([^\n=]+) ==\n", explain, flags=re.MULTILINE)[1:])
    bodies = dict(zip(parts, parts, strict=True))
    if _HEADINGS[stage] not in bodies:
        raise InputError(f"The capture holds no {stage} plan; it has {', '.join(bodies) or 'none'}.")
    return [plain_plan(bodies[_HEADINGS[stage]].strip("\n"), _literals(sql))]


def planned(
    sql: str, catalog: Catalog | None, config: OptimizerConfig, stage: str = "physical", infer: bool | None = None
) -> Document:
    """The queries of a text, planned up to a stage. Raises the first error of a statement."""
    document = open_sql(sql, catalog, config, infer=infer, stage=stage)
    if document.error is not None:
        raise document.error
    return document


def plans_of(document: Document, stage: str) -> list[str]:
    """The plain text of every query's plan of a stage, in order."""
    texts = (statement.text(stage) for statement in document.statements if statement.execution is not None)
    literals = _literals(document.text)
    return [plain_plan(text, literals).rstrip("\n") for text in texts if text is not None]


def clock_of(text: str, stored: str | None) -> dict[str, str]:
    """The setting under which a query that asks for the time is planned: the instant of its stored plan, else today.

    A plan of `current_date()` would be another one every day. Empty for a text that asks for no time.
    """
    if not _ASKS_FOR_TIME.search(text):
        return {}
    head = (stored or "").partition("\n==")[0]
    found = _STORED_CLOCK.search(head)
    return {NOW: found[1] if found else f"{datetime.now(UTC):%Y-%m-%d}T00:00:00Z"}


def stored_text(plans: Sequence[str], name: str, stage: str, settings: Sequence[str] = ()) -> str:
    """The file of a query's plans: a line of ours, the settings, and each plan below its heading."""
    lines = [f"{MARK} of {name}, written by `planviz check --update`", *(f"-- {line}" for line in settings)]
    for number, plan in enumerate(plans, 1):
        if len(plans) > 1:
            lines += ["", f"-- statement {number}"]
        lines += ["", f"== {_HEADINGS[stage]} ==", plan]
    return "\n".join(lines) + "\n"


def stored_plans(text: str, name: str) -> list[str]:
    """The plans of a stored file. Raises InputError for a file that is none of ours."""
    if not text.startswith(MARK):
        raise InputError(f"{name} is no plan that planviz stored: it does not begin with “{MARK}”. Name it otherwise.")
    body = _STATEMENT.sub("", text.replace("\r\n", "\n"))
    parts = re.split(r"^== [^\n=]+ ==\n", body, flags=re.MULTILINE)[1:]
    return [part.strip("\n") for part in parts]


@dataclass(frozen=True)
class Checked:
    """What became of one query's plans: its state, the differences of plans that changed, and the error, if any.

    `name` is the query's, `path` its file, `seconds` the processor time that planning and comparing took.
    """

    name: str
    path: str
    state: State
    differences: tuple[Difference, ...] = ()
    message: str = ""
    line: int = 1
    seconds: float = 0.0
    text: str = field(default="", repr=False)

    @property
    def effects(self) -> list[Effect]:
        """All effects, those of the first plan first."""
        return [effect for difference in self.differences for effect in difference.effects]

    def fails(self, kinds: Sequence[str]) -> bool:
        """Whether a build fails on this: anything but the same, or of changed plans only effects of `kinds`."""
        if self.state == "changed" and kinds:
            return any(difference.failing(kinds) for difference in self.differences)
        return self.state not in ("same", "empty")

    @property
    def headline(self) -> str:
        """The answer in one line."""
        told = [difference.headline for difference in self.differences if not difference.equal]
        return "; ".join(told) or self.message


def compare_stored(stored: Sequence[str], now: Sequence[str], stage: str) -> tuple[tuple[Difference, ...], str]:
    """The differences of plans as they were stored and as they are; the message where these do not tell all."""
    if len(stored) != len(now):
        return (), f"{len(stored)} plans were stored, there are {len(now)} now"
    found, message = [], ""
    for one, two in zip(stored, now, strict=True):
        if one == two:
            continue
        before, after = (_graph(text, stage) for text in (one, two))
        found.append(compare_plans(before, after, ("stored", "now"), numbers=True))
        if found[-1].equal:
            # Only the texts differ, in what is taken for ids.
            lines = zip_longest(one.splitlines(), two.splitlines(), fillvalue="nothing")
            first = next((pair for pair in lines if pair[0] != pair[1]), ("", ""))
            message = f"{one_line(first[0].strip(), 200)} → {one_line(first[1].strip(), 200)}"
    return tuple(found), message


def _graph(text: str, stage: str) -> PlanGraph:
    return open_text(f"== {_HEADINGS[stage]} ==\n{text}\n").plans[-1]


def settings_lines(catalog: str, conf: Mapping[str, object], profile: str) -> list[str]:
    """What a plan was made with, for the head of its file."""
    told = [f"catalogue {catalog}"] if catalog else []
    told += [f"profile {profile}"] if profile else []
    return [*told, *(f"{key}={value}" for key, value in sorted(conf.items()))]


def failed(name: str, path: str, error: PlanvizError) -> Checked:
    """A query that cannot be planned."""
    return Checked(name, path, "failed", message=str(error), line=getattr(error, "line", None) or 1)
