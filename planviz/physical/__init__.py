"""Physical planning. So far what the planner consists of, as data (inventory D); strategies are to come."""
