"""How far two places are apart, and the squares of a grid around a place, by which those near to it are found."""

import math
from collections.abc import Iterator
from typing import Final

from sparks.search.port import Near, Place

EARTH_KM: Final = 6371.0088  # its mean radius
KM_A_DEGREE: Final = EARTH_KM * math.pi / 180
GRIDS: Final = (10, 1)  # squares a degree, the finest first
MOST_SQUARES: Final = 100
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
        yield _square(grid, math.floor(place.latitude * grid), math.floor(place.longitude * grid))


def squares_around(near: Near) -> list[str] | None:
    """Squares of one grid that hold all that is near, and more; None where they would be too many to ask for."""
    tall = near.km / KM_A_DEGREE * 1.001
    south, north = near.place.latitude - tall, near.place.latitude + tall
    if max(abs(south), abs(north)) > POLE:
        return None
    # The widest part of the circle is nearer to the pole than its middle.
    wide = math.degrees(math.asin(min(1.0, math.sin(math.radians(tall)) / math.cos(math.radians(near.place.latitude)))))
    west, east = near.place.longitude - wide * 1.001, near.place.longitude + wide * 1.001
    for grid in GRIDS:
        rows = range(math.floor(south * grid), math.floor(north * grid) + 1)
        columns = range(math.floor(west * grid), math.floor(east * grid) + 1)
        if len(rows) * len(columns) <= MOST_SQUARES:
            return [_square(grid, row, column) for row in rows for column in columns]
    return None


def _square(grid: int, row: int, column: int) -> str:
    """[Note: the date line] Columns go around: 180 degrees east is 180 degrees west."""
    return f"{grid}:{row}:{(column + 180 * grid) % (360 * grid)}"
