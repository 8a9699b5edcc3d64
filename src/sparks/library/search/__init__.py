"""What search knows of the table: documents made from rows, a log of what has changed, and an index that follows it."""

from sparks.library.search.documents import camera_facet, document_of, seen_by, theirs, wanted_tag
from sparks.library.search.index import SearchIndex
from sparks.library.search.noting import NotedTable

__all__ = ["NotedTable", "SearchIndex", "camera_facet", "document_of", "seen_by", "theirs", "wanted_tag"]
