"""Words and filters into photos."""
