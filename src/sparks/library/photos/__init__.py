"""Photos: found, changed by people and by the pipeline, and counted where they can be found.

A photo's own row decides what is shown and to whom. Whatever changes it is planned from what was read and written if
that is still so (`writing`); the rows that lead to it follow, and may be late (`settling`).
"""

from sparks.library.photos.adjustment import Adjustment
from sparks.library.photos.albums import albums_holding
from sparks.library.photos.changing import adjust_photo, edit_photo, restore_photo, retag_photo, trash_photo
from sparks.library.photos.edit import KEPT, Edit
from sparks.library.photos.favourites import favourites_among, favourites_between, set_favourite, unset_favourite
from sparks.library.photos.finding import find_photo, get_photo, read_photo
from sparks.library.photos.links import links_of
from sparks.library.photos.listing import (
    ItemPage,
    Sees,
    list_brought,
    list_favourites,
    list_newest_in,
    list_photos,
    list_queue,
)
from sparks.library.photos.processing import (
    Made,
    Told,
    add_rendition,
    begin_processing,
    drop_motion,
    fail_processing,
    finish_processing,
    retry_processing,
)
from sparks.library.photos.settling import settle_links
from sparks.library.photos.words import (
    checked_alt_text,
    checked_description,
    checked_tags,
    checked_title,
    tag_key,
    usable_tags,
)
from sparks.library.photos.writing import NO_PHOTO

__all__ = [
    "KEPT",
    "NO_PHOTO",
    "Adjustment",
    "Edit",
    "ItemPage",
    "Made",
    "Sees",
    "Told",
    "add_rendition",
    "adjust_photo",
    "albums_holding",
    "begin_processing",
    "checked_alt_text",
    "checked_description",
    "checked_tags",
    "checked_title",
    "drop_motion",
    "edit_photo",
    "fail_processing",
    "favourites_among",
    "favourites_between",
    "find_photo",
    "finish_processing",
    "get_photo",
    "links_of",
    "list_brought",
    "list_favourites",
    "list_newest_in",
    "list_photos",
    "list_queue",
    "read_photo",
    "restore_photo",
    "retag_photo",
    "retry_processing",
    "set_favourite",
    "settle_links",
    "tag_key",
    "trash_photo",
    "unset_favourite",
    "usable_tags",
]
