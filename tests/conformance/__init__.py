"""One suite a port, run on every adapter."""
