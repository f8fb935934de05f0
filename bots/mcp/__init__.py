"""Asking from an assistant of another maker, by the Model Context Protocol over standard input and output."""
