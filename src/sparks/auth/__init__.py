"""Who is asking: passwords, sessions, API keys, tokens of an issuer, links; and what is signed for them."""
