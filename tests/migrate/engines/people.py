"""People who use a server without a pause: a user who uploads, edits and deletes, and a guest who uploads."""

import itertools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import httpx

from tests.cli.photo_lifecycle.client import LifecycleClient
from tests.migrate.legacy_app import make_pictures, with_comment
from tests.servers.process import wait_until

PAUSE: Final = 1.0  # seconds, since tests run on slow machines


@dataclass
class People:
    """What was answered with success: bytes and titles by image id. A request that fails is in `failures`."""

    url: str
    key: str
    originals: dict[str, bytes] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    deleted: set[str] = field(default_factory=set)
    failures: list[str] = field(default_factory=list)
    requests: int = 0
    slowest: float = 0.0

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """They work until the end of the block."""
        stop = threading.Event()
        threads = [threading.Thread(target=self._run, args=(work, stop)) for work in (self._use, self._visit)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            stop.set()
            for thread in threads:
                thread.join()

    def _run(self, work: Any, stop: threading.Event) -> None:
        pictures = itertools.cycle(make_pictures())
        with LifecycleClient(self.url, self.key) as client:
            album = client.ask("POST", "/albums", status=201, json={"title": "Wedding"}).json()["albumId"]
            for number in itertools.count():
                if stop.is_set():
                    return
                data = with_comment(next(pictures), f"{work.__name__} {album} {number}")
                try:
                    work(client, album, number, data)
                except (AssertionError, httpx.HTTPError) as error:
                    self.failures.append(f"{work.__name__} {number}: {error!r}")
                    if len(self.failures) > 20:
                        return
                stop.wait(PAUSE)

    def _use(self, client: LifecycleClient, album: str, number: int, data: bytes) -> None:
        """Uploads in one request and by signed URLs in turn; edits, files and deletes some."""
        if number % 2:
            image_id = client.post(data, filename=f"{number}.jpg")["imageId"]
        else:
            ticket = client.reserve(data, filename=f"{number}.jpg", mimeType="image/jpeg")
            client.send(ticket, data)
            image_id = client.complete(ticket["imageId"])["imageId"]
        self.originals[image_id] = data
        self._edit(client, image_id, f"number {number}")
        client.ask("PUT", f"/albums/{album}/photos", json={"ids": [image_id]})
        if number % 5 == 4:
            client.ask("DELETE", f"/photos/{image_id}", status=204)
            self.deleted.add(image_id)
            del self.originals[image_id], self.titles[image_id]
        self.requests += 1

    def _edit(self, client: LifecycleClient, image_id: str, title: str) -> None:
        """Again where a worker has changed the photo meanwhile."""
        for _ in range(10):
            version = client.photo(image_id)["version"]
            body = {"title": title, "version": version}
            if client.ask("PATCH", f"/photos/{image_id}", status=(200, 409, 412), json=body).status_code == 200:
                self.titles[image_id] = title
                return
        raise AssertionError(f"{image_id} was not edited")

    def _visit(self, client: LifecycleClient, album: str, number: int, data: bytes) -> None:
        """A guest of a link uploads."""
        if number == 0:
            made = client.ask("POST", f"/albums/{album}/links", status=201, json={"allow": ["view", "upload"]}).json()
            opened = httpx.post(f"{self.url}/api/links/open", json={"secret": made["secret"]})
            self._guest = {"Authorization": f"Bearer {opened.json()['token']}"}
        answer = httpx.post(
            f"{self.url}/api/photos?filename=guest{number}.jpg", content=data, headers=self._guest, timeout=30
        )
        assert answer.status_code == 201, answer.text
        self.originals[answer.json()["imageId"]] = data
        self.slowest = max(self.slowest, answer.elapsed.total_seconds())
        self.requests += 1

    def check(self) -> None:
        """All that was answered with success is there and has its renditions, and nothing that was deleted."""
        with LifecycleClient(self.url, self.key) as client:

            def is_processed(image_id: str) -> bool:
                return bool(client.photo(image_id)["processingStatus"] == "completed")

            for image_id in self.originals:
                wait_until(partial(is_processed, image_id), what="renditions", seconds=120)
            for image_id, data in self.originals.items():
                assert client.original(image_id).content == data, image_id
            for image_id, title in self.titles.items():
                assert client.photo(image_id)["title"] == title
            assert not any(map(client.is_there, self.deleted))
