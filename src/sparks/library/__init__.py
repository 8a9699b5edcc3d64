"""Rows of the table and their queries and writes, in domain words."""
