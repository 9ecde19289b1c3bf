"""Plans in a notebook: `planviz.show`, `planviz.diff`, `planviz.explain` and the magic `%%planviz`.

What is shown is the one-file page that `planviz render` writes, in a frame without access to the notebook around it, so
that Jupyter, VS Code, Databricks and whatever displays HTML show the same, also from a saved notebook.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from planviz.errors import InputError, PlanvizError

if TYPE_CHECKING:
    from planviz.catalog import Catalog
    from planviz.config import OptimizerConfig
    from planviz.document import Document
    from planviz.document.comparison.plans import Difference
    from planviz.execution import QueryExecution

Settings = Mapping[str, object]
_HEIGHT = 640


@dataclass(frozen=True)
class Shown:
    """An interactive page for a notebook.

    `html` is the whole page, `height` that of its frame in pixels, `text` what a terminal shows instead.
    """

    html: str
    text: str
    height: int = _HEIGHT

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        frame = "width:100%;border:1px solid #d8dde2;border-radius:6px;background:#fff"
        return (
            f'<iframe title="planviz" sandbox="allow-scripts allow-downloads" style="{frame};height:{self.height}px"'
            f' srcdoc="{escape(self.html)}"></iframe>'
        )

    def save(self, path: str | Path) -> None:
        """Write the page as one HTML file that requests nothing. Raises ExportError when it cannot be written."""
        from planviz.document.saving import save

        save(Path(path), self.html.encode("utf-8", "replace"))


def show(
    source: object,
    *,
    catalog: Catalog | str | None = None,
    profile: str = "spark-4.3",
    conf: Settings | None = None,
    theme: str | None = None,
    height: int = _HEIGHT,
) -> Shown:
    """The plans of `source`, to look at, search and step through.

    `source` is SQL, a plan, a rule log or a program as text or as a Path; a Document, a QueryExecution or a DataFrame,
    of planviz or of a live Spark, which plans it then and does not execute it. `catalog` names the tables of SQL and
    programs (a bundled catalogue, a file); without one they are guessed. `conf` holds spark.sql.* settings. `theme` is
    "light", "dark" or None for the reader's own, `height` is in pixels. Raises PlanvizError for what cannot be read or
    planned; where some of its queries can be, the error is printed and they are shown.
    """
    from planviz.document.comparison.plans import choose_plan, plan_text
    from planviz.render.html import html_page

    document = _opened(source, catalog, profile, conf)
    if document.error is not None:
        if not any(plan.stage == "physical" for plan in document.plans):
            raise document.error
        print(f"planviz: {document.error}", file=sys.stderr)
    if not document.plans:
        raise InputError("There is no plan in it to show.")
    title = document.plans[-1].title if len(document.plans) == 1 else "planviz"
    last = choose_plan(document)
    opened = document.plans.index(last)
    page = html_page(document.plans, text=document.text or None, title=title, theme=theme, opened=opened)
    return Shown(page, plan_text(last), height)


def diff(
    a: object,
    b: object,
    *,
    catalog: Catalog | str | None = None,
    profile: str = "spark-4.3",
    conf: Settings | None = None,
    names: tuple[str, str] = ("before", "after"),
    stage: str | None = None,
    theme: str | None = None,
    height: int = _HEIGHT,
) -> ShownDifference:
    """Two plans compared, of what `show` takes; `difference` of the result has the effects and numbers.

    `stage` is the one of both that is compared, by default the physical plan. Raises PlanvizError for what cannot be
    read.
    """
    from planviz.document.comparison.plans import choose_plan, compare_plans
    from planviz.document.comparison.text import difference_text
    from planviz.document.comparison.view import difference_page

    one, two = (choose_plan(_opened(source, catalog, profile, conf), stage) for source in (a, b))
    difference = compare_plans(one, two, names)
    return ShownDifference(difference_page(difference, theme), difference_text(difference), height, difference)


@dataclass(frozen=True, repr=False)
class ShownDifference(Shown):
    """A comparison for a notebook; `difference` is what was found."""

    difference: Difference | None = None


def explain(
    sql: str, *, catalog: Catalog | str | None = None, profile: str = "spark-4.3", conf: Settings | None = None
) -> QueryExecution:
    """One query, planned stage by stage as they are asked for: `explain(sql).explain_string("extended")`.

    Raises ParseError for SQL that cannot be read; its stages raise AnalysisError.
    """
    from planviz.document import open_sql

    document = open_sql(sql, _catalog(catalog), _config(profile, conf))
    executions = [s.execution for s in document.statements if s.execution is not None]
    if document.error is not None:
        raise document.error
    if len(executions) != 1:
        raise InputError(f"The text holds {len(executions)} queries; give one, or use planviz.show for all.")
    return executions[0]


def _catalog(catalog: Catalog | str | None) -> Catalog | None:
    from planviz.catalogs import find

    return find(catalog) if isinstance(catalog, str) else catalog


def _config(profile: str, conf: Settings | None) -> OptimizerConfig:
    from planviz.config import OptimizerConfig

    return OptimizerConfig.of(profile, **dict(conf or {}))


def _opened(source: object, catalog: Catalog | str | None, profile: str, conf: Settings | None) -> Document:
    from planviz.dataframe.frame import DataFrame
    from planviz.document import Document, open_text
    from planviz.execution import QueryExecution

    if isinstance(source, Document):
        return source
    if isinstance(source, DataFrame):
        return _of_execution(source.execution)
    if isinstance(source, QueryExecution):
        return _of_execution(source)
    if isinstance(source, Path):
        source = _file(source)
    if isinstance(source, str):
        return open_text(source, catalog=_catalog(catalog), config=_config(profile, conf))
    if hasattr(source, "isStreaming") and hasattr(source, "sparkSession"):
        from planviz.spark.capture_file import capture

        # A capture's text is JSON that no reader of a plan asks for.
        return replace(capture(source), text="")
    raise InputError(f"A {type(source).__name__} cannot be shown: give SQL, a plan's text, a Path or a DataFrame.")


def _file(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig", "surrogateescape")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}.") from None


def _of_execution(execution: QueryExecution) -> Document:
    from planviz.document import Document
    from planviz.document.opening.plans import planned

    execution.text("physical")
    plans, trace, unprinted = planned(execution, lambda node: None)
    if unprinted is not None:
        raise unprinted
    return Document("", "query", (), tuple(plans), trace)


# -- the magic


class _Shell(Protocol):
    """What the magic needs of IPython's shell."""

    user_ns: Mapping[str, object]

    def register_magic_function(self, func: object, magic_kind: str, magic_name: str) -> None: ...


def load_magic(shell: _Shell) -> None:
    """Give a notebook `%planviz NAME` for a variable and `%%planviz` for SQL, a plan or a program in the cell."""

    def magic(line: str, cell: str | None = None) -> Shown | None:
        try:
            return _run(line, cell, shell.user_ns)
        except PlanvizError as error:
            print(f"planviz: {error}", file=sys.stderr)
            return None

    shell.register_magic_function(magic, "line_cell", "planviz")


class _Arguments(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        raise InputError(f"{message}. %planviz NAME [--catalog NAME] [--profile spark-3.5] [--conf KEY=VALUE]")


def _run(line: str, cell: str | None, names: Mapping[str, object]) -> Shown:
    from planviz.cli.settings import pairs

    parser = _Arguments(prog="%planviz", add_help=False)
    parser.add_argument("name", nargs="?")
    parser.add_argument("--catalog")
    parser.add_argument("--profile", default="spark-4.3")
    parser.add_argument("--conf", action="append", default=[])
    parser.add_argument("--theme", choices=("light", "dark"))
    parser.add_argument("--height", type=int, default=_HEIGHT)
    try:
        options = parser.parse_args(shlex.split(line))
    except ValueError as error:
        raise InputError(f"{line}: {error}.") from None
    if (cell is None) == (options.name is None):
        raise InputError("Name one variable with %planviz NAME, or write what to show into a cell below %%planviz.")
    if cell is None and options.name not in names:
        raise InputError(f"There is no variable {options.name}.")
    source = names[options.name] if cell is None else cell
    conf = pairs(options.conf, "--conf")
    return show(
        source,
        catalog=options.catalog,
        profile=options.profile,
        conf=dict(conf),
        theme=options.theme,
        height=options.height,
    )
