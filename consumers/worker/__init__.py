"""Messages taken off the log, worked at, tried again, given up."""
