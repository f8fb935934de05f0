"""For programs: the API (/v1), assistants (/mcp) and metrics. Every operation first asks who the caller is."""
