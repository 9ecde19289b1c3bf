"""Logs and a catalogue on S3, with keys that only the task is given."""

from __future__ import annotations

import os

import pytest
from pyarrow import dataset

from planviz.spark.eventlog.job import ingest
from planviz.spark.eventlog.logs import environment_for, filesystem
from tests.spark.eventlog.made_logs import packed, text
from tests.spark.eventlog.small_s3 import serve
from tests.spark.eventlog.test_catalogue import LocalSession

KEYS = {"AWS_ACCESS_KEY_ID": "AKIATEST", "AWS_SECRET_ACCESS_KEY": "hidden", "AWS_DEFAULT_REGION": "eu-central-1",
        "AWS_EC2_METADATA_DISABLED": "true"}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["s3", "s3a"])
def test_logs_are_read_from_s3_into_a_catalogue_there(scheme, monkeypatch):
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    with serve() as (store, address):
        keys = {**KEYS, "AWS_ENDPOINT_URL": address}
        store.objects["lake/logs/app-1"] = text(3).encode()
        store.objects["lake/logs/2026/app-2.zstd"] = packed(text(2).encode(), "zstd")
        store.objects["lake/logs/eventlog_v2_app-3/events_1_app-3.lz4"] = packed(text(4).encode(), "lz4")
        place = f"{scheme}://lake/catalogue"
        for executions, skipped in ((9, 0), (0, 3)):
            found = ingest(LocalSession(), [f"{scheme}://lake/logs"], place, lambda at: None, keys)
            assert (found["logs"], found["executions"], found["skipped"], found["faults"]) == (
                3,
                executions,
                skipped,
                [],
            )
        assert not [name for name in os.environ if name.startswith("AWS_")]
        assert store.keys == {"AKIATEST"}
        for name, value in keys.items():
            monkeypatch.setenv(name, value)
        files, root = filesystem(place)
        table = dataset.dataset(f"{root}/executions", filesystem=files).to_table()
        assert table.num_rows == 9
        assert {log.rsplit("/", 1)[-1] for log in table["log"].to_pylist()} == {
            "app-1",
            "app-2.zstd",
            "eventlog_v2_app-3",
        }


def test_a_process_is_given_keys_only_for_the_paths_that_need_them():
    environment = {**KEYS, "HOME": "/home/me", "AZURE_STORAGE_KEY": "x", "TOKEN": "y"}
    assert environment_for(["/logs", "/catalogue"], environment, {}) == {}
    assert environment_for(["s3a://lake/logs", "/catalogue"], environment, {}) == KEYS
    assert environment_for(["abfss://c@a/logs"], environment, {}) == {"AZURE_STORAGE_KEY": "x"}
    conf = {"spark.hadoop.fs.s3a.access.key": "of conf", "spark.master": "local"}
    assert environment_for(["s3://lake"], {}, conf) == {"AWS_ACCESS_KEY_ID": "of conf"}
