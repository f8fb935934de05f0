"""Language models and encoders of the tests, on loopback or with random weights."""
