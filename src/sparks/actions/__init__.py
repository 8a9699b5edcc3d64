"""Actions of a caller, one call each: authorize, write, and send the events that follow."""
