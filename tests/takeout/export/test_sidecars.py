"""XMP sidecars, read by the parser for sidecars of other programs."""

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparks.media.metadata.xmp import read_xmp
from sparks.model.face import Box
from sparks.model.photo import Exif, Location
from sparks.takeout.export.photo_details import FaceDetails, PhotoDetails
from sparks.takeout.export.sidecars import stored_box, xmp_sidecar
from tests.factories import NOON, a_photo

MWG = "{http://www.metadataworkinggroup.com/schemas/regions/}"
AREA = "{http://ns.adobe.com/xmp/sType/Area#}"


def test_an_xmp_sidecar_can_be_read_back() -> None:
    photo = a_photo(
        title="Sea & <sun>",
        description="Two\nlines",
        tags=("blue", "été"),
        taken_at=NOON,
        taken_offset="+02:00",
        location=Location(latitude=48.858222, longitude=-2.2945),
        exif=Exif(rating=4),
    )
    found = read_xmp(xmp_sidecar(PhotoDetails(photo)))
    assert (found.title, found.description, tuple(found.keywords)) == ("Sea & <sun>", "Two\nlines", ("blue", "été"))
    assert found.taken is not None
    assert (found.taken.at, found.taken.offset) == (NOON, "+02:00")
    assert found.location is not None
    assert found.location.latitude == pytest.approx(48.858222, abs=1e-6)
    assert found.location.longitude == pytest.approx(-2.2945, abs=1e-6)
    assert found.rating == 4


@given(st.text(), st.text())
def test_a_sidecar_is_valid_xml_whatever_the_names(title: str, name: str) -> None:
    told = PhotoDetails(
        a_photo(title=title.encode(errors="ignore").decode()), (FaceDetails(Box(0, 0, 1, 1), "p", name),)
    )
    ET.fromstring(xmp_sidecar(told))  # noqa: S314  ours


def test_a_face_region_is_given_by_its_center() -> None:
    faces = FaceDetails(Box(0.1, 0.2, 0.2, 0.4), "person1", 'Carol "C"'), FaceDetails(Box(0.5, 0.5, 0.1, 0.1))
    tree = ET.fromstring(xmp_sidecar(PhotoDetails(a_photo(), faces)))  # noqa: S314  ours
    regions = [element for element in tree.iter() if f"{MWG}Type" in element.attrib]
    assert [region.get(f"{MWG}Name") for region in regions] == ['Carol "C"', None]
    area = regions[0].find(f"{MWG}Area")
    assert area is not None
    assert [float(area.attrib[AREA + name]) for name in "xywh"] == [0.2, 0.4, 0.2, 0.4]


@pytest.mark.parametrize(
    ("orientation", "stored"),
    [
        (1, (0.1, 0.2, 0.3, 0.1)),
        (2, (0.6, 0.2, 0.3, 0.1)),
        (3, (0.6, 0.7, 0.3, 0.1)),
        (4, (0.1, 0.7, 0.3, 0.1)),
        (5, (0.2, 0.1, 0.1, 0.3)),
        (6, (0.2, 0.6, 0.1, 0.3)),
        (7, (0.7, 0.6, 0.1, 0.3)),
        (8, (0.7, 0.1, 0.1, 0.3)),
        (None, (0.1, 0.2, 0.3, 0.1)),
    ],
)
def test_a_face_region_is_relative_to_the_pixels_as_stored(orientation: int | None, stored: tuple[float, ...]) -> None:
    assert stored_box(Box(0.1, 0.2, 0.3, 0.1), orientation) == Box(*stored)
