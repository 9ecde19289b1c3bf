"""The words that are Spark's, SQL's and Python's own; every other word is somebody's."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path
from zoneinfo import available_timezones

from planviz.graph.kinds import spark_name

#: Names that Spark makes: columns without a name, windows' and UDFs' results, delays of watermarks.
_MADE = re.compile(r"_c?\d+|_we?\d+|_gen_alias_\d+|pythonudf\d+|t\d+ms|_groupingexpression\d*|agg_\w+_\d+|c\d")
#: No setting has more parts or letters: `spark.spark.spark…` is not looked through to its end at every word.
_SETTING = re.compile(r"(?:spark|planviz)(?:\.\w{1,80}){1,12}", re.ASCII)
_ZONE = re.compile(r"[A-Z]\w{1,30}(?:/[\w+-]{1,30}){1,2}", re.ASCII)
_STAGE_OF_AGGREGATE = re.compile(r"^(?:partial|merge|finalmerge)_")


@cache
def _vocabulary() -> frozenset[str]:
    return frozenset((Path(__file__).parent / "vocabulary.txt").read_text(encoding="utf-8").split())


@lru_cache(maxsize=65_536)
def is_common(word: str) -> bool:
    """Whether a word is Spark's, SQL's or Python's own and says nothing about anybody."""
    known, small = _vocabulary(), word.lower()
    if small in known or _MADE.fullmatch(small) or spark_name(word).lower() in known:
        return True
    stem = _STAGE_OF_AGGREGATE.sub("", small)
    return stem != small and stem in known


@cache
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())


def zone_end(text: str, start: int) -> int:
    """Where the name of a time zone such as `Etc/UTC` that begins at a place of a text ends; `start` where none does.

    A part of a path is none: there a folder may be called so.
    """
    found = _ZONE.match(text, start)
    if found is None or text[found.end() : found.end() + 1] == "/" or text[max(0, start - 1) : start] == "/":
        return start
    return found.end() if found[0] in _zones() else start


def setting_end(text: str, start: int) -> int:
    """Where the name of one of Spark's settings that begins at a place of a text ends; `start` where none does.

    Words of settings, `parser` or `card`, may be somebody's column: they stay within the whole name alone.
    """
    found = _SETTING.match(text, start)
    return found.end() if found and found[0].lower() in _vocabulary() else start
