"""Errors that no local server returns, injected into a client by a hook."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.compat import HTTPHeaders

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient


class Body:
    """The bytes of a response, like those of the HTTP library."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def stream(self, **_options: Any) -> Iterator[bytes]:
        yield self._content


@contextmanager
def refusing(client: "SQSClient", call: str, code: str, *, status: int = 400, message: str = "") -> Iterator[None]:
    """Answers every such call with this error in the form of SQS."""

    def answer(request: AWSPreparedRequest, **_: Any) -> AWSResponse:
        content = json.dumps({"__type": f"com.amazonaws.sqs#{code}", "message": message}).encode()
        headers = HTTPHeaders.from_pairs([("content-type", "application/x-amz-json-1.0")])
        return AWSResponse(request.url, status, headers, Body(content))

    hooks: Any = client.meta.events
    hooks.register_first(f"before-send.sqs.{call}", answer)
    try:
        yield
    finally:
        hooks.unregister(f"before-send.sqs.{call}", answer)
