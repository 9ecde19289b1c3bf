"""The planner's decisions and the reasons that a reader is given."""
