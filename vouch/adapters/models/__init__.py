"""The small models that run here, and their batches."""
