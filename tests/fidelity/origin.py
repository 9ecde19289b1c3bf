"""Which version printed a text: what planviz finds, over every captured text of a known version.

`python -m tests.fidelity.origin [--every N] [-v]`

A text counts as right when its version is among those that planviz leaves; a text that tells nothing leaves all and is
counted apart, so that leaving everything open cannot look right. `narrow` are right ones with at most two minor
versions left. `best` are those whose newest version left is the one that printed it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from planviz.document import open_text
from planviz.errors import PlanvizError
from planviz.plantext.versions import Minor, PrintedBy
from tests.fidelity.scoreboard import CORPUS, SHARED

FOLDER = SHARED / "corpus"
_VERSION = re.compile(r"(?<![\d.])([34])\.(\d)(?:\.\d+)?(?![\d.])")
_NEWEST = (4, 3)


def texts() -> Iterator[tuple[str, Minor, str]]:
    """Every captured text: what it is, the version that printed it, the text; one after the other by kind."""
    for path in sorted((FOLDER / "versions").glob("*/tpcds/*/*.json.gz")):
        version = _minor(path.relative_to(FOLDER / "versions").parts[0])
        yield from _explained(path, version, f"versions {version[0]}.{version[1]}")
    for path in sorted((CORPUS / "captures").glob("*/*.json.gz")):
        yield from _explained(path, _NEWEST, "tpcds 4.3")
    for path in sorted((FOLDER / "tpcds-partitioned").rglob("*.json.gz")):
        yield from _explained(path, _NEWEST, "tpcds-partitioned 4.3")
    for kind in ("weird", "old"):
        for path in sorted(p for p in (FOLDER / kind).rglob("*") if p.name.endswith((".txt", ".txt.gz"))):
            version = _minor(path.relative_to(FOLDER / kind).parts[0])
            yield f"{kind} {version[0]}.{version[1]}", version, _read(path)
    for path in sorted((FOLDER / "live").glob("*.txt")):
        found = _VERSION.search(path.name)
        if found is not None:
            yield "live", (int(found[1]), int(found[2])), _read(path)


def _minor(name: str) -> Minor:
    major, minor = name.split(".")[:2]
    return int(major), int(minor)


def _read(path: Path) -> str:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8", "replace")


def _explained(path: Path, version: Minor, kind: str) -> Iterator[tuple[str, Minor, str]]:
    if path.name.startswith("_"):
        return
    for mode, text in (json.loads(_read(path)).get("explain") or {}).items():
        yield f"{kind} {mode.removesuffix('25')}", version, text


class Counted:
    """The verdicts on the texts of one kind."""

    def __init__(self) -> None:
        self.of: Counter[str] = Counter()
        self.wrong: list[str] = []

    def count(self, version: Minor, printed: PrintedBy, text: str) -> None:
        """Count one text."""
        self.of["texts"] += 1
        self.of[printed.confidence] += 1
        if printed.contradicted:
            verdict = "contradicted"
        elif printed.confidence == "none":
            verdict = "silent"
        else:
            verdict = "right" if printed.includes(version) else "wrong"
        self.of[verdict] += 1
        self.of["narrow"] += verdict == "right" and printed.left <= 2
        self.of["best"] += verdict == "right" and min(printed.last, _NEWEST) == version
        if verdict in ("wrong", "contradicted"):
            bad = [
                f"{e.words} ({e.versions}), line {e.line}" for e in printed.evidence if not e.first <= version <= e.last
            ]
            self.wrong.append(f"{version}: {'; '.join(bad)}: {text[:60]!r}")


def measure(every: int = 1) -> dict[str, Counted]:
    """What planviz finds of every n-th text, by kind."""
    kinds: dict[str, Counted] = {}
    for number, (kind, version, text) in enumerate(texts()):
        if number % every:
            continue
        counted = kinds.setdefault(kind, Counted())
        try:
            printed = open_text(text).printed
        except PlanvizError:
            counted.of["no plan"] += 1
            continue
        counted.count(version, printed, text)
    return kinds


def main() -> None:
    parser = argparse.ArgumentParser("python -m tests.fidelity.origin", description=__doc__)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every n-th text only")
    parser.add_argument("-v", "--verbose", action="store_true", help="which evidence was wrong")
    options = parser.parse_args()
    names = ("texts", "right", "wrong", "contradicted", "silent", "narrow", "best", "high", "medium", "low", "no plan")
    total: Counter[str] = Counter()
    print(f"{'':34}" + "".join(f"{name:>13}" for name in names))
    for kind, counted in measure(options.every).items():
        print(f"{kind:34}" + "".join(f"{counted.of[name]:13}" for name in names))
        total.update(counted.of)
        for line in counted.wrong[: 5 if options.verbose else 0]:
            print("   ", line)
    print(f"{'all':34}" + "".join(f"{total[name]:13}" for name in names))
    told = total["texts"] - total["silent"]
    print(f"right of those that tell anything: {total['right'] / max(told, 1):.2%}")
    print(f"right of all: {total['right'] / max(total['texts'], 1):.2%}")


if __name__ == "__main__":
    main()
