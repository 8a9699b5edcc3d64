"""A folder of years, taken in: its files are found, read with what lies beside them, and never touched."""
