"""Files and folders of this machine, opened so that nothing odd in them surprises anybody."""
