"""Other ways to write a query: what is changed, and what is left alone."""

from __future__ import annotations

import pytest

from planviz.document.alternatives.rewrites import (
    APPROXIMATE_COUNTS,
    NOT_EXISTS,
    PREFIXES,
    REPARTITION_TO_ONE,
    UNION_ALL,
    YEAR_RANGES,
    Rewrite,
    rewritten,
)


@pytest.mark.parametrize(
    ("rewrite", "sql", "expected"),
    [
        (APPROXIMATE_COUNTS, "SELECT Count( distinct a.b ), 'count(DISTINCT x)' FROM t",
         "SELECT approx_count_distinct(a.b), 'count(DISTINCT x)' FROM t"),
        (APPROXIMATE_COUNTS, "SELECT count(DISTINCT coalesce(a, b)) FROM t",
         "SELECT approx_count_distinct(coalesce(a, b)) FROM t"),
        (APPROXIMATE_COUNTS, "SELECT count(DISTINCT a, b), count(c) FROM t", None),
        (UNION_ALL, "SELECT 1 UNION SELECT 2 union distinct SELECT 3",
         "SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3"),
        (UNION_ALL, "SELECT `union` FROM t UNION ALL SELECT 'UNION'", None),
        (NOT_EXISTS, "SELECT * FROM t WHERE t.a NOT IN (SELECT b FROM u WHERE (c)) AND d",
         "SELECT * FROM t WHERE NOT EXISTS (SELECT 1 FROM (SELECT b FROM u WHERE (c)) AS listed(item) "
         "WHERE listed.item = t.a) AND d"),
        (NOT_EXISTS, "SELECT * FROM t WHERE a NOT IN (1, 2) AND b IN (SELECT c FROM u)", None),
        (NOT_EXISTS, "SELECT * FROM t WHERE (a, b) NOT IN (SELECT c, d FROM u)", None),
        (NOT_EXISTS, "SELECT * FROM t WHERE a + b NOT IN (SELECT c FROM u)", None),
        (YEAR_RANGES, "SELECT * FROM t WHERE year(t.d) = 2024 AND e",
         "SELECT * FROM t WHERE (t.d >= DATE'2024-01-01' AND t.d < DATE'2025-01-01') AND e"),
        (YEAR_RANGES, "SELECT * FROM t WHERE year(d) = 24 OR year(d) > 2024 OR year(d + 1) = 2024", None),
        (PREFIXES, "SELECT * FROM t WHERE substring(a, 1, 2) = 'ab' AND left(b, 1) = 'c'",
         "SELECT * FROM t WHERE a LIKE 'ab%' AND b LIKE 'c%'"),
        (PREFIXES, "SELECT * FROM t WHERE substr(a, 2, 2) = 'ab' OR left(a, 3) = 'ab' OR left(a, 2) = 'a%'", None),
        (REPARTITION_TO_ONE, "SELECT /*+ COALESCE(1) */ coalesce(1) FROM t",
         "SELECT /*+ REPARTITION(1) */ coalesce(1) FROM t"),
        (UNION_ALL, "SELECT 'unclosed UNION SELECT 1", None),
    ],
)  # fmt: skip
def test_rewrites(rewrite: Rewrite, sql: str, expected: str | None) -> None:
    assert rewritten(sql, rewrite) == (expected or sql)
