"""Settings found in what real Spark prints under changed ones: `python -m tests.fidelity.settings [FILE] [-v]`.

Spark of this environment plans each statement under each change and under its defaults; FILE keeps what it printed, and
is read where it is there. A row counts, of the texts that a change shows in, those in which just that change was found,
those in which one was that makes the same plan and the evidence names the change beside it, those in which another one
was, and those in which none was.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from planviz.document import open_text
from planviz.document.opening.replays import replays
from planviz.replay.compared import canonical

_RULES = "org.apache.spark.sql.catalyst.optimizer."
_EXCLUDED = "spark.sql.optimizer.excludedRules"
_THRESHOLD = "spark.sql.autoBroadcastJoinThreshold"
CHANGES: dict[str, tuple[str, str]] = {
    "partitions 48": ("spark.sql.shuffle.partitions", "48"),
    "partitions 7": ("spark.sql.shuffle.partitions", "7"),
    "adaptive off": ("spark.sql.adaptive.enabled", "false"),
    "ANSI off": ("spark.sql.ansi.enabled", "false"),
    "no broadcast": (_THRESHOLD, "-1"),
    "threshold 2000 bytes": (_THRESHOLD, "2000"),
    "threshold 100 MB": (_THRESHOLD, "104857600"),
    "hashed joins": ("spark.sql.join.preferSortMergeJoin", "false"),
    "no codegen": ("spark.sql.codegen.wholeStage", "false"),
    "no reuse": ("spark.sql.exchange.reuse", "false"),
    "no constraints": ("spark.sql.constraintPropagation.enabled", "false"),
    "sets from 2": ("spark.sql.optimizer.inSetConversionThreshold", "2"),
    **{
        f"without {rule}": (_EXCLUDED, _RULES + rule)
        for rule in (
            "ColumnPruning", "PushDownPredicates", "ConstantFolding", "InferFiltersFromConstraints", "CollapseProject",
            "BooleanSimplification", "LimitPushDown", "CombineFilters", "EliminateOuterJoin", "SimplifyCasts",
            "NullPropagation", "OptimizeIn", "CombineUnions", "EliminateSorts",
        )
    },
}  # fmt: skip
TABLES = {
    "facts": "SELECT id, id % 1000 AS item, id % 50 AS shop, cast(id % 977 AS decimal(7,2)) AS price, "
    "date_add(DATE'2020-01-01', cast(id % 365 AS int)) AS day FROM range(2000000)",
    "items": "SELECT id AS item, concat('n', id) AS name, cast(id % 7 AS int) AS kind FROM range(1000)",
    "shops": "SELECT id AS shop, concat('c', id % 5) AS city FROM range(50)",
    "wide": "SELECT id, concat('text ', sha2(cast(id AS string), 512)) AS text FROM range(200000)",
}
STATEMENTS = (
    "SELECT name, sum(price) s FROM facts JOIN items USING (item) WHERE kind IN (1, 2, 3) "
    "GROUP BY name ORDER BY s LIMIT 5",
    "SELECT city, count(DISTINCT facts.item) c FROM facts JOIN shops ON facts.shop = shops.shop WHERE price > 1 + 2.5 "
    "GROUP BY city",
    "SELECT * FROM facts f JOIN wide w ON f.id = w.id WHERE f.day >= '2020-02-01' AND (w.text LIKE 'text a%' OR true)",
    "SELECT f.id, i.name FROM facts f LEFT JOIN items i ON f.item = i.item WHERE i.kind = 3 AND f.price IS NOT NULL",
    "SELECT a.shop, b.city FROM (SELECT shop, count(*) n FROM facts GROUP BY shop) a JOIN shops b ON a.shop = b.shop "
    "WHERE n > 10 ORDER BY a.shop",
    "SELECT kind, name FROM (SELECT kind, name, item + 1 AS x FROM items) WHERE x > 3 UNION ALL "
    "(SELECT 1, city FROM shops UNION ALL SELECT 2, city FROM shops WHERE shop > 5) LIMIT 20",
    "SELECT item, rank() OVER (PARTITION BY kind ORDER BY name) r FROM "
    "(SELECT * FROM items ORDER BY name) WHERE kind < 4",
    "SELECT shop, n FROM (SELECT shop, count(*) n FROM facts GROUP BY shop) x JOIN "
    "(SELECT shop AS other, count(*) m FROM facts GROUP BY shop) y ON x.shop = y.other WHERE cast(n AS bigint) > 5",
)  # fmt: skip


def captured() -> dict[str, Any]:
    """What Spark prints of every statement under every change, `extended` and `cost`; under "" by its defaults."""
    from pyspark.sql import SparkSession

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
        spark = builder.config("spark.sql.warehouse.dir", folder).getOrCreate()
        spark.sparkContext.setLogLevel("OFF")
        spark.conf.set("spark.sql.maxMetadataStringLength", "1000")
        for name, query in TABLES.items():
            spark.sql(f"CREATE TABLE {name} USING parquet AS {query}")
        made: dict[str, Any] = {"": _explained(spark)}
        for name, (key, value) in CHANGES.items():
            spark.conf.set(key, value)
            made[name] = _explained(spark)
            spark.conf.unset(key)
        for name in TABLES:
            spark.sql(f"DROP TABLE {name}")
        spark.stop()
    return made


def _explained(spark: Any) -> list[dict[str, str]]:
    found = []
    for sql in STATEMENTS:
        rows = {mode: spark.sql(f"EXPLAIN {mode} {sql}").collect()[0][0] for mode in ("EXTENDED", "COST")}
        found.append({mode.lower(): text for mode, text in rows.items()})
    return found


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args(arguments)
    file = Path(options.file) if options.file else None
    made = json.loads(file.read_text()) if file and file.exists() else captured()
    if file and not file.exists():
        file.write_text(json.dumps(made))
    print("| change | shows in | found | alike | another | none | plans equal |\n|---|---|---|---|---|---|---|")
    for change, texts in made.items():
        counts = {"shows": 0, "found": 0, "alike": 0, "another": 0, "none": 0, "equal": 0}
        words = []
        for at, text in enumerate(texts):
            # A threshold shows where sizes stand beside it.
            form = "cost" if CHANGES.get(change, ("",))[0] == _THRESHOLD else "extended"
            (replay,) = replays(open_text(text[form]))
            found = {s.key: str(s.value).lower() for s in replay.settings if s.key in {k for k, _ in CHANGES.values()}}
            shows = canonical(text[form]) != canonical(made[""][at][form])
            verdict = _judged(change, found)
            if (
                verdict in ("another", "none")
                and change
                and any("=".join(CHANGES[change]) in s.evidence for s in replay.settings)
            ):
                verdict = "alike"
            counts["shows"] += shows
            counts["equal"] += set(replay.verdicts.values()) <= {"equal", "absent"}
            if shows or verdict in ("another", "alike"):
                counts[verdict] += 1
                words.append(f"  {at}: {verdict} {found} {replay.verdicts}")
        print(f"| {change or 'none'} | {' | '.join(map(str, counts.values()))} of {len(texts)} |", flush=True)
        print("\n".join(words) if options.verbose else "", end="\n" if options.verbose else "")
    return 0


def _judged(change: str, found: dict[str, str]) -> str:
    """Whether just the change was found: a threshold may be any value that decides alike."""
    usual = {
        "spark.sql.adaptive.enabled": "true",
        "spark.sql.shuffle.partitions": "200",
        "spark.sql.ansi.enabled": "true",
    }
    told = {k: v for k, v in found.items() if usual.get(k) != v}
    key, value = CHANGES.get(change, ("", ""))
    right = {key} == set(told) and (key == _THRESHOLD or told[key] == value.lower())
    return "found" if right else "none" if not told else "another"


if __name__ == "__main__":
    sys.exit(main())
