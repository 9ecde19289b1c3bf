"""Runs cases: each has dice of its own, so that a seed and a number are all that is needed to see it again."""

from __future__ import annotations

import random
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from planviz.errors import InternalError
from tests.fuzz.kinds import ALLOWED, KINDS

#: Seconds of CPU that a text below a megabyte may take.
SLOW = 2.0


@dataclass
class Found:
    """What came of a run: cases, those refused in a sentence, and the defects, each kind with its first case."""

    cases: int = 0
    refused: int = 0
    defects: Counter[str] = field(default_factory=Counter)
    first: dict[str, tuple[int, str]] = field(default_factory=dict)

    def note(self, number: int, what: str, text: str) -> bool:
        """Count a defect; whether it is the first of its kind."""
        self.defects[what] += 1
        return self.first.setdefault(what, (number, text))[0] == number


def run(kind: str, seed: int, count: int, begin: int = 0, slow: float = SLOW, seconds: float = 0.0) -> Found:
    """Run the cases from `begin` on, at most so many seconds (0: as long as it takes); defects are printed."""
    found, started = Found(), time.monotonic()
    for number in range(begin, begin + count):
        if seconds and time.monotonic() - started > seconds:
            break
        case = KINDS[kind](random.Random(f"{kind} {seed} {number}"))
        found.cases += 1
        begun = time.process_time()
        what = ""
        try:
            case.work()
        except InternalError as error:
            what = f"InternalError {str(error)[:160]}"
        except ALLOWED:
            found.refused += 1
        except Exception as error:  # whatever comes here is a defect
            what = f"{type(error).__name__} {_place(error)} {str(error)[:80]}"
        took = time.process_time() - begun
        if not what and took > slow and len(case.text) < 1_000_000:
            what = f"slow: more than {slow:g} s"
            print(f"    {took:.1f} s", flush=True)
        if what and found.note(number, what, case.text):
            print(f"{kind} seed {seed} case {number}: {what}\n    {case.text[:600]!r}", flush=True)
    return found


def _place(error: BaseException) -> str:
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "planviz" in f.filename]
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
