"""How much of what real Spark printed comes out the same here: `python -m tests.fidelity [STAGE] [-v]`."""

from __future__ import annotations

import sys

from tests.fidelity.scoreboard import CORPUS, measure, measure_trace


def main(arguments: list[str]) -> int:
    if not CORPUS.is_dir():
        print(f"The corpus is not here ({CORPUS}); nothing to measure.")
        return 0
    wanted = [a for a in arguments if not a.startswith("-")] or ["parsed", "analyzed", "optimized"]
    for stage in wanted:
        score = measure(stage)
        print(f"{stage:10} {score.total:4} queries   shape equal {score.shape:4}   text equal {score.text:4}")
        for name, why in score.differences:
            print(f"    {name}: {why}" if "-v" in arguments else f"    {name}")
    for executor in ("Analyzer", "Optimizer"):
        trace = measure_trace(executor)
        print(f"{executor}'s trace {trace.total:4} queries   same rules {trace.rules:4}   same trees {trace.trees:4}")
        for name, where in trace.differences if "-v" in arguments else []:
            print(f"    {name}: {where}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
