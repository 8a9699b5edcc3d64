"""Photos: read, edited, processed, listed, and linked to months, tags and albums.

A photo's own row decides what is shown and to whom. Every change is planned from the row as it was read, and written if
that is unchanged (`photo_rows`); the rows that lead to it follow, and may be late (`reconcile_links`).
"""
