"""What logs, build servers and containers put before every line that they pass on."""

from __future__ import annotations

import re

from planviz.plantext.marks import MARKED, PLANISH

_LEVELS = ("INFO", "WARN", "DEBUG", "ERROR", "TRACE")
_LEVEL = r"(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR)"
_STAMP = r"\[?(?:\d{2,4}[-/]\d\d[-/]\d{2,4}[ T,])?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?"
_THREAD = r"(?:\[[^\]\n]*\]\s*)*"
_LOGGER = r"[\w.$/@-]*(?:\[[^\]\n]*\])?(?::\d+)?(?: ?\([^)\n]*\))?"
_LOG = re.compile(
    rf"^ {{0,8}}{_STAMP}(?:\s+(?:(?:stdout|stderr) [FP] |{_THREAD}{_LEVEL}\s+{_THREAD}{_LOGGER}\s*[:-](?: |$)|"
    rf"{_THREAD}{_LEVEL}: |\[(?:info|warn|error|debug)\] ?|- [\w.$]+ - {_LEVEL} - )|\s(?=[ :]*(?:[+:]- |==)))"
)
_BUILD_TOOL = re.compile(r"^ {0,8}\[(?:info|warn|error|debug|INFO|WARNING|ERROR|DEBUG)\] ?")
_SERVICE = re.compile(r"^ {0,8}([\w.-]{1,60}) {1,40}\| ?")
_RUNNER = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z ?")
_LEVEL_FIRST = re.compile(rf"^ {{0,8}}{_LEVEL}:? {_THREAD}[\w.$]+(?:\[[^\]]*\])?: ")
BEFORE_PLAN = re.compile(r"^[^=\n]*?\b(?:plan|tree|query)(?: is)?: (?=['!*(]*[A-Z])")


def without_log_prefixes(lines: list[str], raw: str) -> list[str] | None:
    """The lines without what was put before them; None where nothing was."""
    bare = _without_services(lines)
    logged = _without_log_marks(lines if bare is None else bare, raw)
    return bare if logged is None else logged


def _without_log_marks(lines: list[str], raw: str) -> list[str] | None:
    runner = _all_stamped(lines)
    hinted = runner or "[info]" in raw or any(level in raw for level in _LEVELS)
    if not hinted and not any(_LOG.match(line) for line in lines[:200]):
        return None
    changed, out = False, []
    for at, line in enumerate(lines):
        match = _LOG.match(line) or _LEVEL_FIRST.match(line) or _BUILD_TOOL.match(line)
        if match is None and runner:
            match = _RUNNER.match(line)
        if match:
            line, changed = line[match.end() :], True
            if at + 1 < len(lines) and MARKED.search(lines[at + 1]):
                line = BEFORE_PLAN.sub("", line)
        out.append(line)
    return out if changed else None


def _without_services(lines: list[str]) -> list[str] | None:
    """Lines without the name of the container that wrote them, as `docker compose` prints it: `driver-1  | +- Sort`."""
    full = [line for line in lines[:400] if line.strip()]
    named = [line[match.end() :] for line in full if (match := _SERVICE.match(line)) is not None]
    if len(named) < 2 or len(named) < 0.5 * len(full) or not any(map(PLANISH.search, named)):
        return None
    return [_SERVICE.sub("", line) for line in lines]


def _all_stamped(lines: list[str]) -> bool:
    """Whether nearly every line begins with the time at which a build server read it."""
    if not lines or not (_RUNNER.match(lines[0]) or _RUNNER.match(lines[len(lines) // 2])):
        return False
    full = [line for line in lines[:400] if line.strip()]
    return sum(1 for line in full if _RUNNER.match(line)) >= 0.8 * len(full)
