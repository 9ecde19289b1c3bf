"""What is worth changing or knowing in a plan: each finding with its evidence, why it matters and what to do.

finding.py   Finding, and Check, the class that each kind of finding is
plan_view.py a plan as checks look at it
products.py, joins.py, scans.py, filters.py, exchanges.py, aggregates.py, functions.py, limits.py, repeated.py,
statistics.py, measured.py, engines.py   the checks, by family
registry.py  all of them; the findings of a plan, ranked, one for each cause
documents.py the findings of whole documents, and changes that were planned to prove them

Every finding is a statement about nodes and their arguments, never about words of the text: `formatted` and adaptive
output name an operator several times, and it still is one node. Where the plan cannot prove a thing, nothing is said.
"""

from planviz.findings.finding import SEVERITIES, Check, Finding, Severity, Stake, WhatIf
from planviz.findings.registry import check_named, checks, family, findings, ignored

__all__ = [
    "SEVERITIES",
    "Check",
    "Finding",
    "Severity",
    "Stake",
    "WhatIf",
    "check_named",
    "checks",
    "family",
    "findings",
    "ignored",
]
