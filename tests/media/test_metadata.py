"""Metadata from generated blocks: precedence of sources, absent values, and limits for broken blocks."""

import struct
import zlib
from datetime import UTC, datetime

import pytest

from sparks.media import file_types
from sparks.media.file_types import FileType
from sparks.media.metadata.capture_time import TakenFrom
from sparks.media.metadata.read_metadata import Metadata, camera_name, read_metadata, read_video_metadata, shutter_speed
from tests.media.container_builders import (
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


def read(content: bytes, kind: FileType = file_types.JPEG) -> Metadata:
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
    """An Exif item, declared by `iinf` and located by `iloc`."""
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
    (file_types.JPEG, IN_FRONT),
    (file_types.JPEG, with_exif(JPEG, exif(MAIN, EXPOSURE, PLACE, order=">"))),
    (file_types.PNG, with_chunk(PNG, b"eXIf", BLOCK)),
    (file_types.PNG, with_chunk(PNG, b"tEXt", b"Raw profile type exif\x00\nexif\n  9\n" + BLOCK.hex().encode())),
    (file_types.WEBP, WEBP),
    (file_types.TIFF, BLOCK),
    (file_types.NEF, BLOCK),
    (file_types.ORF, exif(MAIN, EXPOSURE, PLACE, magic=0x4F52)),
    (file_types.RW2, tiff({0x2E: (UNDEFINED, IN_FRONT)}, magic=0x55)),
    (file_types.RAF, raf(IN_FRONT)),
    (file_types.HEIC, heif_with_exif(BLOCK)),
    (file_types.AVIF, heif_with_exif(b"Exif\x00\x00" + BLOCK)),
    (file_types.CR3, cr3(tiff(MAIN), tiff(EXPOSURE), tiff(PLACE))),
    (file_types.JXL, box(b"JXL ", b"\r\n\x87\n") + box(b"Exif", b"\x00\x00\x00\x00" + BLOCK)),
]


@pytest.mark.parametrize(
    ("kind", "content"), PLACES, ids=lambda value: value.name if isinstance(value, FileType) else ""
)
def test_exif_is_found_in_every_file_type(kind: FileType, content: bytes) -> None:
    metadata = read(content, kind)
    check_all(metadata)
    assert metadata.orientation == (1 if kind in (file_types.HEIC, file_types.AVIF) else 6)


# -- Which source wins


def test_the_time_in_exif_takes_precedence_over_the_time_in_xmp() -> None:
    content = with_exif(with_xmp(JPEG, rdf('photoshop:DateCreated="2001-01-01T00:00:00Z"')), BLOCK)
    assert read(content).taken_from is TakenFrom.EXIF


def test_the_offset_in_xmp_is_used_for_the_same_time_in_exif() -> None:
    block = exif({}, {0x9003: (TEXT, "2021:05:06 07:08:09")})
    same = with_exif(with_xmp(JPEG, rdf('photoshop:DateCreated="2021-05-06T07:08:09+09:00"')), block)
    assert (read(same).taken_at, read(same).taken_offset) == (datetime(2021, 5, 5, 22, 8, 9, tzinfo=UTC), "+09:00")
    other = with_exif(with_xmp(JPEG, rdf('photoshop:DateCreated="2021-05-06T08:08:09+09:00"')), block)
    assert read(other).taken_offset is None


def test_the_digitized_time_is_used_where_the_original_time_is_absent() -> None:
    block = exif({}, {0x9003: (TEXT, "    :  :     :  :  "), 0x9004: (TEXT, "2021:05:06 07:08:09")})
    assert read(with_exif(JPEG, block)).taken_at == datetime(2021, 5, 6, 7, 8, 9, tzinfo=UTC)


def test_the_modification_time_is_not_used_as_capture_time() -> None:
    assert read(with_exif(JPEG, exif({0x0132: (TEXT, "2021:05:06 07:08:09")}))).taken_at is None


def test_the_gps_time_is_used_where_a_picture_has_no_other_time() -> None:
    place = {7: (RATIONAL, [(7, 1), (8, 1), (9, 1)]), 29: (TEXT, "2021:05:06")}
    metadata = read(with_exif(JPEG, exif({}, {}, place)))
    assert metadata.taken_at == datetime(2021, 5, 6, 7, 8, 9, tzinfo=UTC)
    assert (metadata.taken_offset, metadata.taken_from) == (None, TakenFrom.GPS)


def test_day_and_time_are_read_from_iptc() -> None:
    block = data_set(2, 55, b"20210627") + data_set(2, 60, b"182307+0200")
    metadata = read(with_iptc(block))
    assert metadata.taken_at == datetime(2021, 6, 27, 16, 23, 7, tzinfo=UTC)
    assert metadata.taken_from is TakenFrom.IPTC
    assert read(with_iptc(data_set(2, 60, b"182307+0200"))).taken_at is None


def test_texts_in_xmp_and_iptc_take_precedence_over_those_in_exif() -> None:
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


def test_the_text_in_the_default_language_is_used_wherever_it_stands() -> None:
    texts = '<rdf:li xml:lang="de">Meer</rdf:li><rdf:li xml:lang="x-default">Sea</rdf:li>'
    inside = f"<dc:title><rdf:Alt>{texts}</rdf:Alt></dc:title>"
    assert read(with_xmp(JPEG, rdf("", inside))).title == "Sea"


def test_titles_and_keywords_written_by_windows_are_read() -> None:
    words = "Grüße".encode("utf-16-le") + b"\x00\x00", "a;b".encode("utf-16-le") + b"\x00\x00"
    metadata = read(with_exif(JPEG, exif({0x9C9B: (BYTE, list(words[0])), 0x9C9E: (BYTE, list(words[1]))})))
    assert (metadata.title, metadata.keywords) == ("Grüße", ("a", "b"))


@pytest.mark.parametrize(
    "text", ["OLYMPUS DIGITAL CAMERA         ", "SONY DSC", "default", "DCIM\\100GOPRO\\GOPR0482.JPG"]
)
def test_a_placeholder_description_of_a_camera_is_absent(text: str) -> None:
    assert read(with_exif(JPEG, exif({0x010E: (TEXT, text)}))).description is None


def test_a_description_that_only_begins_like_a_placeholder_is_kept() -> None:
    content = with_exif(JPEG, exif({0x010E: (TEXT, "Samsung digital camera, my first")}))
    assert read(content).description == "Samsung digital camera, my first"


def test_an_iso_value_above_the_maximum_of_the_old_tag_is_read_from_the_new_one() -> None:
    exposure = {0x8827: (SHORT, 65535), 0x8832: (LONG, 102_400)}
    assert read(with_exif(JPEG, exif({}, exposure))).iso == 102_400


# -- What is absent


def test_a_picture_without_metadata_has_only_its_size() -> None:
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
def test_a_meaningless_value_is_absent(exposure: dict[int, tuple[int, object]]) -> None:
    assert read(with_exif(JPEG, exif({}, exposure))) == Metadata(width=8, height=8)


@pytest.mark.parametrize("orientation", [0, 9, 65535])
def test_an_invalid_orientation_is_read_as_upright(orientation: int) -> None:
    assert read(with_exif(JPEG, exif({0x0112: (SHORT, orientation)}))).orientation == 1


def test_coordinates_of_exactly_zero_are_no_location() -> None:
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
def test_make_and_model_are_joined_to_the_usual_camera_name(
    make: str | None, model: str | None, camera: str | None
) -> None:
    assert camera_name(make, model) == camera


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.004, "1/250"), (0.000552, "1/1812"), (0.25, "1/4"), (0.5, "0.5"), (1.0, "1"), (30.0, "30"), (None, None)],
)
def test_a_shutter_speed_is_a_fraction_of_a_second(seconds: float | None, text: str | None) -> None:
    assert shutter_speed(seconds) == text


def test_metadata_of_a_video_are_read_from_its_tags() -> None:
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


def test_a_deeply_nested_packet_is_not_read() -> None:
    deep = rdf('xmp:Rating="5"', "<dc:title>" * 5000 + "</dc:title>" * 5000)
    assert read(with_xmp(JPEG, deep[:60_000])).rating == 5


def test_values_before_an_error_in_a_packet_are_kept() -> None:
    assert read(with_xmp(JPEG, rdf('xmp:Rating="3"')[:-20])).rating == 3


def test_a_compressed_packet_is_decompressed_up_to_a_limit() -> None:
    packed = zlib.compress(rdf('xmp:Rating="2"') + b" " * 50_000_000)
    body = b"XML:com.adobe.xmp\x00\x01\x00\x00\x00" + packed
    assert len(packed) < 100_000
    assert read(PNG[:33] + png_chunk(b"iTXt", body) + PNG[33:], file_types.PNG).rating == 2


def test_thousands_of_compressed_texts_are_not_decompressed() -> None:
    """Each would become a megabyte."""
    text = png_chunk(b"zTXt", b"Comment\x00\x00" + zlib.compress(bytes(1_000_000)))
    content = PNG[:33] + text * 5000 + png_chunk(b"eXIf", BLOCK) + PNG[33:]
    check_all(read(content, file_types.PNG))


def test_a_tag_with_a_huge_declared_size_reads_only_existing_bytes() -> None:
    block = bytearray(exif({0x010F: (TEXT, "Canon")}))
    at = block.index(struct.pack("<HH", 0x010F, TEXT)) + 4
    block[at : at + 4] = struct.pack("<I", 2**32 - 1)
    metadata = read(with_exif(JPEG, bytes(block)))
    assert metadata.make is not None
    assert metadata.make.startswith("Canon")


def test_a_directory_that_points_to_itself_does_not_loop() -> None:
    block = tiff({0x8769: (LONG, 8), 0x8825: (LONG, 8), 0x010F: (TEXT, "Loop")})
    assert read(with_exif(JPEG, block)).make == "Loop"


def data_set(record: int, number: int, value: bytes) -> bytes:
    return struct.pack(">BBBH", 0x1C, record, number, len(value)) + value


def with_iptc(block: bytes) -> bytes:
    resource = b"8BIM\x04\x04\x00\x00" + struct.pack(">I", len(block)) + block + b"\x00" * (len(block) % 2)
    return with_segments(JPEG, (0xED, b"Photoshop 3.0\x00" + resource))
