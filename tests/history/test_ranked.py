"""Executions are ranked and filtered out of a catalogue."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet

from planviz.errors import InputError
from planviz.history.catalogue import Catalogue
from planviz.history.questions import RANKS, Question, moment
from planviz.history.ranked import estimate_error, ranked
from tests.history.catalogues import BROADCAST, MERGED, catalogue, joined, log, query


def spilling(lines: list[str], disk: int, shuffled: int) -> list[str]:
    written = f'"Name":"internal.metrics.shuffle.write.bytesWritten","Value":{shuffled}'
    spilled = '"Name":"internal.metrics.diskBytesSpilled","Value":'
    return [
        line.replace('"Accumulables":[', f'"Accumulables":[{{"ID":7009,{written}}},').replace(
            f"{spilled}5", f"{spilled}{disk}"
        )
        for line in lines
    ]


def expecting(lines: list[str], rows: int) -> list[str]:
    start = json.loads(lines[0])
    statistics = f"Statistics(sizeInBytes=1.0 KiB, rowCount={rows})"
    start["physicalPlanDescription"] = f"== Optimized Logical Plan ==\nFilter (a#1 > 2), {statistics}\n"
    return [json.dumps(start, separators=(",", ":")), *lines[1:]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    nightly = log(
        "nightly",
        spilling(query(0, "select one", took=900), 0, 10),
        spilling(query(1, "SELECT two", joined(MERGED, 10), took=100), 7_000, 0),
        expecting(query(2, "select three", took=500, rows=10), 1_000),
        query(3, "insert", took=50, error="no space left"),
    )
    hourly = log(
        "hourly",
        expecting(query(200_000, "select four", joined(BROADCAST, 2_000_000), took=300, rows=5_000), 10),
        spilling(query(200_001, "select five", took=300), 9_000, 20),
        query(200_002, "select six")[:-1],
        id="app-2",
    )
    return Catalogue(catalogue(tmp_path_factory.mktemp("ranked"), {"nightly": nightly, "hourly": hourly}))


def asked(made: Catalogue, **question: object) -> list[int]:
    return [found.execution_id for found in ranked(made, Question(**question)).executions]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rank", "order"),
    [
        ("slowest", [0, 2, 200_000, 200_001, 1, 3]),
        ("spill", [200_001, 1, 2, 3, 200_000, 200_002]),
        ("shuffle", [200_001, 0]),
        ("estimate", [200_000, 2]),
        ("failed", [3]),
        ("latest", [200_002, 200_001, 200_000, 3, 2, 1, 0]),
    ],
)
def test_a_ranking_puts_the_highest_first_and_leaves_out_what_has_nothing(
    made: Catalogue, rank: str, order: list[int]
) -> None:
    found = asked(made, rank=rank)
    assert sorted(found) == sorted(order)
    if rank == "spill":  # the others spilled 5 bytes each
        assert found[:2] == order[:2]
    elif rank == "slowest":
        assert found[:2] == order[:2]
        assert set(found[2:4]) == set(order[2:4])
        assert found[4:] == order[4:]
    else:
        assert found == order


def test_a_limit_keeps_the_first_and_counts_all(made: Catalogue) -> None:
    answer = ranked(made, Question("slowest", limit=2))
    assert ([found.milliseconds for found in answer.executions], answer.count) == ([900, 500], 6)


@pytest.mark.parametrize(
    ("filters", "left"),
    [
        ({"application": "nightly"}, {0, 1, 2, 3}),
        ({"application": "app-2"}, {200_000, 200_001, 200_002}),
        ({"application": "night"}, set()),
        ({"text": "select t"}, {1, 2}),
        ({"text": "NO SPACE"}, {3}),
        ({"text": "sel.ct"}, set()),
        ({"status": "failed"}, {3}),
        ({"status": "incomplete"}, {200_002}),
        ({"join": MERGED}, {1}),
        ({"join": "broadcasthashjoin"}, {200_000}),
        ({"operator": "scan", "application": "hourly"}, {200_000, 200_001, 200_002}),
        ({"since": moment("2026-09-23")}, {200_000, 200_001, 200_002}),
        ({"until": moment("2026-09-21", end=True)}, {0, 1, 2, 3}),
        ({"since": moment("2026-09-21T14:13:21"), "until": moment("2026-09-21T16:13:23+02:00")}, {1, 2}),
        ({"join": MERGED, "text": "select", "application": "nightly", "status": "succeeded"}, {1}),
    ],
)
def test_every_filter_leaves_what_it_says(made: Catalogue, filters: dict[str, object], left: set[int]) -> None:
    assert set(asked(made, rank="latest", **filters)) == left


def test_another_status_leaves_nothing_of_the_failed(made: Catalogue) -> None:
    assert asked(made, rank="failed", status="succeeded") == []


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ({"rank": "fastest"}, "There is no ranking fastest"),
        ({"status": "fine"}, "There is no status fine"),
        ({"limit": 0}, "a number from 1"),
        ({"join": "HashJoin"}, "No execution has the join strategy HashJoin. There are: BroadcastHashJoin, SortMerge"),
        ({"operator": "Window"}, "No execution has the operator Window. There are: "),
    ],
)
def test_what_there_is_not_is_told(made: Catalogue, question: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        asked(made, **question)


@pytest.mark.parametrize("text", ["yesterday", "2026-13-01", "", "21.9.2026"])
def test_what_is_no_time_is_told(text: str) -> None:
    with pytest.raises(InputError, match="no day or time"):
        moment(text)


@pytest.mark.parametrize(
    ("expected", "came", "error"),
    [
        (100.0, 10, 10.0),
        (10.0, 100, -10.0),
        (7.0, 7, 1.0),
        (1.0, 0, 1.0),
        (0.0, 50, -50.0),
        (None, 5, None),
        (5.0, None, None),
    ],
)
def test_an_estimate_is_wrong_in_both_directions(expected: float | None, came: int | None, error: float | None) -> None:
    assert estimate_error(expected, came) == error


def test_the_plans_are_not_read_for_a_ranking(made: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    tables, rows = Catalogue.tables, Catalogue._rows

    def noted(self: Catalogue, columns: list[str], where: object = None) -> object:
        read.extend(columns)
        return tables(self, columns, where)

    def rows_noted(self: Catalogue, file: str, numbers: set[int], columns: list[str]) -> object:
        read.extend(columns)
        return rows(self, file, numbers, columns)

    monkeypatch.setattr(Catalogue, "tables", noted)
    monkeypatch.setattr(Catalogue, "_rows", rows_noted)
    for rank in set(RANKS) - {"changed"}:
        asked(made, rank=rank)
    assert "description" in read
    assert "plan" not in read


def test_an_older_catalogue_may_lack_columns_and_a_newer_one_have_more(tmp_path: Path) -> None:
    path = catalogue(tmp_path, {"a": log("a", query(0, "select 1")), "b": log("b", query(1, "select 2", took=300))})
    first, second = sorted(Path(path, "executions").rglob("*.parquet"))
    old = parquet.read_table(first, partitioning=None).drop_columns(["estimated_rows", "cpu_ms", "joins"])
    parquet.write_table(old, first)
    new = parquet.read_table(second, partitioning=None)
    parquet.write_table(new.append_column("colour", pyarrow.array(["red"])), second)
    found = ranked(Catalogue(path), Question("latest")).executions
    assert [each.execution_id for each in found] == [1, 0]
    assert {each.cpu_ms is None for each in found} == {True, False}
    assert ranked(Catalogue(path), Question("estimate")).count == 0


def test_what_is_being_written_is_not_read(tmp_path: Path) -> None:
    path = catalogue(tmp_path, {"a": log("a", query(0, "select 1"))})
    (file,) = Path(path, "executions").rglob("*.parquet")
    file.with_name("other.parquet.part").write_bytes(b"PAR1 and no more yet")
    made = Catalogue(path)
    assert asked(made, rank="latest") == [0]
    file.with_name("other.parquet.part").rename(file.with_name("other.parquet"))
    again = Catalogue(path)
    assert asked(again, rank="latest") == [0]
    told = [fault[2] for one in again.logs() for fault in one.faults]
    assert told[0].startswith("this file of the catalogue is left out")


@pytest.mark.parametrize("harm", ["cut", "zeroed", "empty"])
def test_a_damaged_file_costs_its_own_executions_alone(tmp_path: Path, harm: str) -> None:
    path = catalogue(tmp_path, {"a": log("a", query(0, "one"), id="app-a"), "b": log("b", query(1, "two"), id="app-b")})
    whole = Catalogue(path)
    assert whole.contents().executions == 2
    assert not whole.damaged
    first = sorted(Path(path, "executions").rglob("*.parquet"))[0]
    data = first.read_bytes()
    first.write_bytes({"cut": data[: len(data) // 2], "zeroed": bytes(len(data)), "empty": b""}[harm])
    made = Catalogue(path)
    assert made.contents().executions == 1
    assert len(asked(made, rank="latest")) == 1
    assert [Path(file).name for file, _ in made.damaged] == [first.name]
    assert any(str(first) in fault[0] or first.name in fault[0] for one in made.logs() for fault in one.faults)


def test_a_folder_of_something_else_is_no_catalogue_and_an_empty_one_has_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no catalogue of executions"):
        Catalogue(str(tmp_path))
    with pytest.raises(InputError, match="no catalogue of executions"):
        Catalogue(str(tmp_path / "nowhere"))
    (tmp_path / "executions").mkdir()
    empty = Catalogue(str(tmp_path))
    assert (asked(empty), empty.logs(), empty.contents().executions) == ([], [], 0)


def test_the_contents_are_what_can_be_asked_for(made: Catalogue) -> None:
    found = made.contents()
    assert (found.executions, found.applications) == (7, ("hourly", "nightly"))
    assert found.joins == (BROADCAST, MERGED)
    assert set(found.joins) < set(found.operators)
    assert found.statuses == ("failed", "incomplete", "succeeded")
    assert found.first == moment("2026-09-21T14:13:20")
    assert found.last == moment("2026-09-23T21:46:42")


def test_logs_with_faults_come_first_as_they_were_read_last(tmp_path: Path) -> None:
    good = log("a", query(0, "select 1"))
    path = catalogue(tmp_path, {"a": good, "b": f"{good}garbage\n"})
    damaged, fine = Catalogue(path).logs()
    assert (Path(damaged.path).name, damaged.executions) == ("b", 1)
    ((file, line, reason),) = damaged.faults
    assert (file, line) == (damaged.path, len(good.splitlines()) + 1)
    assert reason.startswith("this line is no event")
    assert (Path(fine.path).name, fine.faults) == ("a", ())
    catalogue(tmp_path, {"b": good})
    assert [each.faults for each in Catalogue(path).logs()] == [(), ()]
