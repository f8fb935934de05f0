"""The ways in which a request proves who makes it. None is on unless a setting or an option turns it on."""
