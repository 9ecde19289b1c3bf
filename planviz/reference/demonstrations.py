"""Queries in whose plans operators are seen: the catalogue's examples of operators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

#: The bundled catalogue that the queries are planned over.
CATALOG = "tpch"
_THRESHOLD, _ADAPTIVE = "spark.sql.autoBroadcastJoinThreshold", "spark.sql.adaptive.enabled"


@dataclass(frozen=True)
class Demonstration:
    """A query with its settings and the operators, by their entries' names, that its plans are to show.

    `page` is the app's page that shows most of them, "" for Explore.
    """

    sql: str
    shows: tuple[str, ...]
    page: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)


DEMONSTRATIONS = (
    Demonstration(
        "SELECT n_name FROM nation WHERE n_regionkey = 1 LIMIT 5",
        (
            "CollectLimit",
            "ColumnarToRow",
            "FileSourceScan",
            "Filter",
            "Project",
            "Filter (logical)",
            "GlobalLimit (logical)",
            "LocalLimit (logical)",
            "LogicalRelation",
            "Project (logical)",
            "SubqueryAlias",
            "UnresolvedRelation",
        ),
    ),
    Demonstration(
        "SELECT n_regionkey, count(*) FROM nation GROUP BY n_regionkey",
        ("AdaptiveSparkPlan", "HashAggregate", "ShuffleExchange", "Aggregate"),
        page="aggregations",
    ),
    Demonstration(
        "SELECT n_regionkey, max(n_name) FROM nation GROUP BY n_regionkey",
        ("SortAggregate", "Sort"),
        page="aggregations",
    ),
    Demonstration(
        "SELECT n_regionkey, collect_list(n_name) FROM nation GROUP BY n_regionkey",
        ("ObjectHashAggregate",),
        page="aggregations",
    ),
    Demonstration(
        "SELECT n_regionkey, count(DISTINCT n_name), count(DISTINCT n_comment) FROM nation GROUP BY n_regionkey",
        ("Expand", "Expand (logical)"),
        page="aggregations",
    ),
    Demonstration(
        "SELECT n_name, r_name FROM nation JOIN region ON n_regionkey = r_regionkey",
        ("BroadcastExchange", "BroadcastHashJoin", "Join"),
        page="joins",
    ),
    Demonstration(
        "SELECT o_orderkey FROM orders JOIN lineitem ON o_orderkey = l_orderkey",
        ("SortMergeJoin",),
        page="joins",
        settings={_THRESHOLD: "-1"},
    ),
    Demonstration(
        "SELECT /*+ SHUFFLE_HASH(o) */ o_orderkey FROM orders o JOIN lineitem l ON o.o_orderkey = l.l_orderkey",
        ("ShuffledHashJoin", "ResolvedHint", "UnresolvedHint"),
        page="joins",
        settings={_THRESHOLD: "-1"},
    ),
    Demonstration(
        "SELECT o_orderkey FROM orders JOIN region ON o_orderkey > r_regionkey",
        ("BroadcastNestedLoopJoin",),
        page="joins",
    ),
    Demonstration(
        "SELECT o_orderkey FROM orders CROSS JOIN customer",
        ("CartesianProduct",),
        page="joins",
        settings={_THRESHOLD: "-1"},
    ),
    Demonstration(
        "SELECT c_name FROM customer ORDER BY c_acctbal DESC LIMIT 10", ("TakeOrderedAndProject", "Sort (logical)")
    ),
    Demonstration(
        "SELECT c_name, rank() OVER (PARTITION BY c_nationkey ORDER BY c_acctbal DESC) AS r FROM customer",
        ("Window", "Window (logical)"),
    ),
    Demonstration(
        "SELECT * FROM (SELECT c_name, rank() OVER (PARTITION BY c_nationkey ORDER BY c_acctbal DESC) AS r "
        "FROM customer) WHERE r <= 3",
        ("WindowGroupLimit", "WindowGroupLimit (logical)"),
    ),
    Demonstration(
        "SELECT n_nationkey FROM nation UNION ALL SELECT r_regionkey FROM region", ("Union", "Union (logical)")
    ),
    Demonstration("SELECT n_nationkey FROM nation EXCEPT SELECT r_regionkey FROM region", ("Except",)),
    Demonstration("SELECT n_nationkey FROM nation INTERSECT SELECT r_regionkey FROM region", ("Intersect",)),
    Demonstration("SELECT DISTINCT n_regionkey FROM nation", ("Distinct",), page="aggregations"),
    Demonstration(
        "SELECT n_name, word FROM nation LATERAL VIEW explode(split(n_comment, ' ')) words AS word",
        ("Generate", "Generate (logical)"),
    ),
    Demonstration("SELECT n_name FROM nation TABLESAMPLE (10 PERCENT)", ("Sample", "Sample (logical)")),
    Demonstration(
        "SELECT id FROM range(1000) WHERE id % 2 = 0", ("Range", "Range (logical)", "UnresolvedTableValuedFunction")
    ),
    Demonstration(
        "SELECT * FROM VALUES (1, 'one'), (2, 'two') AS t(number, word)", ("LocalTableScan", "LocalRelation")
    ),
    Demonstration("SELECT 1 + 1", ("OneRowRelation", "OneRowRelation (logical)")),
    Demonstration("SELECT /*+ COALESCE(2) */ n_name FROM nation", ("Coalesce", "Repartition")),
    Demonstration("SELECT /*+ REPARTITION(8, n_regionkey) */ n_name FROM nation", ("RepartitionByExpression",)),
    Demonstration("SELECT /*+ REBALANCE(n_name) */ n_name FROM nation", ("RebalancePartitions",)),
    Demonstration("SELECT n_name FROM nation WHERE n_regionkey = (SELECT max(r_regionkey) FROM region)", ("Subquery",)),
    Demonstration(
        "SELECT n_name FROM nation WHERE n_regionkey > (SELECT avg(r_regionkey) FROM region) AND n_nationkey "
        "> (SELECT avg(r_regionkey) FROM region)",
        ("ReusedSubquery",),
        settings={_ADAPTIVE: "false"},
    ),
    Demonstration(
        "WITH recent AS (SELECT * FROM orders WHERE o_orderdate > DATE '1998-01-01') SELECT a.o_orderkey "
        "FROM recent a JOIN recent b ON a.o_custkey = b.o_custkey WHERE a.o_clerk = b.o_clerk",
        ("CTERelationDef", "CTERelationRef", "UnresolvedWith", "WithCTE"),
    ),
    Demonstration(
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT n FROM t",
        ("UnionLoop", "UnionLoop (logical)", "UnionLoopRef", "UnresolvedSubqueryColumnAliases"),
    ),
    Demonstration(
        "SELECT * FROM (SELECT n_regionkey, n_name FROM nation) PIVOT (count(n_name) FOR n_regionkey IN (0, 1))",
        ("Pivot",),
    ),
    Demonstration(
        "SELECT * FROM (SELECT n_nationkey, n_regionkey FROM nation) UNPIVOT (value FOR name IN "
        "(n_nationkey, n_regionkey))",
        ("Unpivot",),
    ),
    Demonstration(
        "SELECT n_name FROM nation, LATERAL (SELECT r_name FROM region WHERE r_regionkey = n_regionkey)",
        ("LateralJoin",),
    ),
    Demonstration(
        "SELECT c_name, n_name FROM customer JOIN nation APPROX NEAREST 2 BY DISTANCE abs(c_nationkey - n_nationkey)",
        ("NearestByJoin",),
    ),
    Demonstration("SELECT n_name FROM nation ORDER BY n_name LIMIT 5 OFFSET 10", ("Offset",)),
    Demonstration("SELECT n_regionkey FROM nation GROUP BY n_regionkey HAVING count(*) > 3", ("UnresolvedHaving",)),
    Demonstration("FROM nation |> WHERE n_regionkey = 1 |> SELECT n_name", ("PipeOperator",)),
    Demonstration(
        "SELECT sum(c_acctbal) OVER w FROM customer WINDOW w AS (PARTITION BY c_nationkey)", ("WithWindowDefinition",)
    ),
    Demonstration(
        "SELECT n_name FROM nation QUALIFY row_number() OVER (PARTITION BY n_regionkey ORDER BY n_name) = 1",
        ("UnresolvedQualify",),
    ),
    Demonstration(
        "SELECT session_window(o_ts, '5 minutes'), count(*) FROM (SELECT CAST(o_orderdate AS TIMESTAMP) AS "
        "o_ts FROM orders) GROUP BY session_window(o_ts, '5 minutes')",
        ("MergingSessions",),
        page="aggregations",
    ),
    Demonstration(
        "SELECT TRANSFORM (n_name) USING 'cat' AS (name) FROM nation",
        ("ScriptTransformation", "ScriptTransformation (logical)"),
    ),
    Demonstration(
        "SELECT * FROM (SELECT n_regionkey, sum(n_nationkey) AS s FROM nation GROUP BY n_regionkey) a JOIN "
        "(SELECT n_regionkey, sum(n_nationkey) AS s FROM nation GROUP BY n_regionkey) b ON a.s = b.s",
        ("ReusedExchange",),
        page="joins",
        settings={_ADAPTIVE: "false"},
    ),
    Demonstration("SELECT * FROM VALUES (1, current_date()) AS t(number, day)", ("UnresolvedInlineTable",)),
    Demonstration("SELECT t.number FROM range(3) AS t(number)", ("UnresolvedTVFAliases",)),
    Demonstration("SELECT n_name FROM nation LIMIT ALL", ("LimitAll",)),
    Demonstration(
        "SELECT n_name FROM (SELECT n_name FROM nation LIMIT 10) ORDER BY n_name", ("GlobalLimit", "LocalLimit")
    ),
    Demonstration("CREATE TEMPORARY VIEW names AS SELECT n_name FROM nation; SELECT * FROM names", ("View",)),
)

#: The demonstration of each operator by its entry's name.
BY_OPERATOR = {name: one for one in DEMONSTRATIONS for name in one.shows}
