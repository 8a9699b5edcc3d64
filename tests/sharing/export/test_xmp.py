"""XMP sidecars, read by what reads those of others."""

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparks.media.metadata.xmp import read_xmp
from sparks.model.face import Box
from sparks.model.photo import Exif, Location
from sparks.sharing.export.telling import ToldFace, ToldPhoto
from sparks.sharing.export.xmp import stored_box, xmp_of
from tests.factories import NOON, a_photo

MWG = "{http://www.metadataworkinggroup.com/schemas/regions/}"
AREA = "{http://ns.adobe.com/xmp/sType/Area#}"


def test_what_is_written_is_read_back() -> None:
    photo = a_photo(
        title="Sea & <sun>",
        description="Two\nlines",
        tags=("blue", "été"),
        taken_at=NOON,
        taken_offset="+02:00",
        location=Location(latitude=48.858222, longitude=-2.2945),
        exif=Exif(rating=4),
    )
    found = read_xmp(xmp_of(ToldPhoto(photo)))
    assert (found.title, found.description, tuple(found.keywords)) == ("Sea & <sun>", "Two\nlines", ("blue", "été"))
    assert found.taken is not None
    assert (found.taken.at, found.taken.offset) == (NOON, "+02:00")
    assert found.location is not None
    assert found.location.latitude == pytest.approx(48.858222, abs=1e-6)
    assert found.location.longitude == pytest.approx(-2.2945, abs=1e-6)
    assert found.rating == 4


@given(st.text(), st.text())
def test_whatever_people_are_called_it_is_xml(title: str, name: str) -> None:
    told = ToldPhoto(a_photo(title=title.encode(errors="ignore").decode()), (ToldFace(Box(0, 0, 1, 1), "p", name),))
    ET.fromstring(xmp_of(told))  # noqa: S314  ours


def test_a_face_is_a_region_around_its_middle() -> None:
    faces = ToldFace(Box(0.1, 0.2, 0.2, 0.4), "person1", 'Carol "C"'), ToldFace(Box(0.5, 0.5, 0.1, 0.1))
    tree = ET.fromstring(xmp_of(ToldPhoto(a_photo(), faces)))  # noqa: S314  ours
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
def test_a_region_is_counted_on_the_pixels_as_they_are_stored(
    orientation: int | None, stored: tuple[float, ...]
) -> None:
    assert stored_box(Box(0.1, 0.2, 0.3, 0.1), orientation) == Box(*stored)
