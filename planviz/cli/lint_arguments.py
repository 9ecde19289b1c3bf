"""The options of `planviz lint`, apart from what it loads, so that help answers at once."""

from __future__ import annotations

import argparse

from planviz.cli.settings import add_settings

#: Those of `planviz.findings.SEVERITIES` and of `planviz.cli.lint_reports.REPORTS`; a test holds them together.
SEVERITIES = ("problem", "warning", "info")
FORMATS = ("text", "json", "sarif", "markdown")


def add_lint(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument(
        "files", nargs="+", metavar="FILE",
        help="SQL, programs, plan texts, captures, event logs, folders of queries, or a catalogue of past executions; "
        "- for standard input",
    )  # fmt: skip
    parser.add_argument("--format", choices=FORMATS, default="text")
    parser.add_argument("-o", "--output", metavar="OUT", help="write the report here instead of printing it")
    parser.add_argument("--level", choices=SEVERITIES, default="info", help="the least that is told (default: info)")
    parser.add_argument(
        "--fail-on", choices=(*SEVERITIES, "never"), default="warning",
        help="status 1 from this level on (default: warning)",
    )  # fmt: skip
    parser.add_argument(
        "--ignore", metavar="NAME,...", action="append", default=[],
        help="leave these out; in a file: -- planviz: ignore NAME",
    )  # fmt: skip
    parser.add_argument("--only", metavar="NAME,...", action="append", default=[], help="tell these alone")
    parser.add_argument("--what-if", action="store_true", help="plan the changes of settings that findings name")
    parser.add_argument("--limit", type=int, default=500, metavar="N", help="of a catalogue, the N longest executions")
    add_settings(parser)
