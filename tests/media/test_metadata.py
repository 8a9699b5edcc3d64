"""Metadata from blocks made by hand: which source wins, what is absent, and what broken ones cost."""

import struct
import zlib
from datetime import UTC, datetime

import pytest

from sparks.media import kinds
from sparks.media.kinds import Kind
from sparks.media.metadata.read import Metadata, camera_name, read_metadata, read_video_metadata, shutter_speed
from sparks.media.metadata.taken import TakenFrom
from tests.media.build import (
    BYTE,
    LONG,
    RATIONAL,
    SHORT,
    TEXT,
    UNDEFINED,
    box,
    exif,
    gradient,
    png_chunk,
    saved,
    tiff,
    with_chunk,
    with_exif,
    with_segments,
    with_xmp,
)

JPEG = saved(gradient(8, 8), "JPEG")
EXPOSURE = {
    0x829A: (RATIONAL, [(1, 250)]),
    0x829D: (RATIONAL, [(28, 10)]),
    0x8827: (SHORT, 400),
    0x9003: (TEXT, "2021:05:06 07:08:09"),
    0x9011: (TEXT, "+02:00"),
    0x9291: (TEXT, "25"),
    0x9209: (SHORT, 1),
    0x920A: (RATIONAL, [(50, 1)]),
    0xA405: (SHORT, 75),
    0xA434: (TEXT, "A lens"),
}
PLACE = {
    1: (TEXT, "S"),
    2: (RATIONAL, [(33, 1), (51, 1), (30, 1)]),
    3: (TEXT, "E"),
    4: (RATIONAL, [(151, 1), (12, 1), (0, 1)]),
    5: (BYTE, 1),
    6: (RATIONAL, [(5, 2)]),
}
MAIN = {0x010F: (TEXT, "Canon"), 0x0110: (TEXT, "Canon EOS 5D"), 0x0112: (SHORT, 6), 0x4746: (SHORT, 4)}
BLOCK = exif(MAIN, EXPOSURE, PLACE)

NAMESPACES = (
    'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/" '
    'xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:exif="http://ns.adobe.com/exif/1.0/" '
    'xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" xmlns:lr="http://ns.adobe.com/lightroom/1.0/"'
)


def rdf(attributes: str = "", inside: str = "") -> bytes:
    return f"<rdf:RDF {NAMESPACES}><rdf:Description {attributes}>{inside}</rdf:Description></rdf:RDF>".encode()


def bag(name: str, *values: str) -> str:
    elements = "".join(f"<rdf:li>{value}</rdf:li>" for value in values)
    return f"<{name}><rdf:Bag>{elements}</rdf:Bag></{name}>"


def read(content: bytes, kind: Kind = kinds.JPEG) -> Metadata:
    return read_metadata(content, kind)


def check_all(metadata: Metadata) -> None:
    assert metadata.taken_at == datetime(2021, 5, 6, 5, 8, 9, 250_000, UTC)
    assert (metadata.taken_offset, metadata.taken_from) == ("+02:00", TakenFrom.EXIF)
    assert (metadata.camera, metadata.lens) == ("Canon EOS 5D", "A lens")
    assert (metadata.iso, metadata.shutter_speed, metadata.f_number) == (400, "1/250", 2.8)
    assert (metadata.focal_length, metadata.focal_length_35mm, metadata.flash) == (50.0, 75, True)
    assert metadata.rating == 4
    assert metadata.location is not None
    assert metadata.location.latitude == pytest.approx(-33.8583333)
    assert metadata.location.longitude == pytest.approx(151.2)
    assert metadata.location.altitude == -2.5


# -- Where EXIF may be


def heif_with_exif(block: bytes) -> bytes:
    """An Exif item, told of by `iinf` and found through `iloc`."""
    item = b"\x00\x00\x00\x00" + block
    entry = box(b"infe", b"\x02\x00\x00\x00", struct.pack(">HH", 1, 0), b"Exif", b"\x00")
    iinf = box(b"iinf", b"\x00\x00\x00\x00", struct.pack(">H", 1), entry)
    start = box(b"ftyp", b"heic", b"\x00\x00\x00\x00")

    def meta(offset: int) -> bytes:
        location = struct.pack(">HHHHHII", 0x4400, 1, 1, 0, 1, offset, len(item))
        return box(b"meta", b"\x00\x00\x00\x00", iinf, box(b"iloc", b"\x00\x00\x00\x00", location))

    offset = len(start) + len(meta(0)) + 8
    return start + meta(offset) + box(b"mdat", item)


def cr3(block_main: bytes, block_exposure: bytes, block_place: bytes) -> bytes:
    canon = bytes.fromhex("85c0b687820f11e08111f4ce462b6a48")
    inside = box(b"CMT1", block_main) + box(b"CMT2", block_exposure) + box(b"CMT4", block_place)
    return box(b"ftyp", b"crx ", b"\x00\x00\x00\x01") + box(b"moov", box(b"uuid", canon, inside))


def raf(jpeg: bytes) -> bytes:
    return b"FUJIFILMCCD-RAW ".ljust(84, b"\x00") + struct.pack(">II", 92, len(jpeg)) + jpeg


IN_FRONT = with_exif(JPEG, BLOCK)
PNG = saved(gradient(8, 8), "PNG")
WEBP = saved(gradient(8, 8), "WEBP", exif=BLOCK)
PLACES = [
    (kinds.JPEG, IN_FRONT),
    (kinds.JPEG, with_exif(JPEG, exif(MAIN, EXPOSURE, PLACE, order=">"))),
    (kinds.PNG, with_chunk(PNG, b"eXIf", BLOCK)),
    (kinds.PNG, with_chunk(PNG, b"tEXt", b"Raw profile type exif\x00\nexif\n  9\n" + BLOCK.hex().encode())),
    (kinds.WEBP, WEBP),
    (kinds.TIFF, BLOCK),
    (kinds.NEF, BLOCK),
    (kinds.ORF, exif(MAIN, EXPOSURE, PLACE, magic=0x4F52)),
    (kinds.RW2, tiff({0x2E: (UNDEFINED, IN_FRONT)}, magic=0x55)),
    (kinds.RAF, raf(IN_FRONT)),
    (kinds.HEIC, heif_with_exif(BLOCK)),
    (kinds.AVIF, heif_with_exif(b"Exif\x00\x00" + BLOCK)),
    (kinds.CR3, cr3(tiff(MAIN), tiff(EXPOSURE), tiff(PLACE))),
    (kinds.JXL, box(b"JXL ", b"\r\n\x87\n") + box(b"Exif", b"\x00\x00\x00\x00" + BLOCK)),
]


@pytest.mark.parametrize(("kind", "content"), PLACES, ids=lambda value: value.name if isinstance(value, Kind) else "")
def test_exif_is_found_wherever_the_kind_keeps_it(kind: Kind, content: bytes) -> None:
    metadata = read(content, kind)
    check_all(metadata)
    assert metadata.orientation == (1 if kind in (kinds.HEIC, kinds.AVIF) else 6)


# -- Which source wins


def test_the_cameras_own_time_beats_what_programs_wrote() -> None:
    content = with_exif(with_xmp(JPEG, rdf('photoshop:DateCreated="2001-01-01T00:00:00Z"')), BLOCK)
    assert read(content).taken_from is TakenFrom.EXIF


def test_a_program_tells_the_offset_of_the_time_that_the_camera_wrote() -> None:
    block = exif({}, {0x9003: (TEXT, "2021:05:06 07:08:09")})
    same = with_exif(with_xmp(JPEG, rdf('photoshop:DateCreated="2021-05-06T07:08:09+09:00"')), block)
    assert (read(same).taken_at, read(same).taken_offset) == (datetime(2021, 5, 5, 22, 8, 9, tzinfo=UTC), "+09:00")
    other = with_exif(with_xmp(JPEG, rdf('photoshop:DateCreated="2021-05-06T08:08:09+09:00"')), block)
    assert read(other).taken_offset is None


def test_the_digitized_time_counts_where_the_original_is_absent() -> None:
    block = exif({}, {0x9003: (TEXT, "    :  :     :  :  "), 0x9004: (TEXT, "2021:05:06 07:08:09")})
    assert read(with_exif(JPEG, block)).taken_at == datetime(2021, 5, 6, 7, 8, 9, tzinfo=UTC)


def test_when_a_file_was_changed_is_not_when_it_was_taken() -> None:
    assert read(with_exif(JPEG, exif({0x0132: (TEXT, "2021:05:06 07:08:09")}))).taken_at is None


def test_the_satellites_time_is_the_last_resort_in_a_picture() -> None:
    place = {7: (RATIONAL, [(7, 1), (8, 1), (9, 1)]), 29: (TEXT, "2021:05:06")}
    metadata = read(with_exif(JPEG, exif({}, {}, place)))
    assert metadata.taken_at == datetime(2021, 5, 6, 7, 8, 9, tzinfo=UTC)
    assert (metadata.taken_offset, metadata.taken_from) == (None, TakenFrom.GPS)


def test_iptc_tells_a_day_and_a_time() -> None:
    block = data_set(2, 55, b"20210627") + data_set(2, 60, b"182307+0200")
    metadata = read(with_iptc(block))
    assert metadata.taken_at == datetime(2021, 6, 27, 16, 23, 7, tzinfo=UTC)
    assert metadata.taken_from is TakenFrom.IPTC
    assert read(with_iptc(data_set(2, 60, b"182307+0200"))).taken_at is None


def test_words_of_programs_beat_those_of_the_camera() -> None:
    packet = rdf(
        "", '<dc:description><rdf:Alt><rdf:li xml:lang="x-default">By hand</rdf:li></rdf:Alt></dc:description>'
    )
    content = with_exif(with_xmp(JPEG, packet), exif({0x010E: (TEXT, "By the camera")}))
    assert read(content).description == "By hand"


def test_keywords_of_all_sources_are_joined() -> None:
    subjects = bag("dc:subject", "sea", "sky")
    paths = bag("lr:hierarchicalSubject", "Places|Europe|Sea", "People|Ann")
    content = with_xmp(with_iptc(data_set(2, 25, b"boat") + data_set(2, 25, b"SKY")), rdf("", subjects + paths))
    assert read(content).keywords == ("sea", "sky", "Ann", "boat")


def test_the_default_language_is_shown_whatever_its_place() -> None:
    texts = '<rdf:li xml:lang="de">Meer</rdf:li><rdf:li xml:lang="x-default">Sea</rdf:li>'
    inside = f"<dc:title><rdf:Alt>{texts}</rdf:Alt></dc:title>"
    assert read(with_xmp(JPEG, rdf("", inside))).title == "Sea"


def test_titles_and_keywords_of_windows_are_read() -> None:
    words = "Grüße".encode("utf-16-le") + b"\x00\x00", "a;b".encode("utf-16-le") + b"\x00\x00"
    metadata = read(with_exif(JPEG, exif({0x9C9B: (BYTE, list(words[0])), 0x9C9E: (BYTE, list(words[1]))})))
    assert (metadata.title, metadata.keywords) == ("Grüße", ("a", "b"))


@pytest.mark.parametrize(
    "text", ["OLYMPUS DIGITAL CAMERA         ", "SONY DSC", "default", "DCIM\\100GOPRO\\GOPR0482.JPG"]
)
def test_a_description_that_cameras_put_everywhere_is_none(text: str) -> None:
    assert read(with_exif(JPEG, exif({0x010E: (TEXT, text)}))).description is None


def test_a_description_that_only_begins_like_one_stays() -> None:
    content = with_exif(JPEG, exif({0x010E: (TEXT, "Samsung digital camera, my first")}))
    assert read(content).description == "Samsung digital camera, my first"


def test_a_sensitivity_beyond_the_old_tag_is_told_by_another() -> None:
    exposure = {0x8827: (SHORT, 65535), 0x8832: (LONG, 102_400)}
    assert read(with_exif(JPEG, exif({}, exposure))).iso == 102_400


# -- What is absent


def test_a_picture_that_tells_nothing_has_its_size_alone() -> None:
    assert read(JPEG) == Metadata(width=8, height=8)


@pytest.mark.parametrize(
    "exposure",
    [
        {0x829A: (RATIONAL, [(1, 0)])},
        {0x829A: (RATIONAL, [(0, 1)])},
        {0x829D: (RATIONAL, [(0, 0)])},
        {0x8827: (SHORT, 0)},
        {0x920A: (RATIONAL, [(0, 1)])},
        {0x9003: (TEXT, "0000:00:00 00:00:00")},
    ],
)
def test_a_value_that_means_nothing_is_absent(exposure: dict[int, tuple[int, object]]) -> None:
    assert read(with_exif(JPEG, exif({}, exposure))) == Metadata(width=8, height=8)


@pytest.mark.parametrize("orientation", [0, 9, 65535])
def test_an_orientation_that_does_not_exist_is_upright(orientation: int) -> None:
    assert read(with_exif(JPEG, exif({0x0112: (SHORT, orientation)}))).orientation == 1


def test_null_island_is_no_place() -> None:
    place = {2: (RATIONAL, [(0, 1)] * 3), 4: (RATIONAL, [(0, 1)] * 3)}
    assert read(with_exif(JPEG, exif({}, {}, place))).location is None


# -- Names


@pytest.mark.parametrize(
    ("make", "model", "camera"),
    [
        ("Canon", "Canon EOS 5D", "Canon EOS 5D"),
        ("NIKON CORPORATION", "NIKON D90", "NIKON D90"),
        ("OLYMPUS IMAGING CORP.", "E-P3", "OLYMPUS E-P3"),
        ("EASTMAN KODAK COMPANY", "KODAK DC280", "KODAK DC280"),
        ("SAMSUNG", "SAMSUNG-SM-N900A", "SAMSUNG-SM-N900A"),
        ("Apple", "iPhone 6s", "Apple iPhone 6s"),
        ("Apple", None, "Apple"),
        (None, "iPhone", "iPhone"),
        (None, None, None),
    ],
)
def test_a_camera_is_called_as_people_call_it(make: str | None, model: str | None, camera: str | None) -> None:
    assert camera_name(make, model) == camera


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.004, "1/250"), (0.000552, "1/1812"), (0.25, "1/4"), (0.5, "0.5"), (1.0, "1"), (30.0, "30"), (None, None)],
)
def test_a_shutter_speed_is_a_fraction_of_a_second(seconds: float | None, text: str | None) -> None:
    assert shutter_speed(seconds) == text


def test_a_video_tells_by_its_tags() -> None:
    apple = "com.apple.quicktime."
    tags = {
        f"{apple}creationdate": "2021-05-06T07:08:09+0200",
        f"{apple}make": "Apple",
        f"{apple}model": "iPhone 12",
        f"{apple}location.ISO6709": "+48.8577+002.2950+035.0/",
        "creation_time": "2021-05-06T05:08:20.000000Z",
        "title": "A walk",
    }
    metadata = read_video_metadata(tags)
    assert metadata.taken_at == datetime(2021, 5, 6, 5, 8, 9, tzinfo=UTC)
    assert (metadata.taken_offset, metadata.taken_from) == ("+02:00", TakenFrom.QUICKTIME)
    assert (metadata.camera, metadata.title) == ("Apple iPhone 12", "A walk")
    assert metadata.location is not None
    plain = read_video_metadata({"creation_time": "2021-05-06T05:08:20.000000Z"})
    assert (plain.taken_at, plain.taken_offset) == (datetime(2021, 5, 6, 5, 8, 20, tzinfo=UTC), None)
    assert read_video_metadata({"creation_time": "1904-01-01T00:00:00.000000Z"}).taken_at is None


# -- What is hostile


def test_entities_are_never_expanded() -> None:
    bomb = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>' + rdf(
        'xmp:Rating="5"', "&b;"
    )
    assert read(with_xmp(JPEG, bomb)) == Metadata(width=8, height=8)


def test_a_packet_of_great_depth_is_left() -> None:
    deep = rdf('xmp:Rating="5"', "<dc:title>" * 5000 + "</dc:title>" * 5000)
    assert read(with_xmp(JPEG, deep[:60_000])).rating == 5


def test_what_stands_before_a_mistake_in_a_packet_counts() -> None:
    assert read(with_xmp(JPEG, rdf('xmp:Rating="3"')[:-20])).rating == 3


def test_a_packet_that_unpacks_to_very_much_is_cut() -> None:
    packed = zlib.compress(rdf('xmp:Rating="2"') + b" " * 50_000_000)
    body = b"XML:com.adobe.xmp\x00\x01\x00\x00\x00" + packed
    assert len(packed) < 100_000
    assert read(PNG[:33] + png_chunk(b"iTXt", body) + PNG[33:], kinds.PNG).rating == 2


def test_thousands_of_packed_texts_are_not_unpacked() -> None:
    """Each would become a megabyte."""
    text = png_chunk(b"zTXt", b"Comment\x00\x00" + zlib.compress(bytes(1_000_000)))
    content = PNG[:33] + text * 5000 + png_chunk(b"eXIf", BLOCK) + PNG[33:]
    check_all(read(content, kinds.PNG))


def test_a_tag_that_claims_to_be_huge_reads_what_is_there() -> None:
    block = bytearray(exif({0x010F: (TEXT, "Canon")}))
    at = block.index(struct.pack("<HH", 0x010F, TEXT)) + 4
    block[at : at + 4] = struct.pack("<I", 2**32 - 1)
    metadata = read(with_exif(JPEG, bytes(block)))
    assert metadata.make is not None
    assert metadata.make.startswith("Canon")


def test_a_directory_that_points_to_itself_ends() -> None:
    block = tiff({0x8769: (LONG, 8), 0x8825: (LONG, 8), 0x010F: (TEXT, "Loop")})
    assert read(with_exif(JPEG, block)).make == "Loop"


def data_set(record: int, number: int, value: bytes) -> bytes:
    return struct.pack(">BBBH", 0x1C, record, number, len(value)) + value


def with_iptc(block: bytes) -> bytes:
    resource = b"8BIM\x04\x04\x00\x00" + struct.pack(">I", len(block)) + block + b"\x00" * (len(block) % 2)
    return with_segments(JPEG, (0xED, b"Photoshop 3.0\x00" + resource))
