"""Commands of people who ask: questions, search, votes, and how an answer was made."""
