"""Logs on HDFS over HTTP, into a catalogue on this machine."""

from __future__ import annotations

import pytest
from pyarrow import dataset

from planviz.errors import InputError
from planviz.spark.eventlog.job import ingest
from planviz.spark.eventlog.logs import environment_for, filesystem, find_logs
from tests.spark.eventlog.made_logs import packed, text
from tests.spark.eventlog.small_webhdfs import serve
from tests.spark.eventlog.test_catalogue import LocalSession


def test_logs_are_read_over_http(monkeypatch, tmp_path):
    monkeypatch.setenv("HADOOP_USER_NAME", "reader")
    with serve() as (store, address):
        store.files["/logs/app-1"] = text(3).encode()
        store.files["/logs/2026/app-2.zstd"] = packed(text(2).encode(), "zstd")
        store.files["/logs/eventlog_v2_app-3/events_1_app-3.lz4"] = packed(text(4).encode(), "lz4")
        place = f"webhdfs://{address}/logs"
        for executions, skipped in ((9, 0), (0, 3)):
            found = ingest(LocalSession(), [place], str(tmp_path), lambda at: None, {})
            assert (found["logs"], found["executions"], found["skipped"], found["faults"]) == (
                3,
                executions,
                skipped,
                [],
            )
        logs = dataset.dataset(tmp_path / "executions").to_table()["log"].to_pylist()
        assert {log.removeprefix(place) for log in logs} == {"/app-1", "/2026/app-2.zstd", "/eventlog_v2_app-3"}
        assert store.users == {"reader"}
        with pytest.raises(InputError, match="there is no such file or folder"):
            find_logs([f"webhdfs://{address}/nothing"])


def test_a_name_node_that_does_not_answer_and_one_without_a_name():
    with pytest.raises(InputError, match="cannot be listed"):
        find_logs(["webhdfs://127.0.0.1:1/logs"])
    with pytest.raises(InputError, match="names no host"):
        filesystem("webhdfs:///logs")


def test_hdfs_without_hadoop_says_in_a_line_what_to_do(monkeypatch):
    for name in ("HADOOP_HOME", "ARROW_LIBHDFS_DIR"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(InputError) as caught:
        filesystem("hdfs://namenode:8020/logs")
    assert len(str(caught.value).splitlines()) == 1
    assert "webhdfs://HOST:9870" in str(caught.value)


def test_the_task_gets_the_user():
    environment = {"HADOOP_USER_NAME": "reader", "AWS_ACCESS_KEY_ID": "not for it"}
    assert environment_for(["webhdfs://namenode:9870/logs"], environment, {}) == {"HADOOP_USER_NAME": "reader"}
