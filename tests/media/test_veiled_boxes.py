"""What strangers are given of a file that is made of boxes: nothing that was not looked at."""

import io
import struct

import av
import pytest

from sparks.media import kinds
from sparks.media.veil import Patch, Veil
from tests.media.build import box
from tests.media.clips import clip_named, film
from tests.media.samples import sample
from tests.media.test_veil import veiled

SECRET = b"+51.5-000.1/"
HEAD = box(b"ftyp", b"isom" + bytes(8))


def track(handler: bytes, *more: bytes, within: bytes = b"") -> bytes:
    told = box(b"hdlr", bytes(8) + handler + bytes(13))
    return box(b"trak", box(b"tkhd", bytes(84)), box(b"mdia", told, box(b"minf", box(b"stbl", within))), *more)


def movie(*more: bytes) -> bytes:
    return box(b"moov", box(b"mvhd", bytes(100)), *more)


def frames_of(content: bytes) -> list[bytes]:
    with av.open(io.BytesIO(content), "r") as container:
        return [frame.to_ndarray().tobytes() for frame in container.decode(video=0)]


# -- Films


@pytest.mark.parametrize("name", ["h264.mp4", "h264.mov"])
def test_a_veiled_film_plays_as_before(name: str) -> None:
    content = clip_named(name)
    shown = veiled(content, kinds.MP4)
    assert shown is not None
    assert frames_of(shown) == frames_of(content)


def test_a_film_in_fragments_plays_as_before() -> None:
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
    shown = veiled(content, kinds.MP4)
    assert shown is not None
    assert frames_of(shown) == frames_of(content)


def test_tags_of_a_film_go() -> None:
    content = film("mov", "libx264", tags={"com.apple.quicktime.location.ISO6709": SECRET.decode()})
    assert SECRET in content
    shown = veiled(content, kinds.MOV)
    assert shown is not None
    assert SECRET not in shown


@pytest.mark.parametrize("trailer", [b"\x00", SECRET, box(b"free") + SECRET, struct.pack(">I", 99) + b"mdat" + SECRET])
def test_a_film_behind_whose_boxes_something_lies_is_given_to_nobody(trailer: bytes) -> None:
    assert veiled(sample("video/bikes.mp4"), kinds.MP4) is not None
    assert veiled(sample("video/bikes.mp4") + trailer, kinds.MP4) is None


def test_neither_is_one_with_more_boxes_than_anybody_looks_at() -> None:
    many = HEAD + movie(track(b"vide")) + box(b"free") * 5000
    assert veiled(many, kinds.MP4) is None
    assert veiled(many[: -8 * 2000], kinds.MP4) is not None


@pytest.mark.parametrize("kind", [b"free", b"skip", b"wide", b"uuid", b"meta", b"xyz "])
def test_boxes_that_playing_does_not_need_are_emptied_wherever_they_are(kind: bytes) -> None:
    told = box(kind, SECRET)
    inside = track(b"vide", told, within=told)
    content = HEAD + told + movie(inside, told) + box(b"moof", told, box(b"traf", told)) + box(b"mdat", b"film") + told
    shown = veiled(content, kinds.MP4)
    assert shown is not None
    assert len(shown) == len(content)
    assert SECRET not in shown
    assert shown.count(box(b"free", bytes(len(SECRET)))) == content.count(told) == 7
    assert box(b"mdat", b"film") in shown


@pytest.mark.parametrize("handler", [b"vide", b"soun", b"tmcd", b"pict", b"auxv"])
def test_tracks_of_film_sound_and_time_are_given(handler: bytes) -> None:
    assert veiled(HEAD + movie(track(b"vide"), track(handler)), kinds.MP4) is not None


@pytest.mark.parametrize("handler", [b"text", b"sbtl", b"subt", b"meta", b"mebx", b"camm", b"hint", bytes(4)])
def test_a_film_with_a_track_of_anything_else_is_given_to_nobody(handler: bytes) -> None:
    assert veiled(HEAD + movie(track(b"vide"), track(handler)), kinds.MP4) is None


def test_nor_is_one_whose_track_does_not_tell_what_it_is_or_does_so_twice() -> None:
    assert veiled(HEAD + movie(box(b"trak", box(b"tkhd", bytes(84)))), kinds.MP4) is None
    twice = box(b"trak", *[box(b"mdia", box(b"hdlr", bytes(8) + each + bytes(13))) for each in (b"vide", b"meta")])
    assert veiled(HEAD + movie(twice), kinds.MP4) is None
    assert veiled(HEAD + movie(track(b"vide")) * 2, kinds.MP4) is None


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
def test_whatever_is_no_picture_is_overwritten(kind: bytes) -> None:
    content = picture(kind=kind)
    assert SECRET in content
    shown = veiled(content, kinds.HEIC)
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
def test_where_an_item_cannot_be_found_nobody_is_given_the_picture(place: bytes) -> None:
    assert veiled(picture(place=place), kinds.HEIC) is None


def test_an_item_within_the_index_is_overwritten_there() -> None:
    told = box(b"idat", SECRET + b"rest")
    content = picture(told, place=struct.pack(">HHHHII", 7, 1, 0, 1, 0, len(SECRET)))
    shown = veiled(content, kinds.HEIC)
    assert shown is not None
    assert shown.count(SECRET) == content.count(SECRET) - 1
    assert b"rest" in shown


def test_boxes_that_a_picture_does_not_need_are_emptied_too() -> None:
    told = box(b"xml ", b"told")
    shown = veiled(picture(told, behind=box(b"free", b"told") + movie(track(b"pict", told))), kinds.HEIC)
    assert shown is not None
    assert b"told" not in shown


@pytest.mark.parametrize("behind", [SECRET, box(b"meta", bytes(4)), movie(track(b"meta"))])
def test_what_nobody_has_looked_at_is_given_to_nobody(behind: bytes) -> None:
    assert veiled(picture(), kinds.HEIC) is not None
    assert veiled(picture(behind=behind), kinds.HEIC) is None
    assert veiled(picture(SECRET), kinds.HEIC) is None


def test_a_real_picture_with_a_trailer_is_given_to_nobody() -> None:
    assert veiled(sample("formats/IMG_2682.heic") + SECRET, kinds.HEIC) is None


# -- Patches


def test_patches_that_overlap_hide_all_that_is_below_any_of_them() -> None:
    veil = Veil([Patch(10, 50), Patch(20, 30, b"x"), Patch(25, 60), Patch(70, 80)])
    content = b"s" * 100
    for step in (1, 7, 33, 100):
        shown = b"".join(veil.over(content[at : at + step], at) for at in range(0, 100, step))
        assert [at for at in range(100) if shown[at : at + 1] == b"s"] == [*range(10), *range(60, 70), *range(80, 100)]
