"""What the system needs of its machines, a module for each concern. Every Protocol has a suite in tests/contracts/.

Every method may raise `Unavailable` (the machine does not answer; nothing
was lost) besides what its docstring names. None returns an empty result in
place of a failure.
"""
