"""Accounts: created whole or not at all, found by e-mail or identity, and updated.

A user whose account is being removed (`removed_at`) counts as removed, except for the removal itself.
"""
