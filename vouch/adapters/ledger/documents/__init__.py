"""Sources, versions and runs."""
