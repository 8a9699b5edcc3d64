"""Zip archives of photos, planned first and made while they are sent.

1. `plan_archive` plans the entries. `file_choice` gives each photo a file and a name, and each entry gets a slot of
   known size, so the length of the archive is known. `plan_store` stores the plan, so that every request gets the
   same bytes.
2. `archive_reader` makes any range of bytes from the plan and the blobs of the photos, in the format of `zip_format`.
   `entry_states` stores the checksum of each entry, or that its file is gone, so that a resumed download need not
   read the entries again.
"""
