"""Domain values and pure rules; imports only the standard library."""
