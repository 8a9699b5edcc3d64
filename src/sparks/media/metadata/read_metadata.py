"""Reads all metadata of a picture or video, and combines its blocks.

Broken metadata raise no error; the readable values are kept.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from sparks.media import file_types
from sparks.media.containers.blocks import UPRIGHT
from sparks.media.containers.find_blocks import find_blocks
from sparks.media.file_types import FileType
from sparks.media.metadata import clean_text
from sparks.media.metadata.capture_time import CaptureTime, TakenFrom, with_offset_from
from sparks.media.metadata.exif import read_exif
from sparks.media.metadata.iptc import read_iptc
from sparks.media.metadata.partial_metadata import PartialMetadata
from sparks.media.metadata.quicktime import read_tags
from sparks.media.metadata.xmp import read_xmp
from sparks.model.photo import Location
from sparks.model.times import zone

SELF_ROTATING: Final = frozenset({file_types.HEIC, file_types.HEIF, file_types.AVIF})
COMPANY_WORDS: Final = frozenset(
    {"corporation", "corp.", "corp", "company", "co.", "co.,ltd.", "ltd.", "inc.", "imaging", "optical"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """Metadata of a file; None where it holds no such value. `VideoInfo` has the duration and codecs of a video.

    `taken_at` is in UTC; without `taken_offset` it is the camera's clock read as UTC. `orientation` is the EXIF
    orientation of the stored pixels (1 to 8); decoders rotate HEIC and AVIF themselves, so theirs is 1. `width` and
    `height` are those of the stored pixels, and None where only a decoder knows them.
    """

    taken_at: datetime | None = None
    taken_offset: str | None = None
    taken_from: TakenFrom | None = None
    camera: str | None = None  # make and model in one name: Canon EOS 5D
    make: str | None = None
    model: str | None = None
    lens: str | None = None
    iso: int | None = None
    shutter_speed: str | None = None  # seconds: 1/250
    f_number: float | None = None
    focal_length: float | None = None  # millimeters
    focal_length_35mm: int | None = None
    exposure_bias: float | None = None
    flash: bool | None = None  # whether it fired
    location: Location | None = None
    orientation: int = UPRIGHT
    rating: int | None = None  # 1 to 5
    title: str | None = None
    description: str | None = None
    keywords: tuple[str, ...] = ()
    width: int | None = None
    height: int | None = None


def read_metadata(content: bytes | memoryview, kind: FileType) -> Metadata:
    """The metadata of a picture; no content raises an error."""
    blocks = find_blocks(content, kind)
    exif = read_exif(blocks.exif) if blocks.exif is not None else PartialMetadata()
    xmp = read_xmp(blocks.xmp) if blocks.xmp is not None else PartialMetadata()
    iptc = read_iptc(blocks.iptc) if blocks.iptc is not None else PartialMetadata()
    return replace(
        combine((exif, xmp, iptc), edited=(xmp, iptc, exif)),
        orientation=UPRIGHT if kind in SELF_ROTATING else blocks.orientation,
        width=blocks.width or None,
        height=blocks.height or None,
    )


def read_video_metadata(tags: Mapping[str, str]) -> Metadata:
    """The metadata of a video, from the tags of its container."""
    blocks = [read_tags(tags)]
    return combine(blocks, edited=blocks)


def combine(found: Sequence[PartialMetadata], *, edited: Sequence[PartialMetadata]) -> Metadata:
    """Combines blocks: the first block with a value wins, in the order of `found` for facts and of `edited` for texts.

    Keywords of all blocks are joined.
    """
    taken = _taken(found)
    make, model = _first(found, "make"), _first(found, "model")
    return Metadata(
        taken_at=None if taken is None else taken.at,
        taken_offset=None if taken is None else taken.offset,
        taken_from=None if taken is None else taken.source,
        camera=camera_name(make, model),
        make=make,
        model=model,
        lens=_first(found, "lens"),
        iso=_first(found, "iso"),
        shutter_speed=shutter_speed(_first(found, "exposure_time")),
        f_number=_first(found, "f_number"),
        focal_length=_first(found, "focal_length"),
        focal_length_35mm=_first(found, "focal_length_35mm"),
        exposure_bias=_first(found, "exposure_bias"),
        flash=_first(found, "flash"),
        location=_first(found, "location"),
        rating=_first(edited, "rating"),
        title=_first(edited, "title"),
        description=_first(edited, "description"),
        keywords=clean_text.clean_keywords(keyword for each in edited for keyword in each.keywords),
    )


def _first(found: Sequence[PartialMetadata], name: str) -> Any:
    return next((value for each in found if (value := getattr(each, name)) is not None), None)


def _taken(found: Sequence[PartialMetadata]) -> CaptureTime | None:
    """The capture time with its offset: the camera's own, that of the same time in XMP, or that of the GPS time."""
    gps_time = _first(found, "gps_time")
    taken: CaptureTime | None = _first(found, "taken")
    if taken is None:
        return None if gps_time is None else CaptureTime(gps_time, None, TakenFrom.GPS)
    for each in found:
        other = each.taken
        if taken.offset is None and other is not None and other.offset is not None and other.source is TakenFrom.XMP:
            ahead = zone(other.offset).utcoffset(None)
            if abs(other.at + ahead - taken.at) < timedelta(seconds=1):
                return replace(taken, at=taken.at - ahead, offset=other.offset)
    return with_offset_from(taken, gps_time)


def camera_name(make: str | None, model: str | None) -> str | None:
    """`Canon` and `Canon EOS 5D` give `Canon EOS 5D`; `OLYMPUS IMAGING CORP.` and `E-P3` give `OLYMPUS E-P3`."""
    if make is None or model is None:
        return model or make
    maker = make.split()
    if model.casefold().startswith(tuple(word.casefold() for word in maker if word.casefold() not in COMPANY_WORDS)):
        return model
    brand = " ".join(word for word in maker if word.casefold() not in COMPANY_WORDS)
    return clean_text.clean_line(f"{brand} {model}")


def shutter_speed(seconds: float | None) -> str | None:
    """`1/250` or, from a quarter of a second on, `0.5` and `30`."""
    if seconds is None:
        return None
    return f"1/{round(1 / seconds)}" if seconds <= 0.25 else f"{seconds:.1f}".removesuffix(".0")
