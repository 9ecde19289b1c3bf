"""`planviz estimates`: the rows that are expected of every operator, beside those that a run measured."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

from planviz.cli.files import read_text, show_each
from planviz.cli.optimize import errors_of, statement_heading
from planviz.cli.settings import open_input
from planviz.document import open_text
from planviz.document.cardinality.measurements import measured_json, measured_plans, measured_text
from planviz.errors import PlanvizError

_ENDINGS = {"text": "txt", "json": "json"}


def estimates(options: argparse.Namespace) -> int:
    """Print the estimates of each file's queries, or of its pasted plan, with the first that is far off marked."""
    run = open_text(read_text(options.measured)) if options.measured else None

    def show(name: str) -> tuple[str, Sequence[PlanvizError]]:
        document = open_input(read_text(name), options, "optimized")
        errors = errors_of(document) if document.statements else []
        found = measured_plans(document, run, options.factor)
        if options.format == "json":
            told = {"file": name, "plans": [measured_json(rows) for _, rows in found]}
            return json.dumps(told, ensure_ascii=True, indent=1) + "\n", errors
        heads = [statement_heading(s) if s is not None and len(found) > 1 else "" for s, _ in found]
        return "\n".join(h + measured_text(rows) for h, (_, rows) in zip(heads, found, strict=True)), errors

    return show_each(options.files, options.out, _ENDINGS[options.format], show)
