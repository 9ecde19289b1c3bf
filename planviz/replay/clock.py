"""The instant that a text calls now, from how far its constants are from those of a plan of another instant."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from planviz.config import OptimizerConfig
from planviz.evaluation.instants import now_by
from planviz.types import zones

NOW = "planviz.now"
_CALLS = re.compile(r"\b(?:current_timestamp|now|current_date|curdate|localtimestamp)\(")
_CONSTANT = re.compile(r"(?<![\w.:-])\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d(?:\.\d{1,6})?)?(?![\w:-])")
_ID = re.compile(r"#\d+")


def reads_the_clock(text: str) -> bool:
    """Whether an analyzed plan calls a function that tells the time."""
    return _CALLS.search(text) is not None


def moved_now(theirs: str, ours: str, config: OptimizerConfig) -> str | None:
    """The instant from which `theirs` was planned, where `ours` was planned under `config`; None where nothing tells.

    A line that is the same but for constants of time tells how far apart both instants are. Months of different lengths
    between now and a constant lead astray: whoever asks plans again and compares.
    """
    known = {_skeleton(line): _CONSTANT.findall(line) for line in ours.split("\n") if _CONSTANT.search(line)}
    pairs = [
        (a, b)
        for line in theirs.split("\n")
        for a, b in zip(_CONSTANT.findall(line), known.get(_skeleton(line), ()), strict=False)
        if a != b
    ]
    # A moment tells more than a day.
    pairs.sort(key=lambda pair: -min(map(len, pair)))
    for a, b in pairs:
        try:
            apart = datetime.fromisoformat(_padded(a)) - datetime.fromisoformat(_padded(b))
            local = now_by(config) + apart
        except (ValueError, OverflowError):
            continue
        zone = zones.zone_of(config.text("spark.sql.session.timeZone")) or UTC
        return local.replace(tzinfo=zone).astimezone(UTC).isoformat().replace("+00:00", "Z")
    return None


def _skeleton(line: str) -> str:
    return _ID.sub("#", _CONSTANT.sub("?", line))


def _padded(constant: str) -> str:
    """A constant with six digits behind its seconds, as every Python reads it."""
    head, point, digits = constant.partition(".")
    return f"{head}.{digits.ljust(6, '0')}" if point else head
