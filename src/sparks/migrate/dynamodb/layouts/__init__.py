"""Layouts of tables that are known, and which of them items belong to."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from sparks.migrate.dynamodb.items import Item
from sparks.migrate.dynamodb.layouts.face_gallery import FaceGallery
from sparks.migrate.dynamodb.layouts.image_metadata import ImageMetadata
from sparks.migrate.dynamodb.layouts.port import Layout
from sparks.migrate.dynamodb.layouts.prefixed_table import PrefixedTable
from sparks.migrate.dynamodb.layouts.single_table import SingleTable
from sparks.migrate.dynamodb.layouts.user_photos import UserPhotos
from sparks.model.errors import BadInput

LAYOUTS: Final[Mapping[str, type[Layout]]] = {
    "000": SingleTable,
    "001": PrefixedTable,
    "002": FaceGallery,
    "003": UserPhotos,
    "004": ImageMetadata,
}


def recognized(items: Iterable[Item], key_names: Iterable[frozenset[str]] = ()) -> str:
    """The name of the layout by the keys of its tables and by its items; BadInput where that is not clear."""
    by_keys = [{name for name, each in LAYOUTS.items() if keys in each.KEYS} for keys in key_names]
    possible = set.intersection(*by_keys) if by_keys else set(LAYOUTS)
    if len(possible) > 1:
        votes = Counter(name for item in items for name in possible if LAYOUTS[name].claims(item))
        possible = set(votes)
    if len(possible) == 1:
        return possible.pop()
    found = f"could be {' or '.join(sorted(possible))}" if possible else "are of none that Sparks knows"
    raise BadInput(f"the layout of these tables is not clear, they {found}: tell it with --layout 000 to 004")
