"""Face clustering: pure functions on arrays, without storage."""
