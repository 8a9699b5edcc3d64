"""Streams of tables: the keys of items that changed, whose items are then read as they are.

[Note: streams by key] A record only says that an item changed. So records may be read late, twice and in any order, and
any view type of a stream will do. A stream keeps its records for 24 hours: where it was not read for nearly as long,
or a place in it is gone, everything is read anew.
"""

import time
from collections.abc import Iterator, Mapping
from typing import Any, Final

from botocore.exceptions import ClientError

from sparks.migrate.dynamodb.items import plain_item
from sparks.migrate.dynamodb.source import StagedSource, item_key
from sparks.migrate.dynamodb.staging import StagedItem
from sparks.migrate.dynamodb.tables import translated

KEPT: Final = 20 * 3600.0  # seconds for which no record is lost
RECORDS: Final = 1000
ROUNDS: Final = 50  # reads of a shard in a row
GONE: Final = frozenset({"TrimmedDataAccessException", "ResourceNotFoundException", "ExpiredIteratorException"})


class Trimmed(Exception):
    """Records of a stream are gone that were not read."""


class StreamReader:
    """The streams of all tables, and how far each of their shards was read."""

    def __init__(self, source: StagedSource) -> None:
        self._source = source
        self._staging = source.staging

    @property
    def are_known(self) -> bool:
        """Whether every table had a stream when the places were noted."""
        return bool(self._staging.get("streams"))

    def begin(self) -> None:
        """Notes the streams, before all items are read. A shard without a place is read from its beginning."""
        if self._source.address.path is not None:
            return
        found = {table: self._source.live.stream(table) for table in self._source.address.tables}
        streams = found if all(found.values()) else None
        self._staging.note(streams=streams, shards={}, streams_read_at=time.time())

    def read(self) -> None:
        """Reads all records that are there now, and stores their items. Trimmed where some are lost."""
        streams: Mapping[str, str] = self._staging.get("streams")
        now = time.time()
        if now - float(self._staging.get("streams_read_at") or 0.0) > KEPT:
            raise Trimmed
        for table, arn in streams.items():
            for shard in list(self._shards(arn)):
                self._read_shard(table, arn, shard)
        self._staging.note(streams_read_at=now)

    def _shards(self, arn: str) -> Iterator[str]:
        """Parents come before their children."""
        start: dict[str, Any] = {}
        while True:
            described = self._call("describe_stream", StreamArn=arn, **start)["StreamDescription"]
            yield from (shard["ShardId"] for shard in described["Shards"])
            if "LastEvaluatedShardId" not in described:
                return
            start = {"ExclusiveStartShardId": described["LastEvaluatedShardId"]}

    def _read_shard(self, table: str, arn: str, shard: str) -> None:
        place = (self._staging.get("shards") or {}).get(shard)
        if place == "":  # closed, and read to its end
            return
        after = {"ShardIteratorType": "TRIM_HORIZON"}
        if place is not None:
            after = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": place}
        iterator = self._call("get_shard_iterator", StreamArn=arn, ShardId=shard, **after)["ShardIterator"]
        for _ in range(ROUNDS):
            found = self._call("get_records", ShardIterator=iterator, Limit=RECORDS)
            records = [each["dynamodb"] for each in found["Records"]]
            if records:
                self._store(table, [record["Keys"] for record in records])
                self._note(shard, records[-1]["SequenceNumber"])
            iterator = found.get("NextShardIterator")
            if iterator is None:
                self._note(shard, "")
                return
            if not records:
                return

    def _store(self, table: str, wire_keys: list[Any]) -> None:
        """Stores the items of these keys as they are now, and deletes those that are gone."""
        source, staging = self._source, self._source.staging
        distinct = list({repr(sorted(each.items())): each for each in wire_keys}.values())
        staged = list(source.staged(source.live.get(table, distinct)))
        there = {(each.place, each.item) for each in staged}
        for key in map(plain_item, distinct):
            place = source.place(key)
            if place is not None and (place, item_key(key, place)) not in there:
                staged.append(StagedItem(place, item_key(key, place), None))
        staging.put(staged)
        staging.complete(source.layout.user_named, source.layout.album_named)

    def _note(self, shard: str, place: str) -> None:
        self._staging.note(shards={**(self._staging.get("shards") or {}), shard: place})

    def _call(self, operation: str, **parameters: Any) -> Any:
        with translated("the stream"):
            try:
                return getattr(self._source.live.streams, operation)(**parameters)
            except ClientError as error:
                if error.response.get("Error", {}).get("Code") in GONE:
                    raise Trimmed from error
                raise
