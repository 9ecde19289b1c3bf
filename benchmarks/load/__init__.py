"""Sessions beside each other on one server, one of them hostile: `python -m benchmarks.load --sessions 10`."""
