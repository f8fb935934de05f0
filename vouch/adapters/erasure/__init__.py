"""Finding and erasing what a purge must leave no trace of."""
