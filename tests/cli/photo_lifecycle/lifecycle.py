"""State of the lifecycle test: server, client, files and photos."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from tests.api.streams import Follower, follow
from tests.cli.deployments import Deployment
from tests.cli.photo_lifecycle.client import LifecycleClient

UNDER_WAY: Final = ("pending", "processing")
FINISHED: Final = ("completed", "failed")

LastEvents = dict[str, dict[str, Any]]


@dataclass(slots=True)
class Lifecycle:
    deployment: Deployment
    client: LifecycleClient
    files: dict[str, bytes]
    limit: dict[str, int]
    position: str
    ids: dict[str, str] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)

    def named(self, *names: str) -> list[str]:
        return [self.ids[name] for name in names]

    def statuses(self) -> dict[str, str]:
        """The processing status of each photo, by the name of its file."""
        statuses = {image["imageId"]: image["processingStatus"] for image in self.client.read("/me/photos")["images"]}
        return {name: statuses[image_id] for name, image_id in self.ids.items() if image_id in statuses}

    def photos(self) -> int:
        """The number of photos that count against the upload limit."""
        return self.limit["limit"] - int(self.client.read("/me/limit")["limit"])

    def months(self, scope: str = "mine") -> dict[str, int]:
        return {each["month"]: each["count"] for each in self.client.read("/timeline", scope=scope)["months"]}

    def month(self, month: str, scope: str = "mine") -> list[str]:
        ids: list[str] = self.client.read(f"/timeline/{month}", scope=scope)["ids"]
        return ids

    def follow_from_start(self, until: Callable[[LastEvents], bool]) -> LastEvents:
        """The last event of each photo, for a page that was away since the beginning."""
        with follow(self.client.url, self.client.headers, since=self.position) as page:
            return followed(page, until)


def followed(page: Follower, until: Callable[[LastEvents], bool]) -> LastEvents:
    events: LastEvents = {}
    while not until(events):
        event = page.next_event().data
        events[event["imageId"]] = event
    return events
