"""Tests of the sandbox: its limits, and the recovery of its worker."""
