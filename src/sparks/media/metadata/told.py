"""What a photo's row keeps of a file's metadata. They come from a jail, so that their words are looked at once more."""

from dataclasses import fields
from typing import Any, Final

from sparks.library.photos import Told
from sparks.media.metadata import words
from sparks.media.metadata.read import Metadata
from sparks.model.photo import Exif

_PLAIN: Final = ("iso", "f_number", "focal_length", "focal_length_35mm", "exposure_bias", "flash", "rating")
_NAMES: Final = ("camera", "make", "model", "lens", "shutter_speed")


def told_by(metadata: Metadata) -> Told:
    return Told(
        title=words.name(metadata.title, words.MOST_TITLE),
        description=words.passage(metadata.description),
        keywords=words.names(metadata.keywords),
        taken_at=metadata.taken_at,
        taken_offset=metadata.taken_offset,
        exif=_exif(metadata),
        location=metadata.location,
    )


def _exif(metadata: Metadata) -> Exif | None:
    """None where nothing is known."""
    plain: dict[str, Any] = {name: getattr(metadata, name) for name in _PLAIN}
    names: dict[str, Any] = {name: words.name(getattr(metadata, name)) for name in _NAMES}
    exif = Exif(
        **plain,
        **names,
        orientation=metadata.orientation if metadata.orientation > 1 else None,
        taken_from=None if metadata.taken_from is None else metadata.taken_from.value,
    )
    known = (getattr(exif, field.name) for field in fields(exif) if field.name != "extra")
    return None if all(value is None for value in known) else exif
