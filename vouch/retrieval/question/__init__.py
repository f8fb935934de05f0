"""The question: as asked, as a query, as a follow-up of earlier ones, as one that wants a list."""
