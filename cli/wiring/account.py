"""Who sits at the terminal, as the machine calls them."""

import getpass


def account_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):        # a user id without a name
        return "unknown"
