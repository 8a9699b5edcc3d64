"""Ordered item table and its adapters."""
