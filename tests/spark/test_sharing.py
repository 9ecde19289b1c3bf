"""Who works in one Spark at once, and who is alone with it."""

from __future__ import annotations

import threading

import pytest

from planviz.spark.sharing import Sharing, is_private, statements_of

PRIVATE = ["SELECT 1", "SET a=b", "USE x", "CREATE OR REPLACE TEMP VIEW v AS SELECT 1", "DROP TEMPORARY FUNCTION f",
           "DECLARE VARIABLE v INT", "-- why\n  create temporary view v as select 1"]  # fmt: skip
SEEN = ["CACHE TABLE t", "CREATE TABLE t (a int)", "CREATE GLOBAL TEMPORARY VIEW v AS SELECT 1", "DROP VIEW v",
        "INSERT INTO t SELECT 1", "CREATE VIEW v AS SELECT 1", "CREATE DATABASE d", "UNCACHE TABLE t"]  # fmt: skip


@pytest.mark.parametrize("sql", PRIVATE)
def test_what_ends_with_the_session_is_private(sql):
    assert is_private(statements_of(f"{sql}; SELECT 2"))


@pytest.mark.parametrize("sql", SEEN)
def test_what_others_would_see_is_not(sql):
    assert not is_private(statements_of(f"SELECT 2; {sql}"))


def test_one_is_alone_after_those_inside_and_before_those_who_come_later():
    sharing, told = Sharing(), []
    entered, leave = threading.Event(), threading.Event()

    def first():
        with sharing.together():
            entered.set()
            leave.wait(10)
            told.append("first")

    def alone():
        with sharing.alone():
            told.append("alone")

    def late():
        with sharing.together():
            told.append("late")

    threads = [threading.Thread(target=first)]
    threads[0].start()
    entered.wait(10)
    threads.append(threading.Thread(target=alone))
    threads[1].start()
    while not sharing._waiting:
        pass
    threads.append(threading.Thread(target=late))
    threads[2].start()
    threads[2].join(0.1)
    assert told == []
    leave.set()
    for thread in threads:
        thread.join(10)
    assert told == ["first", "alone", "late"]
