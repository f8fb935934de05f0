"""Training of the agent that takes steps: an actor runs, a comparator contrasts (after AvaTaR, arXiv 2406.11200)."""
