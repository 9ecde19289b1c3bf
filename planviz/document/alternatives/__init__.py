"""What a query would be under other circumstances."""
