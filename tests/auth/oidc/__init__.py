"""Sign-in with a provider: at real ones where there are some, and at a small one that does what a test wants."""
