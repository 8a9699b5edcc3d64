"""Who makes the trip."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from tests.api.streams import Follower, follow
from tests.cli.houses import House
from tests.cli.trip.client import TripClient

UNDER_WAY: Final = ("pending", "processing")
FINISHED: Final = ("completed", "failed")

Heard = dict[str, dict[str, Any]]


@dataclass(slots=True)
class Trip:
    """Who travels, with what, and how far they are."""

    house: House
    client: TripClient
    files: dict[str, bytes]
    limit: dict[str, int]
    position: str
    ids: dict[str, str] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)

    def named(self, *names: str) -> list[str]:
        return [self.ids[name] for name in names]

    def statuses(self) -> dict[str, str]:
        """How far each of the photos is, by their names."""
        told = {image["imageId"]: image["processingStatus"] for image in self.client.read("/me/photos")["images"]}
        return {name: told[image_id] for name, image_id in self.ids.items() if image_id in told}

    def photos(self) -> int:
        """How many of the limit are taken."""
        return self.limit["limit"] - int(self.client.read("/me/limit")["limit"])

    def months(self, scope: str = "mine") -> dict[str, int]:
        return {each["month"]: each["count"] for each in self.client.read("/timeline", scope=scope)["months"]}

    def month(self, month: str, scope: str = "mine") -> list[str]:
        """The ids in it."""
        ids: list[str] = self.client.read(f"/timeline/{month}", scope=scope)["ids"]
        return ids

    def follow_from_start(self, until: Callable[[Heard], bool]) -> Heard:
        """What a page is told that was away since the beginning: the last of each photo."""
        with follow(self.client.url, self.client.headers, since=self.position) as page:
            return heard(page, until)


def heard(page: Follower, until: Callable[[Heard], bool]) -> Heard:
    told: Heard = {}
    while not until(told):
        event = page.hear().data
        told[event["imageId"]] = event
    return told
