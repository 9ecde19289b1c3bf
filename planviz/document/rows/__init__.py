"""Operators played on rows."""
