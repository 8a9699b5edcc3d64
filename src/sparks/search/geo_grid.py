"""Distances, and grid squares by which nearby places are found."""

import math
from collections.abc import Iterator
from typing import Final

from sparks.search.port import GeoPoint, GeoRadius

EARTH_KM: Final = 6371.0088  # mean radius
KM_PER_DEGREE: Final = EARTH_KM * math.pi / 180
GRIDS: Final = (3600, 360, 36)  # squares around the equator, the finest grid first
MAX_SQUARES: Final = 400  # of one grid in a query; the coarsest grid has some hundred in all
POLE: Final = 89.9  # degrees: beyond it, all longitudes are near


def distance_km(one: GeoPoint, other: GeoPoint) -> float:
    """The great-circle distance."""
    a, b = math.radians(one.latitude), math.radians(other.latitude)
    across = math.radians(other.longitude - one.longitude)
    chord = math.sin((b - a) / 2) ** 2 + math.cos(a) * math.cos(b) * math.sin(across / 2) ** 2
    return 2 * EARTH_KM * math.asin(min(1.0, math.sqrt(chord)))


def is_near(place: GeoPoint | None, near: GeoRadius) -> bool:
    return place is not None and distance_km(place, near.place) <= near.km


def squares_of(place: GeoPoint) -> Iterator[str]:
    """The square of each grid that contains the place."""
    for grid in GRIDS:
        yield _square(grid, _line(place.latitude, grid), _line(place.longitude, grid))


def squares_around(near: GeoRadius) -> list[str]:
    """The squares of one grid that cover the circle: of the finest grid with at most MAX_SQUARES of them, or of the
    coarsest, as around a pole or for half of the earth.
    """
    south, north, west, east = _bounds(near)
    for grid in GRIDS:
        rows = range(_line(south, grid), _line(north, grid) + 1)
        columns = range(_line(west, grid), _line(east, grid) + 1)
        if len(rows) * len(columns) <= MAX_SQUARES:
            break
    return [_square(grid, row, column) for row in rows for column in columns]


def _bounds(near: GeoRadius) -> tuple[float, float, float, float]:
    """South, north, west and east bounds in degrees; west and east may be beyond the date line."""
    middle = near.place
    tall = near.km / KM_PER_DEGREE * 1.001
    south, north = middle.latitude - tall, middle.latitude + tall
    if max(abs(south), abs(north)) > POLE:
        return max(south, -90.0), min(north, 90.0), -180.0, 180.0
    # The circle is widest nearer to the pole than its center.
    wide = math.degrees(math.asin(min(1.0, math.sin(math.radians(tall)) / math.cos(math.radians(middle.latitude)))))
    return south, north, middle.longitude - wide * 1.001, middle.longitude + wide * 1.001


def _line(degrees: float, grid: int) -> int:
    return math.floor(degrees * grid / 360)


def _square(grid: int, row: int, column: int) -> str:
    """Columns wrap at the date line: 180 degrees east is 180 degrees west."""
    return f"{grid}:{row}:{(column + grid // 2) % grid}"
