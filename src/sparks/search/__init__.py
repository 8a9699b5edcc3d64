"""Full-text and facet search over photos and names."""
