"""The table: every test here runs on every adapter."""
