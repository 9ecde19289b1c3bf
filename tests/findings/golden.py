"""The findings of real Spark's texts by name: `python -m tests.findings.golden` writes golden.txt anew; read its diff.

Each line is a file of the corpus and what is found in it: a finding that comes or goes is somebody's decision.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from planviz.document import open_text
from planviz.errors import PlanvizError
from planviz.findings.documents import document_findings
from tests.conftest import SHARED, read_plan_text

GOLDEN = Path(__file__).with_name("golden.txt")
#: One text of each unusual plan, older versions, logs and samples of TPC-DS: half a minute, not all of the corpus.
_PLACES = ("weird/4.3.0/*__simple.txt", "weird/3.0.3/*__simple.txt", "old/*/tpch/*.gz", "live/*.txt", "live/*.json",
           "tpcds/captures/cbo-aqeoff/q?.json.gz", "tpcds-partitioned/captures/nocbo-aqeon/q1?.json.gz")  # fmt: skip


def golden(corpus: Path) -> list[str]:
    """A line for every text in which something is found, in the order of their paths."""
    lines = []
    for path in sorted(path for place in _PLACES for path in corpus.glob(place)):
        try:
            queries = document_findings(open_text(read_plan_text(path)), without=("text-cut",))
        except PlanvizError:
            continue
        names = Counter(one.name for query in queries for one in query.findings)
        if names:
            found = ", ".join(f"{name} ×{count}" if count > 1 else name for name, count in sorted(names.items()))
            lines.append(f"{path.relative_to(corpus)}: {found}")
    return lines


if __name__ == "__main__":
    GOLDEN.write_text("\n".join(golden(SHARED / "corpus")) + "\n", encoding="utf-8")
