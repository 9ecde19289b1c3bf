"""TPC-DS as every version of Spark from 3.0 to 4.3 plans it, beside our plans under that version's profile."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from planviz.config import OptimizerConfig
from planviz.errors import PlanvizError
from planviz.execution import QueryExecution
from planviz.expressions.ids import Ids, fresh_ids, ids_from
from planviz.versions import PROFILES
from tests.fidelity.scoreboard import FIRST_ID, SHARED, Score, catalog, comparer, section

FOLDER = SHARED / "corpus" / "versions"
STAGES = ("analyzed", "optimized", "physical")
_COST_BASED = ("spark.sql.cbo.enabled", "spark.sql.cbo.planStats.enabled", "spark.sql.cbo.joinReorder.enabled")


def folder_of(profile: str) -> Path:
    """Where the captures of a profile's version lie: spark-3.5 has those of 3.5.9."""
    return next(iter(sorted(FOLDER.glob(f"{profile.removeprefix('spark-')}.*"))), FOLDER / "none")


def modes(profile: str) -> list[str]:
    """The captured modes of a profile's version."""
    return sorted(f.name for f in (folder_of(profile) / "tpcds").glob("*") if f.is_dir())


def measured_profiles() -> list[str]:
    """The profiles whose version was captured, the newest first."""
    return [name for name in PROFILES if modes(name)]


@cache
def captured(profile: str, mode: str, every: int = 1) -> tuple[dict[str, Any], ...]:
    """Every n-th captured query of a mode that Spark could plan."""
    found = []
    for path in sorted((folder_of(profile) / "tpcds" / mode).glob("*.json.gz"))[::every]:
        with gzip.open(path, "rt", encoding="utf-8", errors="surrogatepass") as handle:
            document = json.load(handle)
        if "error" not in document and "extended" in document["explain"]:
            found.append(document)
    return tuple(found)


def config_of(profile: str, mode: str) -> OptimizerConfig:
    """The settings of a mode over a profile's defaults."""
    settings: dict[str, Any] = dict.fromkeys(_COST_BASED, mode.startswith("cbo"))
    settings |= {"spark.sql.adaptive.enabled": "aqeon" in mode, "spark.sql.session.timeZone": "UTC"}
    if mode.endswith("ansioff"):
        settings["spark.sql.ansi.enabled"] = False
    return OptimizerConfig.of(profile, **settings)


def measure(profile: str, mode: str, every: int = 1) -> dict[str, Score]:
    """The scores of every stage over the captured queries of a mode; every n-th of them."""
    scores = {stage: Score(stage) for stage in STAGES}
    for document in captured(profile, mode, every):
        for stage, text in _texts(document, profile, mode):
            _count(scores[stage], document, stage, text)
    return scores


def _texts(document: dict[str, Any], profile: str, mode: str) -> Iterator[tuple[str, str | PlanvizError]]:
    config = config_of(profile, mode)
    with ids_from(_as_numbered(document, config) if config.behaviour.constraints_are_hashed else Ids(FIRST_ID)):
        planned = QueryExecution(document["sql"], catalog(), config)
        for stage in STAGES:
            try:
                yield stage, planned.text(stage).rstrip("\n")
            except PlanvizError as error:
                yield stage, error


def _as_numbered(document: dict[str, Any], config: OptimizerConfig) -> Ids:
    """The ids that the captured session gave the analyzed plan, for ours; others count from FIRST_ID.

    Where a plan depends on the ids themselves, only the same ids can give the same plan: a session's first table may
    have any.
    """
    ids = Ids(FIRST_ID)
    with fresh_ids(FIRST_ID):
        try:
            own = QueryExecution(document["sql"], catalog(), config).text("analyzed")
        except PlanvizError:
            return ids
    given: dict[int, int] = {}
    theirs = _ids_by_name(section(document, "analyzed"))
    for name, numbers in _ids_by_name(own).items():
        given.update(zip(numbers, theirs.get(name, []), strict=False))
    ids.expressions = (given.get(n, n) for n in count(FIRST_ID))
    return ids


def _ids_by_name(text: str) -> dict[str, list[int]]:
    """The ids of the columns of every name, as they first appear in a text."""
    found: dict[str, dict[int, None]] = {}
    for name, number in _NAMED.findall(text):
        found.setdefault(name, {})[int(number)] = None
    return {name: list(numbers) for name, numbers in found.items()}


_NAMED = re.compile(r"([^\s,\[(]*[\w)\]`'*-])#(\d+)")
#: An id stands right behind a name: a literal like 'exportiunivamalg #9' holds none.
_ID = re.compile(r"(?<=[\w)\]\[`'*-])#(\d+)")
#: The filters of a scan's line that end in dots.
_CUT = re.compile(r"((?:Data|Partition)Filters: )(\[[^\n]*?)\.\.\., (?=[A-Z]\w+: )")


def _without_cut_filters(*texts: str) -> tuple[str, ...]:
    """The texts without a scan's filters where one of them cuts these.

    Spark 3.0 cuts them at 100 characters, ids included: where, depends on how many digits these have in a session.
    """
    lines = [t.split("\n") for t in texts]
    scans = [[i for i, line in enumerate(each) if "DataFilters: " in line] for each in lines]
    if not any(_CUT.search(t) for t in texts) or len({len(s) for s in scans}) > 1:
        return texts
    for places in zip(*scans, strict=True):
        for name in ("DataFilters", "PartitionFilters"):
            value = re.compile(rf"{name}: (.*?), (?=[A-Z]\w+: )")
            shown = [value.search(each[i]) for each, i in zip(lines, places, strict=True)]
            if any(m is not None and m[1].endswith("...") for m in shown):
                for each, i, m in zip(lines, places, shown, strict=True):
                    each[i] = each[i].replace(m[1], "[...]") if m is not None else each[i]
    return tuple("\n".join(each) for each in lines)


def _count(score: Score, document: dict[str, Any], stage: str, text: str | PlanvizError) -> None:
    name = document["query"]
    score.total += 1
    if not isinstance(text, str):
        score.differences.append((name, f"error {text}"))
        return
    own = {int(n) for n in _ID.findall(text)}
    wanted = section(document, stage)
    ids = {int(n) for n in _ID.findall(wanted)}
    text, wanted = _without_cut_filters(text, wanted)
    result = comparer().compare(text, wanted, own, ids)
    score.shape += result["shape_equal"]
    score.text += result["text_equal"]
    if not result["shape_equal"]:
        score.differences.append((name, f"shape: {result['first_shape_diff'] or result['first_text_diff']}"))
    elif not result["text_equal"]:
        score.differences.append((name, f"{result['first_text_diff']}"))
