"""How fast, and in how much memory, planviz opens plan texts: `python -m benchmarks.parse`."""
