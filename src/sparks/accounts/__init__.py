"""Steps that remove an account with everything that it owns."""
