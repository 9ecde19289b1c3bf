"""The commands and their arguments."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable

import planviz

_EPILOG = (
    "“-” is standard input everywhere. "
    "Exit status: 0 fine, 1 a difference that was asked for, 2 bad usage or bad input."
)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="planviz", description="See what Spark does with your query.", epilog=_EPILOG, allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"planviz {planviz.__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    parse = commands.add_parser(
        "parse", help="read pasted plans: print them again byte for byte, or as JSON, DOT, Mermaid, rule log"
    )
    parse.add_argument(
        "files", nargs="+", metavar="FILE", help="plan text, rule log, JSON plan or event log; - for standard input"
    )
    parse.add_argument("--format", choices=("text", "json", "dot", "mmd", "log"), default="text")
    parse.add_argument("--out", metavar="DIR", help="write DIR/<stem>.<ending> for each file instead of printing")

    render = commands.add_parser("render", help="draw a plan to SVG, PNG, PDF, HTML, DOT, Mermaid or JSON")
    render.add_argument("file", metavar="FILE", help="plan text or JSON; - for standard input")
    render.add_argument("-o", "--output", required=True, metavar="OUT", help="OUT.{svg,png,pdf,html,dot,mmd,json}")
    render.add_argument(
        "--stage", metavar="STAGE", help="parsed, analyzed, optimized, physical, initial (default: the last one)"
    )
    render.add_argument("--plan", type=int, metavar="N", help="the N-th plan of the text, from 1")
    render.add_argument("--theme", choices=("light", "dark"), default="light")
    render.add_argument("--title", metavar="TEXT")

    samples = commands.add_parser("samples", help="list the bundled sample plans, or print one")
    samples.add_argument("name", nargs="?", metavar="NAME")

    serve = commands.add_parser("serve", help="start the web app")
    serve.add_argument("--port", type=int, default=8501)
    serve.add_argument("--address", default="127.0.0.1", help="address to listen on (default: this machine only)")
    serve.add_argument("--browser", action="store_true", help="open the app in a browser")
    return parser


def run(argv: list[str]) -> int:
    """Parse the arguments and run the command; errors meant for a user become one line on standard error."""
    try:
        options = _parser().parse_args(argv)
    except SystemExit as stop:
        return int(stop.code or 0)
    from planviz.errors import PlanvizError

    try:
        return _command(options.command)(options)
    except PlanvizError as error:
        print(f"planviz: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader went away (`planviz parse x | head`): nothing is wrong, and Python must not complain at exit.
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("planviz: stopped", file=sys.stderr)
        return 130


def _command(name: str) -> Callable[[argparse.Namespace], int]:
    if name == "parse":
        from planviz.cli.parse import parse

        return parse
    if name == "render":
        from planviz.cli.render import render

        return render
    if name == "samples":
        from planviz.cli.samples import samples

        return samples
    from planviz.cli.serve import serve

    return serve
