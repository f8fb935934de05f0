"""Reading a git repository that is not trusted."""
