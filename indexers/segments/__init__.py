"""Index rows: postings, vectors, and which of them may be seen."""
