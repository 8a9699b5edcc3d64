"""Steps that follow an album's deletion or a member's departure."""
