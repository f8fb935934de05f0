"""From changed documents to the files of a new version."""
