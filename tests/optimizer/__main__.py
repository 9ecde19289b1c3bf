"""Write the outputs of all golden cases anew: `python -m tests.optimizer`. Read the difference before you commit it."""

from tests.optimizer.golden import FOLDER, update

for file in sorted(FOLDER.glob("*.txt")):
    update(file)
