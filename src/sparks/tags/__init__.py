"""Step that renames a tag on a user's photos."""
