"""Share links, their guests, and the photos that guests upload."""
