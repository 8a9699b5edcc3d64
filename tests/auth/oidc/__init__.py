"""Sign-in with a provider: real ones where one can be had, and a small one that does whatever a test wants."""
