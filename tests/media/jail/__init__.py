"""What a jail holds in, and what its worker lives through."""
