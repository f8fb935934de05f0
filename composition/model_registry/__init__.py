"""Which models serve, by the registry of models and by the settings."""
