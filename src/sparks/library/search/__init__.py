"""Search index content: documents from rows, a change log, and the index built from both."""
