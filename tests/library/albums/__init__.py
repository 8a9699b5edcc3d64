"""Tests of the rows of albums."""
