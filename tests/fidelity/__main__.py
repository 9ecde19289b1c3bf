"""How much of what real Spark printed comes out the same here.

`python -m tests.fidelity [STAGE...] [--modes] [--partitioned] [--versions [VERSION...]] [--profile NAME] [-v]`

Takes about three minutes; `--modes` four times that, `--profile spark-3.0` ten seconds, `--versions` a minute for each
mode of each version.
"""

from __future__ import annotations

import argparse
import sys

from planviz.versions import PROFILES
from tests.fidelity import earlier, partitioned, versions
from tests.fidelity.scoreboard import CORPUS, HEADINGS, MODES, Score, measure, measure_estimates, measure_trace


def main(arguments: list[str] | None = None) -> int:
    options = _options(arguments)
    if not CORPUS.is_dir():
        print(f"The corpus is not here ({CORPUS}); nothing to measure.")
        return 0
    if options.partitioned:
        _partitioned(options.verbose)
    elif options.versions is not None:
        _every_version(options.versions, options.every, options.verbose)
    elif options.version:
        _versions(options.stages, options.version, options.profile, options.verbose)
    elif options.modes:
        _modes(options.verbose)
    else:
        _defaults(options.stages, options.verbose)
    return 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.fidelity", description=__doc__)
    parser.add_argument("stages", nargs="*", metavar="STAGE", help=f"{', '.join([*HEADINGS, 'formatted'])} (all)")
    parser.add_argument("--modes", action="store_true", help="plans, optimizer's steps and estimates in every mode")
    parser.add_argument("--partitioned", action="store_true", help="TPC-DS over partitioned tables, in every mode")
    parser.add_argument("--versions", nargs="*", metavar="VERSION", help="TPC-DS as 4.2, 3.5 ... plan it (all)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="with --versions: every n-th query only")
    parser.add_argument("--profile", choices=list(PROFILES), default="spark-4.3", help="the version that is planned")
    parser.add_argument(
        "--version",
        choices=list(earlier.SETTINGS),
        help="whose plans, if not those of 4.3 or of the profile's version",
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="where each query first differs")
    options = parser.parse_args(arguments)
    unknown = [s for s in options.stages if s not in (*HEADINGS, "formatted")]
    if unknown:
        parser.error(f"there is no stage {unknown[0]}")
    options.version = options.version or earlier.VERSIONS.get(options.profile)
    return options


def _defaults(stages: list[str], verbose: bool) -> None:
    for stage in stages or [*HEADINGS, "formatted"]:
        _show(measure(stage, MODES[0]), verbose)
        if stage in ("physical", "formatted"):
            _show(measure(stage, "nocbo-aqeon"), verbose)
    for executor in ("Analyzer", "Optimizer"):
        _steps(executor, MODES[0], verbose)
    _estimates(MODES[0], verbose)


def _modes(verbose: bool) -> None:
    for mode in MODES:
        print(mode)
        _show(measure("physical", mode), verbose)
        if mode.endswith("aqeoff"):
            _show(measure("optimized", mode), verbose)
            _steps("Optimizer", mode, verbose)
            _estimates(mode, verbose)


def _partitioned(verbose: bool) -> None:
    for mode in partitioned.MODES:
        print(mode)
        for score in partitioned.measure(mode).values():
            _show(score, verbose)


def _every_version(wanted: list[str], every: int, verbose: bool) -> None:
    for profile in versions.measured_profiles():
        if wanted and profile.removeprefix("spark-") not in wanted:
            continue
        for mode in versions.modes(profile):
            print(f"{profile} {mode}")
            for score in versions.measure(profile, mode, every).values():
                _show(score, verbose)


def _versions(stages: list[str], version: str, profile: str, verbose: bool) -> None:
    print(f"{profile} beside Spark {version}")
    for suite in earlier.SUITES:
        for stage in stages or ["optimized", "physical", "formatted"]:
            _show(earlier.measure(stage, suite, version, profile), verbose)


def _show(score: Score, verbose: bool) -> None:
    print(f"{score.stage:10} {score.total:4} queries   shape equal {score.shape:4}   text equal {score.text:4}")
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
    sys.exit(main())
