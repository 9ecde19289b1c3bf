"""Texts as strangers paste them: one form a test, each found in an issue, a question or a program of somebody's."""

from __future__ import annotations

from planviz.document import Document, open_text


def trees(document: Document) -> list[list[tuple[int, str]]]:
    return [[(node.depth, node.op) for node in plan] for plan in document.plans]


def test_the_lines_of_an_error_as_pytest_shows_it() -> None:
    document = open_text(
        "    def test_report(spark):\n"
        ">       raise converted from None\n"
        "E       pyspark.errors.exceptions.captured.AnalysisException: [UNRESOLVED_COLUMN] `nope` cannot be resolved;\n"
        "E       'Project ['nope]\n"
        "E       +- SubqueryAlias orders\n"
        "E          +- Relation default.orders[a#1] parquet\n"
        "E\n"
        "E       JVM stacktrace:\n"
        "\n"
        "tests/test_report.py:12: AnalysisException\n"
    )
    assert trees(document) == [[(0, "Project"), (1, "SubqueryAlias"), (2, "Relation")]]
    assert [node.source for node in document.plans[0]] == [(4, 4), (5, 5), (6, 6)]
