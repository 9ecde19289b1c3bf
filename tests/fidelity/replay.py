"""How much of what Spark printed is read back: `python -m tests.fidelity.replay [MODE...] [--physical FORM] [--table]`.

A mode is a folder of captures, such as `tpcds/captures/nocbo-aqeoff`. Only the extended text is looked at; with
`--physical` only the physical plan in that form (simple, extended, formatted), which is lifted and planned again.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from planviz.document import open_text
from planviz.document.opening.replays import replays
from planviz.graph import PlanGraph
from planviz.replay.plans import columns_in, read_plan
from planviz.replay.result import Replay
from planviz.replay.settings import ADAPTIVE, ANSI, COST_BASED, PARTITIONS
from tests.fidelity.scoreboard import SHARED

CORPUS = SHARED / "corpus"
MODES = ("tpcds/captures/nocbo-aqeoff", "tpcds/captures/cbo-aqeon", "tpcds-partitioned/captures/nocbo-aqeoff")
_HEADING = re.compile(r"(?m)^== (\w+) .*==\n")


_TITLES = {
    "analyzed": "== Analyzed Logical Plan ==",
    "optimized": "== Optimized Logical Plan ==",
    "physical": "== Physical Plan ==",
}


@dataclass
class RoundTrip:
    """How many plans were read, and how many of them are printed as they stood."""

    plans: int = 0
    equal: int = 0
    operators: int = 0
    expressions: int = 0
    opaque: list[str] = field(default_factory=list)
    differences: list[tuple[str, str, str, str]] = field(default_factory=list)


def texts(
    mode: str, only: tuple[str, ...] = (), form: str = "extended", every: int = 1
) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Name, document and text of a mode's queries, of every so many-th one."""
    for file in sorted((CORPUS / mode).glob("*.json.gz"))[::every]:
        name = file.name.removesuffix(".json.gz")
        if only and name not in only:
            continue
        document = json.loads(gzip.decompress(Path(file).read_bytes()))
        text = document.get("explain", {}).get(form)
        if text:
            yield name, document, text


def sections(text: str) -> dict[str, str]:
    """The trees of an extended text by stage."""
    parts = _HEADING.split(text)
    found = {stage.lower(): body.strip("\n") for stage, body in zip(parts[1::2], parts[2::2], strict=True)}
    if "analyzed" in found:
        found["analyzed"] = found["analyzed"].split("\n", 1)[-1]
    return found


def round_trip(mode: str, only: tuple[str, ...] = ()) -> RoundTrip:
    """Analyzed and optimized plans read and printed again."""
    score = RoundTrip()
    for name, _, text in texts(mode, only):
        document = open_text(text)
        columns = columns_in(document.plans, text)
        wanted = sections(text)
        for plan in document.plans:
            if plan.stage in ("analyzed", "optimized"):
                _count(score, name, plan, wanted[plan.stage], read_plan(plan, columns))
    return score


def sql_tests(only: tuple[str, ...] = ()) -> RoundTrip:
    """The analyzed and optimized plans of a SQL engine's own tests, read and printed again."""
    score = RoundTrip()
    for file in sorted((CORPUS / "sqltests/out_suite").glob("*.json.gz")):
        name = file.name.removesuffix(".json.gz")
        if only and name not in only:
            continue
        for statement in json.loads(gzip.decompress(file.read_bytes()))["statements"]:
            if statement.get("analyzed") and statement.get("optimized"):
                _round_trip(score, f"{name} {statement['i']}", statement)
    return score


def _round_trip(score: RoundTrip, name: str, statement: dict[str, Any]) -> None:
    parts = ((stage, statement[stage]) for stage in ("analyzed", "optimized", "physical") if statement.get(stage))
    text = "\n".join(f"{_TITLES[stage]}\n{body}\n" for stage, body in parts)
    document = open_text(text)
    columns = columns_in(document.plans, text)
    wanted = {"analyzed": statement["analyzed"].split("\n", 1)[-1], "optimized": statement["optimized"]}
    for plan in document.plans:
        if plan.stage in wanted:
            _count(score, name, plan, wanted.pop(plan.stage).strip("\n"), read_plan(plan, columns))


def _count(score: RoundTrip, name: str, plan: PlanGraph, wanted: str, read: Any) -> None:
    score.plans += 1
    score.operators += read.operators
    score.expressions += read.expressions
    score.opaque += [*read.opaque, *read.opaque_operators]
    text = read.text.strip("\n")
    if text == wanted:
        score.equal += 1
        return
    lines = zip(wanted.split("\n"), text.split("\n"), strict=False)
    first = next(((a, b) for a, b in lines if a != b), ("", "the end"))
    score.differences.append((name, plan.stage, *first))


def verdicts(mode: str, only: tuple[str, ...] = ()) -> tuple[Counter[str], list[str]]:
    """How the replayed plans of a mode compare, from the extended text alone; and the queries that are not equal."""
    found: Counter[str] = Counter()
    other: list[str] = []
    for name, _, text in texts(mode, only):
        for made in replays(open_text(text)):
            found.update(f"{stage} {verdict}" for stage, verdict in made.verdicts.items())
            found.update(taken=len(made.taken), fitted=made.fitted.decisions if made.fitted else 0)
            other += [f"{name} {stage} {v}" for stage, v in made.verdicts.items() if v != "equal"]
    return found, other


@dataclass
class Row:
    """A row of the table of captures: verdicts by stage, settings that are wrong, queries that differ."""

    verdicts: Counter[str] = field(default_factory=Counter)
    queries: int = 0
    taken: int = 0
    fitted: int = 0
    wrong: list[str] = field(default_factory=list)
    other: list[str] = field(default_factory=list)


def row(mode: str, form: str = "extended", every: int = 1, only: tuple[str, ...] = ()) -> Row:
    """How the plans of a mode compare, and whether the settings that its name says were found."""
    found = Row()
    for name, _, text in texts(mode, only, form, every):
        for made in replays(open_text(text)):
            found.queries += 1
            found.verdicts.update(f"{stage} {verdict}" for stage, verdict in made.verdicts.items())
            found.taken += len(made.taken)
            found.fitted += made.fitted.decisions if made.fitted and not made.told else 0
            found.wrong += [f"{name}: {w}" for w in wrong_settings(mode, made)]
            found.other += [f"{name} {stage} {v}" for stage, v in made.verdicts.items() if v in ("differs", "absent")]
    return found


def wrong_settings(mode: str, made: Replay) -> list[str]:
    """The settings that a replay has otherwise than the session of the mode had: adaptive, ANSI, partitions, CBO."""
    version = re.search(r"versions/(\d+)\.", mode)
    older = version is not None and int(version.group(1)) < 4
    wanted: dict[str, Any] = {PARTITIONS: 200, ADAPTIVE: "aqeon" in mode, ANSI: not older and "ansioff" not in mode}
    found = {s.key: s.value for s in made.settings}
    wrong = [f"{key}={found[key]}" for key, value in wanted.items() if key in found and found[key] != value]
    if "/nocbo" in mode and any(found.get(key) for key in COST_BASED):
        wrong.append("CBO")
    return wrong


def _print_row(mode: str, made: Row, verbose: bool) -> None:
    counts = (f"{made.verdicts[f'{s} {v}']}" for s in ("optimized", "physical") for v in ("equal", "shape", "differs"))
    cells = (mode, str(made.queries), *counts, str(made.taken), str(made.fitted), str(len(made.wrong)))
    print("| " + " | ".join(cells) + " |", flush=True)
    for line in (*made.wrong, *made.other) if verbose else ():
        print(f"  {line}")


def lifted(mode: str, form: str, only: tuple[str, ...] = (), every: int = 1) -> tuple[Counter[str], list[str]]:
    """How the plans of a mode compare that were lifted from physical plans alone; and the queries that differ."""
    found: Counter[str] = Counter()
    other: list[str] = []
    for name, document, _ in texts(mode, only, every=every):
        text = document["explain"].get(form)
        if text is None:
            continue
        for made in replays(open_text(text[text.index("== Physical Plan ==") :])):
            verdict, read = made.verdicts["physical"], made.read.get("physical")
            found.update([verdict])
            if read is not None:
                opaque = len(read.opaque) + len(read.opaque_operators)
                found.update(operators=read.operators, expressions=read.expressions, opaque=opaque)
            found.update(taken=len(made.taken), fitted=made.fitted.decisions if made.fitted else 0)
            other += [] if verdict in ("equal", "shape") else [f"{name} {verdict}"]
    return found, other


def _print_trip(mode: str, score: RoundTrip, verbose: bool) -> None:
    print(
        f"{mode}: {score.equal} of {score.plans} plans printed again as they stood; {score.operators} operators, "
        f"{score.expressions} expressions, {len(score.opaque)} opaque"
    )
    for name, stage, theirs, ours in score.differences if verbose else ():
        print(f"  {name} {stage}\n    Spark   {theirs.strip()}\n    planviz {ours.strip()}")
    for text in dict.fromkeys(score.opaque) if verbose else ():
        print(f"  opaque: {text[:150]}")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modes", nargs="*", default=MODES)
    parser.add_argument("--physical", choices=("simple", "extended", "formatted"))
    parser.add_argument("--sql-tests", action="store_true", help="the plans of sqltests, read and printed again")
    parser.add_argument("--table", action="store_true", help="one row a mode: plans and settings; with --form")
    parser.add_argument("--form", choices=("extended", "cost"), default="extended")
    parser.add_argument("--every", type=int, default=1, help="of the queries every so many-th")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args(arguments)
    if options.sql_tests:
        _print_trip("sqltests", sql_tests(), options.verbose)
        return 0
    if options.table:
        print(
            "| capture | queries | optimized equal | shape | differs | physical equal | shape | differs | taken", end=""
        )
        print(" | fitted | settings wrong |\n|---|---|---|---|---|---|---|---|---|---|---|")
    for mode in options.modes:
        if options.table:
            _print_row(mode, row(mode, options.form, options.every), options.verbose)
            continue
        if options.physical:
            counts, other = lifted(mode, options.physical, every=options.every)
            print(f"{mode}, physical plan alone, {options.physical}: {dict(counts)}")
            print("  " + ", ".join(other))
            continue
        score = round_trip(mode)
        _print_trip(mode, score, options.verbose)
        counts, other = verdicts(mode)
        print("  " + ", ".join(f"{what}: {count}" for what, count in sorted(counts.items())))
        if options.verbose:
            print("  " + ", ".join(other))
    return 0


if __name__ == "__main__":
    sys.exit(main())
