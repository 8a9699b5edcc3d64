"""Converts a file's metadata into the validated values that a photo's row keeps.

The metadata come from the sandbox, so their texts are cleaned again.
"""

from dataclasses import fields
from typing import Any, Final

from sparks.media.metadata import clean_text
from sparks.media.metadata.read_metadata import Metadata
from sparks.model.photo import EmbeddedMetadata, Exif

_PLAIN: Final = ("iso", "f_number", "focal_length", "focal_length_35mm", "exposure_bias", "flash", "rating")
_NAMES: Final = ("camera", "make", "model", "lens", "shutter_speed")


def embedded_metadata_of(metadata: Metadata) -> EmbeddedMetadata:
    return EmbeddedMetadata(
        title=clean_text.clean_title(metadata.title),
        description=clean_text.clean_paragraph(metadata.description),
        keywords=clean_text.clean_keywords(metadata.keywords),
        taken_at=metadata.taken_at,
        taken_offset=metadata.taken_offset,
        exif=_exif(metadata),
        location=metadata.location,
    )


def _exif(metadata: Metadata) -> Exif | None:
    """None where the file holds no EXIF value."""
    plain: dict[str, Any] = {name: getattr(metadata, name) for name in _PLAIN}
    names: dict[str, Any] = {name: clean_text.clean_line(getattr(metadata, name)) for name in _NAMES}
    exif = Exif(
        **plain,
        **names,
        orientation=metadata.orientation if metadata.orientation > 1 else None,
        taken_from=None if metadata.taken_from is None else metadata.taken_from.value,
    )
    known = (getattr(exif, field.name) for field in fields(exif) if field.name != "extra")
    return None if all(value is None for value in known) else exif
