"""The commands and their arguments."""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import shlex
import sys
from collections.abc import Callable
from importlib import import_module

import planviz
from planviz.cli.files import begin, named, say
from planviz.cli.history import add_history
from planviz.cli.library_arguments import add_export, add_import, add_library, add_list, add_open, add_save
from planviz.cli.lint_arguments import add_lint
from planviz.cli.play_arguments import add_play
from planviz.cli.settings import STAGES, add_settings, add_sizes
from planviz.cli.spark import add_spark

_EPILOG = (
    "“-” is standard input everywhere. "
    "Exit status: 0 fine, 1 a difference that was asked for, 2 bad usage or bad input."
)


def parser() -> argparse.ArgumentParser:
    """The parser of all commands; the documentation's reference is made from it, too."""
    top = argparse.ArgumentParser(
        prog="planviz", description="See what Spark does with your query.", epilog=_EPILOG, allow_abbrev=False
    )
    top.add_argument("--version", action="version", version=f"planviz {planviz.__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, (add, told) in _COMMANDS.items():
        command = commands.add_parser(name, help=told, description=f"{told[0].upper()}{told[1:]}.")
        add(command)
        if name != "serve":
            command.add_argument("--time-limit", type=float, metavar="SECONDS", help="stop after that (default: never)")
    return top


def _add_parse(parser: argparse.ArgumentParser) -> None:
    _add_files(parser, "plan text, rule log, JSON plan or event log; - for standard input")
    parser.add_argument(
        "--format",
        choices=("text", "json", "dot", "mmd", "log", "version", "short"),
        default="text",
        help="version: which Sparks print so, with the evidence; short: every plan in a few words",
    )


def _add_explain(parser: argparse.ArgumentParser) -> None:
    _add_files(parser, "SQL, several statements if you like, or a program (PySpark, Scala, Java); - for standard input")
    parser.add_argument("--mode", choices=("simple", "extended", "formatted", "cost"), default="simple")
    parser.add_argument("--stage", choices=STAGES, help="one stage instead; sparkPlan: before preparations")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="json: every plan, errors, places")
    parser.add_argument("--origin", action="store_true", help="line and column behind every operator")
    add_settings(parser)


def _add_optimize(parser: argparse.ArgumentParser) -> None:
    _add_files(parser, "SQL, several statements if you like; - for standard input")
    parser.add_argument("--stage", choices=STAGES, default="optimized")
    parser.add_argument("--format", choices=("text", "json", "dot", "mmd"), default="text")
    add_settings(parser)


def _add_trace(parser: argparse.ArgumentParser) -> None:
    _add_files(parser, "SQL, several statements if you like; - for standard input")
    parser.add_argument("--format", choices=("log", "json", "diff", "why"), default="log", help="log: as Spark's")
    parser.add_argument("--rule", metavar="NAME", help="only the steps of this rule")
    parser.add_argument("--stage", choices=STAGES[1:], help="only the steps to this stage")
    add_settings(parser)


def _add_why(parser: argparse.ArgumentParser) -> None:
    _add_files(parser, "SQL, or the text of a plan; - for standard input")
    parser.add_argument("--format", choices=("text", "json", "svg"), default="text", help="svg: a join's decision tree")
    parser.add_argument("--join", type=int, metavar="N", help="this join alone, from 1, with all that flips it")
    parser.add_argument("--theme", choices=("light", "dark"), default="light")
    parser.add_argument(
        "--what", metavar="TEXT", help="as if: size.TABLE=BYTES;hint.N=LEFT,RIGHT;type.N=KIND; N from 1"
    )
    parser.add_argument(
        "--estimates", action="store_true", help="the rows and bytes of every operator and how they follow"
    )
    parser.add_argument(
        "--flips", action=argparse.BooleanOptionalAction, default=True, help="the nearest changes that would flip it"
    )
    add_settings(parser)


def _add_replay(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help="the text of explain(extended); - for standard input")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("--conf", metavar="KEY=VALUE", action="append", default=[], help="a setting of the session")
    add_sizes(parser)
    parser.add_argument("--out", metavar="DIR", help="write the replayed plans as DIR/<stem>.<stage>.txt, too")
    parser.add_argument("--profile", metavar="NAME", help="the version of Spark, where it is not the one that is found")


def _add_estimates(parser: argparse.ArgumentParser) -> None:
    _add_files(parser, "SQL, a capture, or the text of a plan with estimates; - for standard input")
    parser.add_argument("--measured", metavar="RUN", help="a capture that ran, an event log, Spark's REST answer")
    parser.add_argument("--factor", type=float, default=10.0, help="from which on an estimate is wrong (default: 10)")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    add_settings(parser)


def _add_aggregates(parser: argparse.ArgumentParser) -> None:
    _add_files(parser, "SQL, or the text of a plan; - for standard input")
    parser.add_argument("--format", choices=("text", "json", "svg"), default="text")
    parser.add_argument("--aggregate", type=int, default=1, metavar="N", help="which one svg draws, from 1 (default)")
    parser.add_argument("--theme", choices=("light", "dark"), default="light", help="of svg")
    parser.add_argument("--rows", action="store_true", help="send made-up rows through the stages")
    parser.add_argument("--row", action="append", metavar="CSV", help="send this row, its values in the input's order")
    add_settings(parser)


def _add_join_order(parser: argparse.ArgumentParser) -> None:
    _add_files(parser, "SQL, several statements if you like; - for standard input")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    add_settings(parser)


def _add_slides(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="an example; without it, the list of them")
    parser.add_argument("--format", choices=("text", "json"), default="text")


def _add_rules(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="a rule's name, with or without package")
    parser.add_argument("--why-not", metavar="FILE", help="why the rule did not fire in the queries of an SQL file")
    add_settings(parser)


def _add_planner(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("section", nargs="?", metavar="SECTION", help="strategies, mapping, pipeline, classes, ...")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("--profile", "--spark", metavar="NAME", help="the version of Spark (default: as for SQL)")


def _add_render(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="plan text or JSON; - for standard input")
    parser.add_argument("-o", "--output", required=True, metavar="OUT", help="OUT.{svg,png,pdf,html,dot,mmd,json}")
    parser.add_argument(
        "--stage", metavar="STAGE", help="parsed, analyzed, optimized, physical, initial (default: the last one)"
    )
    parser.add_argument("--plan", type=int, metavar="N", help="the N-th plan of the text, from 1")
    parser.add_argument("--theme", choices=("light", "dark"), help="default: light; of HTML: the reader's own")
    parser.add_argument("--title", metavar="TEXT")


def _add_catalogue(parser: argparse.ArgumentParser) -> None:
    several = "rules, operators, settings, batches, findings, functions"
    parser.add_argument("words", nargs="*", metavar="WORD", help=f"{several}; a name (kind:name); or what to look for")
    parser.add_argument("--format", choices=("text", "json", "markdown"), default="text")


def _add_tour(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="a tour; without one, all are listed")
    parser.add_argument("--step", type=int, metavar="N", help="one step, from 1")
    parser.add_argument("--sql", action="store_true", help="print the step's SQL alone")
    parser.add_argument("--format", choices=("text", "json"), default="text")


def _add_diff(parser: argparse.ArgumentParser) -> None:
    told = "plan text, capture, event log or SQL; FILE:STAGE or FILE:N for one of its plans; - for standard input"
    parser.add_argument("a", metavar="A", help=told)
    parser.add_argument("b", metavar="B", nargs="?", help="the same; default: A, with what --stage-b or --conf-b say")
    parser.add_argument("more", metavar="C", nargs="*", help="further plans: every step from one to the next")
    parser.add_argument("--stage", metavar="STAGE", help="of both; default: physical, else the last plan")
    for side in "ab":
        parser.add_argument(f"--stage-{side}", metavar="STAGE", help=f"parsed, analyzed, ...: that of {side.upper()}")
    formats = ("text", "json", "markdown", "sarif", "svg", "png", "html")
    parser.add_argument("--format", choices=formats, help="default: text")
    parser.add_argument(
        "-o", "--output", metavar="OUT", help="write OUT.{txt,json,md,sarif,svg,png,html} instead of printing"
    )
    parser.add_argument(
        "--fail-on", metavar="KIND,...", action="append",
        help="status 1 for these differences alone: join-strategy, exchange-added, scan-widened, ...; default: any",
    )  # fmt: skip
    parser.add_argument("--exit-zero", action="store_true", help="status 0 whatever differs")
    parser.add_argument("--numbers", action="store_true", help="other literals, limits and counts are differences, too")
    parser.add_argument("--factor", type=float, default=10.0, help="rows moved from so many times on (default: 10)")
    parser.add_argument("--view", choices=("split", "merged"), default="split", help="of the picture")
    parser.add_argument("--theme", choices=("light", "dark"), default="light")
    parser.add_argument("--catalog-b", metavar="NAME|FILE", help="the catalogue of B, where it is another")
    parser.add_argument("--conf-b", metavar="KEY=VALUE", action="append", default=[], help="a setting of B alone")
    parser.add_argument("--profile-b", metavar="NAME", help="the profile of B, where it is another")
    add_settings(parser)


def _add_anonymise(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="SQL, a program, a plan, a capture, a catalogue, an event log; - for stdin",
    )
    parser.add_argument(
        "--key", metavar="FILE", required=True, help="what stands for what; written where it is not there yet. Keep it"
    )
    parser.add_argument("--restore", action="store_true", help="back to the names, with the key")
    places = parser.add_mutually_exclusive_group()
    places.add_argument("-o", "--output", metavar="OUT", help="write this file instead of printing; .gz is packed")
    places.add_argument("--out", metavar="DIR", help="write the files into this folder, their names without names, too")


def _add_check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folders",
        nargs="+",
        metavar="DIR",
        help="folders of queries, dbt models, programs and captures, with those beneath them",
    )
    parser.add_argument("--update", action="store_true", help="store the plans as they are now, as NAME.plan")
    parser.add_argument("--stage", choices=STAGES, help="default: physical")
    parser.add_argument("--format", choices=("text", "json", "junit", "sarif"), default="text")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the report here instead of printing it")
    parser.add_argument(
        "--fail-on", metavar="KIND,...", action="append",
        help="of changed plans, fail for these differences alone: join-strategy, exchange-added, ...; default: any",
    )  # fmt: skip
    add_settings(parser)


def _add_upgrade(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("inputs", nargs="+", metavar="FILE|DIR", help="SQL files, programs, and folders of them")
    parser.add_argument("--from", dest="old", metavar="VERSION", required=True, help="the Spark that runs now: 3.5")
    parser.add_argument("--to", dest="new", metavar="VERSION", required=True, help="the one to come: 4.1")
    parser.add_argument("--format", choices=("text", "json", "markdown", "html"), help="default: text")
    parser.add_argument("-o", "--output", metavar="OUT", help="write OUT.{txt,json,md,html} instead of printing")
    parser.add_argument(
        "--fail-on", metavar="KIND,...", action="append",
        help="of changed plans, fail for these differences alone: join-strategy, exchange-added, ...; default: any",
    )  # fmt: skip
    parser.add_argument("--exit-zero", action="store_true", help="status 0 whatever changes")
    add_settings(parser)


def _add_samples(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME")


def _add_serve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, default=8501, help="default: 8501")
    parser.add_argument("--address", default="127.0.0.1", help="address to listen on (default: this machine only)")
    parser.add_argument(
        "--host",
        metavar="NAME",
        action="append",
        default=[],
        help="a name by which browsers reach the server, planviz.example.com or planviz:8501 (also PLANVIZ_HOST); "
        "others get no answer (default: this machine's name and addresses, as far as --address listens there)",
    )
    _add_live(parser)
    parser.add_argument(
        "--history", metavar="DIR", action="append",
        help="a catalogue of past executions, or a folder of them, for the page Event logs, which opens no other",
    )  # fmt: skip
    parser.add_argument(
        "--profile",
        "--spark",
        metavar="NAME",
        help="the version of Spark or vendor's runtime that SQL is planned as where nobody chose one "
        "(also PLANVIZ_PROFILE; default: spark-4.3)",
    )
    parser.add_argument(
        "--task-seconds", type=float, default=20.0, metavar="N",
        help="seconds that opening, planning or drawing one text may take (default: 20)",
    )  # fmt: skip
    parser.add_argument(
        "--task-memory", type=int, default=2_000, metavar="MB", help="memory that it may take (default: 2000)"
    )
    parser.add_argument("--workers", type=int, metavar="N", help="processes for it (default: processors and 2 more)")
    parser.add_argument(
        "--store", metavar="PLACE",
        help="the library of saved documents: a file, postgresql://user@host/name, or none (default: PLANVIZ_STORE of "
        "the environment, else a file among the user's data if only this machine reaches the app, else none)",
    )  # fmt: skip
    _add_auth(parser)
    parser.add_argument("--browser", action="store_true", help="open the app in a browser")


def _add_live(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--live",
        choices=("none", "plan", "all"),
        help="what visitors may do with a live Spark; all: also executions, and masters and folders that are offered "
        "(default: all if only this machine reaches the app, else none)",
    )
    parser.add_argument(
        "--live-master",
        metavar="ADDRESS",
        action="append",
        default=[],
        help="another Spark that the Live page offers: spark://host:7077, yarn, local[2], sc://host:15002",
    )
    parser.add_argument(
        "--live-data", metavar="DIR", action="append", default=[], help="a folder of Parquet that the Live page offers"
    )
    parser.add_argument(
        "--live-conf", metavar="FILE", help="settings of its Sparks, lines of KEY=VALUE; visitors change only plans"
    )


def _add_auth(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--auth", metavar="FILE", nargs="?", const="",
        help="people sign in with OpenID and have libraries of their own; FILE has Streamlit's [auth] settings "
        "(default: .streamlit/secrets.toml)",
    )  # fmt: skip
    parser.add_argument(
        "--auth-allow", metavar="ADDRESS", action="append", default=[],
        help="only these e-mails, or @example.com for all of a domain (default: whoever the provider signs in)",
    )  # fmt: skip
    parser.add_argument("--auth-hours", metavar="N", type=float, help="hours until one signs in anew (default: 12)")
    parser.add_argument(
        "--auth-trust-email", action="store_true",
        help="the provider's e-mails are right, though it does not say that it verified them (Entra ID of one tenant)",
    )  # fmt: skip


def _add_files(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help=what)
    parser.add_argument("--out", metavar="DIR", help="write DIR/<stem>.<ending> for each file instead of printing")


def _add_crossover(parser: argparse.ArgumentParser) -> None:
    _add_files(parser, "SQL, several statements if you like; - for standard input")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("--table", metavar="NAME", action="append", help="the table that grows; default: each, in turn")
    parser.add_argument("--together", action="store_true", help="all tables grow together, in proportion")
    parser.add_argument("--from", dest="low", metavar="SIZE", default="1KiB", help="default: 1KiB")
    parser.add_argument("--to", dest="high", metavar="SIZE", help="default: 1TiB, or 10 times the table's size")
    add_settings(parser)


def _add_catalog(parser: argparse.ArgumentParser) -> None:
    parts = parser.add_subparsers(dest="part", metavar="list|show|check|infer|edit", required=True)

    listing = parts.add_parser("list", help="the bundled catalogues")
    show = parts.add_parser("show", help="tables, columns and statistics of a catalogue")
    show.add_argument("catalog", metavar="NAME|FILE", help="a bundled catalogue, a JSON or DDL file; - for stdin")
    show.add_argument("tables", nargs="*", metavar="TABLE", help="only these tables")
    check = parts.add_parser("check", help="what is wrong in a catalogue: unknown keys, contradictory statistics")
    check.add_argument("catalogs", nargs="+", metavar="NAME|FILE")
    infer = parts.add_parser("infer", help="guess a catalogue from the queries that read its tables")
    infer.add_argument("files", nargs="+", metavar="FILE", help="SQL; - for standard input")
    infer.add_argument("-o", "--output", metavar="FILE", help="write the catalogue here instead of printing it")
    infer.add_argument("--catalog", metavar="NAME|FILE", help="tables that are known and need no guessing")
    edit = parts.add_parser("edit", help="a catalogue with other statistics")
    edit.add_argument("catalog", metavar="NAME|FILE", help="a bundled catalogue, a JSON or DDL file; - for stdin")
    edit.add_argument(
        "--set", metavar="PATH=VALUE", action="append", default=[],
        help="table.rowCount=1000, table.column.distinctCount=10; an empty value forgets the number",
    )  # fmt: skip
    edit.add_argument("--scale", metavar="FACTOR", help="so many times the data, before --set")
    edit.add_argument("--table", dest="tables", metavar="TABLE", action="append", help="scale only these tables")
    edit.add_argument("-o", "--output", metavar="FILE", help="write the catalogue here instead of printing it")
    for part in (listing, show, check, infer, edit):
        default = "json" if part in (infer, edit) else "text"
        part.add_argument("--format", choices=("text", "json"), default=default)


#: Every command: what adds its options, and what its help says.
_COMMANDS: dict[str, tuple[Callable[[argparse.ArgumentParser], None], str]] = {
    "parse": (_add_parse, "read pasted plans: print them again byte for byte, or as JSON, DOT, Mermaid, rule log"),
    "explain": (_add_explain, "plan the queries of an SQL file or a program and print what Spark would print"),
    "optimize": (_add_optimize, "plan the queries of an SQL file and print one stage"),
    "trace": (_add_trace, "print what every rule did to the queries of an SQL file"),
    "why": (_add_why, "why the planner chose each join and aggregate of an SQL file or pasted plan"),
    "replay": (_add_replay, "plan the plans of a text again and hold them against what Spark printed"),
    "estimates": (_add_estimates, "rows expected of every operator, beside measured ones"),
    "aggregates": (_add_aggregates, "the stages of each aggregate, estimates, rows through the stages"),
    "lint": (add_lint, "what is worth changing in queries, plans and past executions, with evidence"),
    "crossover": (_add_crossover, "at which sizes of the tables a query's joins change"),
    "join-order": (_add_join_order, "how the cost-based search puts a query's joins in order"),
    "slides": (_add_slides, "the slides on cost-based optimization: their numbers beside ours"),
    "catalog": (_add_catalog, "list, show, check and guess catalogues of tables"),
    "rules": (_add_rules, "list the optimizer's rules, or tell all about one"),
    "catalogue": (_add_catalogue, "rules, operators, settings, batches, findings, functions: list, search, tell all"),
    "planner": (_add_planner, "what Spark's planner consists of, as tables"),
    "play": (add_play, "play an operator on small rows, step by step"),
    "render": (_add_render, "draw a plan to SVG, PNG, PDF, HTML, DOT, Mermaid or JSON"),
    "diff": (_add_diff, "compare plans: what differs in words, most important first, and in numbers"),
    "anonymise": (_add_anonymise, "take names, values, paths, hosts and users out of files, the same in all of them"),
    "check": (_add_check, "compare the plans of a folder of queries with those stored beside them"),
    "upgrade": (_add_upgrade, "what another version of Spark does to the plans of queries, and why"),
    "spark": (add_spark, "what only a live Spark knows: captured queries, statistics of tables, event logs"),
    "history": (add_history, "search and rank past executions of a catalogue, open any of them"),
    "save": (add_save, "keep a query, a program or a plan in the library, by name and in versions"),
    "list": (add_list, "search the library"),
    "open": (add_open, "print a document of the library"),
    "export": (add_export, "write the library, or some documents of it, to one file"),
    "import": (add_import, "take the documents of such a file into the library"),
    "library": (add_library, "rename documents, write notes on operators, use the trash"),
    "tour": (_add_tour, "stories in a few steps on the app's pages: list them, print one, the SQL of a step"),
    "samples": (_add_samples, "list the bundled sample plans, or print one"),
    "serve": (_add_serve, "start the web app"),
}


#: Commands of `planviz.cli.library`.
_ON_THE_LIBRARY = ("save", "list", "open", "export", "import")


#: Commands that do not print what they write: a picture, a packed file, a folder.
_WRITE_FILES = ("render", "export", "spark")


def _without_dash(options: argparse.Namespace) -> None:
    """`-o -` is standard output, where a command prints what it makes unless a file is named; no file is called `-`.

    Raises InputError where it cannot be: for a folder, and for what is no text.
    """
    from planviz.errors import InputError

    if getattr(options, "out", None) == "-":
        raise InputError("--out names a folder; leave it out to print.")
    if getattr(options, "output", None) == "-":
        if options.command in _WRITE_FILES:
            raise InputError(f"`planviz {options.command}` does not print what it writes: name a file behind -o.")
        options.output = None


def run(argv: list[str]) -> int:
    """Parse the arguments and run the command; errors meant for a user become one line on standard error."""
    begin()
    if argv and argv[0] not in _COMMANDS and os.path.isfile(argv[0]):
        say(
            f"planviz: {argv[0]!r} is a file, not a command: planviz explain {shlex.quote(argv[0])} plans a query or "
            "program, planviz lint says what is worth changing in any text."
        )
        return 2
    try:
        options = parser().parse_args(argv)
    except SystemExit as stop:
        return int(stop.code or 0)
    from planviz.errors import PlanvizError, defect
    from planviz.limits import time_limit

    try:
        _without_dash(options)
        with time_limit(getattr(options, "time_limit", None), "raise --time-limit"):
            status = _command(options.command)(options)
        sys.stdout.flush()
        return status
    except PlanvizError as error:
        say(f"planviz: {error}")
        return 2
    except BrokenPipeError:
        # The reader went away (`planviz parse x | head`): nothing is wrong, and Python must not complain at exit.
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EFBIG):
            # A name that is too long, a folder that may not be read: asking what a file is can fail, too.
            place = f"{named(os.fsdecode(error.filename))}: " if isinstance(error.filename, str | bytes) else ""
            say(f"planviz: {place}{error.strerror or error}.")
            return 2
        say(f"planviz: The output cannot be written: {error.strerror}.")
        # What is left in the buffer would fail again, with a traceback, when Python ends.
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    except KeyboardInterrupt:
        say("planviz: stopped")
        return 130
    except Exception as error:
        say(f"planviz: {defect(f'planviz {options.command}', error)}")
        return 2


def _command(name: str) -> Callable[[argparse.Namespace], int]:
    """The function of a command, which is called like its module; loaded when it is asked for."""
    word = name.replace("-", "_")
    module = import_module(f"planviz.cli.{'library' if word in _ON_THE_LIBRARY else word}")
    # Some words are Python's own.
    found: Callable[[argparse.Namespace], int] = getattr(module, word, None) or getattr(module, f"{word}_")
    return found
