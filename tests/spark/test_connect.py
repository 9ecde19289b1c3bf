"""A real Spark Connect server: what a capture has, what is said of the rest, and what becomes of broken connections."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time

import pytest

from planviz.document import open_text
from planviz.errors import AnalysisError, SparkLost, SparkUnreachable, StatementRefused
from planviz.spark.capture_file import capture_text
from planviz.spark.connect import connect_error, describe, explained_error
from planviz.spark.process import LiveSpark, SparkSettings
from planviz.spark.safety import check_with_server
from tests.acceptance.engines import skip_without_java
from tests.spark.hostile import PASSES, statements
from tests.spark.servers import connect_server

TOKEN = "the-token"
SQL = "SELECT id % 3 AS k, count(*) AS n FROM range(1000) GROUP BY 1"


@pytest.fixture(scope="module")
def server():
    skip_without_java()
    pytest.importorskip("grpc")
    with connect_server(TOKEN) as found:
        yield found


@pytest.fixture(scope="module")
def live(server):
    spark = LiveSpark(SparkSettings(server[0]))
    yield spark
    spark.close()


def ask(live, sql, **more):
    return live.call("capture", {"sql": sql, **more}, limit=300)


@pytest.mark.spark
def test_a_query_that_ran_has_its_metrics_beside_the_lines_of_the_explained_plan(live):
    captured = ask(live, SQL, run=True)
    assert captured["spark"]["kind"] == "connect"
    assert "neither the rules nor exact estimates" in captured["notes"][0]
    assert "each is described by its line" in captured["notes"][1]
    assert captured["executed"]["rows"] == 3
    document = open_text(capture_text(captured))
    rows = {node.op: node.metrics.get("number of output rows") for node in document.plans[-1] if node.metrics}
    assert (rows["HashAggregate"], rows["Range"]) == (3, 1000)
    assert "executed" not in ask(live, SQL)
    assert TOKEN not in str(captured) + str(live.described)


@pytest.mark.spark
def test_statements_are_judged_by_the_server_s_parser_before_they_are_executed(live):
    for sql in [sql for said, sql in statements() if said == PASSES][:6]:
        ask(live, sql)
    for sql in (
        "CREATE TABLE x (a int) USING parquet",
        "SELECT reflect('java.lang.System', 'exit', 1) FROM VALUES (1)",
    ):
        with pytest.raises(StatementRefused):
            ask(live, sql)
    with pytest.raises(AnalysisError, match="DIVIDE_BY_ZERO"):
        ask(live, "SELECT 1/0")


@pytest.mark.spark
def test_a_wrong_token_is_named(server):
    wrong = LiveSpark(SparkSettings(server[0].replace(TOKEN, "other-word")))
    with pytest.raises(SparkUnreachable, match="lets nobody in without its own token") as refused:
        wrong.call("describe")
    assert "other-word" not in str(refused.value)
    begin = time.monotonic()
    with pytest.raises(SparkUnreachable, match="gives no safe connection"):
        LiveSpark(SparkSettings(f"{server[0]};use_ssl=true")).call("describe")
    assert time.monotonic() - begin < 20


@pytest.mark.spark
def test_a_server_that_dies_under_a_query_is_told_of(server, live):
    def kill(at):
        if at == "running":
            threading.Timer(0.5, os.killpg, (server[1], signal.SIGKILL)).start()

    endless = "SELECT sum(a.id * b.id) FROM range(1000000) a JOIN range(1000000) b ON a.id < b.id"
    with pytest.raises(SparkLost, match="has ended, or cannot be reached any more"):
        live.call("capture", {"sql": endless, "run": True}, on_progress=kill, limit=120)


@pytest.mark.slow
def test_a_server_with_tls_that_never_answers_fails_within_five_seconds():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        begin = time.monotonic()
        with pytest.raises(SparkUnreachable, match="does not answer within 4 s"):
            LiveSpark(SparkSettings(f"sc://127.0.0.1:{silent.getsockname()[1]}/;use_ssl=true")).call("describe")
        assert time.monotonic() - begin < 20


PARSED = """== Parsed Logical Plan ==
'Project ['a
+- InsertIntoDir AS x#1]
:  +- 'UnresolvedRelation [t], [], false
+- OneRowRelation

== Analyzed Logical Plan ==
DropTable
"""


def test_every_operator_of_the_parsed_text_is_looked_at():
    with pytest.raises(StatementRefused, match="Spark reads InsertIntoDir in this text"):
        check_with_server(PARSED)
    check_with_server(PARSED.replace("+- InsertIntoDir", "InsertIntoDir"))
    with pytest.raises(StatementRefused, match="Spark reads DropTable"):
        check_with_server("== Parsed Logical Plan ==\nDropTable false\n\n== Analyzed Logical Plan ==\n")


def test_what_ran_is_described_only_where_both_plans_are_the_same_tree():
    def node(name, *children):
        return {"nodeName": name, "simpleString": name, "children": list(children)}

    explained = (
        "== Physical Plan ==\nAdaptiveSparkPlan isFinalPlan=false\n+- SortMergeJoin [a#1]\n"
        "   :- Filter (a#1 > 1)\n   :  +- FileScan parquet x.t[a#1]\n   +- Range (0, 9)\n"
    )
    ran = node("ResultQueryStage", node("SortMergeJoin", node("WholeStageCodegen (1)", node("Filter", node(
        "ColumnarToRow", node("Scan parquet x.t")))), node("Range")))  # fmt: skip
    assert describe(ran, explained)
    join = ran["children"][0]
    assert join["simpleString"] == "SortMergeJoin [a#1]"
    assert join["children"][1]["simpleString"] == "Range (0, 9)"
    other = node("BroadcastHashJoin", node("Filter", node("Scan parquet x.t")), node("Range"))
    assert not describe(other, explained)
    assert other["simpleString"] == "BroadcastHashJoin"


def test_errors_of_a_broken_connection_become_sentences():
    told = '<_RpcError that terminated with:\n\tstatus = StatusCode.{}\n\tdetails = "no\n way"\n\tdebug = 1>'
    assert isinstance(connect_error(OSError(told.format("UNAVAILABLE")), "h:1"), SparkLost)
    assert isinstance(connect_error(OSError(told.format("UNAUTHENTICATED")), "h:1"), SparkUnreachable)
    assert "at h:1 answers INTERNAL: no way" in str(connect_error(OSError(told.format("INTERNAL")), "h:1"))
    assert connect_error(OSError("else"), "h:1") is None
    error = explained_error(
        "Error occurred during query planning: \n[DIVIDE_BY_ZERO] Division by zero.\n== SQL ==\n1/0"
    )
    assert str(error) == "[DIVIDE_BY_ZERO] Division by zero."
    assert explained_error("== Parsed Logical Plan ==") is None
