"""Schema evolution: removal of retired attributes, and moves of rows to other keys."""
