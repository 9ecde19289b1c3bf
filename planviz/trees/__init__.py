"""Trees, rules, batches, the executor and its trace. Nothing here knows SQL.

node.py      TreeNode and the @node decorator: immutable nodes, pattern bits, identity means unchanged
memo.py      what is remembered of nodes beside their fields; where a node came from
rule.py      Rule, Batch, Once, FixedPoint
executor.py  RuleExecutor: runs batches, checks in tests, fills a trace
trace.py     RuleApplication, RuleSummary, Trace: data only
text.py      a tree as Spark prints it; two trees side by side or as a unified diff
"""
