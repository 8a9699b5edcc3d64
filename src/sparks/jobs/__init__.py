"""Work to be done later, and three ways to keep it."""
