"""What people ask in vain, in groups of like meaning."""
