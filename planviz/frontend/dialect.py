"""The SQL that a version of Spark reads, and the settings that its parser obeys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType

from planviz.config import OptimizerConfig
from planviz.versions import PROFILES
from planviz.versions.syntax import later_than


@dataclass(frozen=True)
class Dialect:
    """How a text is read. The defaults are those of Spark 4.3.

    `later` has what the version does not read, with the version that does (`planviz/versions/syntax.py`).
    """

    #: Text in double quotes is a name (spark.sql.ansi.doubleQuotedIdentifiers in ANSI mode).
    double_quoted_names: bool = False
    #: 1e3 is a DECIMAL (spark.sql.legacy.exponentLiteralAsDecimal.enabled).
    exponents_are_decimals: bool = False
    #: INTERSECT binds no tighter than UNION and EXCEPT (spark.sql.legacy.setopsPrecedence.enabled).
    set_operations_in_order: bool = False
    #: TIMESTAMP has no time zone (spark.sql.timestampType).
    timestamps_without_zone: bool = False
    #: ORDER BY 1 means the first column (spark.sql.orderByOrdinal), GROUP BY 1 the first item (groupByOrdinal).
    orders_by_position: bool = True
    groups_by_position: bool = True
    #: INTERVAL is the type that has months, days and seconds (spark.sql.legacy.interval.enabled).
    calendar_intervals: bool = False
    #: 'a''b' is a'b; else it is ab, as two texts are.
    doubled_quotes_are_one: bool = True
    #: The time zone of timestamps (spark.sql.session.timeZone).
    zone: str = "UTC"
    #: The instant that a query calls now (planviz.now).
    now: str = ""
    #: `(a|b)` in backquotes is a regular expression of names (spark.sql.parser.quotedRegexColumnNames).
    quoted_regex_names: bool = False
    #: IDENTIFIER gives names of tables, columns and functions alone (spark.sql.legacy.identifierClause).
    names_by_text_are_few: bool = False
    #: `a, b JOIN c` is a beside the join of b and c (spark.sql.ansi.relationPrecedence in ANSI mode).
    joins_before_commas: bool = False
    #: What the standard reserves names nothing (spark.sql.ansi.enforceReservedKeywords in ANSI mode).
    words_are_reserved: bool = False
    #: HAVING without GROUP BY is another WHERE (spark.sql.legacy.parser.havingWithoutGroupByAsWhere).
    having_is_where: bool = False
    version: str = "4.3"
    later: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


NEWEST = Dialect()


def dialect_of(config: OptimizerConfig) -> Dialect:
    """How the configured version reads texts under its settings."""
    return _dialect(
        config.profile,
        config.flag("spark.sql.ansi.enabled") and config.flag("spark.sql.ansi.doubleQuotedIdentifiers"),
        config.flag("spark.sql.legacy.exponentLiteralAsDecimal.enabled"),
        config.flag("spark.sql.legacy.setopsPrecedence.enabled"),
        config.get("spark.sql.timestampType") == "TIMESTAMP_NTZ",
        config.flag("spark.sql.orderByOrdinal"),
        config.flag("spark.sql.groupByOrdinal"),
        config.flag("spark.sql.legacy.interval.enabled"),
        config.text("spark.sql.session.timeZone"),
        config.text("planviz.now"),
        config.flag("spark.sql.parser.quotedRegexColumnNames"),
        config.flag("spark.sql.legacy.identifierClause"),
        config.flag("spark.sql.ansi.enabled") and config.flag("spark.sql.ansi.relationPrecedence"),
        config.flag("spark.sql.ansi.enabled") and config.flag("spark.sql.ansi.enforceReservedKeywords"),
        config.flag("spark.sql.legacy.parser.havingWithoutGroupByAsWhere"),
    )


@cache
def _dialect(
    profile: str,
    quoted: bool,
    exponents: bool,
    in_order: bool,
    without_zone: bool,
    ordered: bool,
    grouped: bool,
    calendar: bool,
    zone: str,
    now: str,
    regex: bool,
    few_names: bool,
    joins_first: bool,
    reserved: bool,
    having: bool,
) -> Dialect:
    later, version = later_than(profile, tuple(PROFILES)), profile.removeprefix("spark-")
    known = PROFILES[profile].behaviour
    return Dialect(
        quoted,
        exponents,
        in_order,
        without_zone,
        ordered,
        grouped,
        calendar,
        known.doubled_quotes_are_one,
        zone,
        now,
        regex,
        few_names,
        joins_first,
        reserved,
        having,
        version,
        later,
    )
