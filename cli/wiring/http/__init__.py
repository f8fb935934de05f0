"""The HTTP service: who people are, what operators do, and the server with all it works with."""
