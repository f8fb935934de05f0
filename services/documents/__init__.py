"""Documents, their sources and versions, and who may read them."""
