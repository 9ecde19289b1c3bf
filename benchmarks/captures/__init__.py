"""Every sample query and a set like TPC-H, captured from a real Spark while it executes them at a small scale."""
