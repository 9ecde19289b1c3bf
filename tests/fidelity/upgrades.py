"""Which plans of TPC-DS an upgrade changes, by real Spark's captures and by planviz: precision and recall.

`python -m tests.fidelity.upgrades [FROM [TO]] [--every N] [--mode MODE]`; 3.3 and 4.3 if not given.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace

from planviz.document import open_sql, open_text
from planviz.document.comparison.plans import compare_plans
from planviz.document.comparison.upgrades import FORMS, Upgrade, Upgraded
from planviz.graph import PlanGraph
from tests.fidelity.scoreboard import captures, catalog, section
from tests.fidelity.versions import captured, config_of


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m tests.fidelity.upgrades", description=__doc__)
    parser.add_argument("old", nargs="?", default="3.3")
    parser.add_argument("new", nargs="?", default="4.3")
    parser.add_argument("--every", type=int, default=1, metavar="N")
    parser.add_argument("--mode", default="nocbo-aqeoff")
    options = parser.parse_args(arguments)
    old, new = f"spark-{options.old}", f"spark-{options.new}"
    real, ours = compared(old, new, options.mode, options.every)
    both = real.keys() & {name for name, query in ours.items() if query.state == "changed"}
    told = {name for name, query in ours.items() if query.state == "changed"}
    changed = {name for name, kinds in real.items() if kinds}
    hits = len(changed & told)
    print(
        f"{old} to {new}, {options.mode}: {len(real)} queries, Spark changes {len(changed)}, planviz says {len(told)}"
    )
    print(f"precision {hits}/{len(told)}, recall {hits}/{len(changed)}")
    same = sum(real[name] == {e.kind for e in ours[name].effects} for name in both)
    print(f"the same kinds of effects: {same}/{len(both)}")
    unexplained = [name for name in told if ours[name].unexplained]
    print(f"without a cause that was seen to do it: {len(unexplained)} {' '.join(sorted(unexplained))}")
    for name in sorted(changed ^ told):
        print(f"  {name}: Spark {sorted(real[name])}, planviz {ours[name].state}")
    return 0


def compared(old: str, new: str, mode: str, every: int) -> tuple[dict[str, set[str]], dict[str, Upgraded]]:
    """By query, the kinds of effects between Spark's own plans, and what the upgrade view says."""
    before, after = _captured(old, mode), _captured(new, mode)
    names = sorted(before.keys() & after.keys())[::every]
    upgrade, real, ours = Upgrade(old, new), {}, {}
    config = replace(config_of(new, mode), profile="spark-4.3")
    for name in names:
        (sql, one), (_, two) = before[name], after[name]
        real[name] = {effect.kind for effect in compare_plans(one, two).effects} - FORMS
        ours[name], *_ = upgrade.queries(
            name, name, lambda c, sql=sql: open_sql(sql, catalog(), c, stage="physical"), config
        )
    return real, ours


def _captured(profile: str, mode: str) -> dict[str, tuple[str, PlanGraph]]:
    """By query, its text and its physical plan as that Spark printed it."""
    if profile == "spark-4.3":
        documents = {d["name"]: d for d in captures(mode) if "error" not in d}
    else:
        documents = {d["query"]: d for d in captured(profile, mode)}
    return {
        name: (d["sql"], open_text(f"== Physical Plan ==\n{section(d, 'physical')}\n").plans[-1])
        for name, d in documents.items()
    }


if __name__ == "__main__":
    sys.exit(main())
