"""Event logs: the events that say something of an SQL execution, and the executions out of them."""
