"""The ways of estimating, each with its formula, the class of Spark that does it, and what it takes for granted."""

from __future__ import annotations

from planviz.decisions.estimates import Assumption, Formula

UNIFORMITY = Assumption(
    "uniformity",
    "Values are spread evenly between the least and the greatest; wrong where a few values are frequent and no "
    "histogram says so.",
)
INDEPENDENCE = Assumption(
    "independence", "Conditions have nothing to do with each other; wrong for city = 'Paris' AND country = 'France'."
)
CONTAINMENT = Assumption(
    "containment",
    "The keys of the side with fewer distinct ones are all among the other side's; wrong where they hardly meet.",
)
STRONGEST_KEY = Assumption(
    "strongest key", "Of several pairs of keys the most selective one decides alone; wrong where keys are independent."
)
A_THIRD_HOLDS = Assumption(
    "a third", "Of two columns with overlapping ranges the textbook's third of the rows passes; nothing tells how many."
)
EVERY_ROW = Assumption("every row", "What cannot be estimated keeps every row; wrong as soon as it filters.")
EVERY_PAIR = Assumption("every pair", "Every row meets every other; wrong for nearly every join with a condition.")
AS_MANY_ROWS = Assumption(
    "as many rows", "As many rows come out as go in; wrong where the operator drops or merges rows."
)
BINS = Assumption("even bins", "Within a bin of the histogram values are spread evenly.")
EVERY_GROUP = Assumption(
    "every group", "Every combination of the keys' values occurs; wrong where keys belong together."
)
COVERAGE = Assumption("same values", "Inputs share their values: the distinct values are those of the largest input.")

_FILTER, _JOIN = "FilterEstimation", "JoinEstimation"
_SIZES = "SizeInBytesOnlyStatsPlanVisitor"

# Leaves
TABLE_ROWS = Formula("rows of the catalogue", "{rowCount}", "CatalogStatistics")
TABLE_SIZE = Formula("size of the catalogue", "{sizeInBytes}", "CatalogStatistics")
PARTITION_ROWS = Formula("rows of the partitions", "{rows of the partitions}", "PruneFileSourcePartitions")
PARTITION_SIZE = Formula(
    "size of the partitions, as if all were alike",
    "⌈{bytes of the table} × {rows of the partitions} / {rows of the table}⌉",
    "PruneFileSourcePartitions",
    (UNIFORMITY,),
)
UNKNOWN_TABLE = Formula("default of spark.sql.defaultSizeInBytes", "{default size}", "LogicalRelation")
LOCAL_ROWS = Formula("rows that stand in the plan", "{rows in the plan}", "LocalRelation")
ONE_ROW = Formula("one row", "1 byte", "OneRowRelation")
RANGE = Formula("number of steps", "{steps}", "Range")
DEFINITION = Formula("estimate of the definition", "{rows of the definition}", "CTERelationRef")
CACHED_ROWS = Formula("rows of the plan that fills the cache", "{rows of the definition}", "InMemoryRelation")
CACHED_SIZE = Formula("bytes of the plan that fills the cache", "{bytes}", "InMemoryRelation")

#: Of any operator of a pasted plan.
PRINTED = Formula("as the text prints it", "{bytes}", "Statistics")

# Operators
FILTER = Formula("rows × selectivity", "⌈{rows} × {selectivity}⌉", _FILTER)
PROJECT = Formula("rows of the child", "{rows}", "ProjectEstimation")
GROUPS = Formula(
    "product of the keys' distinct values, at most the rows",
    "min({product of the keys}, {rows})",
    "AggregateEstimation",
    (EVERY_GROUP,),
)
NO_KEYS = Formula("one row without keys", "1", "AggregateEstimation")
INNER = Formula("fewest rows that a pair of keys gives", "{inner rows}", _JOIN)
LEFT_OUTER = Formula("at least the left rows", "max({left rows}, {inner rows})", _JOIN)
RIGHT_OUTER = Formula("at least the right rows", "max({right rows}, {inner rows})", _JOIN)
FULL_OUTER = Formula(
    "at least the rows of both sides",
    "max({left rows}, {inner rows}) + max({right rows}, {inner rows}) - {inner rows}",
    _JOIN,
)
LEFT_ROWS = Formula("left rows", "{left rows}", _JOIN, (AS_MANY_ROWS,))
PAIRS = Formula("every pair of rows", "{left rows} × {right rows}", _JOIN, (EVERY_PAIR,))
UNION = Formula("sum of the inputs", "{sum of the inputs' rows}", "UnionEstimation", (COVERAGE,))
SMALLER = Formula("smaller side", "{rows of the smaller side}", "BasicStatsPlanVisitor")
PRODUCT = Formula("product of the inputs", "{product of the inputs' rows}", "BasicStatsPlanVisitor")
LIMIT = Formula("rows, at most the limit", "min({rows}, {limit})", "BasicStatsPlanVisitor")
OFFSET = Formula("rows less the offset", "max(0, {rows} - {offset})", "BasicStatsPlanVisitor")
SAMPLE = Formula("rows × share", "⌈{rows} × {share}⌉", "BasicStatsPlanVisitor", (UNIFORMITY,))
NOTHING = Formula("no rows", "0", "BasicStatsPlanVisitor")
PASSED_ON = Formula("as the child", "{rows}", "BasicStatsPlanVisitor")
ROW_BYTES = Formula("rows × bytes of a row", "{rows} × {bytes of a row}", "EstimationUtils")
NO_BYTES = Formula("nothing counts as one byte", "1", "EstimationUtils")

# Bytes alone
WIDENED = Formula(
    "bytes, as wide as the output",
    "{bytes} × {bytes of a row} / {bytes of an input's row}",
    _SIZES,
    (AS_MANY_ROWS,),
)
EXPANDED = Formula(
    "bytes, as wide as the output, times the projections",
    "{bytes} × {bytes of a row} / {bytes of an input's row} × {projections}",
    _SIZES,
)
LEFT_SIZE = Formula("at most the left side", "{left bytes}", _SIZES, (AS_MANY_ROWS,))
ONE_MATCH_SIZE = Formula("sum of the sides: at most one match", "{left bytes} + {right bytes}", _SIZES)
SUM_SIZE = Formula("sum of the inputs", "{sum of the inputs' bytes}", _SIZES)
SMALLER_SIZE = Formula("smaller side", "{bytes of the smaller side}", _SIZES)
PAIRS_SIZE = Formula("product of the inputs", "{product of the inputs' bytes}", _SIZES, (EVERY_PAIR,))
SAMPLE_SIZE = Formula("bytes × share", "⌈{bytes} × {share}⌉", _SIZES)
PASSED_ON_SIZE = Formula("as the child", "{bytes}", _SIZES)

# Conditions
CONSTANT = Formula("constant", "{constant}", _FILTER)
NOT_ESTIMATED = Formula("not estimated: every row is kept", "1", _FILTER, (EVERY_ROW,))
NULLS = Formula("nulls / rows", "{nulls} / {rows}", _FILTER)
NO_NULLS = Formula("1 - nulls / rows", "1 - {nulls} / {rows}", _FILTER)
OUTSIDE = Formula("outside of [min, max]", "0, because {value} is not in [{min}, {max}]", _FILTER)
EQUALS = Formula("1 / distinct values", "1 / {distinct values}", _FILTER, (UNIFORMITY,))
NO_DISTINCT = Formula("no distinct values are left", "{selectivity}", _FILTER)
EQUALS_BINS = Formula("bins with the value / bins", "{bins with the value} / {bins of the range}", _FILTER, (BINS,))
AMONG = Formula(
    "values of the list / distinct values", "min({values in [min, max]} / {distinct values}, 1)", _FILTER, (UNIFORMITY,)
)
NONE_AMONG = Formula("all outside of [min, max]", "0, because no value is in [{min}, {max}]", _FILTER)
NONE_OF_RANGE = Formula("no value of [min, max]", "0, because [{min}, {max}] has none {comparison} {bound}", _FILTER)
ALL_OF_RANGE = Formula("all of [min, max]", "1, because all of [{min}, {max}] is {comparison} {bound}", _FILTER)
BELOW = Formula("(bound - min) / (max - min)", "({bound} - {min}) / ({max} - {min})", _FILTER, (UNIFORMITY,))
ABOVE = Formula("(max - bound) / (max - min)", "({max} - {bound}) / ({max} - {min})", _FILTER, (UNIFORMITY,))
ALL_BUT_ONE = Formula("1 - 1 / distinct values", "1 - 1 / {distinct values}", _FILTER, (UNIFORMITY,))
SIDE_BINS = Formula("bins on that side / bins", "{bins on that side} / {bins of the range}", _FILTER, (BINS,))
APART = Formula(
    "ranges apart", "0, because [{left min}, {left max}] and [{right min}, {right max}] never agree", _FILTER
)
ALWAYS = Formula("always true", "1, because [{left min}, {left max}] and [{right min}, {right max}] say so", _FILTER)
OVERLAP = Formula("1 / 3: the ranges overlap", "1 / 3", _FILTER, (A_THIRD_HOLDS,))
AND = Formula("product", "{product}", _FILTER, (INDEPENDENCE,))
OR = Formula("p + q - p × q", "1 - {one of them}", _FILTER, (INDEPENDENCE,))
NOT = Formula("1 - p", "1 - {p}", _FILTER)

# Keys
AT_MOST_PAIRS = Formula("at most every pair", "{left rows} × {right rows}", _JOIN)
BOTH_UNIQUE = Formula("keys are unique on both sides", "min({left rows}, {right rows})", _JOIN)
LEFT_UNIQUE = Formula("keys are unique on the left", "{right rows}", _JOIN)
RIGHT_UNIQUE = Formula("keys are unique on the right", "{left rows}", _JOIN)
KEYS_APART = Formula("the keys' ranges are apart", "0", _JOIN)
KEYS = Formula(
    "rows × rows / distinct keys",
    "⌈{left rows} × {right rows} / max({left distinct}, {right distinct})⌉",
    _JOIN,
    (UNIFORMITY, CONTAINMENT),
)
KEY_BINS = Formula("sum over the histograms' common ranges", "⌈{sum over common ranges}⌉", _JOIN, (BINS, CONTAINMENT))
KEY_GROUPS = Formula("distinct values, and one for null", "{distinct values} + {null}", "AggregateEstimation")
