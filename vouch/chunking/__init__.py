"""From a parsed document to its passages: sections, cuts, and what is left out of papers."""
