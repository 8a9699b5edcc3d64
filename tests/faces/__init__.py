"""Faces are found, marked and told apart."""
