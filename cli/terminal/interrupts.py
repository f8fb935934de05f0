"""Which errors and exit codes are a Ctrl-C."""

INTERRUPTED = 130                       # what a command returns then, which does not raise it


def stems_from_interrupt(error: BaseException | None) -> bool:
    """Libraries wrap the Ctrl-C that hits them in errors of their own."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt) or "KeyboardInterrupt" in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False
