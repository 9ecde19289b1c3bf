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
from tests.fuzz.quick import EndlessCase, stopped_after

#: Seconds of CPU that a text below a megabyte may take.
SLOW = 2.0


@dataclass
class Found:
    """What came of a run: cases, those refused in a sentence, what was done, and the defects with their first cases."""

    cases: int = 0
    refused: int = 0
    seconds: float = 0.0
    done: Counter[str] = field(default_factory=Counter)
    defects: Counter[str] = field(default_factory=Counter)
    first: dict[str, tuple[int, str]] = field(default_factory=dict)

    def note(self, number: int, what: str, text: str) -> bool:
        """Count a defect; whether it is the first of its kind."""
        self.defects[what] += 1
        return self.first.setdefault(what, (number, text))[0] == number


@dataclass(frozen=True)
class Limits:
    """Seconds of processor time: a case may take `slow`, is stopped at `end` (0: never); all have `whole` (0: any)."""

    slow: float = SLOW
    end: float = 0.0
    whole: float = 0.0


def run(
    kind: str, seed: int, count: int, begin: int = 0, limits: Limits = Limits(), into: Found | None = None
) -> Found:
    """Run the cases from `begin` on and count them `into` what was found before; a new defect is printed at once."""
    found, started = Found() if into is None else into, time.process_time()
    for number in range(begin, begin + count):
        if limits.whole and time.process_time() - started > limits.whole:
            break
        case = KINDS[kind](random.Random(f"{kind} {seed} {number}"))
        found.cases += 1
        begun = time.process_time()
        what = ""
        try:
            with stopped_after(limits.end):
                found.done.update(case.work())
        except InternalError as error:
            what = f"InternalError {str(error)[:160]}"
        except ALLOWED:
            found.refused += 1
        except EndlessCase:
            what = f"endless: stopped after {limits.end:g} s"
        except Exception as error:  # whatever comes here is a defect
            what = f"{type(error).__name__} {_place(error)} {str(error)[:80]}"
        took = time.process_time() - begun
        if not what and took > limits.slow and len(case.text) < 1_000_000:
            what = f"slow: more than {limits.slow:g} s"
            print(f"    {took:.1f} s", flush=True)
        if what and found.note(number, what, case.text):
            print(f"{kind} seed {seed} case {number}: {what}\n    {case.text[:600]!r}", flush=True)
    found.seconds += time.process_time() - started
    return found


def _place(error: BaseException) -> str:
    frames = [
        f for f in traceback.extract_tb(error.__traceback__) if "/planviz/" in f.filename or "/tests/" in f.filename
    ]
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
