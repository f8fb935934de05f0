"""Documents that are forgotten, everywhere and for good."""
