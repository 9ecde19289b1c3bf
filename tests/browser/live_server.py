"""`planviz serve` with a stand-in for Spark's process, for tests of the Live page."""

from __future__ import annotations

import sys
from pathlib import Path

from planviz.__main__ import main
from planviz.spark import child, java
from planviz.ui import sparks

child.find_java = lambda: java.Java(Path("/nowhere"), 17, "made up")
sparks.worker = (str(Path(__file__).parents[1] / "spark" / "fake_worker.py"),)
sys.exit(main())
