"""`planviz explain`: the plans of every query of an SQL file, as Spark's `explain` prints them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from planviz.cli.files import read_text, show_each
from planviz.cli.optimize import errors_of
from planviz.cli.settings import open_file
from planviz.errors import PlanvizError


def explain(options: argparse.Namespace) -> int:
    """Print each file's plans; what fails goes to standard error and stops nothing else."""

    def show(name: str) -> tuple[str, Sequence[PlanvizError]]:
        document = open_file(read_text(name), options, "physical")
        planned = [s.execution for s in document.statements if s.execution is not None and s.error is None]
        return "\n".join(execution.explain_string(options.mode) for execution in planned), errors_of(document)

    return show_each(options.files, options.out, "txt", show)
