"""Persons: face rows and decisions, and the rows and counters derived from them.

FACE rows are the truth about faces, DECISION rows about human decisions. TAGGING rows, `persons` of a photo, counters
and cover faces are derived from them, and may be late (`reconcile`). A person is known by an id; the id of a merged
person leads to the person they became (`redirects`).
"""
