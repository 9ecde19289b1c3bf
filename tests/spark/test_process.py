"""A process that dies, hangs or takes too long is explained, and replaced by the next task."""

from __future__ import annotations

import errno
import os
import signal
import socket
import threading
import time
from pathlib import Path

import pytest

from planviz.errors import AnalysisError, SparkError, SparkLost, SparkMissing, SparkUnreachable, StatementRefused
from planviz.spark import child, java, process
from planviz.spark.process import LiveSpark, SparkSettings, Stop
from planviz.spark.secrets import HIDDEN

FAKE = (str(Path(__file__).with_name("fake_worker.py")),)


@pytest.fixture
def java_found(monkeypatch):
    monkeypatch.setattr(child, "find_java", lambda: java.Java(Path("/nowhere"), 17, "made up"))


@pytest.fixture
def spark(java_found):
    live = LiveSpark(SparkSettings(silence=0.6, start=20), FAKE)
    yield live
    live.close()


def pid(spark):
    return spark.call("echo")[0]


def test_tasks_share_one_process_that_starts_with_the_first(spark):
    assert spark.pid is None
    assert pid(spark) == pid(spark) == spark.pid


def test_the_process_sees_no_secret_of_its_surroundings(spark, monkeypatch):
    monkeypatch.setenv("MY_PASSWORD", "hunter2")
    names = spark.call("echo")[2]
    assert "MY_PASSWORD" not in names
    assert "JAVA_HOME" in names


def test_spark_s_process_starts_no_other(spark, monkeypatch):
    (name,) = {"PLANVIZ_SPARK_PROCESS"} & set(spark.call("echo")[2])
    monkeypatch.setenv(name, "1")
    with pytest.raises(SparkError, match="may not start another one"):
        LiveSpark(SparkSettings(), FAKE).call("echo")


def test_a_death_says_why_and_when_and_the_next_task_works(spark):
    first = pid(spark)
    with pytest.raises(SparkLost, match=r"ended while it was planning: its JVM was ended by signal 9\. The next query"):
        spark.call("die")
    assert pid(spark) != first


def test_a_death_between_two_tasks_is_no_error(spark):
    first = pid(spark)
    os.kill(first, signal.SIGKILL)
    time.sleep(0.3)
    assert pid(spark) != first


def test_full_memory_is_named(spark):
    with pytest.raises(SparkLost, match="its memory was full; give it more with --memory"):
        spark.call("fill memory")


def test_silence_is_noticed(spark):
    with pytest.raises(SparkLost, match=r"ended while it was running: it gave no sign of life for 0\.6 s"):
        spark.call("hang", limit=30)
    assert pid(spark)


def test_a_task_that_takes_too_long_is_cancelled(spark):
    first = pid(spark)
    with pytest.raises(SparkError, match=r"^Spark was still running after 0\.3 s, and the query was stopped\.$"):
        spark.call("work", limit=0.3)
    assert pid(spark) == first


def test_where_nothing_cancels_spark_is_ended_and_others_are_told_whose_fault_it_was(java_found, monkeypatch):
    monkeypatch.setattr(process, "_GRACE", 0.2)
    live = LiveSpark(SparkSettings(conf=(("cancel", "never"),)), FAKE)
    others, at_work = [], threading.Event()

    def other():
        try:
            live.call("work", limit=30, on_progress=lambda at: at == "running" and at_work.set())
        except SparkLost as error:
            others.append(str(error))

    thread = threading.Thread(target=other)
    thread.start()
    at_work.wait(20)
    with pytest.raises(SparkLost, match=r"ended: it was still planning after 0\.3 s, and nothing gentler stops that"):
        live.call("plan", limit=0.3)
    thread.join(20)
    assert "while it was running: another query was still planning after 0.3 s" in others[0]
    live.close()


def test_what_is_no_answer_does_no_harm(spark):
    assert spark.call("garbage") == "an answer"
    with pytest.raises(SparkError, match="Spark gave no answer"):
        spark.call("answer nothing")
    assert pid(spark)


def test_who_is_told_may_raise_and_the_next_task_works(spark):
    first = pid(spark)
    with pytest.raises(KeyError):
        spark.call("work", on_progress={}.__getitem__)
    assert pid(spark) == first


def test_a_process_that_does_not_read_holds_nobody_up(spark):
    first = pid(spark)
    os.kill(first, signal.SIGSTOP)
    begin = time.monotonic()
    with pytest.raises(SparkLost, match=r"no sign of life for 0\.6 s"):
        spark.call("echo", {"much": "x" * 5_000_000}, limit=30)
    assert time.monotonic() - begin < 25
    assert pid(spark) != first


def test_a_full_disk_is_named(java_found, monkeypatch):
    def full(**_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/tmp/x")

    monkeypatch.setattr(child.tempfile, "TemporaryDirectory", full)
    with pytest.raises(SparkError, match=r"cannot be started: No space left on device \(/tmp/x\)"):
        LiveSpark(SparkSettings(), FAKE).call("echo")


def test_no_secret_is_in_an_answer_or_an_error(java_found):
    conf = (("spark.hadoop.fs.s3a.secret.key", 'hun"ter2'), ("spark.my.plain", "plain value"))
    live = LiveSpark(SparkSettings("local[1]", conf), FAKE)
    assert live.call("echo", {"a": 'the hun"ter2 of plain value'})[1] == {"a": f"the {HIDDEN} of plain value"}
    with pytest.raises(SparkError) as caught:
        live.call("fail", {"message": 'cannot log in with hun"ter2'})
    assert str(caught.value) == f"cannot log in with {HIDDEN}"
    live.close()


def test_a_death_ends_every_task_under_way(spark):
    pid(spark)
    lost = []

    def work():
        try:
            spark.call("work", limit=30)
        except SparkLost as error:
            lost.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    time.sleep(0.2)
    os.kill(spark.pid, signal.SIGKILL)
    for thread in threads:
        thread.join(10)
    assert len(lost) == 3
    assert "ended by SIGKILL" in lost[0]


def test_errors_keep_their_class_and_place(spark):
    with pytest.raises(StatementRefused, match="No"):
        spark.call("refuse")
    with pytest.raises(AnalysisError, match=r"\[X\] no y \(line 2, column 3\)") as caught:
        spark.call("misspell")
    assert (caught.value.line, caught.value.column) == (2, 3)


def test_what_the_task_is_at_is_told(spark):
    told = []
    with pytest.raises(SparkError):
        spark.call("work", limit=0.2, on_progress=told.append)
    assert told == ["starting Spark", "running"]


def stopped(live, task, grace=0.2):
    """What a call raises that is stopped when it is at work."""
    stop, at_work = Stop(grace), threading.Event()
    threading.Thread(target=lambda: (at_work.wait(20), stop.now()), daemon=True).start()
    with pytest.raises(SparkError) as caught:
        live.call(task, limit=30, on_progress=lambda at: at_work.set(), stop=stop)
    return str(caught.value)


def test_a_stop_cancels_the_task_and_leaves_spark_alone(spark):
    first = pid(spark)
    assert stopped(spark, "work", 20) == "Spark says: Job 1 cancelled."
    assert pid(spark) == first


def test_a_stop_kills_where_nothing_gentler_helps(java_found):
    live = LiveSpark(SparkSettings(conf=(("cancel", "never"),)), FAKE)
    first = pid(live)
    assert "it was stopped while it was planning, and nothing gentler stops that" in stopped(live, "plan")
    assert pid(live) != first
    live.close()


def test_a_start_can_be_stopped(java_found):
    live, stop = LiveSpark(SparkSettings(conf=(("start", "hangs"),)), FAKE), Stop()
    threading.Timer(0.3, stop.now).start()
    with pytest.raises(SparkLost, match="Spark did not start: it was stopped"):
        live.call("echo", stop=stop)
    assert live.described is None


def test_what_spark_is_is_known_when_it_is_ready(spark):
    assert spark.described is None
    assert pid(spark)
    assert spark.described["version"] == "4.3.0"


def test_a_start_that_fails_is_told(java_found):
    with pytest.raises(SparkError, match="The master cannot be reached"):
        LiveSpark(SparkSettings(conf=(("start", "fails"),)), FAKE).call("echo")


def test_without_java_one_sentence_says_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(java, "_FOLDERS", ())
    monkeypatch.setattr(java, "_INSTALLED", str(tmp_path))
    with pytest.raises(SparkMissing, match="Spark needs Java 17 or later, and there is none here"):
        LiveSpark().call("echo")


def test_an_old_java_is_named(monkeypatch, tmp_path):
    (tmp_path / "bin").mkdir()
    script = tmp_path / "bin" / "java"
    script.write_text("#!/bin/sh\necho 'openjdk version \"1.8.0_402\"' >&2\n")
    script.chmod(0o755)
    monkeypatch.setattr(java, "_candidates", lambda: iter([(tmp_path, "JAVA_HOME")]))
    with pytest.raises(SparkMissing, match=r"Found is only Java 8 \(JAVA_HOME\)"):
        java.find_java()


def test_without_pyspark_one_sentence_says_so(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(SparkMissing, match="PySpark is not installed"):
        LiveSpark().call("echo")


@pytest.fixture
def listener():
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def connect(listener):
    return LiveSpark(SparkSettings(master=f"sc://127.0.0.1:{listener.getsockname()[1]}"))


@pytest.mark.slow
def test_a_connect_address_that_does_not_answer_fails_within_five_seconds(listener):
    begin = time.monotonic()
    with pytest.raises(SparkUnreachable, match="does not answer within 4 s"):
        connect(listener).call("echo")
    assert time.monotonic() - begin < 20


def test_a_connect_address_of_something_else_is_refused(listener):
    def answer():
        connection, _ = listener.accept()
        with connection:
            connection.recv(100)
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    threading.Thread(target=answer, daemon=True).start()
    with pytest.raises(SparkUnreachable, match="is no Spark Connect server"):
        connect(listener).call("echo")


def test_nothing_at_a_connect_address_is_told_at_once():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(SparkUnreachable, match="Nothing answers at"):
        LiveSpark(SparkSettings(master=f"sc://127.0.0.1:{port}")).call("echo")
    with pytest.raises(SparkUnreachable, match="is no address"):
        LiveSpark(SparkSettings(master="sc://")).call("echo")
