"""Values that ports carry: questions, queries, and candidates with what speaks for them."""
