"""DynamoDB adapter of the table.

[Note: client tokens] A write whose response was lost is sent again, and must not fail because of its own effect: a
`Put` with Absent would find its own item. So a write that has conditions or adds is sent as a transaction with a client
token, even a single change: DynamoDB answers the repeat of a token without doing anything. Only a single Put, Set or
Delete without conditions is sent as a plain request, at half the price: repeating it has the same result. An
`increment` is a plain request, too, and repeating it skips numbers: no transaction returns a sum.

[Note: retries of DynamoDB requests] botocore does not retry: this adapter does, until one deadline for each request.
Only the "legacy" retry mode of botocore refuses a response with a wrong checksum; the other modes would take a damaged
response for "no such item".
"""

import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

import boto3
from botocore.config import Config

from sparks.model.errors import BadSetting, Busy, Unavailable
from sparks.table.dynamodb.error_mapping import THIRD_PARTY, RetryDeadline, call_with_retries
from sparks.table.dynamodb.expressions import Parameters, is_empty, is_past, query_parameters, request_for, start_key
from sparks.table.dynamodb.serializer import Wire, pack_key, unpack_item, unpack_key
from sparks.table.port import EVERYTHING, Add, Change, Check, Item, Key, Number, Page, Span, Within
from sparks.table.rules import check_changes, check_increment, check_limit, check_query, sum_in
from sparks.table.values import clean_key

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

T = TypeVar("T")
MAX_BATCH_KEYS: Final = 100
PLAIN_METHODS: Final = {"Put": "put_item", "Update": "update_item", "Delete": "delete_item"}


def connect(
    *,
    region: str,
    endpoint: str | None = None,
    access_key: str | None = None,
    secret_key: str | None = None,
    connections: int = 50,
) -> "DynamoDBClient":
    """A client with the settings that the adapter needs. Without an endpoint it connects to AWS; without keys it uses
    those that the AWS SDK finds.
    """
    no_retries = Config(  # see [Note: retries of DynamoDB requests]
        retries={"mode": "legacy", "total_max_attempts": 1},
        connect_timeout=2,
        read_timeout=5,
        max_pool_connections=connections,
    )
    return boto3.client(
        "dynamodb",
        region_name=region,
        endpoint_url=endpoint,
        aws_access_key_id=access_key,
        aws_secret_access_key=secret_key,
        config=no_retries,
    )


class DynamoDbTable:
    def __init__(
        self,
        client: "DynamoDBClient",
        name: str,
        *,
        deadline: float = 10.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._client = client
        self._name = name
        self._new_deadline = partial(RetryDeadline, deadline, clock=clock, sleep=sleep)

    def get(self, key: Key) -> Item | None:
        wire = pack_key(clean_key(key))
        answer = self._call(partial(self._client.get_item, TableName=self._name, Key=wire, ConsistentRead=True))
        return unpack_item(answer["Item"]) if "Item" in answer else None

    def get_many(self, keys: Sequence[Key]) -> dict[Key, Item]:
        wanted = list(dict.fromkeys(map(clean_key, keys)))
        found: dict[Key, Item] = {}
        for start in range(0, len(wanted), MAX_BATCH_KEYS):
            for wire in self._read_batch([pack_key(key) for key in wanted[start : start + MAX_BATCH_KEYS]]):
                found[unpack_key(wire)] = unpack_item(wire)
        return {key: found[key] for key in wanted if key in found}

    def query(
        self,
        within: Within,
        span: Span = EVERYTHING,
        *,
        limit: int = 100,
        after: Key | None = None,
        newest_first: bool = False,
        only: frozenset[str] | None = None,
    ) -> Page:
        check_query(within, span, limit=limit, after=after)
        ended = partial(is_past, within, span, newest_first=newest_first)
        if is_empty(span) or (after is not None and ended(after)):
            return Page([], None)
        parameters = query_parameters(within, span, newest_first=newest_first, only=only)
        start = None if after is None else start_key(within, after)
        return self._page(self._client.query, parameters, limit=limit, start=start, ended=ended)

    def write(self, *changes: Change, token: str | None = None) -> None:
        changes = check_changes(changes, token)
        requests = [request_for(change, table=self._name) for change in changes]
        if token is None and len(changes) == 1 and not _needs_token(changes[0]):
            [(action, parameters)] = requests
            self._call(partial(getattr(self._client, PLAIN_METHODS[action]), **parameters))
            return
        return_old = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
        transaction: Any = [{action: parameters | return_old} for action, parameters in requests]
        client_token = token or str(uuid.uuid4())
        self._call(
            partial(self._client.transact_write_items, TransactItems=transaction, ClientRequestToken=client_token)
        )

    def increment(self, key: Key, name: str, amount: int = 1, *, values: Mapping[str, Any] | None = None) -> Number:
        """A plain UpdateItem with ADD: only that returns the sum. See [Note: client tokens]."""
        change = check_increment(Add(key, {name: amount}, values or {}))
        _, parameters = request_for(change, table=self._name)
        answer = self._call(partial(self._client.update_item, **parameters, ReturnValues="UPDATED_NEW"))
        return sum_in(unpack_item(answer["Attributes"]), name)

    def scan(self, *, limit: int = 1000, after: Key | None = None) -> Page:
        check_limit(limit)
        start = None if after is None else pack_key(clean_key(after))
        return self._page(self._client.scan, {"ConsistentRead": True}, limit=limit, start=start, ended=lambda _: False)

    def expire(self, at: datetime) -> int:  # noqa: ARG002
        """DynamoDB expires the items itself, within a day or two."""
        return 0

    def check(self) -> None:
        try:
            status = self._client.describe_table(TableName=self._name)["Table"].get("TableStatus")
        except self._client.exceptions.ResourceNotFoundException as error:
            raise BadSetting(f"there is no table {self._name}: create it with `sparks create`") from error
        except THIRD_PARTY as error:
            raise Unavailable(f"the table {self._name} cannot be read: {error}") from error
        if status not in {"ACTIVE", "UPDATING"}:
            raise Unavailable(f"the table {self._name} is {status}")

    def close(self) -> None:
        self._client.close()

    def _page(
        self,
        read: Callable[..., Any],
        parameters: Parameters,
        *,
        limit: int,
        start: Wire | None,
        ended: Callable[[Key], bool],
    ) -> Page:
        """Requests one item more than `limit`, which shows whether another page follows, and continues where DynamoDB
        cuts a response short or returns an empty one.
        """
        wires: list[Wire] = []
        while len(wires) <= limit:
            place = {} if start is None else {"ExclusiveStartKey": start}
            more = limit + 1 - len(wires)
            answer = self._call(partial(read, TableName=self._name, Limit=more, **parameters, **place))
            wires += answer["Items"]
            start = answer.get("LastEvaluatedKey")
            if start is None or ended(unpack_key(start)):
                break
        items = [unpack_item(wire) for wire in wires[:limit]]
        return Page(items, unpack_key(wires[limit - 1]) if len(wires) > limit else None)

    def _read_batch(self, keys: list[Wire]) -> list[Wire]:
        found: list[Wire] = []
        deadline = self._new_deadline()
        while True:
            request: Any = {self._name: {"Keys": keys, "ConsistentRead": True}}
            answer: Any = self._call(partial(self._client.batch_get_item, RequestItems=request))
            found += answer["Responses"].get(self._name, [])
            left = answer.get("UnprocessedKeys", {}).get(self._name, {}).get("Keys", [])
            if not left:
                return found
            if not deadline.wait():
                raise Busy(f"{len(left)} items could not be read in time; try again later")
            keys = left

    def _call(self, send: Callable[[], T]) -> T:
        return call_with_retries(send, self._new_deadline())


def _needs_token(change: Change) -> bool:
    """See [Note: client tokens]."""
    return isinstance(change, Add | Check) or bool(change.when)
