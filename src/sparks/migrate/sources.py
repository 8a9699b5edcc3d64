"""Sources by their addresses: PostgreSQL, or tables of DynamoDB."""

from collections.abc import Mapping
from typing import Any

from sparks.migrate.dynamodb.address import is_dynamodb
from sparks.migrate.dynamodb.capture import StagedCapture, StagedFreeze
from sparks.migrate.dynamodb.source import StagedSource
from sparks.migrate.lease import Lease
from sparks.migrate.postgresql import capture, epoch, freeze, source
from sparks.migrate.source_port import ChangeCapture, MigrationSource, WriteFreeze


def connect_source(url: str, options: Mapping[str, Any]) -> MigrationSource:
    """BadInput for an address that is none, and Unavailable where nothing can be reached there."""
    if is_dynamodb(url):
        return StagedSource.connect(url, options)
    return source.Source.connect(url)


def capture_of(opened: MigrationSource, lease_epoch: int | None = None) -> ChangeCapture:
    match opened:
        case StagedSource():
            return StagedCapture(opened)
        case source.Source():
            return capture.Capture(opened, epoch=lease_epoch)
    raise TypeError(f"a {type(opened).__name__} captures nothing")


def freeze_of(opened: MigrationSource, lease_epoch: int | None = None) -> WriteFreeze:
    match opened:
        case StagedSource():
            return StagedFreeze(opened)
        case source.Source():
            return freeze.Freeze(opened, epoch=lease_epoch)
    raise TypeError(f"a {type(opened).__name__} cannot be frozen")


def claim_source(opened: MigrationSource, lease: Lease) -> None:
    """From now on, commands of earlier epochs change nothing in the source."""
    match opened:
        case StagedSource():
            opened.stops = lambda: lease.is_wanted or lease.is_lost
        case source.Source():
            epoch.claim_epoch(opened, lease.epoch)
