"""What can be asked of a search: the same words and filters, in an address and in a body."""

from datetime import date
from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field, StrictBool

from sparks.api.shapes import Wish
from sparks.feed.search import Wanted
from sparks.model.errors import BadInput
from sparks.model.photo import AssetType
from sparks.search.port import Near, Place, Sort

KINDS: Final = {"photo": AssetType.IMAGE, "video": AssetType.VIDEO}
NEAR: Final = "-?[0-9]{1,2}([.][0-9]{1,12})?,-?[0-9]{1,3}([.][0-9]{1,12})?,[0-9]{1,5}([.][0-9]{1,6})?"
DAY: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
MOST: Final = 20  # of each filter that can be told several times

Several = Annotated[list[str], Field(max_length=MOST)]
Day = Annotated[str, Field(pattern=f"^{DAY}$")]


class SearchFilters(Wish):
    """All that is told; a photo has all of it."""

    text: str = Field(
        "",
        alias="q",
        max_length=500,
        description="Words, or how they begin, in titles, descriptions, file names, tags, names of persons and albums, "
        "cameras. A photo is found that has them all. Case and accents do not matter.",
    )
    tags: Several = Field([], alias="tag", description="Several: all of them.")
    persons: Several = Field([], alias="person", description="Several: all of them.")
    albums: Several = Field([], alias="album", description="Several: in all of them.")
    uploader: str | None = Field(None, max_length=400, description="Whose photos, by their e-mail address.")
    camera: str | None = Field(None, max_length=200, description="The camera's name, whatever its case.")
    kind: Literal["photo", "video"] | None = None
    favorite: bool | None = Field(None, description="Those that you have marked, or those that you have not.")
    first: Day | None = Field(
        None, alias="from", description="The first day, as 2025-08-01, by the photographer's clock."
    )
    to: Day | None = Field(None, description="The last day.")
    near: Annotated[str, Field(pattern=f"^{NEAR}$")] | None = Field(
        None, description="Latitude, longitude and kilometres: `48.137,11.575,5`."
    )

    def wanted(self, sort: Sort = Sort.NEWEST) -> Wanted:
        """BadInput for a day or a place that there is not."""
        return Wanted(
            text=self.text,
            tags=tuple(self.tags),
            persons=tuple(self.persons),
            albums=tuple(self.albums),
            uploader=self.uploader,
            camera=self.camera,
            kind=None if self.kind is None else KINDS[self.kind],
            favourite=self.favorite,
            first_day=_day(self.first),
            last_day=_day(self.to),
            near=None if self.near is None else _near(self.near),
            sort=sort,
        )


class SearchQuery(SearchFilters):
    """In an address, where what is not known is passed over as on all others."""

    model_config = ConfigDict(extra="ignore")


class SearchWish(SearchFilters):
    """In a body, where true is no text."""

    favorite: StrictBool | None = Field(None, description="Those that you have marked, or those that you have not.")


def _day(text: str | None) -> date | None:
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError as error:
        raise BadInput(f"there is no such day: {text}") from error


def _near(text: str) -> Near:
    latitude, longitude, km = map(float, text.split(","))
    if abs(latitude) > 90 or abs(longitude) > 180:
        raise BadInput(f"there is no such place: {latitude:g}, {longitude:g}")
    return Near(Place(latitude, longitude), km)
