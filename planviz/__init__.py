"""planviz: see what Spark does with your query."""

__version__ = "0.1.0"
