"""The version of Spark that a text names itself: an event log's first event, a capture, the banner of a shell.

Vendors are known by what they append (3.5.0-databricks, 3.4.1-amzn-0) and by their own settings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

from planviz.plantext.versions import NEWEST, OLDEST, Evidence, Minor, PrintedBy
from planviz.versions.vendors import runtime_of

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
_CLUSTER = re.compile(r"spark\.databricks\.clusterUsageTags\.sparkVersion\b[\"'\s:=,|]*(\d+\.\d+\.x[\w.-]*)")
_SUFFIXES = (
    (re.compile(r"databricks", re.IGNORECASE), "Databricks"),
    (re.compile(r"-amzn-\d"), "Amazon EMR or AWS Glue"),
    (re.compile(r"\d\.7\.\d+\.\d+\.\d+-\d+$|\.3\.\d\.7\d{3}\."), "Cloudera"),
)


def with_stated(printed: PrintedBy, lines: Iterable[tuple[int, str]]) -> PrintedBy:
    """What the spellings tell, with the version that one of these lines names, if one does.

    `lines` are those of a text that are no part of a plan, with their numbers from 1; the first 400 are read. A stated
    version counts whatever the spellings say.
    """
    for number, line in islice(lines, _MOST_LINES):
        cluster = _CLUSTER.search(line)
        runtime = runtime_of(cluster[1]) if cluster is not None else None
        if runtime is not None:
            return stated(printed, runtime.spark, f"the settings name {runtime.title}", number, runtime.title)
        match = _STATED.search(line[:4_000])
        if match is not None:
            version = next(filter(None, match.groups()))
            return stated(printed, version, f"the text names its version, {version}", number)
    return printed


def stated(printed: PrintedBy, version: str, words: str, line: int | None = None, vendor: str = "") -> PrintedBy:
    """The same where `version`, as `3.5.1` or `3.5.0-amzn-1`, is known from `words`; as it was for another form.

    Without `vendor` it is told from what stands behind the number.
    """
    minor = minor_of(version)
    if minor is None:
        return printed
    evidence = Evidence(words, minor, minor, line)
    vendor = vendor or next((name for pattern, name in _SUFFIXES if pattern.search(version)), "")
    return PrintedBy(minor, minor, (evidence, *printed.evidence), stated=version, vendor=vendor)


def minor_of(version: str) -> Minor | None:
    """(3, 5) of `3.5.0-databricks`; None for a text that does not begin with a version."""
    match = re.match(r"(\d+)\.(\d+)", version)
    if match is None:
        return None
    minor = int(match[1]), int(match[2])
    return minor if OLDEST <= minor < NEWEST else None
