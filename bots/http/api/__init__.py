"""The API: /v1. Every operation first asks who the caller is."""
