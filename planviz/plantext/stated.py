"""The version of Spark that a text names itself: an event log's first event, a capture, the banner of a shell."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

from planviz.plantext.versions import NEWEST, OLDEST, Evidence, Minor, PrintedBy

_MOST_LINES = 400
_NUMBER = r"(\d\.\d+(?:\.\d+)?(?:[-.+][\w.+-]*)?)"
_STATED = re.compile(
    rf'"Spark Version"\s*:\s*"{_NUMBER}"'
    rf'|"spark(?:\.app)?\.?[vV]ersion"\s*:\s*"{_NUMBER}"'
    rf"|\bspark[ _.]version\b[\"']?\s*[:=]?\s*[\"']?{_NUMBER}"
    rf"|/_/ +version {_NUMBER}"
    rf"|\bRunning Spark version {_NUMBER}",
    re.IGNORECASE,
)


def with_stated(printed: PrintedBy, lines: Iterable[tuple[int, str]]) -> PrintedBy:
    """What the spellings tell, with the version that one of these lines names, if one does.

    `lines` are those of a text that are no part of a plan, with their numbers from 1; the first 400 are read. A stated
    version counts whatever the spellings say.
    """
    for number, line in islice(lines, _MOST_LINES):
        match = _STATED.search(line[:4_000])
        if match is not None:
            version = next(filter(None, match.groups()))
            return stated(printed, version, f"the text names its version, {version}", number)
    return printed


def stated(printed: PrintedBy, version: str, words: str, line: int | None = None) -> PrintedBy:
    """The same where `version`, as `3.5.1` or `3.5.0-amzn-1`, is known from `words`; as it was for another form."""
    minor = minor_of(version)
    if minor is None:
        return printed
    evidence = Evidence(words, minor, minor, line)
    return PrintedBy(minor, minor, (evidence, *printed.evidence), stated=version)


def minor_of(version: str) -> Minor | None:
    """(3, 5) of `3.5.0-databricks`; None for a text that does not begin with a version."""
    match = re.match(r"(\d+)\.(\d+)", version)
    if match is None:
        return None
    minor = int(match[1]), int(match[2])
    return minor if OLDEST <= minor < NEWEST else None
