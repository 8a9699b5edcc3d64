"""Authentication: passwords, sessions, API keys, OIDC, links, and signed URLs."""
