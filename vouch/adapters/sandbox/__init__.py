"""Documents are taken apart within limits: small plain files here, all others in a child process."""
