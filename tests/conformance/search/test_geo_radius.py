"""Grid squares around a place: they contain all places nearby, anywhere on earth, and few others."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparks.search.geo_grid import EARTH_KM, is_near, squares_around, squares_of
from sparks.search.port import GeoPoint, GeoRadius

places = st.builds(GeoPoint, st.floats(-90, 90), st.floats(-180, 180))


@settings(max_examples=300, deadline=None)
@given(middle=places, place=places, km=st.floats(0.01, 20_100))
def test_every_nearby_place_is_in_one_of_the_squares(middle: GeoPoint, place: GeoPoint, km: float) -> None:
    around = squares_around(GeoRadius(middle, km))
    assert len(set(around)) <= 19 * 36
    if is_near(place, GeoRadius(middle, km)):
        assert not set(around).isdisjoint(squares_of(place))


@given(middle=places, away=st.floats(0, 0.999), bearing=st.floats(0, 360), km=st.floats(0.01, 3000))
def test_a_place_at_the_edge_of_the_circle_is_in_one_of_the_squares(
    middle: GeoPoint, away: float, bearing: float, km: float
) -> None:
    place = _gone(middle, bearing, km * away)
    assert not set(squares_around(GeoRadius(middle, km))).isdisjoint(squares_of(place))


def _gone(start: GeoPoint, bearing: float, km: float) -> GeoPoint:
    """The place that is so far away in this direction."""
    latitude, longitude, course = map(math.radians, (*start, bearing))
    far = km / EARTH_KM
    sine = math.sin(latitude) * math.cos(far) + math.cos(latitude) * math.sin(far) * math.cos(course)
    end = math.asin(max(-1.0, min(1.0, sine)))
    across = math.atan2(
        math.sin(course) * math.sin(far) * math.cos(latitude), math.cos(far) - math.sin(latitude) * math.sin(end)
    )
    return GeoPoint(math.degrees(end), (math.degrees(longitude + across) + 540) % 360 - 180)


@pytest.mark.parametrize(
    "near",
    [
        GeoRadius(GeoPoint(89.99, 0.0), 5),
        GeoRadius(GeoPoint(48.857, 2.352), 600),
        GeoRadius(GeoPoint(48.137, 11.575), 5000),
    ],
)
def test_photos_far_away_are_not_read(near: GeoRadius) -> None:
    """Also for a large circle, not every photo is read: the index has large squares, too."""
    around = set(squares_around(near))
    for place in (GeoPoint(-33.86, 151.2), GeoPoint(-33.4, -70.6)):
        assert around.isdisjoint(squares_of(place))
