"""A table of layout 000 on DynamoDB Local, of any size, and `sparks migrate` as a process that takes it over."""

import os
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import boto3

from benchmarks.legacy_gallery import Run, run_migrate
from tests.servers import commands, process

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

NAME: Final = "Sparks"
AT_ONCE: Final = 25  # items of a batch
USERS_OF: Final = 200  # rows for each of the users
KEYS: Final = ("PK", "SK")


@dataclass(frozen=True, slots=True)
class LayoutTable:
    """A source, the folder of its objects, and the data folder of a Sparks that takes it over."""

    client: "DynamoDBClient"
    objects: Path
    data: Path

    def fill(self, rows: int) -> None:
        """Users and images, together so many rows. The images have no objects."""
        users = max(1, rows // USERS_OF)
        self.client.create_table(
            TableName=NAME,
            KeySchema=[
                {"AttributeName": "PK", "KeyType": "HASH"},
                {"AttributeName": "SK", "KeyType": "RANGE"},
            ],
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in KEYS],
            BillingMode="PAY_PER_REQUEST",
        )
        made = [_user(number) for number in range(users)]
        made += [_image(number, number % users) for number in range(rows - users)]
        for start in range(0, len(made), AT_ONCE):
            self._put(made[start : start + AT_ONCE])

    def _put(self, items: Sequence[dict[str, Any]]) -> None:
        waiting: Any = {NAME: [{"PutRequest": {"Item": item}} for item in items]}
        while waiting:
            waiting = self.client.batch_write_item(RequestItems=waiting)["UnprocessedItems"]

    def pages(self) -> Iterator[list[dict[str, Any]]]:
        """The items as a bare scan reads them."""
        start: dict[str, Any] = {}
        while True:
            page = self.client.scan(TableName=NAME, ConsistentRead=True, **start)
            yield page["Items"]
            if "LastEvaluatedKey" not in page:
                return
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}

    def capture(self) -> Run:
        source = f"dynamodb://{NAME}?endpoint={self.client.meta.endpoint_url}&region={commands.REGION}"
        return self.run("capture", "--from", source, "--objects", str(self.objects))

    def run(self, command: str, *options: str) -> Run:
        return run_migrate(self.data, command, *options)


@contextmanager
def new_table(folder: Path) -> Iterator[LayoutTable]:
    """A table on a server of its own. Credentials come from the environment, as a user has them."""
    os.environ |= {"AWS_ACCESS_KEY_ID": commands.ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": commands.SECRET_KEY}
    objects = folder / "layout-objects"
    objects.mkdir()
    process.make_folder()
    try:
        client = boto3.client("dynamodb", region_name=commands.REGION, endpoint_url=commands.dynamodb_local())
        yield LayoutTable(client, objects, folder / "layout-data")
    finally:
        process.end_all()


def _user(number: int) -> dict[str, Any]:
    email = f"user{number}@example.org"
    texts = {"PK": email, "SK": email, "entityType": "USER", "email": email, "username": f"User {number}"}
    return {name: {"S": value} for name, value in texts.items()}


def _image(number: int, user: int) -> dict[str, Any]:
    image_id, email = str(uuid.UUID(int=number * 7919 + 2**100, version=4)), f"user{user}@example.org"
    texts = {
        "PK": image_id,
        "SK": f"UPLOADED_BY#{email}",
        "entityType": "IMAGE",
        "assetType": "IMAGE",
        "imageId": image_id,
        "s3Key": f"originals/{image_id}.jpg",
        "uploadedBy": email,
        "uploaded_datetime": f"2025-08-{number % 28 + 1:02}T09:24:{number % 60:02}.159Z",
        "lastModified": "2025-08-30T09:24:28.957Z",
    }
    tags = {"L": [{"S": "sea"}, {"S": "sun"}]}
    return {**{name: {"S": value} for name, value in texts.items()}, "persons": {"L": []}, "tags": tags}
