"""Questions on their way in, answers on their way out."""
