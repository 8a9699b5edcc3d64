"""Stripping metadata from files made of boxes; a file with an unknown layout is refused."""

import io
import struct

import av
import pytest

from sparks.media import file_types
from sparks.media.strip_metadata import Patch, PatchSet
from tests.media.clips import clip_named, make_clip
from tests.media.container_builders import box
from tests.media.samples import sample
from tests.media.test_strip_metadata import patched

SECRET = b"+51.5-000.1/"
HEAD = box(b"ftyp", b"isom" + bytes(8))


def track(handler: bytes, *more: bytes, within: bytes = b"") -> bytes:
    metadata = box(b"hdlr", bytes(8) + handler + bytes(13))
    return box(b"trak", box(b"tkhd", bytes(84)), box(b"mdia", metadata, box(b"minf", box(b"stbl", within))), *more)


def movie(*more: bytes) -> bytes:
    return box(b"moov", box(b"mvhd", bytes(100)), *more)


def frames_of(content: bytes) -> list[bytes]:
    with av.open(io.BytesIO(content), "r") as container:
        return [frame.to_ndarray().tobytes() for frame in container.decode(video=0)]


# -- Films


@pytest.mark.parametrize("name", ["h264.mp4", "h264.mov"])
def test_a_stripped_video_plays_as_before(name: str) -> None:
    content = clip_named(name)
    shown = patched(content, file_types.MP4)
    assert shown is not None
    assert frames_of(shown) == frames_of(content)


def test_a_stripped_fragmented_video_plays_as_before() -> None:
    file = io.BytesIO()
    with (
        av.open(io.BytesIO(clip_named("h264.mp4")), "r") as source,
        av.open(file, "w", format="mp4", options={"movflags": "frag_keyframe+empty_moov"}) as target,
    ):
        stream = target.add_stream_from_template(source.streams.video[0])
        for packet in source.demux(source.streams.video[0]):
            if packet.dts is not None:
                packet.stream = stream
                target.mux(packet)
    content = file.getvalue()
    assert b"moof" in content
    shown = patched(content, file_types.MP4)
    assert shown is not None
    assert frames_of(shown) == frames_of(content)


def test_tags_of_a_video_are_stripped() -> None:
    content = make_clip("mov", "libx264", tags={"com.apple.quicktime.location.ISO6709": SECRET.decode()})
    assert SECRET in content
    shown = patched(content, file_types.MOV)
    assert shown is not None
    assert SECRET not in shown


@pytest.mark.parametrize("trailer", [b"\x00", SECRET, box(b"free") + SECRET, struct.pack(">I", 99) + b"mdat" + SECRET])
def test_a_video_with_bytes_outside_its_boxes_has_no_patches(trailer: bytes) -> None:
    assert patched(sample("video/bikes.mp4"), file_types.MP4) is not None
    assert patched(sample("video/bikes.mp4") + trailer, file_types.MP4) is None


def test_a_video_with_too_many_boxes_has_no_patches() -> None:
    many = HEAD + movie(track(b"vide")) + box(b"free") * 5000
    assert patched(many, file_types.MP4) is None
    assert patched(many[: -8 * 2000], file_types.MP4) is not None


@pytest.mark.parametrize("kind", [b"free", b"skip", b"wide", b"uuid", b"meta", b"xyz "])
def test_boxes_that_playback_does_not_need_are_emptied(kind: bytes) -> None:
    metadata = box(kind, SECRET)
    inside = track(b"vide", metadata, within=metadata)
    content = (
        HEAD
        + metadata
        + movie(inside, metadata)
        + box(b"moof", metadata, box(b"traf", metadata))
        + box(b"mdat", b"film")
        + metadata
    )
    shown = patched(content, file_types.MP4)
    assert shown is not None
    assert len(shown) == len(content)
    assert SECRET not in shown
    assert shown.count(box(b"free", bytes(len(SECRET)))) == content.count(metadata) == 7
    assert box(b"mdat", b"film") in shown


@pytest.mark.parametrize("handler", [b"vide", b"soun", b"tmcd", b"pict", b"auxv"])
def test_video_audio_and_timecode_tracks_are_kept(handler: bytes) -> None:
    assert patched(HEAD + movie(track(b"vide"), track(handler)), file_types.MP4) is not None


@pytest.mark.parametrize("handler", [b"text", b"sbtl", b"subt", b"meta", b"mebx", b"camm", b"hint", bytes(4)])
def test_a_video_with_any_other_track_has_no_patches(handler: bytes) -> None:
    assert patched(HEAD + movie(track(b"vide"), track(handler)), file_types.MP4) is None


def test_a_video_with_a_track_without_exactly_one_handler_has_no_patches() -> None:
    assert patched(HEAD + movie(box(b"trak", box(b"tkhd", bytes(84)))), file_types.MP4) is None
    twice = box(b"trak", *[box(b"mdia", box(b"hdlr", bytes(8) + each + bytes(13))) for each in (b"vide", b"meta")])
    assert patched(HEAD + movie(twice), file_types.MP4) is None
    assert patched(HEAD + movie(track(b"vide")) * 2, file_types.MP4) is None


# -- Pictures


def picture(*more: bytes, kind: bytes = b"Exif\x00", place: bytes | None = None, behind: bytes = b"") -> bytes:
    """A HEIF file with an item that is no picture, whose bytes are at the start of the last box."""
    entry = box(b"infe", b"\x02\x00\x00\x00" + struct.pack(">HH", 7, 0) + kind + b"\x00")
    names = box(b"iinf", bytes(4) + struct.pack(">H", 1), entry)

    def whole(at: int) -> bytes:
        rows = struct.pack(">HHHHII", 7, 0, 0, 1, at, len(SECRET)) if place is None else place
        places = box(b"iloc", b"\x01\x00\x00\x00\x44\x00" + struct.pack(">H", 1 if rows else 0) + rows)
        index = names if place == b"no table" else names + places
        return box(b"ftyp", b"heic" + bytes(8)) + box(b"meta", bytes(4), index, *more)

    start = len(whole(0)) + 8
    return whole(start) + box(b"mdat", SECRET) + behind


@pytest.mark.parametrize(
    "kind", [b"Exif\x00", b"mime\x00application/rdf+xml\x00", b"mime\x00\x00", b"uri \x00urn:x\x00"]
)
def test_items_that_are_no_pictures_are_overwritten(kind: bytes) -> None:
    content = picture(kind=kind)
    assert SECRET in content
    shown = patched(content, file_types.HEIC)
    assert shown is not None
    assert SECRET not in shown


@pytest.mark.parametrize(
    "place",
    [
        b"no table",
        b"",
        struct.pack(">HHHHII", 8, 0, 0, 1, 20, 12),  # of another item
        struct.pack(">HHHH", 7, 0, 0, 0),  # without a piece
        struct.pack(">HHHHII", 7, 0, 0, 2, 20, 6),  # the second piece is cut off
        struct.pack(">HHHH", 7, 0, 0, 17) + struct.pack(">II", 20, 1) * 17,
        struct.pack(">HHHHII", 7, 1, 0, 1, 0, 12),  # in a box that is not there
        struct.pack(">HHHHII", 7, 2, 0, 1, 0, 12),  # in another item
    ],
)
def test_a_picture_with_an_item_that_cannot_be_located_has_no_patches(place: bytes) -> None:
    assert patched(picture(place=place), file_types.HEIC) is None


def test_an_item_stored_in_idat_is_overwritten_there() -> None:
    metadata = box(b"idat", SECRET + b"rest")
    content = picture(metadata, place=struct.pack(">HHHHII", 7, 1, 0, 1, 0, len(SECRET)))
    shown = patched(content, file_types.HEIC)
    assert shown is not None
    assert shown.count(SECRET) == content.count(SECRET) - 1
    assert b"rest" in shown


def test_boxes_that_a_picture_does_not_need_are_emptied() -> None:
    metadata = box(b"xml ", b"told")
    shown = patched(picture(metadata, behind=box(b"free", b"told") + movie(track(b"pict", metadata))), file_types.HEIC)
    assert shown is not None
    assert b"told" not in shown


@pytest.mark.parametrize("behind", [SECRET, box(b"meta", bytes(4)), movie(track(b"meta"))])
def test_a_picture_with_an_unknown_layout_has_no_patches(behind: bytes) -> None:
    assert patched(picture(), file_types.HEIC) is not None
    assert patched(picture(behind=behind), file_types.HEIC) is None
    assert patched(picture(SECRET), file_types.HEIC) is None


def test_a_real_picture_with_a_trailer_has_no_patches() -> None:
    assert patched(sample("formats/IMG_2682.heic") + SECRET, file_types.HEIC) is None


# -- Patches


def test_overlapping_patches_hide_all_original_bytes() -> None:
    patches = PatchSet([Patch(10, 50), Patch(20, 30, b"x"), Patch(25, 60), Patch(70, 80)])
    content = b"s" * 100
    for step in (1, 7, 33, 100):
        shown = b"".join(patches.over(content[at : at + step], at) for at in range(0, 100, step))
        assert [at for at in range(100) if shown[at : at + 1] == b"s"] == [*range(10), *range(60, 70), *range(80, 100)]
