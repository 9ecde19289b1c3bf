"""From paste to painted in a real Chromium, beside Spark's own page and PEV2: `python -m benchmarks.browser`."""
