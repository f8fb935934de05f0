"""Labels, trainings, and the registry of models."""
