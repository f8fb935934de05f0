"""A folder of files: walked, compared with what is known, watched."""
