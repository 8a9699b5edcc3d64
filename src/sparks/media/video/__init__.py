"""Videos, read from files that are open already: what they are, a picture of them, and one that any browser plays."""
