"""Tags: how many photos have each, which ones, and another name for one of them."""

from sparks.library.tags.listing import list_tagged, list_tags, tags_beginning
from sparks.library.tags.renaming import begin_renaming, find_change, rename_some

__all__ = ["begin_renaming", "find_change", "list_tagged", "list_tags", "rename_some", "tags_beginning"]
