"""Commands about sources and their documents: add, ingest, watch, list, draft and purge."""
