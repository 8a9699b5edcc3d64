"""What a video says about itself, in the tags of its container."""

from collections.abc import Mapping
from typing import Final

from sparks.media.metadata import words
from sparks.media.metadata.found import Found
from sparks.media.metadata.place import iso_6709
from sparks.media.metadata.taken import Taken, TakenFrom, read_time

APPLE: Final = "com.apple.quicktime."
ANDROID: Final = "com.android."


def read_tags(tags: Mapping[str, str]) -> Found:
    """The names are those that FFmpeg gives them: Apple's own, and those of MP4, Matroska and AVI."""
    named = {name.lower(): text for name, text in list(tags.items())[:200]}
    keywords = (named.get(APPLE + "keywords") or named.get("keywords") or "").replace(";", ",").split(",")
    return Found(
        taken=_taken(named),
        make=words.name(named.get(APPLE + "make") or named.get(ANDROID + "manufacturer") or named.get("make")),
        model=words.name(named.get(APPLE + "model") or named.get(ANDROID + "model") or named.get("model")),
        location=iso_6709(named.get(APPLE + "location.iso6709") or named.get("location")),
        title=words.name(named.get(APPLE + "title") or named.get("title"), words.MOST_TITLE),
        description=words.passage(named.get(APPLE + "description") or named.get("description") or named.get("comment")),
        keywords=words.names(keywords),
    )


def _taken(named: Mapping[str, str]) -> Taken | None:
    """Apple's tag has the offset of the place. `creation_time` is UTC: cameras that write their clock there cannot be
    told from those that do it right."""
    local = read_time(named.get(APPLE + "creationdate"), TakenFrom.QUICKTIME)
    return (
        local
        or read_time(_without_offset(named.get("creation_time")), TakenFrom.QUICKTIME)
        or read_time(named.get("date"), TakenFrom.QUICKTIME)
    )


def _without_offset(text: str | None) -> str | None:
    """Where nobody knows the place's offset, none is told: `Z` would be read as a place at Greenwich."""
    return None if text is None else text.removesuffix("Z")
