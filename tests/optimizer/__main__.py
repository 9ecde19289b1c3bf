"""Write what is generated anew: the outputs of all golden cases and the table of the rules' package.

`python -m tests.optimizer`. Read the difference before you commit it.
"""

from pathlib import Path

from planviz.optimizer import rules
from planviz.optimizer.reference import package_docstring
from tests.optimizer.golden import FOLDER, update

for file in sorted(FOLDER.glob("*.txt")):
    update(file)
Path(str(rules.__file__)).write_text(f'"""{package_docstring()}"""\n', encoding="utf-8")
