"""`planviz spark compare`: the same query by planviz and by Spark."""

from __future__ import annotations

import argparse

from planviz.cli.files import write
from planviz.cli.settings import catalog_of
from planviz.cli.spark.queries import capture_each
from planviz.cli.spark.session import add_session


def add_compare(parser: argparse.ArgumentParser) -> None:
    """The options of the part."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="SQL queries; - for standard input")
    parser.add_argument(
        "--run", action="store_true", help="execute the queries, too: measured rows beside both estimates"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")
    add_session(parser)


def compare_queries(options: argparse.Namespace) -> int:
    """Compare every query of every file; 1 when something differs.

    Both sides plan without adaptive execution unless a setting says otherwise: what it would do is not known before.
    """
    from json import dumps

    from planviz.cli.compared import comparison_json, comparison_text
    from planviz.config import OptimizerConfig
    from planviz.document import open_sql, open_text
    from planviz.document.comparison.spark import compare, settings_of
    from planviz.replay.settings import candidates
    from planviz.spark.capture_file import capture_text

    options.conf = ["spark.sql.adaptive.enabled=false", "spark.sql.session.timeZone=UTC", *options.conf]

    def show(stem: str, sql: str, captured: dict[str, object], several: bool) -> int:
        theirs = open_text(capture_text(captured))
        profile = options.profile or candidates(theirs.plans, theirs.printed)[0]
        config = OptimizerConfig.of(profile).with_settings(settings_of(captured))
        ours = open_sql(sql, catalog_of(options), config, stage="physical")
        found = compare(ours, theirs)
        if options.format == "json":
            write(dumps({"query": stem, **comparison_json(found)}) + "\n")
        else:
            write(comparison_text(stem, found))
        return 0 if found.equal else 1

    return capture_each(options, options.run, show)
