"""How much of what real Spark printed comes out the same here: `python -m tests.fidelity [STAGE] [--modes] [-v]`.

`--modes` measures physical and optimized plans, the optimizer's steps and the estimates in every captured mode.
"""

from __future__ import annotations

import sys

from tests.fidelity.scoreboard import CORPUS, HEADINGS, MODES, measure, measure_estimates, measure_trace


def main(arguments: list[str]) -> int:
    if not CORPUS.is_dir():
        print(f"The corpus is not here ({CORPUS}); nothing to measure.")
        return 0
    verbose = "-v" in arguments
    if "--modes" in arguments:
        for mode in MODES:
            print(mode)
            _plans("physical", mode, verbose)
            if mode.endswith("aqeoff"):
                _plans("optimized", mode, verbose)
                _steps("Optimizer", mode, verbose)
                _estimates(mode, verbose)
        return 0
    for stage in [a for a in arguments if not a.startswith("-")] or [*HEADINGS, "formatted"]:
        _plans(stage, MODES[0], verbose)
        if stage in ("physical", "formatted"):
            _plans(stage, "nocbo-aqeon", verbose)
    for executor in ("Analyzer", "Optimizer"):
        _steps(executor, MODES[0], verbose)
    _estimates(MODES[0], verbose)
    return 0


def _plans(stage: str, mode: str, verbose: bool) -> None:
    score = measure(stage, mode)
    print(f"{stage:10} {score.total:4} queries   shape equal {score.shape:4}   text equal {score.text:4}")
    for name, why in score.differences:
        print(f"    {name}: {why}" if verbose else f"    {name}")


def _estimates(mode: str, verbose: bool) -> None:
    score = measure_estimates(mode)
    print(f"estimates  {score.total:4} operators   equal {score.equal:4}")
    for name, why in score.differences if verbose else []:
        print(f"    {name}: {why}")


def _steps(executor: str, mode: str, verbose: bool) -> None:
    trace = measure_trace(executor, mode)
    print(f"{executor}'s trace {trace.total:4} queries   same rules {trace.rules:4}   same trees {trace.trees:4}")
    for name, where in trace.differences if verbose else []:
        print(f"    {name}: {where}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
