"""How much of every plan text of the corpus is read: `python -m tests.fidelity.reading [FOLDER...] [--every N] [-v]`.

Every text that holds plans is opened, each logical plan in it read back and each physical one lifted. Counted are
the operators and expressions that are not opaque, and the leaves' columns: type known, inferred from use, or open.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

from planviz.document import open_text
from planviz.replay.columns import Columns
from planviz.replay.lifting.lifter import lifted_plan
from planviz.replay.older import in_newer_words
from planviz.replay.plans import ReadPlan, columns_in, read_plan
from planviz.replay.settings import ANSI, found_settings
from tests.fidelity.replay import CORPUS

FOLDERS = ("tpcds", "tpcds-partitioned", "versions", "old", "weird", "live", "programs", "sqltests")
_PLAN = re.compile(r"== (?:\w+ Logical|Physical|Initial|Final) Plan(?: \w+)? ==")
_LOGICAL = ("analyzed", "optimized")
_PHYSICAL = ("physical", "initial", "final")
_IDS = re.compile(r"#(\d+)")


def texts(folder: str, every: int = 1) -> Iterator[tuple[str, str]]:
    """Name and text of all that Spark printed in a folder, of every so many-th file."""
    files = sorted(f for f in (CORPUS / folder).rglob("*") if f.is_file())
    for file in files[::every]:
        name = str(file.relative_to(CORPUS))
        content = file.read_bytes()
        if file.suffix == ".gz":
            content = gzip.decompress(content)
        try:
            text = content.decode()
        except UnicodeDecodeError:
            continue
        if ".json" in file.suffixes or file.suffix == ".json":
            yield from ((f"{name} {at}", part) for at, part in enumerate(_strings(json.loads(text))))
        elif _PLAN.search(text):
            yield name, text


def _strings(value: Any) -> Iterator[str]:
    """The strings of a JSON document that hold plans; the parts of a statement put together."""
    if isinstance(value, str):
        if _PLAN.search(value):
            yield value
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)
    elif isinstance(value, dict):
        titles = {"analyzed": "Analyzed Logical", "optimized": "Optimized Logical", "physical": "Physical"}
        plain = {stage: value[stage] for stage in titles if isinstance(value.get(stage), str)}
        if plain and not any(_PLAN.search(body) for body in plain.values()):
            yield "\n".join(f"== {titles[stage]} Plan ==\n{body}\n" for stage, body in plain.items())
        for part in value.values():
            yield from _strings(part)


def read(text: str) -> Iterator[ReadPlan]:
    """The plans of a text, read back one by one; a final plan once, where its text holds the initial one, too."""
    document = open_text(text)
    for group in document.groups:
        plans = in_newer_words([document.plans[i] for i in group])
        settings = {s.key: s.value for s in found_settings(plans, document.printed)}
        ansi = bool(settings.get(ANSI, True))
        columns = columns_in(plans, text)
        first = max((int(m) for p in plans for n in p for m in _IDS.findall(n.text)), default=0) + 1
        for plan in plans:
            if not len(plan):
                continue
            if plan.stage in _LOGICAL:
                yield read_plan(plan, columns, ansi)
            elif plan.stage in _PHYSICAL:
                yield _lifted(plan, [p for p in plans if p is not plan], columns, ansi, first)


def _lifted(plan: Any, others: Any, columns: Columns, ansi: bool, first: int) -> ReadPlan:
    return lifted_plan(plan, [p for p in others if p.stage in _PHYSICAL], columns, ansi, first)


def measured(folder: str, every: int = 1) -> tuple[Counter[str], Counter[str], list[str]]:
    """Sums over a folder, what is opaque by how often it occurs, and the texts that raised something."""
    sums: Counter[str] = Counter()
    opaque: Counter[str] = Counter()
    failed: list[str] = []
    for name, text in texts(folder, every):
        sums["texts"] += 1
        try:
            for plan in read(text):
                sums.update(
                    plans=1,
                    operators=plan.operators,
                    expressions=plan.expressions,
                    columns=plan.columns,
                    inferred=plan.inferred,
                    open=plan.open,
                )
                sums["opaque operators"] += len(plan.opaque_operators)
                sums["opaque expressions"] += len(plan.opaque)
                opaque.update("operator " + o[:160] for o in plan.opaque_operators)
                opaque.update(o[:160] for o in plan.opaque)
        except Exception as error:  # what this measure is to find
            failed.append(f"{name}: {type(error).__name__}: {error}"[:200])
    return sums, opaque, failed


def share(part: int, whole: int) -> str:
    """A part in per cent."""
    return f"{100 * part / whole:.2f} %" if whole else "-"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", default=FOLDERS)
    parser.add_argument("--every", type=int, default=1, help="of the files every so many-th")
    parser.add_argument("-v", "--verbose", action="store_true", help="what is opaque, the most frequent first")
    options = parser.parse_args(arguments)
    print(
        "| folder | texts | plans | operators | not opaque | expressions | not opaque | types known | inferred | open |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    total: Counter[str] = Counter()
    for folder in options.folders:
        sums, opaque, failed = measured(folder, options.every)
        total += sums
        print(_row(folder, sums), flush=True)
        for line in failed:
            print(f"  failed: {line}")
        for text, count in opaque.most_common(200) if options.verbose else ():
            print(f"  {count:6} {text!r}")
    print(_row("all", total))
    return 0


def _row(name: str, sums: Counter[str]) -> str:
    known = sums["columns"] - sums["inferred"] - sums["open"]
    cells = (
        name, sums["texts"], sums["plans"],
        sums["operators"], share(sums["operators"] - sums["opaque operators"], sums["operators"]),
        sums["expressions"], share(sums["expressions"] - sums["opaque expressions"], sums["expressions"]),
        share(known, sums["columns"]), share(sums["inferred"], sums["columns"]), share(sums["open"], sums["columns"]),
    )  # fmt: skip
    return "| " + " | ".join(map(str, cells)) + " |"


if __name__ == "__main__":
    sys.exit(main())
