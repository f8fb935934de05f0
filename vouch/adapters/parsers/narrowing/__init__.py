"""What the top of a document says, or nearly says, of who may read it."""
