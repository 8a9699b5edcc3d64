"""One ordered item table, and three ways to keep it."""
