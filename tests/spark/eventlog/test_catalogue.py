"""A catalogue through its life: logs grow, end, are compacted or replaced; jobs run at once or are stopped."""

from __future__ import annotations

import json
import os
import threading
import time

import pandas
import pytest
from pyarrow import dataset

from planviz.errors import InputError
from planviz.spark.eventlog.catalogue import Catalogue
from planviz.spark.eventlog.job import ingest, read_log
from planviz.spark.eventlog.logs import find_logs
from tests.spark.eventlog.made_logs import execution, head, packed, text


class LocalSession:
    """What a job asks of Spark, one task after the other in this process."""

    def range(self, start, end, step, tasks):
        self.numbers = list(range(start, end, step))
        return self

    def mapInPandas(self, function, schema):  # noqa: N802
        self.rows = [
            row for part in function([pandas.DataFrame({"id": self.numbers})]) for row in part.to_dict("records")
        ]
        return self

    def collect(self):
        return [LocalRow(row) for row in self.rows]


class LocalRow(dict):
    def asDict(self):  # noqa: N802
        return dict(self)


@pytest.fixture
def run(tmp_path):
    def ingested(*paths, progress=lambda at: None, session=None):
        wanted = [str(path) for path in paths] or [str(tmp_path / "logs")]
        return ingest(session or LocalSession(), wanted, str(tmp_path / "catalogue"), progress)

    return ingested


@pytest.fixture
def logs(tmp_path):
    (tmp_path / "logs").mkdir()
    return tmp_path / "logs"


def rows(tmp_path):
    found = dataset.dataset(f"{tmp_path}/catalogue/executions", partitioning="hive").to_table().to_pylist()
    return sorted((row["log"].rsplit("/", 1)[-1], row["execution_id"], row["status"]) for row in found)


def lines(*executions):
    return "".join(f"{line}\n" for made in executions for line in made)


def counted(found):
    return found["logs"], found["skipped"], found["executions"]


def test_a_log_that_was_read_is_not_read_again(logs, run, tmp_path):
    (logs / "a").write_text(text(2))
    assert counted(run()) == (1, 0, 2)
    (logs / "b").write_text(text(3))
    assert counted(run()) == (2, 1, 3)
    assert counted(run()) == (2, 2, 0)
    assert len(rows(tmp_path)) == 5
    assert not list((tmp_path / "catalogue" / "_runs").iterdir())


@pytest.mark.parametrize("codec", ["", "zstd"])
def test_a_log_that_has_grown_is_read_from_the_first_execution_that_had_not_ended(codec, logs, run, tmp_path):
    def put(name, written):
        (logs / name).write_bytes(packed(written.encode(), codec) if codec else written.encode())

    whole = text(6)
    put("app.inprogress", text(execution(0), execution(1), execution(2)[:2]) + "{")
    first = run()
    assert (first["executions"], first["faults"]) == (3, [])
    assert [status for _, _, status in rows(tmp_path)] == ["succeeded", "succeeded", "incomplete"]
    put("app.inprogress", whole[: -len(lines(execution(5))) + 10])
    second = run()
    assert (second["executions"], second["faults"]) == (3, [])  # 2 to 4
    assert second["bytes"] < first["bytes"] + 3000
    (logs / "app.inprogress").unlink()
    put("app", whole)
    third = run()
    assert counted(third) == (1, 0, 1)
    assert rows(tmp_path) == [("app", n, "succeeded") for n in range(6)]
    assert {row["app_id"] for row in dataset.dataset(f"{tmp_path}/catalogue/executions").to_table().to_pylist()} == {
        "app-1"
    }
    assert counted(run()) == (1, 1, 0)


def test_an_application_that_ended_without_another_word_is_settled(logs, run, tmp_path):
    cut = text(2)[:-30]
    (logs / "app.inprogress").write_text(cut)
    assert run()["faults"] == []
    (logs / "app.inprogress").rename(logs / "app")
    (fault,) = run()["faults"]
    assert fault[1:] == [len(cut.splitlines()), "the log ends within this event"]
    assert rows(tmp_path) == [("app", 0, "succeeded"), ("app", 1, "incomplete")]


def test_attempts_of_an_application_are_told_apart(logs, run, tmp_path):
    for attempt in ("1", "2"):
        log = logs / "2026" / f"eventlog_v2_application_7_{attempt}"
        log.mkdir(parents=True)
        written = text(2).replace('"App ID":"app-1"', f'"App ID":"application_7","App Attempt ID":"{attempt}"')
        (log / f"events_1_application_7_{attempt}.zstd").write_bytes(packed(written.encode(), "zstd"))
        (log / f"appstatus_application_7_{attempt}").touch()
    assert counted(run()) == (2, 0, 4)
    found = dataset.dataset(f"{tmp_path}/catalogue/executions").to_table().to_pylist()
    assert sorted((row["app_id"], row["attempt_id"], row["execution_id"]) for row in found) == [
        ("application_7", attempt, number) for attempt in ("1", "2") for number in range(2)
    ]


def test_both_names_of_a_log_are_one_log(logs, run, tmp_path):
    (logs / "app.inprogress").write_text(text(1))
    (logs / "app").write_text(text(2))
    assert counted(run()) == (1, 0, 2)
    assert rows(tmp_path) == [("app", 0, "succeeded"), ("app", 1, "succeeded")]


def test_what_spark_compacts_away_stays_in_the_catalogue(logs, run, tmp_path):
    log = logs / "eventlog_v2_app"
    log.mkdir()
    (log / "appstatus_app.inprogress").touch()
    (log / "events_1_app").write_text(text(execution(0), execution(1)))
    (log / "events_2_app").write_text(lines(execution(2), execution(3)[:2]))
    assert run()["executions"] == 4
    (log / "events_3_app").write_text(lines(execution(3)[2:], execution(4)))
    assert run()["executions"] == 2
    for part in ("events_1_app", "events_2_app", "events_3_app"):
        (log / part).unlink()
    (log / "events_3_app.compact").write_text("".join(f"{line}\n" for line in head()))
    (log / "events_4_app").write_text(lines(*(execution(n) for n in range(5, 40))))
    (log / "appstatus_app.inprogress").rename(log / "appstatus_app")
    assert run()["executions"] == 35
    assert [row[1:] for row in rows(tmp_path)] == [(n, "succeeded") for n in range(40)]


def test_another_log_under_the_same_name_replaces_the_first(logs, run, tmp_path):
    (logs / "app").write_text(text(5).replace("1790000000", "1690000000"))
    run()
    (logs / "app").write_text(text(3))
    run()
    assert rows(tmp_path) == [("app", n, "succeeded") for n in range(3)]


def test_faults_stay_with_their_log(logs, run, tmp_path):
    damaged = text(3).splitlines(keepends=True)
    damaged.insert(5, "garbage\n")
    (logs / "app.inprogress").write_text("".join(damaged))
    (logs / "empty").touch()
    assert [fault[0].rsplit("/", 1)[-1] for fault in run()["faults"]] == ["app.inprogress", "empty"]
    (logs / "app.inprogress").write_text("".join(damaged) + lines(execution(9)))
    (fault,) = run()["faults"]
    assert (fault[1], fault[2][:20]) == (6, "this line is no even")
    known = Catalogue(str(tmp_path / "catalogue")).readings()
    assert [known[str(logs / name)].reasons[0][:9] for name in ("app", "empty")] == ["this line", "it is emp"]
    assert known[str(logs / "app")].executions == 4


def test_jobs_at_once_do_not_harm_each_other(logs, tmp_path, run):
    for number in range(6):
        (logs / f"app-{number}").write_text(text(40))
    failed = []

    def job():
        try:
            for _ in range(3):
                for log in find_logs([str(logs)]):
                    target = Catalogue(str(tmp_path / "catalogue"))
                    target.start()
                    read_log(log, None, target)
                run()
        except Exception as error:
            failed.append(error)

    jobs = [threading.Thread(target=job) for _ in range(3)]
    for started in jobs:
        started.start()
    for started in jobs:
        started.join()
    assert failed == []
    assert len(rows(tmp_path)) == 240
    assert counted(run()) == (6, 6, 0)


def test_a_run_that_just_begins_is_not_cleared_away(tmp_path):
    path = tmp_path / "catalogue"
    Catalogue(str(path), "other").start()
    (path / "_runs" / "other" / "alive").unlink()
    Catalogue(str(path), "own").take_over()
    assert (path / "_runs" / "other").is_dir()

    long_ago = time.time() - 3_600
    os.utime(path / "_runs" / "other", (long_ago, long_ago))
    Catalogue(str(path), "own").take_over()
    assert not (path / "_runs" / "other").exists()


def test_what_a_stopped_job_had_done_counts(logs, run, tmp_path):
    for number in range(3):
        (logs / f"app-{number}").write_text(text(2))

    class Stopped(LocalSession):
        def mapInPandas(self, function, schema):  # noqa: N802
            self.numbers = self.numbers[:2]
            super().mapInPandas(function, schema)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(session=Stopped())
    assert len(rows(tmp_path)) == 4
    assert counted(run()) == (3, 2, 2)
    assert len(rows(tmp_path)) == 6


def test_a_job_says_what_it_is_at(logs, run):
    told = []
    (logs / "a").write_text(text(2))
    (logs / "b").write_text(text(3))
    run(progress=told.append)
    assert told[0] == "listing the logs"
    assert told[1].startswith("reading: 0 of 2 logs, 0 MB")
    assert told[-1] == "reading: 2 of 2 logs, 0 MB, 5 executions"


def test_a_folder_that_is_no_catalogue_is_refused(logs, run, tmp_path):
    (logs / "a").write_text(text(1))
    (tmp_path / "catalogue" / "logs").mkdir(parents=True)
    (tmp_path / "catalogue" / "logs" / "mine.parquet").write_text("no Parquet")
    with pytest.raises(InputError, match="this catalogue cannot be read"):
        run()


def test_a_run_s_notes_are_json_that_the_next_run_reads(logs, tmp_path):
    (logs / "a").write_text(text(1))
    target = Catalogue(str(tmp_path / "catalogue"))
    target.start()
    read_log(find_logs([str(logs)])[0], None, target)
    ((_, note),) = target.notes(set())
    assert note["done"]["executions"] == 1
    assert json.dumps(note)
