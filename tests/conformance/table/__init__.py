"""Suite for the table port, run on every adapter."""
