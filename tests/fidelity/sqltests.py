"""The SQL tests of the shared corpus through planviz, beside what Spark 4.3 printed or refused.

`python -m tests.fidelity.sqltests [SCRIPT...] [--every N] [-v]`

A script is a session: its setup and its statements run in their order, under the settings it was captured with; with
`--every` its commands and every n-th of its queries. What the corpus says not to judge is left out.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from planviz.catalog import Catalog
from planviz.config import OptimizerConfig
from planviz.errors import AnalysisError, ParseError, PlanvizError
from planviz.execution import QueryExecution, Session
from tests.fidelity.scoreboard import SHARED, comparer

FOLDER = SHARED / "corpus" / "sqltests"
STAGES = ("analyzed", "optimized", "physical")


@dataclass
class Difference:
    """One statement that came out differently: where (`stage`, or `refused`, `accepted`, `class`), and both sides."""

    script: str
    i: int
    sql: str
    where: str
    ours: str
    theirs: str


@dataclass
class Counted:
    """Plans by stage: judged, of the same shape, the same; Spark's errors; commands refused by one side only."""

    judged: Counter[str] = field(default_factory=Counter)
    shape: Counter[str] = field(default_factory=Counter)
    exact: Counter[str] = field(default_factory=Counter)
    errors: int = 0
    same_class: int = 0
    refused: int = 0
    accepted: int = 0
    commands: int = 0
    same_commands: int = 0
    differences: list[Difference] = field(default_factory=list)

    def add(self, other: Counted) -> None:
        for name in ("judged", "shape", "exact"):
            getattr(self, name).update(getattr(other, name))
        for name in ("errors", "same_class", "refused", "accepted", "commands", "same_commands"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.differences += other.differences


@cache
def names() -> tuple[str, ...]:
    return tuple(sorted(p.name.removesuffix(".json.gz") for p in (FOLDER / "out_suite").glob("*.json.gz")))


def document(name: str) -> dict[str, Any]:
    """A captured script."""
    with gzip.open(FOLDER / "out_suite" / f"{name}.json.gz", "rt", encoding="utf-8") as handle:
        made: dict[str, Any] = json.load(handle)
    return made


@cache
def unjudged() -> dict[tuple[str, int], tuple[str, ...]]:
    """The stages that are not to be judged, by script and number of the statement."""
    listed = json.loads((FOLDER / "suite_skip.json").read_text(encoding="utf-8"))
    return {(entry["file"], entry["i"]): tuple(entry["fields"]) for entry in listed}


def session_of(captured: dict[str, Any]) -> Session:
    """A session with the settings of a capture, those that planviz knows; nothing is guessed."""
    known = ("spark.sql.", "spark.master")
    settings = {key: str(value) for key, value in captured["settings"].items() if key.startswith(known)}
    return Session(Catalog(), OptimizerConfig.of("spark-4.3", **settings, **{"planviz.unknownFunctions": "refuse"}))


def outcome(session: Session, sql: str) -> tuple[QueryExecution | None, str]:
    """The execution of a statement that is a query, and the condition that it is refused with ("": planned)."""
    try:
        one = list(session.run(sql, "physical"))[-1]
    except PlanvizError as error:
        return None, condition(error)
    except Exception as error:  # a measure outlives what it measures
        return None, f"{type(error).__name__}: {error}"
    return one.execution, "" if one.error is None else condition(one.error)


def condition(error: PlanvizError) -> str:
    """Spark's name of an error, or what planviz says where it has none."""
    return error.error_class if isinstance(error, AnalysisError | ParseError) else f"{type(error).__name__}: {error}"


def measure(name: str, every: int = 1) -> Counted:
    """The counts of one script."""
    captured, counted = document(name), Counted()
    session = session_of(captured)
    for sql in captured["setup"]:
        outcome(session, sql)
    queries = 0
    for statement in captured["statements"]:
        query = statement["kind"] == "query"
        queries += query
        if not query or (queries - 1) % every == 0:
            _count(counted, captured["file"], session, statement)
    return counted


def _count(counted: Counted, script: str, session: Session, statement: dict[str, Any]) -> None:
    sql, wanted = statement["sql"], statement.get("error", {}).get("class") or ""
    if "error" in statement and not wanted:
        wanted = statement["error"].get("exception", "error")
    execution, refusal = outcome(session, sql)

    def differs(where: str, ours: str, theirs: str) -> None:
        counted.differences.append(Difference(script, statement["i"], sql, where, ours, theirs))

    if statement["kind"] != "query":
        counted.commands += 1
        counted.same_commands += refusal == wanted
        if refusal != wanted:
            differs("command", refusal, wanted)
        return
    if wanted:
        counted.errors += 1
        counted.same_class += refusal == wanted
        counted.accepted += not refusal
        if refusal != wanted:
            differs("class" if refusal else "accepted", refusal, f"{wanted} {statement['error'].get('message', '')}")
        return
    counted.refused += bool(refusal)
    if refusal:
        differs("refused", refusal, statement["analyzed"])
    first = not refusal
    for stage in STAGES:
        if stage in unjudged().get((script, statement["i"]), ()):
            continue
        counted.judged[stage] += 1
        # The analyzed text begins with the line of columns.
        theirs = statement[stage].split("\n", 1)[1] if stage == "analyzed" else statement[stage]
        try:
            ours = execution.text(stage).rstrip("\n") if execution is not None else ""
        except Exception:
            continue
        compared = comparer().compare(ours, theirs.rstrip("\n"))
        counted.shape[stage] += compared["shape_equal"]
        counted.exact[stage] += compared["text_equal"]
        if not compared["text_equal"] and first:
            first = False
            a, b = compared["first_text_diff"] or (ours[-200:], theirs[-200:])
            differs(stage, a, b)


def shown(name: str, counted: Counted) -> str:
    """One line of figures."""
    plans = ", ".join(f"{s} {counted.shape[s]}/{counted.exact[s]} of {counted.judged[s]}" for s in STAGES)
    return (
        f"{name}: same shape/text {plans}; {counted.same_class} of {counted.errors} errors in Spark's class, "
        f"{counted.refused} wrongly refused, {counted.accepted} wrongly accepted; "
        f"{counted.same_commands} of {counted.commands} commands"
    )


def measured(scripts: Iterable[str], every: int = 1) -> Iterator[tuple[str, Counted]]:
    for name in scripts:
        yield name, measure(name, every)


def main() -> None:
    parser = argparse.ArgumentParser("python -m tests.fidelity.sqltests", description=__doc__)
    parser.add_argument("scripts", nargs="*", metavar="SCRIPT", help="names or beginnings of names (all)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every n-th query of each script only")
    parser.add_argument("-v", "--verbose", action="store_true", help="where each first differs")
    options = parser.parse_args()
    wanted = tuple(s.removesuffix(".sql").replace("/", "__") for s in options.scripts)
    total = Counted()
    for name, counted in measured([n for n in names() if n.startswith(wanted or "")], options.every):
        print(shown(name, counted), flush=True)
        for d in counted.differences if options.verbose else ():
            print(f"  {d.where} {d.i}: {d.sql[:300]}\n    planviz {d.ours[:400]}\n    Spark   {d.theirs[:400]}")
        total.add(counted)
    print(shown("all", total))


if __name__ == "__main__":
    main()
