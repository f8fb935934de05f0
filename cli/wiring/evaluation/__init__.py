"""What measures answers, retrieval and models, and keeps the reports."""
