"""Making a version the current one, and letting go of old ones."""
