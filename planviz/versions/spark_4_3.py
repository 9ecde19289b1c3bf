"""Spark 4.3: what the engine does as it is."""

from planviz.versions.model import Version

VERSION = Version("spark-4.3", "Spark 4.3, as it comes")
