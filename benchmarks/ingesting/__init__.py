"""What an ingest costs: whole, its parsing, its publishing."""
