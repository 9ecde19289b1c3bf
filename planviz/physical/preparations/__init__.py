"""What makes a physical plan ready to run (Spark: QueryExecution.preparations).

rules.py                all of them as rules under Spark's class names, for the executor, the trace and people
subqueries.py           PlanSubqueries
requirements.py         EnsureRequirements
co_partitioning.py      whether two shuffled sides fit, and how the one is shuffled like the other
redundant.py            RemoveRedundantProjects, RemoveRedundantSorts
adjacent_aggregates.py  CombineAdjacentAggregation, ReplaceHashWithSortAgg
collapse_codegen.py     ApplyColumnarRulesAndInsertTransitions, CollapseCodegenStages
reuse.py                ReuseExchangeAndSubquery
"""
