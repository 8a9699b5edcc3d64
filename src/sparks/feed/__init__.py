"""Lists of photos that a viewer sees: pages, timelines, search, live events."""
