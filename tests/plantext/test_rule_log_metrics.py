"""The metrics behind a rule log."""

from __future__ import annotations

from planviz.document import open_text

LOG = """=== Applying Rule org.apache.spark.sql.catalyst.optimizer.ColumnPruning ===
!Project [a#1]   Relation [a#1] parquet
=== Metrics of Executed Rules ===
Total number of runs: {runs}
Total time: 1.5E-4 seconds
"""


def test_a_number_that_is_none_ends_the_metrics() -> None:
    assert open_text(LOG.format(runs="12")).trace.metrics[0].runs == 12
    assert open_text(LOG.format(runs="1.5.6")).trace.metrics[0].runs is None
