"""What is done to many photos alike: tags that come and go, and who sees them.

It asks for no version: a tag that comes or goes means the same whatever else was changed meanwhile.
"""

from dataclasses import dataclass, replace

from sparks.library.photos.words import MOST_TAGS, checked_tags, tag_key
from sparks.model.errors import BadInput
from sparks.model.photo import Photo, Visibility


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjustment:
    """Tags go before others come, so that one can be written another way; either whatever its case. BadInput for a tag
    to add that no photo can have. No visibility: as it is.
    """

    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()
    visibility: Visibility | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "add_tags", checked_tags(self.add_tags))

    @property
    def is_empty(self) -> bool:
        return not self.add_tags and not self.remove_tags and self.visibility is None

    def applied_to(self, photo: Photo) -> Photo:
        """BadInput where the photo would have more tags than it may. One from elsewhere that has too many can lose
        some.
        """
        return replace(photo, tags=self._tags(photo.tags), visibility=self.visibility or photo.visibility)

    def _tags(self, tags: tuple[str, ...]) -> tuple[str, ...]:
        going = {_key(tag) for tag in self.remove_tags}
        kept = [tag for tag in tags if tag in self.add_tags or _key(tag) not in going]
        had = {_key(tag) for tag in kept}
        coming = [tag for tag in self.add_tags if _key(tag) not in had]
        if coming and len(kept) + len(coming) > MOST_TAGS:
            raise BadInput(f"a photo has at most {MOST_TAGS} tags, and this one would have {len(kept) + len(coming):,}")
        return (*kept, *coming)


def _key(tag: str) -> str:
    """A tag from elsewhere may be one that no list can hold: it goes by what it is."""
    return tag_key(tag) or tag
