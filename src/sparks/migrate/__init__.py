"""Migration from a PostgreSQL gallery into Sparks."""
