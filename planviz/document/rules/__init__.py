"""What rules did in a query, and why."""
