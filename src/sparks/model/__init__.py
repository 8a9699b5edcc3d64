"""Domain values and pure rules, on the standard library alone."""
