"""How much of what Spark printed is read back: `python -m tests.fidelity.replay [MODE...] [--physical FORM] [-v]`.

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
from planviz.document.replayed import replays
from planviz.graph import PlanGraph
from planviz.replay.plans import columns_in, read_plan
from tests.fidelity.scoreboard import SHARED

CORPUS = SHARED / "corpus"
MODES = ("tpcds/captures/nocbo-aqeoff", "tpcds/captures/cbo-aqeon", "tpcds-partitioned/captures/nocbo-aqeoff")
_HEADING = re.compile(r"(?m)^== (\w+) .*==\n")


@dataclass
class RoundTrip:
    """How many plans were read, and how many of them are printed as they stood."""

    plans: int = 0
    equal: int = 0
    operators: int = 0
    expressions: int = 0
    opaque: list[str] = field(default_factory=list)
    differences: list[tuple[str, str, str, str]] = field(default_factory=list)


def texts(mode: str, only: tuple[str, ...] = ()) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Name, document and extended text of a mode's queries."""
    for file in sorted((CORPUS / mode).glob("*.json.gz")):
        name = file.name.removesuffix(".json.gz")
        if only and name not in only:
            continue
        document = json.loads(gzip.decompress(Path(file).read_bytes()))
        text = document.get("explain", {}).get("extended")
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


def lifted(mode: str, form: str, only: tuple[str, ...] = ()) -> tuple[Counter[str], list[str]]:
    """How the plans of a mode compare that were lifted from physical plans alone; and the queries that differ."""
    found: Counter[str] = Counter()
    other: list[str] = []
    for name, document, _ in texts(mode, only):
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


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modes", nargs="*", default=MODES)
    parser.add_argument("--physical", choices=("simple", "extended", "formatted"))
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args(arguments)
    for mode in options.modes:
        if options.physical:
            counts, other = lifted(mode, options.physical)
            print(f"{mode}, physical plan alone, {options.physical}: {dict(counts)}")
            print("  " + ", ".join(other))
            continue
        score = round_trip(mode)
        print(
            f"{mode}: {score.equal} of {score.plans} plans printed again as they stood; {score.operators} operators, "
            f"{score.expressions} expressions, {len(score.opaque)} opaque"
        )
        counts, other = verdicts(mode)
        print("  " + ", ".join(f"{what}: {count}" for what, count in sorted(counts.items())))
        if options.verbose:
            print("  " + ", ".join(other))
            for name, stage, theirs, ours in score.differences:
                print(f"  {name} {stage}\n    Spark   {theirs.strip()}\n    planviz {ours.strip()}")
            for text in dict.fromkeys(score.opaque):
                print(f"  opaque: {text[:150]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
