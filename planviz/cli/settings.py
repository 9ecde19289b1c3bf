"""What every command that plans SQL takes: catalogue, settings, profile, parameters."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING

from planviz.cli.files import say
from planviz.errors import InputError, PlanvizError

if TYPE_CHECKING:
    from planviz.catalog import Catalog
    from planviz.config import OptimizerConfig
    from planviz.document import Document
    from planviz.frontend import Parameters
    from planviz.replay.given import Given

#: The stages of a query by the names of Spark's QueryExecution; "physical" is its executedPlan.
STAGES = ("parsed", "analyzed", "optimized", "sparkPlan", "physical")
#: What no SQL has at the beginning of a line: the heading of a plan, the marks of a tree.
#: A heading of an explain or a line of a tree, also behind marks of comments and quotes.
_PLAN = re.compile(r"(?m)^[ |/#>*\"'\d-]*(?:== (?:Analyzed|Optimized|Physical) .*Plan ==|[ :]*[:+]- [*']?\w)")
NOT_REPLAYED = (
    "These plans cannot be planned again: planviz cannot read all of them. df.explain(True) prints the best text; "
    "`planviz replay FILE` says what could be read."
)


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Give a command `--catalog`, `--infer`, `--conf`, `--profile` and `--param`; the functions below read them."""
    parser.add_argument(
        "--catalog", metavar="NAME|FILE", help="tables to plan with: a bundled catalogue, a JSON or DDL file"
    )
    parser.add_argument(
        "--infer",
        action=argparse.BooleanOptionalAction,
        help="guess tables that are not known from their use; default: where there is no catalogue and no CREATE TABLE",
    )
    parser.add_argument("--conf", metavar="KEY=VALUE", action="append", default=[], help="a spark.sql.* setting")
    parser.add_argument(
        "--profile",
        "--spark",
        metavar="NAME",
        help="the version of Spark, spark-3.0 … spark-4.3, or a vendor's runtime such as databricks-15.4 or emr-7.1 "
        "(default: PLANVIZ_PROFILE of the environment, else spark-4.3)",
    )
    add_sizes(parser)
    parser.add_argument(
        "--param", metavar="NAME=VALUE", action="append", default=[], help="the value of :NAME; VALUE alone for a ?"
    )


def add_sizes(parser: argparse.ArgumentParser) -> None:
    """Give a command that takes pasted plans `--size`."""
    parser.add_argument(
        "--size", metavar="TABLE=SIZE", action="append", default=[],
        help="the size of a table, as in orders=10MB: of a query's before what its catalogue says, of a pasted plan's "
        "where the text gives none",
    )  # fmt: skip


def catalog_of(options: argparse.Namespace) -> Catalog:
    """The catalogue that `--catalog` names, an empty one without it. Raises InputError when there is none."""
    from planviz.catalog import Catalog
    from planviz.catalogs import find

    return find(options.catalog) if options.catalog else Catalog()


def config_of(options: argparse.Namespace) -> OptimizerConfig:
    """The settings of `--profile` and, over them, `--conf`. Raises InputError for one that cannot be read."""
    from planviz.config import OptimizerConfig, default_profile

    return OptimizerConfig.of(options.profile or default_profile(), **pairs(options.conf, "--conf"))


def params_of(options: argparse.Namespace) -> Parameters | None:
    """The values of `--param`: by name where all are NAME=VALUE, else in order. Raises InputError for a mixture."""
    from planviz.frontend import parse_constant

    named = [re.match(r"\w+=", text) is not None for text in options.param]
    if any(named) and not all(named):
        raise InputError("--param is either NAME=VALUE for :NAME, or VALUE for ?; the two do not mix.")
    if named and named[0]:
        return {name: parse_constant(value) for name, value in pairs(options.param, "--param").items()}
    return [parse_constant(text) for text in options.param] or None


def pairs(given: list[str], option: str) -> dict[str, str]:
    """What an option gave as NAME=VALUE, by name. Raises InputError for one that is written otherwise."""
    pairs = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise InputError(f"{option} {text}: write it as NAME=VALUE.")
        pairs[key.strip()] = value
    return pairs


def open_file(text: str, options: argparse.Namespace, stage: str) -> Document:
    """An SQL text planned up to `stage` with what the options say; warnings go to standard error.

    Of a plan's text, a capture or an event log the explains in it are replayed (`planviz.document.opening.replays`),
    with the settings and sizes of the options counting before those that are found. Raises InputError where none can
    be.
    """
    from planviz.document import open_sql, open_text
    from planviz.plantext.json_plans import looks_like_json

    if _PLAN.search(text) or looks_like_json(text):
        found = replayed_of(open_text(text), options)
        if found is None:
            raise InputError(NOT_REPLAYED)
        return found
    document = open_sql(
        text,
        catalog_of(options),
        config_of(options),
        params=params_of(options),
        infer=options.infer,
        stage=stage,
        sizes=given_of(options).sizes,
    )
    _tell(document)
    return document


def is_plan(text: str) -> bool:
    """Whether a text is opened as plans that Spark printed, whatever program or prompt stands around them."""
    from planviz.document import open_text

    if not _PLAN.search(text):
        return False
    try:
        document = open_text(text)
    except PlanvizError:
        return False
    return bool(document.plans) and not document.statements


def open_input(text: str, options: argparse.Namespace, stage: str) -> Document:
    """As `open_file` for SQL; of a plan's text the explains that can be are replayed, any other is read as it is."""
    from planviz.document import open_text
    from planviz.document.opening.readers.sql import looks_like_sql
    from planviz.document.opening.sizes import NOT_OF_PROGRAMS
    from planviz.errors import ParseError

    if not looks_like_sql(text) or _PLAN.search(text):
        document = open_text(text)
        if options.size and document.statements:
            raise InputError(NOT_OF_PROGRAMS)
        return replayed_of(document, options) or document
    try:
        return open_file(text, options, stage)
    except ParseError as error:
        try:
            return open_text(text)
        except PlanvizError:
            raise error from None


def replayed_of(document: Document, options: argparse.Namespace) -> Document | None:
    """A pasted document replayed with what the options say. Raises InputError for an option that cannot be read."""
    from planviz.document.opening.replays import replayed

    return document if document.statements else replayed(document, given_of(options))


def given_of(options: argparse.Namespace) -> Given:
    """What the options say beside a pasted text. Raises InputError for one that cannot be read."""
    from planviz.replay.given import given

    sizes: dict[str, int | str] = dict(pairs(options.size, "--size"))
    return given(pairs(options.conf, "--conf"), sizes, options.profile or "")


def _tell(document: Document) -> None:
    from planviz.document.opening.embedded_sql import embedded_sql

    warnings = [w for s in document.statements if s.execution is not None for w in s.execution.warnings]
    read = embedded_sql(document.text)[1] if document.statements else ()
    for warning in dict.fromkeys([*read, *warnings]):
        say(f"planviz: note: {warning}")
