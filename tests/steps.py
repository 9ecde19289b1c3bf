"""Work counted in calls: the same number on every machine, however busy it is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from cProfile import Profile
from types import FrameType
from typing import Any


def steps(work: Callable[[], Any]) -> int:
    """How many functions are called, Python's own among them, while `work` runs; what it raises is raised."""
    profile = Profile()
    profile.enable()
    try:
        work()
    finally:
        profile.disable()
    return sum(entry.callcount for entry in profile.getstats())


def instructions(work: Callable[[], object]) -> int:
    """How many of Python's own instructions run while `work` does: loops and comprehensions count, too. Takes long."""
    counted = 0

    def trace(frame: FrameType, event: str, _: object) -> Callable[..., object]:
        nonlocal counted
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        counted += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return counted
