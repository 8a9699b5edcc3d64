"""The squares around a place: they hold all that is near to it, wherever on earth, and little of what is far."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparks.search.places import EARTH_KM, is_near, squares_around, squares_of
from sparks.search.port import Near, Place

places = st.builds(Place, st.floats(-90, 90), st.floats(-180, 180))


@settings(max_examples=300, deadline=None)
@given(middle=places, place=places, km=st.floats(0.01, 20_100))
def test_all_that_is_near_lies_in_one_of_the_squares_around(middle: Place, place: Place, km: float) -> None:
    around = squares_around(Near(middle, km))
    assert len(set(around)) <= 19 * 36
    if is_near(place, Near(middle, km)):
        assert not set(around).isdisjoint(squares_of(place))


@given(middle=places, away=st.floats(0, 0.999), bearing=st.floats(0, 360), km=st.floats(0.01, 3000))
def test_what_is_just_near_enough_lies_in_one_of_the_squares_around(
    middle: Place, away: float, bearing: float, km: float
) -> None:
    place = _gone(middle, bearing, km * away)
    assert not set(squares_around(Near(middle, km))).isdisjoint(squares_of(place))


def _gone(start: Place, bearing: float, km: float) -> Place:
    """Where one comes out who goes so far, straight on."""
    latitude, longitude, course = map(math.radians, (*start, bearing))
    far = km / EARTH_KM
    sine = math.sin(latitude) * math.cos(far) + math.cos(latitude) * math.sin(far) * math.cos(course)
    end = math.asin(max(-1.0, min(1.0, sine)))
    across = math.atan2(
        math.sin(course) * math.sin(far) * math.cos(latitude), math.cos(far) - math.sin(latitude) * math.sin(end)
    )
    return Place(math.degrees(end), (math.degrees(longitude + across) + 540) % 360 - 180)


@pytest.mark.parametrize(
    "near", [Near(Place(89.99, 0.0), 5), Near(Place(48.857, 2.352), 600), Near(Place(48.137, 11.575), 5000)]
)
def test_what_is_far_away_is_not_even_read(near: Near) -> None:
    """Nobody looks at each photo, however large the circle: the index holds squares that are as large."""
    around = set(squares_around(near))
    for place in (Place(-33.86, 151.2), Place(-33.4, -70.6)):
        assert around.isdisjoint(squares_of(place))
