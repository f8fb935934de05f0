"""The connection to Elasticsearch, and the form of the index there."""
