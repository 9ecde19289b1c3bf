"""What-ifs over TPC-DS: `python -m tests.findings.what_ifs` counts findings, and those with a planned change."""

from __future__ import annotations

from collections import Counter

from planviz.catalogs import find
from planviz.document import open_sql
from planviz.findings.documents import document_findings
from tests.conftest import SHARED


def main() -> None:
    """Print a line for each kind of finding: how many there are, and how many have a change that keeps its promise."""
    found: Counter[str] = Counter()
    offered: Counter[str] = Counter()
    for path in sorted((SHARED / "corpus" / "tpcds" / "queries").glob("*.sql")):
        for query in document_findings(open_sql(path.read_text(encoding="utf-8"), find("tpcds")), what_if=True):
            found.update(one.name for one in query.findings)
            offered.update(one.name for one in query.findings if one.what_if is not None)
    for name, count in found.most_common():
        print(f"{name:24}{count:4} found{offered[name]:4} with a planned change")


if __name__ == "__main__":
    main()
