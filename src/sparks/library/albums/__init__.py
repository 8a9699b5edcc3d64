"""Albums: created, shared with members, filled with photos, and deleted without deleting photos.

A row in the photo's partition puts it into an album; the photo's own row names its albums too, and decides who sees it.
Months, persons and counters follow from that (`photos.reconcile_links`, `people.reconcile`).
"""
