"""Models that score a passage for a question: rerankers and judges, and the training of judges."""
