"""Responses that no local server gives, injected by a hook of botocore."""

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.httpsession import URLLib3Session

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class Body(io.BytesIO):
    """A body like that of urllib3."""

    def stream(self, amount: int = 65536, **_: Any) -> Iterator[bytes]:
        while chunk := self.read(amount):
            yield chunk


def answer(client: "S3Client", operation: str, status: int, code: str) -> None:
    """Answers every such request with this error; none reaches the server."""
    _hook(client, operation, lambda request: _error(request, status, code))


def lose_first_answer(client: "S3Client", operation: str) -> None:
    """Lets the server execute the first such request, and loses its response."""
    sent: list[AWSPreparedRequest] = []

    def lose(request: AWSPreparedRequest) -> AWSResponse | None:
        sent.append(request)
        if len(sent) > 1:
            return None
        assert URLLib3Session().send(request).status_code == 200
        return _error(request, 500, "InternalError")

    _hook(client, operation, lose)


def cut_off(client: "S3Client", content: bytes, *, announced: int) -> None:
    """Ends the bytes of every read too early."""
    headers: Any = {"Content-Length": str(announced)}
    _hook(client, "GetObject", lambda request: AWSResponse(request.url, 200, headers, Body(content)))


def _hook(client: "S3Client", operation: str, handle: Callable[[AWSPreparedRequest], AWSResponse | None]) -> None:
    def hook(request: AWSPreparedRequest, **_: Any) -> Any:
        return handle(request)

    client.meta.events.register(f"before-send.s3.{operation}", hook)


def _error(request: AWSPreparedRequest, status: int, code: str) -> AWSResponse:
    text = f"<Error><Code>{code}</Code><Message>as the test wants it</Message></Error>"
    no_headers: Any = {}
    return AWSResponse(request.url, status, no_headers, Body(text.encode()))


@contextmanager
def counted_requests(client: "S3Client") -> Iterator[list[str]]:
    """The operations that are sent within the block, in their order."""
    sent: list[str] = []

    def note(request: AWSPreparedRequest, event_name: str, **_: Any) -> None:
        sent.append(event_name.rpartition(".")[2])

    client.meta.events.register("before-send.s3", note)
    try:
        yield sent
    finally:
        client.meta.events.unregister("before-send.s3", note)
