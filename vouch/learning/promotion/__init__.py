"""Whether a model may take the place of another: gates, shadows, interleaving and control limits."""
