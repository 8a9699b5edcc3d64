"""Who is asking, and what Sparks signs for them."""
