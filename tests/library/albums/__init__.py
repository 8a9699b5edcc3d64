"""What albums do with the table."""
