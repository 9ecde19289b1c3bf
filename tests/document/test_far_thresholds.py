"""Changes of settings at sizes that nobody knows: none names a threshold that no Spark can broadcast by."""

from __future__ import annotations

from planviz.decisions.flips import SettingChange
from planviz.document import open_sql, open_text
from planviz.document.alternatives.flips import with_flips
from planviz.document.decisions.queries import decided
from planviz.document.opening.replays import replayed


def test_no_change_names_a_threshold_that_nobody_can_set():
    scan = "FileScan parquet {0}[k#{1}L] Batched: true, DataFilters: [], Format: Parquet, PartitionFilters: [], "
    scan += "PushedFilters: [], ReadSchema: struct<k:bigint>"
    side = "Sort [k#{1}L ASC NULLS FIRST], false, 0\n{2}  +- Exchange hashpartitioning(k#{1}L, 200), "
    side += "ENSURE_REQUIREMENTS, [plan_id={1}]\n{2}     +- " + scan
    text = "== Physical Plan ==\nSortMergeJoin [k#1L], [k#2L], Inner\n:- " + side.format("a", 1, ":")
    text += "\n+- " + side.format("b", 2, " ") + "\n"
    pasted = replayed(open_text(text))
    assert pasted is not None
    guessed = open_sql("SELECT * FROM nowhere.a JOIN nowhere.b USING (k) JOIN nowhere.c USING (k)")
    for document in (pasted, guessed):
        flips = [f for query in decided(document) for d in with_flips(query).decisions for f in d.flips]
        changes = [c for f in flips for c in f.changes if isinstance(c, SettingChange)]
        assert flips
        assert all(int(c.value) <= 8 << 30 for c in changes if c.key.endswith("autoBroadcastJoinThreshold"))
