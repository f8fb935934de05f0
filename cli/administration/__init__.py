"""Commands of who runs vouch: permissions, versions of the index, health, and upkeep."""
