"""Models: registered, trained, calibrated, measured."""
