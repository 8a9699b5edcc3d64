"""What Sparks talks about: frozen values and pure rules, on the standard library alone."""
