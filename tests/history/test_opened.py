"""An execution of a catalogue is a document like any other."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from planviz.document import open_text
from planviz.errors import InputError
from planviz.history import words
from planviz.history.catalogue import Catalogue, PastExecution
from planviz.history.opened import document_text, find
from planviz.history.questions import RANKS, Question
from planviz.history.ranked import ranked
from tests.history.catalogues import MERGED, catalogue, ingest, joined, log, query

EVIL = "<img src=x onerror=alert(1)> ' \\u202e"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    one = log("a", query(3, EVIL, joined(MERGED, 30)), query(4, "four"))
    two = log("b", query(3, "three", joined(MERGED, 30)), id="app-2")
    return Catalogue(catalogue(tmp_path_factory.mktemp("opened"), {"one": one, "two": two}))


def test_it_is_found_by_log_by_name_and_by_application(made: Catalogue) -> None:
    (whole,) = {each.path for each in made.logs() if each.path.endswith("one")}
    for name in (whole, "one", "app-1"):
        assert find(made, f"{name}#3").app_name == "a"
    assert find(made, "app-2#3").reference == find(made, "two#3").reference == f"{whole[:-3]}two#3"


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ("3", "named LOG#ID"),
        ("one#", "named LOG#ID"),
        ("one#x", "named LOG#ID"),
        ("one#9", "no execution 9 of one"),
        ("three#3", "no execution 3 of three"),
    ],
)
def test_what_is_not_there_is_told(made: Catalogue, reference: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        find(made, reference)


def test_a_name_of_several_is_told(tmp_path: Path) -> None:
    path = catalogue(tmp_path, {"one": log("a", query(0, "x")), "two": log("a", query(0, "x"))})
    with pytest.raises(InputError, match=r"app-1#0 could be 2 executions.*one#0, .*two#0"):
        find(Catalogue(path), "app-1#0")


def test_the_document_has_the_description_and_measured_rows(made: Catalogue) -> None:
    found = find(made, "one#3")
    document = open_text(document_text(made, found.log, found.execution_id, found.description))
    (plan,) = document.plans
    assert plan.title.startswith("3: <img src=x")
    assert [node.op for node in plan][:2] == ["Filter", "SortMergeJoin"]
    assert plan[0].metrics == {"number of output rows": 42}
    with pytest.raises(InputError, match="no execution 77"):
        document_text(made, found.log, 77)


@pytest.mark.parametrize(
    ("milliseconds", "said"),
    [(None, ""), (0, "0 ms"), (999, "999 ms"), (999.6, "1.0 s"), (4_240, "4.2 s"), (59_949, "59.9 s"),
     (59_951, "1 min 00 s"), (187_000, "3 min 07 s"), (7_500_000, "2 h 05 min"), (7_199_800, "2 h 00 min")],
)  # fmt: skip
def test_durations(milliseconds: float | None, said: str) -> None:
    assert words.duration(milliseconds) == said


def test_an_execution_in_words() -> None:
    found = PastExecution(
        "l", 1, estimated_rows=10.0, output_rows=123, joins={"SortMergeJoin": 2, "CartesianProduct": 1}
    )
    assert words.estimate(found) == "×12 too few"
    assert words.joins(found) == "2 SortMerge, CartesianProduct"
    assert words.estimate(PastExecution("l", 1, estimated_rows=54.0, output_rows=10)) == "×5.4 too many"
    assert words.estimate(PastExecution("l", 1, estimated_rows=10.0, output_rows=10)) == "exact"
    assert words.estimate(PastExecution("l", 1)) == words.when(None) == words.size(0) == ""
    assert words.when(datetime(2026, 9, 21, 14, 13, 20, tzinfo=UTC)) == "2026-09-21 14:13:20"


def test_every_execution_of_real_logs_opens(corpus: Path, tmp_path: Path) -> None:
    written = ingest([str(corpus / "live" / "logs")], str(tmp_path))
    made = Catalogue(str(tmp_path))
    answer = ranked(made, Question("latest", limit=1_000))
    assert len(answer.executions) == answer.count == written > 200
    opened = 0
    for found in answer.executions[::7]:
        document = open_text(document_text(made, found.log, found.execution_id, found.description))
        opened += sum(bool(node.metrics) for node in document.plans[0])
    assert opened > 200
    assert {rank: ranked(made, Question(rank)).count for rank in RANKS if rank not in ("changed", "spill")} == {
        "slowest": 207, "shuffle": 113, "estimate": 19, "failed": 5, "latest": 209,
    }  # fmt: skip
