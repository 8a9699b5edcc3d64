"""Steps that make renditions and videos of an original, and find the photos that lack them."""
