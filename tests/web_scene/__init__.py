"""A web, search services and a collector of traces on loopback."""
