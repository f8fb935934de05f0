"""Builds the services from the settings, a module for each package of them."""
