"""The settings that change a plan, under their Spark names: what each does, its default in 4.3, how values are read.

A default that was another in an earlier version stands in that version's file (`planviz/versions/`).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from planviz.errors import InputError
from planviz.versions.model import SettingValue


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting that planviz reads: its default in Spark 4.3, whose type is the setting's, and what it does.

    `unit` is "bytes" where 10MB may be written and "instant" where a day and time or nothing is; `least` is the lowest
    value, `choices` are all values of a text.
    """

    key: str
    default: SettingValue
    about: str
    unit: str = ""
    least: int | None = None
    choices: tuple[str, ...] = ()

    @property
    def type(self) -> str:
        """boolean, whole number, number, bytes or text."""
        names = {bool: "boolean", int: "whole number", float: "number"}
        return self.unit or names.get(type(self.default), "text")


_RUNTIME = "spark.sql.optimizer.runtime.bloomFilter"
_PRUNING = "spark.sql.optimizer.dynamicPartitionPruning"
_MERGE = "spark.sql.optimizer.mergeSubplans.filterPropagation"
SETTINGS = {
    s.key: s
    for s in (
        Setting("spark.sql.ansi.enabled", True, "Errors in place of nulls, and the standard's rules for types."),
        Setting("spark.sql.caseSensitive", False, "Whether names differ by case."),
        Setting("spark.sql.readSideCharPadding", True, "Whether char(n) columns are padded where they are read."),
        Setting(
            "spark.sql.legacy.noCharPaddingInPredicate",
            False,
            "Whether comparisons leave char(n) columns as they are when reading does not pad them.",
        ),
        Setting("spark.sql.legacy.charVarcharAsString", False, "Whether char(n) and varchar(n) are plain strings."),
        Setting(
            "planviz.unknownFunctions",
            "open",
            "A function that is not known: a call of open type, for it may be one of yours, or refused as Spark does.",
            choices=("open", "refuse"),
        ),
        Setting(
            "planviz.now",
            "",
            "The instant that a query calls now, as in 2026-11-22T09:30:00Z; when it is empty, the beginning of this "
            "day in the session's zone, so that a query keeps its plan for a day.",
            unit="instant",
        ),
        Setting(
            "spark.sql.execution.pythonUDF.arrow.enabled",
            True,
            "What udf() makes of a Python function: one that takes Arrow batches, or one that takes pickled rows.",
        ),
        Setting(
            "spark.sql.execution.pythonUDTF.arrow.enabled",
            True,
            "How a class of udtf() takes rows and gives them: as Arrow batches, or pickled.",
        ),
        Setting(
            "spark.sql.execution.arrow.pyspark.enabled",
            True,
            "What createDataFrame() makes of a DataFrame of pandas: a LocalRelation, or an RDD of pickled rows.",
        ),
        Setting("spark.sql.groupByAliases", True, "GROUP BY may name an alias of the select list."),
        Setting("spark.sql.groupByOrdinal", True, "GROUP BY 1 means the first item of the select list."),
        Setting("spark.sql.orderByOrdinal", True, "ORDER BY 1 means the first item of the select list."),
        Setting(
            "spark.sql.parser.quotedRegexColumnNames",
            False,
            "A name in backquotes in a select list is a regular expression of columns.",
        ),
        Setting(
            "spark.sql.prioritizeOrdinalResolutionInSort.enabled",
            True,
            "ORDER BY finds its positions before columns that the select list does not have; else they count, too.",
        ),
        Setting(
            "spark.sql.storeAssignmentPolicy",
            "ANSI",
            "What a column takes: what fits its kind, what loses nothing (STRICT), anything (LEGACY).",
            choices=("ANSI", "LEGACY", "STRICT"),
        ),
        Setting("spark.sql.session.timeZone", "Etc/UTC", "The zone of timestamps."),
        Setting("spark.sql.analyzer.maxIterations", 100, "Passes of an analyzer batch.", least=1),
        Setting("spark.sql.view.maxNestedViewDepth", 100, "How many views may stand one in the other.", least=1),
        Setting("spark.sql.optimizer.maxIterations", 100, "Passes of an optimizer batch.", least=1),
        Setting("spark.sql.optimizer.excludedRules", "", "Optimizer rules not to run, by full name, with commas."),
        Setting("spark.sql.optimizer.inSetConversionThreshold", 10, "Above how many values IN becomes INSET.", least=0),
        Setting("spark.sql.cbo.enabled", False, "Estimate rows from statistics."),
        Setting("spark.sql.cbo.joinReorder.enabled", False, "Order inner joins by estimated cost."),
        Setting(
            "spark.sql.cbo.joinReorder.dp.threshold", 12, "Up to how many relations all orders are tried.", least=1
        ),
        Setting("spark.sql.cbo.joinReorder.card.weight", 0.7, "What rows weigh in a cost; bytes weigh the rest."),
        Setting("spark.sql.cbo.joinReorder.dp.star.filter", False, "Try only orders that join a star's tables first."),
        Setting("spark.sql.cbo.starSchemaDetection", False, "Join a star's tables first, the selective ones before."),
        Setting(
            "spark.sql.cbo.starJoinFTRatio",
            0.9,
            "The second largest table of a star is smaller than that.",
        ),
        Setting("spark.sql.statistics.ndv.maxError", 0.05, "How far a count of distinct values may be off."),
        Setting("spark.sql.cbo.planStats.enabled", False, "Take rows and columns' statistics from the catalogue."),
        Setting("spark.sql.constraintPropagation.enabled", True, "Infer filters from what holds for every row."),
        Setting(
            "spark.sql.optimizer.collapseProjectAlwaysInline",
            False,
            "Merge projections even if an expression is then computed twice.",
        ),
        Setting(
            "spark.sql.optimizer.avoidDoubleFilterEval",
            True,
            "Do not push a filter through a projection where its expressions would be computed twice.",
        ),
        Setting("spark.sql.execution.reuseSubquery", True, "Compute equal subqueries once."),
        Setting("spark.sql.optimizer.replaceExceptWithFilter", True, "EXCEPT over one table becomes a filter."),
        Setting(
            "spark.sql.optimizer.windowGroupLimitThreshold",
            1000,
            "Up to which rank a filter on it limits the groups of a window; -1: never.",
            least=-1,
        ),
        Setting(f"{_RUNTIME}.enabled", True, "Filter the large side of a join by a bloom filter of the small one."),
        Setting(
            f"{_RUNTIME}.applicationSideScanSizeThreshold", 10 << 30, "From which size on a scan is filtered.", "bytes"
        ),
        Setting(f"{_RUNTIME}.creationSideThreshold", 10 << 20, "Up to which size a side makes the filter.", "bytes"),
        Setting(f"{_RUNTIME}.expectedNumItems", 1_000_000, "Values that the filter expects.", least=1),
        Setting(f"{_RUNTIME}.numBits", 8_388_608, "Bits of the filter.", least=1),
        Setting(f"{_RUNTIME}.maxNumItems", 4_000_000, "Values that it expects at most, of known rows.", least=1),
        Setting(f"{_RUNTIME}.maxNumBits", 67_108_864, "Bits that it has at most, of known rows.", least=1),
        Setting("spark.sql.optimizer.runtimeFilter.number.threshold", 10, "Runtime filters of one query.", least=0),
        Setting(f"{_MERGE}.enabled", True, "Merge subqueries that differ in a filter."),
        Setting(f"{_MERGE}.symmetricFilterPropagation.enabled", False, "Also where both have a filter."),
        Setting(f"{_MERGE}.throughJoin.enabled", False, "Also where the filter stands below a join."),
        Setting(f"{_PRUNING}.enabled", True, "Read only the partitions that a join needs."),
        Setting(f"{_PRUNING}.useStats", True, "Tell from distinct values what share of the partitions goes."),
        Setting(f"{_PRUNING}.fallbackFilterRatio", 0.5, "What share of them is taken to go where nothing tells."),
        Setting(f"{_PRUNING}.reuseBroadcastOnly", True, "Only where the join broadcasts the other side anyway."),
        Setting(
            "spark.sql.optimizer.pushDownJoinThroughUnion.enabled", False, "Join the inputs of a union one by one."
        ),
        Setting(
            "spark.sql.optimizer.optimizeExpandRatio",
            -1,
            "From how many DISTINCT sets on repeated rows go before they are written out once per set; -1: never.",
            least=-1,
        ),
        Setting("spark.sql.optimizer.enableJsonExpressionOptimization", True, "Read only the fields of JSON in use."),
        Setting("spark.sql.optimizer.enableCsvExpressionOptimization", True, "Read only the fields of CSV in use."),
        Setting("spark.sql.exchange.reuse", True, "Shuffle or broadcast equal plans once."),
        Setting(
            "spark.sql.execution.topKSortFallbackThreshold",
            2_147_483_632,
            "A limit below it is planned as one operator with its sort.",
        ),
        Setting("spark.sql.crossJoin.enabled", True, "Allow joins without a condition."),
        Setting("spark.sql.autoBroadcastJoinThreshold", 10 << 20, "Up to which size a side is broadcast.", "bytes", -1),
        Setting("spark.sql.maxBroadcastTableSize", 8 << 30, "How large a broadcast may get while it runs.", "bytes"),
        Setting("spark.sql.broadcastTimeout", 300, "Seconds that a broadcast may take.", least=1),
        Setting("spark.sql.shuffle.partitions", 200, "Partitions of a shuffle.", least=1),
        Setting("spark.sql.maxSinglePartitionBytes", 128 << 20, "Up to which size joined rows stay in one.", "bytes"),
        Setting("spark.sql.adaptive.enabled", True, "Plan anew while the query runs, on what its stages gave."),
        Setting(
            "spark.sql.optimizer.canChangeCachedPlanOutputPartitioning",
            True,
            "Plan what fills a cache anew while it runs, too.",
        ),
        Setting("spark.sql.adaptive.forceApply", False, "Also where a query has no exchange and no subquery."),
        Setting("spark.sql.adaptive.coalescePartitions.enabled", True, "Merge small partitions while the query runs."),
        Setting(
            "spark.sql.adaptive.coalescePartitions.initialPartitionNum",
            0,
            "Partitions of a shuffle before they are merged; 0: as spark.sql.shuffle.partitions says.",
            least=0,
        ),
        Setting("spark.sql.join.preferSortMergeJoin", True, "Sort and merge where a hash map per partition would do."),
        Setting("spark.sql.shuffledHashJoinFactor", 3, "How many times smaller the hashed side must be.", least=1),
        Setting("spark.sql.optimizeNullAwareAntiJoin", True, "Plan NOT IN over one column as a broadcast hash join."),
        Setting("spark.sql.execution.useObjectHashAggregateExec", True, "Hash groups whose buffers are objects."),
        Setting("spark.sql.leafNodeDefaultParallelism", 4, "Partitions of range(): in Spark, the cores.", least=1),
        Setting("spark.default.parallelism", 0, "The same, where that one is not set; 0: nobody says.", least=0),
        Setting("spark.master", "", "Where Spark runs: local[2] has two cores, and so many partitions of range()."),
        Setting(
            "spark.sql.inMemoryColumnarStorage.enableVectorizedReader",
            True,
            "Read cached numbers as batches of columns.",
        ),
        Setting("spark.sql.sources.bucketing.enabled", True, "Read bucketed tables bucket by bucket."),
        Setting(
            "spark.sql.sources.bucketing.autoBucketedScan.enabled",
            True,
            "Read bucketed tables file by file where the spread helps nobody.",
        ),
        Setting(
            "spark.sql.bucketing.coalesceBucketsInJoin.enabled",
            False,
            "Read the buckets of one side of a join together where the other side has fewer.",
        ),
        Setting(
            "spark.sql.bucketing.coalesceBucketsInJoin.maxBucketRatio", 4, "Up to how many times as many.", least=1
        ),
        Setting(
            "spark.sql.legacy.bucketedTableScan.outputOrdering",
            False,
            "Take a bucket for sorted as its files are: planviz supposes one file for each.",
        ),
        Setting("spark.sql.execution.replaceHashWithSortAgg", True, "Aggregate sorted rows group by group."),
        Setting(
            "spark.sql.execution.combineAdjacentAggregation",
            True,
            "Aggregate in one stage where nothing stands between the partial and the final one.",
        ),
        Setting("spark.sql.codegen.wholeStage.union.enabled", True, "Generate code for unions."),
        Setting("spark.sql.unionOutputPartitioning", True, "Tell how a union's rows are spread if its inputs agree."),
        Setting(
            "spark.sql.execution.pushDownLocalSort",
            True,
            "Sort once by all keys where an operator needs the rows sorted by more of them than one beneath it.",
        ),
        Setting(
            "spark.sql.execution.pushDownLocalSort.throughCardinalityReducer",
            False,
            "Do so beneath filters and group limits, too, which leave fewer rows to sort.",
        ),
        Setting("spark.sql.codegen.wholeStage", True, "Generate one function for neighbouring operators."),
        Setting("spark.sql.parquet.enableVectorizedReader", True, "Read Parquet as batches of columns."),
        Setting("spark.sql.orc.enableVectorizedReader", True, "Read ORC as batches of columns."),
        Setting(
            "spark.sql.parquet.enableNestedColumnVectorizedReader",
            True,
            "Do so where columns are arrays, maps or structs, too.",
        ),
        Setting(
            "spark.sql.orc.enableNestedColumnVectorizedReader",
            True,
            "Do so where columns are arrays, maps or structs, too.",
        ),
        Setting("spark.sql.execution.removeRedundantSorts", True, "Drop sorts of what is sorted already."),
        Setting("spark.sql.execution.removeRedundantProjects", True, "Drop projections that change nothing."),
        Setting(
            "spark.sql.ansi.doubleQuotedIdentifiers",
            False,
            "Whether text in double quotes is a name; in ANSI mode only.",
        ),
        Setting(
            "spark.sql.ansi.relationPrecedence",
            False,
            "Whether in FROM a, b JOIN c the join comes before the comma; in ANSI mode only.",
        ),
        Setting(
            "spark.sql.ansi.enforceReservedKeywords",
            False,
            "Whether the words that the SQL standard reserves name nothing without quotes; in ANSI mode only.",
        ),
        Setting(
            "spark.sql.legacy.ctePrecedencePolicy",
            "CORRECTED",
            "Whether a definition of WITH within another one may have the name of an outer one, and counts.",
            choices=("CORRECTED", "EXCEPTION"),
        ),
        Setting(
            "spark.sql.legacy.timeParserPolicy",
            "CORRECTED",
            "How patterns of dates are read: LEGACY as SimpleDateFormat reads them, where the letters mean the same.",
            choices=("CORRECTED", "EXCEPTION", "LEGACY"),
        ),
        Setting(
            "spark.sql.lateralColumnAlias.enableImplicitResolution",
            True,
            "Whether an item of a select list may read the alias of one before it.",
        ),
        Setting(
            "spark.sql.legacy.parser.havingWithoutGroupByAsWhere",
            False,
            "HAVING without GROUP BY keeps rows as WHERE does; else it is a condition on the one group of all rows.",
        ),
        Setting("spark.sql.legacy.sizeOfNull", True, "size() of null is -1 where ANSI mode is off; else it is null."),
        Setting(
            "spark.sql.mapKeyDedupPolicy",
            "EXCEPTION",
            "What becomes of a key that a map gets twice: an error, or its last value.",
            choices=("EXCEPTION", "LAST_WIN"),
        ),
        Setting(
            "spark.sql.binaryOutputStyle",
            "",
            "How bytes become texts in rows of CSV and XML; when it is empty, as HEX_DISCRETE does.",
            choices=("", "UTF8", "BASIC", "BASE64", "HEX", "HEX_DISCRETE"),
        ),
        Setting("spark.sql.function.concatBinaryAsString", False, "concat() of bytes gives a text."),
        Setting("spark.sql.function.eltOutputAsString", False, "elt() of bytes gives a text."),
        Setting("spark.sql.legacy.exponentLiteralAsDecimal.enabled", False, "1e3 is a decimal, not a double."),
        Setting(
            "spark.sql.legacy.setopsPrecedence.enabled", False, "INTERSECT binds no tighter than UNION and EXCEPT."
        ),
        Setting(
            "spark.sql.legacy.identifierClause",
            False,
            "IDENTIFIER gives names of tables, columns and functions alone, no aliases or columns of definitions.",
        ),
        Setting(
            "spark.sql.timestampType",
            "TIMESTAMP_LTZ",
            "What TIMESTAMP means without LTZ or NTZ.",
            choices=("TIMESTAMP_LTZ", "TIMESTAMP_NTZ"),
        ),
        Setting(
            "spark.sql.decimalOperations.allowPrecisionLoss",
            True,
            "Decimals of more than 38 digits give up digits behind the point, not whole ones.",
        ),
        Setting("spark.sql.legacy.interval.enabled", False, "An interval has months, days and seconds, as before 3.2."),
        Setting("spark.sql.legacy.integerGroupingId", False, "grouping_id() is an int, not a bigint."),
        Setting(
            "spark.sql.optimizer.optimizeOneRowRelationSubquery", True, "A subquery without a table is its expressions."
        ),
        Setting("spark.sql.codegen.maxFields", 100, "From more columns than these no code is generated.", least=1),
        Setting("spark.sql.codegen.wholeStage.union.maxChildren", 64, "Of unions of more inputs neither.", least=1),
        Setting("spark.sql.execution.useHashAggregateExec", True, "Hash groups whose buffers are plain values."),
        Setting(
            "spark.sql.execution.broadcastHashJoin.outputPartitioningExpandLimit",
            8,
            "By how many combinations of both sides' keys a broadcast join tells that its rows are spread.",
            least=0,
        ),
        Setting("spark.sql.orderingAwareLimitOffset", True, "Sort again where a limit would lose the order of rows."),
        Setting(
            "spark.sql.requireAllClusterKeysForCoPartition",
            True,
            "A side of a join stays as it is spread only if that is by all keys of the join.",
        ),
        Setting(
            "spark.sql.requireAllClusterKeysForDistribution",
            False,
            "Groups and windows ask for rows that are spread by all of their keys, in order.",
        ),
        Setting(
            "spark.sql.legacy.literal.pickMinimumPrecision",
            True,
            "A whole number beside a decimal has as many digits as it is written with, not those of its type.",
        ),
        Setting(
            "spark.sql.variant.pushVariantIntoScan",
            True,
            "Read of variants in files only the values taken out of them.",
        ),
        Setting(
            "spark.sql.optimizer.nestedSchemaPruning.enabled", True, "Read only those fields of structs that count."
        ),
        Setting(
            "spark.sql.optimizer.plannedWrite.enabled", True, "Sort what is written to folders and buckets in the plan."
        ),
        Setting(
            "spark.sql.maxConcurrentOutputFileWriters",
            0,
            "How many files a task of a write keeps open; with some, rows for folders are not sorted.",
        ),
        Setting(
            "spark.sql.optimizer.expression.nestedPruning.enabled",
            True,
            "Take single fields of structs below aggregates and generators.",
        ),
        Setting(
            "spark.sql.codegen.join.fullOuterSortMergeJoin.enabled", True, "Generate code for full outer merge joins."
        ),
        Setting(
            "spark.sql.codegen.join.existenceSortMergeJoin.enabled",
            True,
            "Generate code for merge joins that ask whether there is a match.",
        ),
        Setting(
            "spark.sql.codegen.join.fullOuterShuffledHashJoin.enabled",
            True,
            "Generate code for full outer hash joins over shuffled rows.",
        ),
        Setting(
            "spark.sql.codegen.join.buildSideOuterShuffledHashJoin.enabled",
            True,
            "Generate code for shuffled hash joins that keep all rows of the hashed side.",
        ),
        Setting("spark.sql.optimizer.disableHints", False, "Take no notice of hints."),
        Setting("spark.sql.legacy.duplicateBetweenInput", False, "BETWEEN is two comparisons, as before 4.0."),
    )
}
#: Defaults of Spark 4.3.
DEFAULTS: dict[str, SettingValue] = {key: s.default for key, s in SETTINGS.items()}

_SIZES = {"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40, "p": 1 << 50}
_BOOLEANS = {"true": True, "false": False}


def typed(setting: Setting, given: object) -> SettingValue:
    """The value as the setting's type; text as Spark reads it. Raises InputError when it is none."""
    value = _read(setting, given.strip()) if isinstance(given, str) else given
    default = setting.default
    number = isinstance(default, int | float) and not isinstance(default, bool)
    fits = isinstance(value, bool) is isinstance(default, bool) and isinstance(
        value, int | float if isinstance(default, float) else type(default)
    )
    if setting.unit == "instant" and value:
        fits = fits and instant(str(value)) is not None
    low = number and setting.least is not None and isinstance(value, int | float) and value < setting.least
    if not fits or low or not isinstance(value, SettingValue):
        raise InputError(f"{setting.key} must be {_wanted(setting)}, not {given!r}.")
    if setting.choices and isinstance(value, str):
        # Spark takes the words of a choice in any case.
        value = next((c for c in setting.choices if c.lower() == value.lower()), value)
    if setting.choices and value not in setting.choices:
        raise InputError(f"{setting.key} must be one of {', '.join(setting.choices)}, not {given!r}.")
    return value


def spark_words(value: object) -> str:
    """A setting's value as Spark writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def known(given: Mapping[str, object]) -> dict[str, SettingValue]:
    """Of any settings those that planviz reads, as their types; what is no value of its setting is left out."""
    found: dict[str, SettingValue] = {}
    for key, value in given.items():
        if key in SETTINGS:
            with suppress(InputError):
                found[key] = typed(SETTINGS[key], value)
    return found


def instant(text: str) -> datetime | None:
    """A day and time of ISO 8601, of UTC where no offset is given; None for another text."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _read(setting: Setting, text: str) -> SettingValue | None:
    if isinstance(setting.default, str):
        return text
    lowered = text.lower()
    if isinstance(setting.default, bool):
        return _BOOLEANS.get(lowered)
    if setting.unit == "bytes":
        return read_bytes(text)
    try:
        return float(lowered) if isinstance(setting.default, float) else int(lowered)
    except ValueError:
        return None


def read_bytes(text: str) -> int | None:
    """A number of bytes as Spark reads it: 1048576, 10MB, 1g; None for another text."""
    lowered = text.lower()
    digits = lowered.rstrip("bkmgtpi")
    unit = lowered[len(digits) :].strip()
    scale = _SIZES.get(unit[:1] if unit[1:] in ("", "b", "ib") else "?", 0)
    try:
        return int(digits) * scale if scale else None
    except ValueError:
        return None


def _wanted(setting: Setting) -> str:
    if isinstance(setting.default, bool):
        return "true or false"
    least = "" if setting.least is None else f" of at least {setting.least}"
    if setting.unit == "bytes":
        return f"a size in bytes as in 1048576, 10MB or 1g{least}"
    if setting.unit == "instant":
        return "a day and time as in 2026-11-22T09:30:00Z, or empty"
    return "a text" if isinstance(setting.default, str) else f"a {setting.type}{least}"
