"""What runs and who operates: acts of operators, and runs of flows."""
