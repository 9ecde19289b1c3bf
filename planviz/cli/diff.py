"""`planviz diff`: two plans or a chain of them compared in words and numbers, with a status for a build."""

from __future__ import annotations

import argparse
import copy
import json
import sys
from pathlib import Path

from planviz.cli.files import read_text, write, write_file
from planviz.cli.sarif import difference_sarif
from planviz.cli.settings import open_input
from planviz.document import Document
from planviz.document.comparison.chains import Chain, chain_json, compare_chain
from planviz.document.comparison.plans import (
    STAGES,
    Difference,
    check_kinds,
    choose_plan,
    compare_plans,
    difference_json,
)
from planviz.document.comparison.text import difference_markdown, difference_text
from planviz.errors import ExportError, InputError
from planviz.graph import PlanGraph

_ENDINGS = {"md": "markdown", "markdown": "markdown", "txt": "text"}
FORMATS = ("text", "json", "markdown", "sarif", "svg", "png", "html")


def diff(options: argparse.Namespace) -> int:
    """Compare plans; the status is 1 when `--fail-on` names a difference that there is, without it when any is."""
    fail_on = check_kinds(
        [kind.strip() for given in options.fail_on or () for kind in given.split(",") if kind.strip()]
    )
    format = _format(options)
    told = _chain(options) if options.more else _pair(options)
    data = _drawn(told, format, options, fail_on)
    if options.output:
        write_file(Path(options.output), data)
    elif format == "png":
        sys.stdout.buffer.write(data)
    else:
        write(data.decode("utf-8", "surrogateescape"))
    if options.exit_zero:
        return 0
    return int(bool(told.failing(fail_on)) if fail_on else not told.equal)


def _format(options: argparse.Namespace) -> str:
    if options.format or not options.output:
        return options.format or "text"
    ending = Path(options.output).suffix.lstrip(".").lower()
    found = _ENDINGS.get(ending, ending)
    if found not in FORMATS:
        raise ExportError(
            f"{options.output}: the ending must be one of txt, json, md, sarif, svg, png, html; or give --format."
        )
    return found


def _drawn(told: Difference | Chain, format: str, options: argparse.Namespace, fail_on: list[str]) -> bytes:
    if format == "sarif":
        steps = told.steps if isinstance(told, Chain) else (told,)
        places = [_asked(name, None)[0] for name in (options.b or options.a, *options.more)]
        return difference_sarif(steps, fail_on, ["stdin" if place == "-" else place for place in places]).encode()
    if format == "json":
        made_json = chain_json(told) if isinstance(told, Chain) else difference_json(told)
        return (json.dumps(made_json, ensure_ascii=True, indent=1) + "\n").encode()
    if format in ("svg", "png"):
        from planviz.document.comparison.chain_text import draw_chain
        from planviz.render.png import png
        from planviz.render.svg import svg

        # A single difference is the picture of a chain of one step.
        chain = told if isinstance(told, Chain) else Chain((told,), told)
        drawing = draw_chain(chain, view=options.view, theme=options.theme)
        return svg(drawing).encode("utf-8", "replace") if format == "svg" else png(drawing)
    if isinstance(told, Chain):
        from planviz.document.comparison.chain_text import chain_markdown, chain_page, chain_text

        chained = {"html": chain_page, "markdown": chain_markdown, "text": chain_text}[format]
        return chained(told).encode("utf-8", "replace" if format == "html" else "surrogateescape")
    if format == "html":
        from planviz.document.comparison.view import difference_page

        return difference_page(told).encode("utf-8", "replace")
    made = difference_markdown(told) if format == "markdown" else difference_text(told)
    return made.encode("utf-8", "surrogateescape")


# -- the two sides, or all of a chain


def _pair(options: argparse.Namespace) -> Difference:
    names, before, after = _sides(options)
    return compare_plans(before, after, names, numbers=options.numbers, factor=options.factor)


def _chain(options: argparse.Namespace) -> Chain:
    """Raises InputError for settings of a second side: a chain has none."""
    if _other_options(options) is not None or options.stage_a or options.stage_b:
        raise InputError("Settings and stages of one side are for two plans; in a chain name stages as FILE:STAGE.")
    asked = [_asked(name, options.stage) for name in (options.a, options.b, *options.more)]
    opened: dict[str, Document] = {}
    for file, _, _ in asked:
        if file not in opened:
            opened[file] = open_input(read_text(file), options, "physical")
    plans = [choose_plan(opened[file], stage, number) for file, stage, number in asked]
    return compare_chain(plans, _chain_names(asked), numbers=options.numbers, factor=options.factor)


def _chain_names(asked: list[tuple[str, str | None, int | None]]) -> list[str]:
    stems = ["stdin" if file == "-" else Path(file).name for file, _, _ in asked]
    if len({*stems}) < len({file for file, _, _ in asked}):
        stems = [file for file, _, _ in asked]
    parts = [stage or (f"plan {number}" if number else "") for _, stage, number in asked]
    shown = len({*parts}) > 1
    return [f"{stem} {part}" if part and shown else stem for stem, part in zip(stems, parts, strict=True)]


def _sides(options: argparse.Namespace) -> tuple[tuple[str, str], PlanGraph, PlanGraph]:
    """Names and plans of both sides. Raises InputError when nothing tells them apart."""
    other = _other_options(options)
    first, second = options.a, options.b or options.a
    asked = [
        _asked(name, given or options.stage) for name, given in ((first, options.stage_a), (second, options.stage_b))
    ]
    if asked[0] == asked[1] and other is None:
        raise InputError(
            "Both sides are the same plan: name two inputs, two stages, or what is otherwise with --conf-b."
        )
    opened: dict[tuple[str, bool], Document] = {}
    plans = []
    for (file, stage, number), own in zip(asked, (False, other is not None), strict=True):
        document = opened.get((file, own))
        if document is None:
            text = opened[file, not own].text if (file, not own) in opened else read_text(file)
            document = opened[file, own] = open_input(text, other if own and other else options, "physical")
        plans.append(choose_plan(document, stage, number))
    return _names(asked, options.conf_b or []), plans[0], plans[1]


def _asked(name: str, stage: str | None) -> tuple[str, str | None, int | None]:
    """A side as (file, stage, number): `FILE`, `FILE:stage` or `FILE:3`; a file that has this very name is that."""
    file, colon, part = name.rpartition(":")
    if not colon or not file or (name != "-" and Path(name).exists()):
        return name, stage, None
    if part in STAGES:
        return file, part, None
    if part.isascii() and part.isdigit():
        return file, None, int(part[:9])
    return name, stage, None


def _other_options(options: argparse.Namespace) -> argparse.Namespace | None:
    """The settings of the second side, where they are others."""
    given = (options.catalog_b, options.conf_b, options.profile_b)
    if not any(given):
        return None
    other = copy.copy(options)
    other.catalog = options.catalog_b or options.catalog
    other.conf = [*options.conf, *options.conf_b]
    other.profile = options.profile_b or options.profile
    return other


def _names(asked: list[tuple[str, str | None, int | None]], conf: list[str]) -> tuple[str, str]:
    """What both sides are called, as short as tells them apart."""
    stems = [Path(file).name if file != "-" else "stdin" for file, _, _ in asked]
    if stems[0] == stems[1] and asked[0][0] != asked[1][0]:
        stems = [file for file, _, _ in asked]
    parts = [stage or (f"plan {number}" if number else "") for _, stage, number in asked]
    names = [
        f"{stem} {part}" if part and parts[0] != parts[1] else stem for stem, part in zip(stems, parts, strict=True)
    ]
    if names[0] == names[1]:
        names[1] += (
            f" with {', '.join(setting.removeprefix('spark.sql.') for setting in conf)}" if conf else " otherwise"
        )
    return names[0], names[1]
