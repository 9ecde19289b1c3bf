"""`planviz` and `python -m planviz`: the command line.

Imports stay inside commands, so that `--help` answers at once.
"""

from __future__ import annotations

import sys


def main(argv: list[str] | None = None) -> int:
    """Run one command; returns the exit status: 0 fine, 1 an asked-for difference, 2 bad usage or bad input."""
    from planviz.cli.main import run

    if argv is None:  # the process is the command's own
        from planviz.trees.collector import collector_rarely

        collector_rarely()
    return run(sys.argv[1:] if argv is None else argv)


if __name__ == "__main__":
    sys.exit(main())
