"""HTML pages and mail."""
