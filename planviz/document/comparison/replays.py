"""What a replayed explain says of itself: how it compares with the text, under which settings, over which sizes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from planviz.document.decisions.bounds import Bound, size_bounds
from planviz.document.decisions.queries import plain
from planviz.document.model import SqlStatement
from planviz.replay.given import given_text
from planviz.replay.result import Replay
from planviz.settings import spark_words
from planviz.units import byte_size

_WORDS = {
    "equal": "replayed, equals what Spark printed",
    "shape": "replayed, the operators are Spark's, some texts differ",
    "differs": "replayed, differs from what Spark printed",
    "absent": "replayed; the text has no plan to hold it against",
}
#: Which of the compared plans a page shows.
_STAGES = {"optimized": "optimized", "joins": "physical", "aggregates": "physical", "physical": "physical"}
#: Lines that differ which are told, and characters of each.
_LINES, _WIDE = 6, 160


def badge(statement: SqlStatement, about: str) -> str:
    """How what is shown of a replayed statement compares with the text: of its `optimized` plan (rules), its `joins`,
    its `aggregates` or its `physical` plan."""
    made = statement.replay
    if made is None:
        return ""
    if about == "optimized" and made.verdicts[about] == "absent" != made.verdicts["physical"]:
        about = "physical"  # what is shown begins at the physical plan's
    verdict = made.verdicts[_STAGES[about]]
    if made.has_only_operators(_STAGES[about]):
        return "replayed, the operators are Spark's; texts are not compared"
    if verdict != "differs" or about in _STAGES.values():
        return _WORDS[verdict]
    if about in statement.agrees:
        return f"replayed, the {about} are as Spark printed them; the plan differs elsewhere"
    return f"replayed, differs: the {about} are read from Spark's text"


@dataclass(frozen=True)
class TableSize:
    """The size of a table behind the plans: `words` say what it is or what bounds it has, `why` who says so."""

    name: str
    words: str
    why: str
    fitted: bool
    bytes: int | None


@dataclass(frozen=True)
class ReplayReport:
    """`counts` say in a sentence how many decisions were derived, fitted and taken, `settings` are
    (key, value, evidence), `sizes` those of all tables, `taken` what was taken from the text."""

    counts: str
    settings: tuple[tuple[str, str, str], ...]
    sizes: tuple[TableSize, ...]
    taken: tuple[str, ...]
    lines: dict[str, tuple[str, ...]] = field(default_factory=dict)
    failures: tuple[str, ...] = ()

    def differences(self, about: str) -> tuple[str, ...]:
        """The lines that differ of the plan that a page about this shows, Spark's beside ours."""
        return (*self.lines.get(_STAGES[about], ()), *self.failures)


def replay_report(statement: SqlStatement) -> ReplayReport:
    """What there is to say of a replayed statement. Raises ValueError for one that was not."""
    made = statement.replay
    if made is None:
        raise ValueError("this statement was not replayed")
    settings = [("profile", made.config.profile, _why_profile(made))]
    settings += [(s.key, spark_words(s.value), s.evidence)
                 for s in made.settings]  # fmt: skip
    return ReplayReport(
        _counts(statement, made),
        tuple(settings),
        tuple(_sizes(statement, made)),
        tuple(plain(t) for t in (*made.taken, *(a for read in made.read.values() for a in read.assumed))),
        {stage: tuple(_differences(found)) for stage, found in made.differences.items()},
        tuple(made.failures),
    )


def _why_profile(made: Replay) -> str:
    if made.given.profile:
        return "given"
    if made.older:
        return f"the oldest one; the text is of {made.older}"
    return "the version that fits the text"


def _counts(statement: SqlStatement, made: Replay) -> str:
    taken, decided = len(made.taken), 0
    if statement.execution is not None and statement.execution.error_until("physical") is None:
        decided = len(statement.execution.planned.decisions)
    hanging = 0 if made.fitted is None or not any(s.fitted for s in _sizes(statement, made)) else made.fitted.decisions
    if not statement.agrees:
        return "The planner's decisions are those that the text shows: planned again, the plan comes out otherwise."
    derived = max(decided - hanging - taken, 0)
    return (
        f"Decisions of the planner: {derived} derived, {max(hanging - taken, 0)} as printed under sizes that were "
        f"fitted (one possibility), {taken} taken from the text. Settings that it does not tell have their defaults."
    )


def _sizes(statement: SqlStatement, made: Replay) -> Iterator[TableSize]:
    execution = statement.execution
    if execution is None or execution.error_until("physical") is not None:
        return
    bounds = size_bounds(execution, execution.planned.decisions)
    for table in sorted(execution.catalog.tables.values(), key=lambda t: t.shown_name):
        name, size = table.shown_name, table.size_in_bytes
        if table.fitted:
            told = _bounded(bounds.get(name)) if "joins" in statement.agrees else ("not told", "")
            yield TableSize(name, *told, True, size)
        else:
            said = made.given.size_of(name) is not None
            why = "given" if said else "the text says it"
            yield TableSize(name, "unknown" if size is None else f"{byte_size(size)}, {why}", why, False, size)


def _bounded(bound: Bound | None) -> tuple[str, str]:
    """What bounds a size has, and why."""
    if bound is None:
        return "any size", "no decision depends on it alone"
    since = ", since " + bound.evidence[0].partition(",")[0] if len(bound.evidence) == 1 else ""
    return bound.words + since, "; ".join(bound.evidence)


def _differences(found: list[dict[str, str]]) -> Iterator[str]:
    for line in found[:_LINES]:
        spark, ours = (plain(line[side])[:_WIDE] or "(nothing)" for side in ("spark", "planviz"))
        yield f"Spark: {spark}  planviz: {ours}"
    if len(found) > _LINES:
        yield f"and {len(found) - _LINES} lines more"


def report_json(statement: SqlStatement) -> dict[str, object]:
    """A statement's replay as JSON values: `optimized`, `joins`, `aggregates` as sentences, and the report."""
    report = replay_report(statement)
    assert statement.replay is not None
    return {
        "optimized": badge(statement, "optimized"),
        "joins": badge(statement, "joins"),
        "aggregates": badge(statement, "aggregates"),
        "counts": report.counts,
        "settings": [list(s) for s in report.settings],
        "sizes": [{"table": s.name, "bytes": s.bytes, "fitted": s.fitted, "says": s.words, "why": s.why}
                  for s in report.sizes],
        "taken": list(report.taken),
        "given": given_text(statement.replay.given),
    }  # fmt: skip


def report_text(statement: SqlStatement, about: str) -> str:
    """The same as lines for a terminal, before what a command prints."""
    report = replay_report(statement)
    lines = [badge(statement, about), report.counts]
    lines += [f"  {key} = {value}: {why}" for key, value, why in report.settings]
    lines += [f"  {size.name}: {size.words}" for size in report.sizes]
    lines += [f"  taken from the text: {what}" for what in report.taken]
    lines += [f"  {line}" for line in report.differences(about)]
    return "\n".join(lines) + "\n"
