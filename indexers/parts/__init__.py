"""Documents and their chunks as a version holds them."""
