"""The pages of the service: plain forms, rendered here, that work without any script."""
