"""Spark's plan texts and JSONs, read into PlanGraphs: one module per dialect.

lines       what people paste around a plan (prompts, log prefixes, borders, colours) taken off, nothing lost
tree        indented operator lines -> nodes
scanner     headings, sections, detail blocks -> plans
operators   the text of one operator -> named parts, on first use
formatted   the detail blocks of `explain formatted`
rulelog     the optimizer's rule log -> steps with the tree before and after
collapsed   a text that lost its line breaks
json_plans  plan.toJSON, SQL REST JSON, sparkPlanInfo, event logs
eventlog    the events of a log folded into executions
"""
