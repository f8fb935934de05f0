"""What operators look at and do."""
