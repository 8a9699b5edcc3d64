"""How each kind of file carries its metadata: readers that are bounded, never raise, and copy next to nothing.

They look at bytes that anybody may have written. What lies outside the file, does not fit or makes no sense is absent;
numbers of entries and lengths of values have caps, so that a file of any size costs about the same.
"""
