"""The HTTP service of `vouch serve`: an API for programs, and a page for people. What it works with it is given."""
