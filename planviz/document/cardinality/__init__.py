"""Rows and bytes of operators: expected and measured, and what turns on them."""
