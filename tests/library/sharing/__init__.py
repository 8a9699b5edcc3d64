"""Links, guests and what they bring."""
