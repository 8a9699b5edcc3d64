"""HTTP itself: authentication, middleware, responses, cursors, errors and event streams."""
