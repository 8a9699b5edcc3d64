"""Metadata in the container tags of a video."""

from collections.abc import Mapping
from typing import Final

from sparks.media.metadata import clean_text
from sparks.media.metadata.capture_time import CaptureTime, TakenFrom, read_time
from sparks.media.metadata.location import iso_6709
from sparks.media.metadata.partial_metadata import PartialMetadata

APPLE: Final = "com.apple.quicktime."
ANDROID: Final = "com.android."


def read_tags(tags: Mapping[str, str]) -> PartialMetadata:
    """Reads tags by the names that FFmpeg gives to those of Apple, Android, MP4, Matroska and AVI."""
    named = {name.lower(): text for name, text in list(tags.items())[:200]}
    keywords = (named.get(APPLE + "keywords") or named.get("keywords") or "").replace(";", ",").split(",")
    return PartialMetadata(
        taken=_taken(named),
        make=clean_text.clean_line(
            named.get(APPLE + "make") or named.get(ANDROID + "manufacturer") or named.get("make")
        ),
        model=clean_text.clean_line(named.get(APPLE + "model") or named.get(ANDROID + "model") or named.get("model")),
        location=iso_6709(named.get(APPLE + "location.iso6709") or named.get("location")),
        title=clean_text.clean_title(named.get(APPLE + "title") or named.get("title")),
        description=clean_text.clean_paragraph(
            named.get(APPLE + "description") or named.get("description") or named.get("comment")
        ),
        keywords=clean_text.clean_keywords(keywords),
    )


def _taken(named: Mapping[str, str]) -> CaptureTime | None:
    """The capture time. Apple's tag has the local offset; `creation_time` is read as UTC.

    Some cameras write local time into `creation_time`; they cannot be distinguished.
    """
    local = read_time(named.get(APPLE + "creationdate"), TakenFrom.QUICKTIME)
    return (
        local
        or read_time(_without_offset(named.get("creation_time")), TakenFrom.QUICKTIME)
        or read_time(named.get("date"), TakenFrom.QUICKTIME)
    )


def _without_offset(text: str | None) -> str | None:
    """Removes the `Z` of a UTC time, which would be read as the local offset +00:00."""
    return None if text is None else text.removesuffix("Z")
