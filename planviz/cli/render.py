"""`planviz render`: a plan as a picture or a page."""

from __future__ import annotations

import argparse
from pathlib import Path

from planviz.cli.files import read_text, write_file
from planviz.document import Document, open_text
from planviz.errors import ExportError, InputError
from planviz.graph import PlanGraph


def render(options: argparse.Namespace) -> int:
    """Draw one plan of a file; an HTML page carries all of them unless one was chosen."""
    from planviz.render import FORMATS
    from planviz.render import render as draw
    from planviz.render.html import html_page

    path = Path(options.output)
    format = path.suffix.lstrip(".").lower()
    if format not in FORMATS:
        raise ExportError(f"{options.output}: the ending must be one of {', '.join(FORMATS)}.")
    document = open_text(read_text(options.file))
    if format == "html" and options.plan is None and options.stage is None:
        title = options.title or Path(options.file).stem
        first = document.plans.index(choose(document, None, None))
        page = html_page(document.plans, text=document.text, title=title, theme=options.theme, opened=first)
        write_file(path, page.encode("utf-8", "replace"))
        return 0
    write_file(
        path,
        draw(
            choose(document, options.stage, options.plan), format, theme=options.theme or "light", title=options.title
        ),
    )
    return 0


def choose(document: Document, stage: str | None, number: int | None) -> PlanGraph:
    """The plan that was asked for; by default the last physical one, or the last of all."""
    plans = document.plans
    if not plans:
        raise InputError("The text holds no plan to draw.")
    if number is not None:
        if not 1 <= number <= len(plans):
            raise InputError(f"There is no plan {number}: the text holds {len(plans)}.")
        return plans[number - 1]
    if stage is not None:
        found = [plan for plan in plans if plan.stage == stage]
        if not found:
            raise InputError(
                f"No plan of stage “{stage}”; the text holds {', '.join(dict.fromkeys(p.stage for p in plans))}."
            )
        return found[-1]
    return next((plan for plan in reversed(plans) if plan.stage == "physical"), plans[-1])
