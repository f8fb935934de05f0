"""Commands by which vouch learns: labels, trainings, the registry of models, and gaps."""
