"""The options of the commands on the library, apart from what they load, so that help answers at once."""

from __future__ import annotations

import argparse

from planviz.cli.settings import add_settings


def _add_store(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--store", metavar="PLACE",
        help="the library: a file, or postgresql://user@host/name (default: PLANVIZ_STORE of the environment, else a "
        "file among the user's data)",
    )  # fmt: skip
    parser.add_argument(
        "--owner", metavar="EMAIL",
        help="the library of somebody who signed in at `planviz serve --auth` with this e-mail, for whoever runs it",
    )  # fmt: skip


def add_save(parser: argparse.ArgumentParser) -> None:
    """The options of `planviz save`."""
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="SQL, programs, plan texts, captures, event logs; - for stdin"
    )
    parser.add_argument("--name", help="default: the file's; under a name that is there it becomes the next version")
    parser.add_argument("--tag", metavar="NAME", action="append", default=[], help="find it by tag:NAME")
    parser.add_argument("--follows", metavar="ID|NAME", help="the document that this is a newer version of")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    add_settings(parser)
    _add_store(parser)


def add_list(parser: argparse.ArgumentParser) -> None:
    """The options of `planviz list`."""
    parser.add_argument(
        "words", nargs="*", metavar="WORD", help="words, table:NAME, operator:NAME, finding:NAME, tag:NAME"
    )
    parser.add_argument("--versions", action="store_true", help="every version of a query, not only its newest")
    parser.add_argument("--trash", action="store_true", help="what lies in the trash")
    parser.add_argument("--tags", action="store_true", help="the tags with their numbers of documents")
    parser.add_argument(
        "--limit", type=int, default=100, metavar="N", help="the N that were opened last (default: 100)"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")
    _add_store(parser)


def add_open(parser: argparse.ArgumentParser) -> None:
    """The options of `planviz open`."""
    parser.add_argument("document", metavar="ID|NAME", help="of a name, the newest version")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the text here instead of printing it")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="json: its versions and notes, too")
    _add_store(parser)


def add_export(parser: argparse.ArgumentParser) -> None:
    """The options of `planviz export`."""
    parser.add_argument("documents", nargs="*", metavar="ID|NAME", help="default: all, every version")
    parser.add_argument("-o", "--output", metavar="FILE", required=True)
    _add_store(parser)


def add_import(parser: argparse.ArgumentParser) -> None:
    """The options of `planviz import`."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="what `planviz export` wrote")
    _add_store(parser)


def add_library(parser: argparse.ArgumentParser) -> None:
    """The options of `planviz library`."""
    parts = parser.add_subparsers(dest="part", metavar="rename|note|trash|restore|delete|sweep", required=True)
    rename = parts.add_parser("rename", help="another name, other tags")
    rename.add_argument("document", metavar="ID|NAME")
    rename.add_argument("name")
    rename.add_argument("--tag", metavar="NAME", action="append", help="in place of the tags that it has")
    note = parts.add_parser("note", help="write a note on an operator, list the notes, take one away")
    note.add_argument("document", metavar="ID|NAME")
    note.add_argument("--write", metavar="WORDS", help="without it, the notes are listed")
    note.add_argument("--plan", metavar="N", type=int, help="the plan's number, from 0 (default: the last one)")
    note.add_argument(
        "--node", metavar="N", type=int, default=0, help="the operator's number in it (default: the root)"
    )
    note.add_argument("--remove", metavar="NUMBER", type=int, help="take this note away")
    for name, what in (
        ("trash", "put documents into the trash"), ("restore", "take documents (by id) out of the trash"),
        ("delete", "delete documents (by id) for ever, texts and notes, too"),
    ):  # fmt: skip
        part = parts.add_parser(name, help=what)
        part.add_argument("documents", nargs="+", metavar="ID" if name != "trash" else "ID|NAME")
    sweep = parts.add_parser("sweep", help="delete what lay in the trash, or was kept for a link alone, for too long")
    sweep.add_argument("--days", type=float, default=30, metavar="N", help="default: 30")
    for part in parts.choices.values():
        _add_store(part)
