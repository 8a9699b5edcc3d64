"""HTTP client that uploads as a browser does: reserves, sends the bytes to signed URLs, and completes."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Final, Self

import httpx

TIMEOUT: Final = 60


class LifecycleClient:
    """Signed URLs are requested by a second client without key and cookies."""

    def __init__(self, url: str, key: str) -> None:
        self.url = url
        self.headers = {"Authorization": f"Bearer {key}"}
        self._stack = ExitStack()
        self._api = self._stack.enter_context(
            httpx.Client(base_url=url, headers=self.headers, timeout=TIMEOUT, follow_redirects=True)
        )
        self._anonymous = self._stack.enter_context(httpx.Client(base_url=url, timeout=TIMEOUT, follow_redirects=True))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stack.close()

    # -- Asking

    def ask(self, method: str, path: str, *, status: int | tuple[int, ...] = 200, **more: Any) -> httpx.Response:
        answer = self._api.request(method, f"/api{path}", **more)
        wanted = status if isinstance(status, tuple) else (status,)
        assert answer.status_code in wanted, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer

    def read(self, path: str, **query: Any) -> Any:
        return self.ask("GET", path, params=query).json()

    def photo(self, image_id: str) -> dict[str, Any]:
        photo: dict[str, Any] = self.read(f"/photos/{image_id}")
        return photo

    def is_there(self, image_id: str) -> bool:
        return self._api.get(f"/api/photos/{image_id}").status_code == 200

    def ids(self, path: str) -> list[str]:
        """The ids of the photos in a list."""
        return [image["imageId"] for image in self.read(path)["images"]]

    def pages(self, path: str, *, limit: int) -> Iterator[str]:
        """The ids of the photos in a list, read page by page."""
        page = self.read(path, limit=limit)
        yield from (image["imageId"] for image in page["images"])
        while "lastEvaluatedKey" in page:
            page = self.read(path, limit=limit, cursor=page["lastEvaluatedKey"])
            yield from (image["imageId"] for image in page["images"])

    def original(self, image_id: str, **headers: str) -> httpx.Response:
        return self._api.get(f"/api/photos/{image_id}/original", headers=headers)

    def look(self, address: str) -> httpx.Response:
        return self._anonymous.get(address)

    # -- Uploading

    def post(self, data: bytes, *, status: int = 201, **about: Any) -> dict[str, Any]:
        """In one request, as a script does."""
        answer: dict[str, Any] = self.ask("POST", "/photos", status=status, params=about, content=data).json()
        return answer

    def reserve(self, data: bytes, *, status: int = 201, **about: Any) -> dict[str, Any]:
        ticket: dict[str, Any] = self.ask("POST", "/uploads", status=status, json={"size": len(data), **about}).json()
        return ticket

    def send(self, ticket: dict[str, Any], data: bytes) -> None:
        """Sends all bytes at once to the URL of the ticket."""
        self._put(ticket, data)

    def send_parts(self, ticket: dict[str, Any], data: bytes, numbers: Iterable[int]) -> None:
        """Sends these parts, each to its own URL."""
        asked = {"partNumbers": list(numbers)}
        step = ticket["partSize"]
        for part in self.ask("POST", f"/uploads/{ticket['imageId']}/parts", json=asked).json()["parts"]:
            start = (part["partNumber"] - 1) * step
            self._put(part, data[start : start + part["size"]])

    def complete(self, image_id: str, *, status: int = 201) -> dict[str, Any]:
        """Sends the request twice with one idempotency key, as after a lost response."""
        headers = {"Idempotency-Key": f"complete-{image_id}"}
        first, second = (
            self.ask("POST", f"/uploads/{image_id}/complete", status=status, headers=headers).json() for _ in range(2)
        )
        assert first["imageId"] == second["imageId"]
        answer: dict[str, Any] = first
        return answer

    def _put(self, address: dict[str, Any], data: bytes) -> None:
        answer = self._anonymous.request(address["method"], address["url"], headers=address["headers"], content=data)
        assert answer.status_code in (200, 201, 204), answer.text
