"""Opens what the settings name, for all packages: the home, the ledger, the log, the index, sources and models.

Each of them is opened here and nowhere else. What one package alone builds is in that package's own wiring.
"""
