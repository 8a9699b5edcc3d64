"""Tables of a live DynamoDB: read in parallel segments, at no more than the capacity that is left to them."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from sparks.migrate.dynamodb.address import Address
from sparks.migrate.dynamodb.items import Item, plain_item
from sparks.model.errors import BadInput, Busy, SparksError, Unavailable

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

PAGE: Final = 500  # items of a page, which DynamoDB ends at 1 MB
SHARE: Final = 0.5  # of a table's provisioned capacity, where none is given
KEYS_AT_ONCE: Final = 100
PATIENCE: Final = 60.0
SLICE: Final = 0.5  # seconds after which a pause looks whether it is to stop
THROTTLES: Final = frozenset({"ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded"})


class CapacityThrottle:
    """Keeps the read units of all segments together below a rate. `rate` None is as fast as it goes."""

    def __init__(
        self,
        rate: float | None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._rate = rate
        self._clock = clock
        self._sleep = sleep
        self._lock = threading.Lock()
        self._free_at = clock()

    def wait(self, *, stops: Callable[[], bool]) -> None:
        """Until what was consumed is paid for, or it is to stop."""
        while not stops() and (pause := self._free_at - self._clock()) > 0:
            self._sleep(min(pause, SLICE))

    def consumed(self, units: float) -> None:
        if self._rate is not None:
            with self._lock:
                self._free_at = max(self._free_at, self._clock()) + units / self._rate


class Tables:
    """The tables of one address. BadInput where one is missing, or no region or credentials are known."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self.client: DynamoDBClient = _client("dynamodb", address)
        self.streams: Any = _client("dynamodbstreams", address)
        self._described = {name: self._describe(name) for name in address.tables}
        self._throttle = CapacityThrottle(address.capacity or self._provisioned())

    def key_names(self, table: str) -> list[str]:
        """The names of the table's key attributes, the partition key first."""
        return [each["AttributeName"] for each in self._described[table]["KeySchema"]]

    def stream(self, table: str) -> str | None:
        """The name of the table's stream, as it is now; None where it has none."""
        described = self._describe(table)
        is_enabled = described.get("StreamSpecification", {}).get("StreamEnabled", False)
        return described.get("LatestStreamArn") if is_enabled else None

    def sample(self, table: str, limit: int = 1000) -> list[Item]:
        """Some items, to recognize the layout by."""
        with translated():
            found = self.client.scan(TableName=table, Limit=limit)["Items"]
        return [plain_item(each) for each in found]

    def scan(
        self,
        table: str,
        segment: int,
        segments: int,
        after: Mapping[str, Any] | None = None,
        *,
        stops: Callable[[], bool] = lambda: False,
    ) -> Iterator[tuple[list[Item], Mapping[str, Any] | None]]:
        """The items of a segment, in pages, each with the key at which the next one begins."""
        start: dict[str, Any] = {} if after is None else {"ExclusiveStartKey": after}
        while True:
            self._throttle.wait(stops=stops)
            page = self._retried(
                partial(
                    self.client.scan,
                    TableName=table,
                    Segment=segment,
                    TotalSegments=segments,
                    ConsistentRead=True,
                    ReturnConsumedCapacity="TOTAL",
                    Limit=PAGE,
                    **start,
                )
            )
            self._throttle.consumed(page.get("ConsumedCapacity", {}).get("CapacityUnits", 0.0))
            following = page.get("LastEvaluatedKey")
            yield [plain_item(each) for each in page["Items"]], following
            if not following:
                return
            start = {"ExclusiveStartKey": following}

    def get(self, table: str, keys: Sequence[Mapping[str, Any]]) -> list[Item]:
        """The items with these keys as they are now; one that is gone is left out."""
        found: list[Item] = []
        for start in range(0, len(keys), KEYS_AT_ONCE):
            waiting: Any = {table: {"Keys": list(keys[start : start + KEYS_AT_ONCE]), "ConsistentRead": True}}
            while waiting:
                page = self._retried(partial(self.client.batch_get_item, RequestItems=waiting))
                found += [plain_item(each) for each in page["Responses"].get(table, [])]
                waiting = page.get("UnprocessedKeys")
        return found

    def _retried(self, call: Callable[[], Any]) -> Any:
        """Where the table is throttled it is tried again, more and more slowly."""
        pause, deadline = 0.1, time.monotonic() + PATIENCE
        while True:
            try:
                with translated():
                    return call()
            except Busy:
                if time.monotonic() > deadline:
                    raise
                time.sleep(pause)
                pause = min(5.0, pause * 2)

    def _describe(self, name: str) -> Any:
        with translated(f"the table {name}"):
            return self.client.describe_table(TableName=name)["Table"]

    def _provisioned(self) -> float | None:
        """A share of the smallest provisioned capacity; None where all are paid by request."""
        given = [
            each.get("ProvisionedThroughput", {}).get("ReadCapacityUnits", 0)
            for each in self._described.values()
            if each.get("BillingModeSummary", {}).get("BillingMode") != "PAY_PER_REQUEST"
        ]
        units = [each for each in given if each]
        return min(units) * SHARE if units else None


def _client(service: str, address: Address) -> Any:
    config = Config(retries={"mode": "standard", "total_max_attempts": 5}, connect_timeout=5, read_timeout=60)
    try:
        return boto3.client(
            service,  # type: ignore[call-overload]
            region_name=address.region,
            endpoint_url=address.endpoint,
            config=config,
        )
    except (BotoCoreError, ValueError) as error:
        raise BadInput(f"{error}: name a region in the address as in ?region=eu-central-1, or by AWS_REGION") from error


@contextmanager
def translated(subject: str = "the table") -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        raise _translate(error, subject) from error
    except BotoCoreError as error:
        raise Unavailable(f"DynamoDB cannot be reached: {error}") from error


def _translate(error: ClientError, subject: str) -> SparksError:
    code = str(error.response.get("Error", {}).get("Code", ""))
    if code in THROTTLES:
        return Busy(f"DynamoDB is busy ({code}): try again later, or set a smaller capacity in the address")
    if code == "ResourceNotFoundException":
        return BadInput(f"there is no {subject.removeprefix('the ')}: look at the address, its region and endpoint")
    return Unavailable(f"DynamoDB refuses {subject}: {code} {error.response.get('Error', {}).get('Message', '')}")
