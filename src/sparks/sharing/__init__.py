"""What people give to each other, and take home."""
