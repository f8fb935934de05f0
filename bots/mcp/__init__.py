"""Asking from an assistant of another maker, by the Model Context Protocol."""
