"""Models, the pointers to those that serve, and every move of them."""
