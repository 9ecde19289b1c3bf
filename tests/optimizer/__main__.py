"""Write what is generated anew: the outputs of all golden cases and the table of the rules' package.

Read the difference before you commit it.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from planviz.optimizer import rules
from planviz.optimizer.reference import package_docstring
from tests.optimizer.golden import FOLDER, update


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m tests.optimizer", description=__doc__)
    names = [f.stem for f in sorted(FOLDER.glob("*.txt"))]
    parser.add_argument("names", nargs="*", metavar="FAMILY", help=f"cases of these files only: {', '.join(names)}")
    asked = parser.parse_args(arguments).names
    unknown = [n for n in asked if n not in names]
    if unknown:
        parser.error(f"there is no file {unknown[0]}.txt")
    for name in asked or names:
        update(FOLDER / f"{name}.txt")
    Path(str(rules.__file__)).write_text(f'"""{package_docstring()}"""\n', encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
