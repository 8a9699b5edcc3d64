"""How far two places are apart, and the squares of a grid around a place, by which those near to it are found."""

import math
from collections.abc import Iterator
from typing import Final

from sparks.search.port import Near, Place

EARTH_KM: Final = 6371.0088  # its mean radius
KM_A_DEGREE: Final = EARTH_KM * math.pi / 180
GRIDS: Final = (3600, 360, 36)  # squares around the earth, the finest first
MOST_SQUARES: Final = 400  # of any grid but the coarsest, which has some hundred in all
POLE: Final = 89.9  # degrees: beyond it, all longitudes are near


def distance_km(one: Place, other: Place) -> float:
    """Along the ground, on a sphere."""
    a, b = math.radians(one.latitude), math.radians(other.latitude)
    across = math.radians(other.longitude - one.longitude)
    chord = math.sin((b - a) / 2) ** 2 + math.cos(a) * math.cos(b) * math.sin(across / 2) ** 2
    return 2 * EARTH_KM * math.asin(min(1.0, math.sqrt(chord)))


def is_near(place: Place | None, near: Near) -> bool:
    return place is not None and distance_km(place, near.place) <= near.km


def squares_of(place: Place) -> Iterator[str]:
    """The square that it lies in, of each grid."""
    for grid in GRIDS:
        yield _square(grid, _line(place.latitude, grid), _line(place.longitude, grid))


def squares_around(near: Near) -> list[str]:
    """Squares of one grid that hold all that is near, and more: of the finest that needs not too many. Around a pole,
    and of half the earth, that is the coarsest.
    """
    south, north, west, east = _bounds(near)
    for grid in GRIDS:
        rows = range(_line(south, grid), _line(north, grid) + 1)
        columns = range(_line(west, grid), _line(east, grid) + 1)
        if len(rows) * len(columns) <= MOST_SQUARES:
            break
    return [_square(grid, row, column) for row in rows for column in columns]


def _bounds(near: Near) -> tuple[float, float, float, float]:
    """South, north, west and east of all that is near, in degrees; the latter two may lie beyond the date line."""
    middle = near.place
    tall = near.km / KM_A_DEGREE * 1.001
    south, north = middle.latitude - tall, middle.latitude + tall
    if max(abs(south), abs(north)) > POLE:
        return max(south, -90.0), min(north, 90.0), -180.0, 180.0
    # The widest part of the circle is nearer to the pole than its middle.
    wide = math.degrees(math.asin(min(1.0, math.sin(math.radians(tall)) / math.cos(math.radians(middle.latitude)))))
    return south, north, middle.longitude - wide * 1.001, middle.longitude + wide * 1.001


def _line(degrees: float, grid: int) -> int:
    return math.floor(degrees * grid / 360)


def _square(grid: int, row: int, column: int) -> str:
    """[Note: the date line] Columns go around: 180 degrees east is 180 degrees west."""
    return f"{grid}:{row}:{(column + grid // 2) % grid}"
