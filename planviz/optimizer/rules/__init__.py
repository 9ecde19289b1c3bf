"""The rules, by family; `planviz.optimizer.batches` has their order."""
