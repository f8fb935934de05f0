"""Files that a careless reader would stumble over, and what reads them in the tests."""
