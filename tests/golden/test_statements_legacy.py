"""Small statements with spark.sql.ansi.enabled=false, as Spark 4.3 analyzed and optimized them.

`statements_legacy.txt` has the SQL, then `---- analyzed` and `---- optimized` (or `---- error` and Spark's
error class); ids are renumbered. They read the documents' small tables and `k`, with a column of nearly
every type.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from planviz.catalog.ddl import table_of
from planviz.config import OptimizerConfig
from planviz.errors import AnalysisError, ParseError
from planviz.execution import QueryExecution
from planviz.expressions.ids import fresh_ids
from planviz.types import parse_fields
from tests.golden.test_statements import blocks
from tests.plans import canonical, small_catalog

COLUMNS = (
    "b boolean, sm smallint, i int, l bigint, f float, d double, n decimal(10,2), s string, bi binary, da date, "
    "ts timestamp, nt timestamp_ntz, xs array<int>, m map<string,int>"
)
CONFIG = OptimizerConfig.of(**{"spark.sql.ansi.enabled": False, "spark.sql.session.timeZone": "UTC"})
ENTRIES = blocks(Path(__file__).parent / "statements_legacy.txt")


@pytest.mark.parametrize(("sql", "expected"), ENTRIES, ids=[f"{i}" for i in range(len(ENTRIES))])
def test_statement(sql, expected):
    catalog = small_catalog().with_table(table_of(("k",), parse_fields(COLUMNS)))
    with fresh_ids():
        if "error" in expected:
            with pytest.raises((AnalysisError, ParseError)) as e:
                QueryExecution(sql, catalog, CONFIG).text("analyzed")
            assert e.value.error_class == expected["error"]
            return
        query = QueryExecution(sql, catalog, CONFIG)
        for stage in ("analyzed", "optimized"):
            assert canonical(query.text(stage)) == expected[stage]
