"""Questions with known answers: of data sets, and of the company."""
