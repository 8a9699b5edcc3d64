"""Search filters as query parameters and as a request body."""

from datetime import date
from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field, StrictBool

from sparks.api.http.base_models import RequestModel
from sparks.feed.search import SearchCriteria
from sparks.model.errors import BadInput
from sparks.model.photo import AssetType
from sparks.search.port import GeoPoint, GeoRadius, Sort

KINDS: Final = {"photo": AssetType.IMAGE, "video": AssetType.VIDEO}
NEAR: Final = "-?[0-9]{1,2}([.][0-9]{1,12})?,-?[0-9]{1,3}([.][0-9]{1,12})?,[0-9]{1,5}([.][0-9]{1,6})?"
DAY: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
MAX_VALUES: Final = 20  # of a filter that can be repeated

Several = Annotated[list[str], Field(max_length=MAX_VALUES)]
Day = Annotated[str, Field(pattern=f"^{DAY}$")]


class SearchFilters(RequestModel):
    """Filters of a search; a photo must match all of them."""

    text: str = Field(
        "",
        alias="q",
        max_length=500,
        description="Words, or their beginnings, in titles, descriptions, file names, tags, cameras and the names of "
        "persons and albums. A photo must have all of them. Case and accents do not matter.",
    )
    tags: Several = Field([], alias="tag", description="Tags; a photo must have all of them.")
    persons: Several = Field([], alias="person", description="Ids of persons; all of them must be in the photo.")
    albums: Several = Field([], alias="album", description="Ids of albums; the photo must be in all of them.")
    uploader: str | None = Field(
        None, max_length=400, description="E-mail address of the member who uploaded the photo."
    )
    camera: str | None = Field(None, max_length=200, description="Name of the camera; case does not matter.")
    kind: Literal["photo", "video"] | None = None
    favorite: bool | None = Field(None, description="True: only your favorites. False: only other photos.")
    first: Day | None = Field(
        None, alias="from", description="First day, as 2025-08-01, in the local time of the photo."
    )
    to: Day | None = Field(None, description="Last day, in the same form.")
    near: Annotated[str, Field(pattern=f"^{NEAR}$")] | None = Field(
        None, description="Latitude, longitude and kilometres: `48.137,11.575,5`."
    )

    def criteria(self, sort: Sort = Sort.NEWEST) -> SearchCriteria:
        """BadInput for a day or a place that does not exist."""
        return SearchCriteria(
            text=self.text,
            tags=tuple(self.tags),
            persons=tuple(self.persons),
            albums=tuple(self.albums),
            uploader=self.uploader,
            camera=self.camera,
            kind=None if self.kind is None else KINDS[self.kind],
            favorite=self.favorite,
            first_day=_day(self.first),
            last_day=_day(self.to),
            near=None if self.near is None else _near(self.near),
            sort=sort,
        )


class SearchQuery(SearchFilters):
    """Filters in a query string, where unknown parameters are ignored as on every route."""

    model_config = ConfigDict(extra="ignore")


class SearchRequest(SearchFilters):
    """Filters in a body, where `favorite` must be a JSON boolean."""

    favorite: StrictBool | None = Field(None, description="True: only your favorites. False: only other photos.")


def _day(text: str | None) -> date | None:
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError as error:
        raise BadInput(f"there is no such day: {text}") from error


def _near(text: str) -> GeoRadius:
    latitude, longitude, km = map(float, text.split(","))
    if abs(latitude) > 90 or abs(longitude) > 180:
        raise BadInput(f"there is no such place: {latitude:g}, {longitude:g}")
    return GeoRadius(GeoPoint(latitude, longitude), km)
