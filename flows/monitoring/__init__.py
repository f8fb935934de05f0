"""What is looked at afterwards: gaps, drift, and whether the model that serves is worse."""
