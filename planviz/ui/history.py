"""What the Event logs page shows of a catalogue: tables, facts and words; no Streamlit in here."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from html import escape
from threading import RLock
from typing import Any, TypeVar

from planviz.errors import PlanvizError
from planviz.history import words
from planviz.history.catalogue import Catalogue, Contents, PastExecution, ReadLog
from planviz.history.changed import PlanChange, PlanTimes, changed_plans, changes
from planviz.history.difference import in_words
from planviz.history.opened import document_text, find, plan_of
from planviz.history.questions import MOST, Question
from planviz.history.ranked import Answer, estimate_error, ranked
from planviz.jsontypes import JsonObject
from planviz.render.text import one_line
from planviz.ui import questions
from planviz.units import short

#: Rankings in the order of the switch, with their words.
RANKS = {
    "slowest": "Slowest",
    "spill": "Most spill",
    "shuffle": "Most shuffle",
    "estimate": "Worst estimate",
    "changed": "Plans that changed",
    "failed": "Failed",
    "latest": "Latest",
}
#: Rows of a table at first, and each time that more are asked for.
ROWS = 50
_KEPT = 4
_ANSWERS = 48
#: The column by which a ranking orders.
_RANKED = {"slowest": "Time", "shuffle": "Shuffled", "spill": "Spilled", "estimate": "Estimate",
           "failed": "When (UTC)", "latest": "When (UTC)"}  # fmt: skip
_BADGES = ("", "badges")
_COLUMNS = (
    ("#", "number"), ("When (UTC)", "time"), ("Application", "text"), ("What", "what"), ("Time", "number"),
    ("Shuffled", "number"), ("Spilled", "number"), ("Estimate", "number"), ("Joins", "text"), _BADGES,
)  # fmt: skip
_CHANGED = (("#", "number"), ("Application", "text"), ("What", "what"), ("Plans", "number"), ("Runs", "number"),
            ("Before", "number"), ("After", "number"), _BADGES, ("Last run (UTC)", "time"))  # fmt: skip


class History:
    """A catalogue that is looked at, with the answers that it gave last; a worker reads it where there are any."""

    def __init__(self, path: str, version: str) -> None:
        self.path, self.version = path, version
        self._made: OrderedDict[tuple[object, ...], object] = OrderedDict()
        self._lock = RLock()

    def ranked(self, question: Question) -> Answer:
        """The answer to any ranking but `changed`."""
        return self._answer("ranked", question)  # type: ignore[no-any-return]

    def changes(self, question: Question) -> tuple[list[PlanChange], int]:
        """The plans that changed."""
        found, count = self._answer("changes", replace(question, rank="changed", limit=MOST))
        return found[: question.limit], count

    def contents(self) -> Contents:
        """What can be asked for."""
        return self._answer("contents")  # type: ignore[no-any-return]

    def logs(self) -> list[ReadLog]:
        """The logs, those with faults first."""
        return self._answer("logs")  # type: ignore[no-any-return]

    def plans(self) -> set[tuple[str, str, str]]:
        """Application, description and fingerprint of each plan that took the place of another."""
        return changed_plans(self.changes(Question("changed"))[0])

    def past(self, reference: str) -> tuple[PastExecution, str]:
        """An execution by its name, and its document's text. Raises InputError when there is none."""
        return self._answer("past", reference)  # type: ignore[no-any-return]

    def difference(self, change: PlanChange) -> list[str]:
        """How the plans before and after differ; one sentence where they cannot be read."""
        return self._answer("difference", change)  # type: ignore[no-any-return]

    def _answer(self, what: str, *asked: object) -> Any:
        with self._lock:
            if (what, *asked) in self._made:
                self._made.move_to_end((what, *asked))
                return self._made[what, *asked]
        found = questions.run(__name__, "answered", self.path, what, *asked)
        with self._lock:
            self._made[what, *asked] = found
            while len(self._made) > _ANSWERS:
                self._made.popitem(last=False)
        return found


_histories: OrderedDict[str, History] = OrderedDict()
_catalogues: OrderedDict[str, Catalogue] = OrderedDict()
_lock = RLock()


def history_of(path: str) -> History:
    """The catalogue at a path as it is now; what was answered before stays while nothing was added.

    Raises InputError for what is no catalogue.
    """
    version = questions.run(__name__, "version_of", path)
    with _lock:
        known = _histories.get(path)
        if known is None or known.version != version:
            known = _histories[path] = History(path, version)
        _keep_few(_histories, path)
        return known


def version_of(path: str) -> str:
    """What changes as soon as a catalogue does. Raises InputError for what is none."""
    now = Catalogue(path)
    with _lock:
        known = _catalogues.get(path)
        if known is None or known.version != now.version:
            _catalogues[path] = now
        _keep_few(_catalogues, path)
    return now.version


def answered(path: str, what: str, *asked: object) -> object:
    """The answer to a question of `History` about the catalogue at a path."""
    with _lock:
        catalogue = _catalogues.get(path)
    if catalogue is None:
        version_of(path)
        catalogue = _catalogues[path]
    return _READERS[what](catalogue, *asked)


T = TypeVar("T")


def _keep_few(kept: OrderedDict[str, T], path: str) -> None:
    kept.move_to_end(path)
    while len(kept) > _KEPT:
        kept.popitem(last=False)


def _past(catalogue: Catalogue, reference: str) -> tuple[PastExecution, str]:
    found = find(catalogue, reference)
    return found, document_text(catalogue, found.log, found.execution_id, found.description)


def _difference(catalogue: Catalogue, change: PlanChange) -> list[str]:
    try:
        plans = [plan_of(catalogue, side.log, side.execution_id) for side in (change.before, change.after)]
    except PlanvizError as error:
        return [str(error)]
    return in_words(*plans) or ["The plans as they ran are alike; they differed before adaptive execution."]


_READERS: dict[str, Callable[..., object]] = {
    "ranked": ranked,
    "changes": changes,
    "contents": Catalogue.contents,
    "logs": Catalogue.logs,
    "past": _past,
    "difference": _difference,
}


# -- tables, as the element of history.js takes them


def executions_table(found: Answer, rank: str, plans: set[tuple[str, str, str]], selected: str) -> dict[str, object]:
    """The executions of an answer; `plans` are those that took another's place, `selected` is a reference."""
    most = max((_value(each, rank) for each in found.executions), default=0.0)
    rows = [_row(at, each, rank, most, plans) for at, each in enumerate(found.executions, 1)]
    return _table(_COLUMNS, rows, _RANKED.get(rank, ""), selected)


def _table(columns: Sequence[tuple[str, str]], rows: list[JsonObject], ranked: str, selected: str) -> dict[str, object]:
    """A table without the columns in which no row has anything."""
    kept = [at for at in range(len(columns)) if any(row["cells"][at] for row in rows)]
    rows = [{**row, "cells": [row["cells"][at] for at in kept]} for row in rows]
    shown = [columns[at] for at in kept]
    by = next((at for at, (label, _) in enumerate(shown) if label == ranked), None)
    return {"columns": shown, "ranked": by, "rows": rows, "selected": selected}


def _row(at: int, found: PastExecution, rank: str, most: float, plans: set[tuple[str, str, str]]) -> dict[str, object]:
    what = one_line(found.description, 300) or "no description"
    error = one_line(found.error, 300)
    cells: list[object] = [
        str(at),
        words.when(found.started),
        one_line(found.app_name or found.app_id, 60),
        {"text": error if rank == "failed" and error else what, "title": f"{what}\n{error}" if error else what},
        words.duration(found.milliseconds),
        words.size(found.shuffle_write_bytes),
        words.size(found.disk_spill_bytes),
        _estimate(found),
        one_line(words.joins(found), 80),
        _badges(found, plans),
    ]
    if rank in ("slowest", "spill", "shuffle") and most > 0:
        column = _COLUMNS.index((_RANKED[rank], "number"))
        cells[column] = {"text": cells[column], "bar": round(_value(found, rank) / most, 3)}
    return {"open": found.reference, "cells": cells}


def _value(found: PastExecution, rank: str) -> float:
    values = {"slowest": found.milliseconds, "spill": found.disk_spill_bytes, "shuffle": found.shuffle_write_bytes}
    return float(values.get(rank) or 0)


def _estimate(found: PastExecution) -> dict[str, object] | str:
    error = estimate_error(found.estimated_rows, found.output_rows)
    if error is None or found.estimated_rows is None or found.output_rows is None:
        return ""
    title = f"{short(found.estimated_rows)} rows expected, {short(found.output_rows)} came"
    tone = "" if abs(error) < 2 else "over" if error > 0 else "under"
    return {"text": words.estimate(found), "title": title, "tone": tone}


def _badges(found: PastExecution, plans: set[tuple[str, str, str]]) -> list[dict[str, str]]:
    badges = []
    if found.status == "failed":
        badges.append({"text": "failed", "tone": "problem", "title": one_line(found.error, 300)})
    elif found.status == "incomplete":
        badges.append({"text": "not ended", "tone": "plain", "title": "The log does not tell how it ended."})
    if (found.app_name, found.description, found.fingerprint) in plans:
        badges.append({"text": "plan changed", "tone": "estimated", "title": "This query had another plan before."})
    return badges


def changes_table(found: list[PlanChange], selected: str) -> dict[str, object]:
    """The queries whose plan changed; a row is opened by the reference of the plan after."""
    rows = []
    for at, change in enumerate(found, 1):
        slower = change.slower or 0
        badges = [{"text": said, "tone": "problem" if slower > 0 else "good"}] if (said := _speed(change)) else []
        badges += [{"text": "takes turns", "tone": "plain", "title": "The two plans take turns."}] * change.overlapping
        what = one_line(change.description, 300) or "no description"
        cells = [
            str(at), one_line(change.application, 60), {"text": what, "title": what}, str(change.plans),
            f"{change.executions:,}", words.duration(change.before.milliseconds),
            words.duration(change.after.milliseconds), badges, words.when(change.after.last),
        ]  # fmt: skip
        rows.append({"open": change.after.reference, "cells": cells})
    return _table(_CHANGED, rows, "After", selected)


def _speed(change: PlanChange) -> str:
    said = words.change_of_time(change)
    return "" if said == "as fast as before" else said


# -- one execution, one change


def facts(found: PastExecution) -> str:
    """An execution as a line of figures, HTML."""
    where = " · ".join(one_line(part, 80) for part in (found.app_name, found.app_id, found.user) if part)
    spark = f"Spark {one_line(found.spark_version, 20)}" if found.spark_version else ""
    rows = "" if found.output_rows is None else f"{found.output_rows:,}"
    if found.estimated_rows is not None:
        rows = f"{rows or 'unknown'} ({short(found.estimated_rows)} expected)"
    figures = (
        ("took", words.duration(found.milliseconds) or "not ended"),
        ("CPU of tasks", words.duration(found.cpu_ms) if found.cpu_ms else ""),
        ("jobs, stages, tasks", " · ".join(f"{n:,}" for n in (found.jobs, found.stages, found.tasks) if n is not None)),
        ("read", words.size(found.input_bytes)),
        ("shuffled", words.size(found.shuffle_write_bytes)),
        ("spilled", words.size(found.disk_spill_bytes)),
        ("rows", rows),
        ("joins", one_line(words.joins(found), 80)),
    )
    cells = "".join(f"<li><i>{name}</i>{escape(value)}</li>" for name, value in figures if value)
    error = f'<p class="pv-alert" role="alert">{escape(one_line(found.error, 600))}</p>' if found.error else ""
    return (
        f'<div class="pv-past"><h2>{escape(one_line(found.description, 200) or "no description")}</h2>'
        f"<p>{escape(' · '.join(part for part in (where, words.when(found.started), spark) if part))}</p>"
        f"<ul>{cells}</ul></div>{error}"
    )


def change_cards(change: PlanChange, difference: list[str]) -> str:
    """A change as HTML: the plan before, the plan after, and how they differ."""
    said = words.change_of_time(change) or "times cannot be compared: one of the plans never succeeded"
    turns = " The two plans take turns." if change.overlapping else ""
    lines = "".join(f"<li>{escape(one_line(line, 400))}</li>" for line in difference)
    return (
        f'<div class="pv-past"><h2>{escape(one_line(change.description, 200) or "no description")}</h2>'
        f"<p>{escape(one_line(change.application, 80))} · {change.plans} plans in {change.executions:,} executions</p>"
        f'<div class="pv-sides">{_side("Before", change.before)}{_side("After", change.after)}'
        f'<section class="pv-diff"><h3>What changed</h3><p>{escape(said[:1].upper() + said[1:])}.{turns}</p>'
        f"<ul>{lines}</ul></section></div></div>"
    )


def _side(name: str, side: PlanTimes) -> str:
    times = "once" if side.executions == 1 else f"{side.executions:,} times"
    seen = words.when(side.first)
    seen += f" to {words.when(side.last)}" if side.last != side.first else ""
    return (
        f"<section><h3>{name}</h3><b>{words.duration(side.milliseconds) or 'never succeeded'}</b>"
        f"<p>median, ran {times}</p><p>{seen}</p></section>"
    )


def contents_words(found: Contents, logs: list[ReadLog]) -> str:
    """What a catalogue holds, in a line."""
    if not found.executions:
        return "no executions yet"
    applications = len(found.applications)
    first, last = (f"{time:%Y-%m-%d}" if time else "" for time in (found.first, found.last))
    days = first if first == last else f"{first} to {last}"
    return (
        f"{_count(found.executions, 'execution')} of {_count(applications, 'application')} "
        f"in {_count(len(logs), 'log')}, {days}"
    )


def faults_html(logs: list[ReadLog]) -> str:
    """The faults of all logs, HTML."""
    rows = "".join(
        f"<tr><td>{escape(one_line(file, 200))}</td><td>{f'line {line:,}' if line else 'the file'}</td>"
        f"<td>{escape(one_line(reason, 300))}</td></tr>"
        for log in logs
        for file, line, reason in log.faults
    )
    return f'<div class="pv-faults"><table><tbody>{rows}</tbody></table></div>'


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"
