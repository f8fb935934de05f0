"""The HTTP service in the tests: its homes, its clients, browsers, and providers of sign-in."""
