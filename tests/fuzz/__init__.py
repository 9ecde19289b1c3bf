"""Texts and requests that nobody would send, made from real ones by dice: `python -m tests.fuzz KIND --count N`."""
