"""Sparks on DynamoDB Local and an S3 server, and an outsider who reads and writes both with plain boto3.

The outsider knows only the five documents that docs/data-model.md names.
"""

import uuid
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import boto3
import httpx
from botocore.config import Config
from PIL import Image

from sparks.api.app import create_app
from sparks.auth.sessions import open_session
from sparks.blobs import s3
from sparks.blobs.s3 import S3Blobs
from sparks.jobs.memory import MemoryJobs
from sparks.journey import Journey, Stores
from sparks.library.accounts.lifecycle import create_user
from sparks.library.search.change_log import SearchLoggingTable
from sparks.library.search.search_index import SearchIndex
from sparks.media.sandboxed_renderer import SandboxedRenderer
from sparks.metrics import JobReport, Metrics
from sparks.migrate.write_guard import GuardedTable
from sparks.model import times
from sparks.model.account import Role, User
from sparks.model.events import Event
from sparks.search.memory import MemorySearch
from sparks.settings import Settings
from sparks.table.dynamodb import DynamoDbTable
from sparks.worker import Worker
from tests.api.client import Client
from tests.api.community import KEYRING, SPAN, Headers, as_cookie
from tests.conformance.table.adapters import client_of, new_name
from tests.faces.fake_engine import PIPELINE, FakeEngine
from tests.factories import a_user
from tests.servers import commands

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.service_resource import Table as BotoTable

HERE: Final = "http://127.0.0.1:8000"
Row = dict[str, Any]


class Site:
    """One table, one bucket and one application for all tests of this folder. Each test has users of its own."""

    def __init__(self, data: Path, renderer: SandboxedRenderer) -> None:
        client = client_of("dynamodb-local")
        self._table_name, self._bucket = new_name(client), f"documents-{uuid.uuid4().hex}"
        objects = s3.connect(
            region=commands.REGION,
            endpoint=commands.seaweedfs(),
            access_key=commands.ACCESS_KEY,
            secret_key=commands.SECRET_KEY,
        )
        s3.create_bucket(objects, self._bucket)
        self.table = DynamoDbTable(client, self._table_name)
        self.blobs = S3Blobs(objects, self._bucket)
        self.engine = FakeEngine()
        self.search = SearchIndex(MemorySearch(), table=self.table, keyring=KEYRING)
        self.stores = Stores(
            table=GuardedTable(SearchLoggingTable(self.table, keyring=KEYRING)),
            blobs=self.blobs,
            jobs=MemoryJobs(),
            keyring=KEYRING,
            search=self.search,
            renderer=renderer,
            engine=self.engine,
            pipeline=PIPELINE,
        )
        settings = Settings(data=data, allowed_hosts=("sparks.test",))
        self.app = create_app(stores=self.stores, settings=settings, metrics=Metrics())
        self.browser = Client(self.app, site=HERE)

    # -- Sparks

    def join(self, *, role: Role = Role.MEMBER) -> tuple[User, Headers]:
        """A new user with a session."""
        user = a_user(f"{uuid.uuid4().hex}@example.com", role=role)
        create_user(user, photos=500, bytes=10**9, password_hash=None, table=self.table)
        return user, self.session_of(user)

    def session_of(self, user: User) -> Headers:
        return as_cookie(open_session(user, span=SPAN, device=None, at=times.now(), table=self.table).text)

    def get(self, path: str, session: Headers, **options: Any) -> Any:
        answer = self.browser.get(path, headers=session, **options)
        assert answer.status_code == 200, (path, answer.status_code, answer.text)
        return answer.json()

    def post(self, path: str, session: Headers, **options: Any) -> Any:
        answer = self.browser.post(path, headers=session, **options)
        assert answer.is_success, (path, answer.status_code, answer.text)
        return answer.json() if answer.content else None

    def upload(self, session: Headers, picture: bytes) -> str:
        """The id of an uploaded photo, which is not processed yet."""
        ticket = self.reserve(session, picture)
        self.send(ticket, picture)
        return str(self.post(f"/api/uploads/{ticket['imageId']}/complete", session)["imageId"])

    def reserve(self, session: Headers, picture: bytes) -> Row:
        ticket: Row = self.post("/api/uploads", session, json={"filename": "sea.jpg", "size": len(picture)})
        return ticket

    def send(self, ticket: Row, picture: bytes) -> None:
        """Sends the bytes straight to the bucket."""
        httpx.request(ticket["method"], ticket["url"], headers=ticket["headers"], content=picture).raise_for_status()

    def send_event(self, event: Event) -> None:
        """Sends the jobs that follow the event, and runs them."""
        Journey().send_after(event, jobs=self.stores.jobs)
        self.work()

    def work(self) -> None:
        """Runs the waiting jobs; none fails."""
        reports: list[JobReport] = []
        Worker(journey=Journey(), stores=self.stores, report=reports.append, wait=0, overdue=lambda: None).run_waiting()
        assert [report.kind for report in reports if not report.done] == []

    # -- The outsider

    @property
    def outside(self) -> "BotoTable":
        return boto3.resource("dynamodb", endpoint_url=commands.dynamodb_local(), **_KEYS).Table(self._table_name)

    def put_rows(self, *rows: Mapping[str, Any]) -> None:
        for row in rows:
            self.outside.put_item(Item=dict(row))

    def row(self, pk: str, sk: str) -> Row:
        return dict(self.outside.get_item(Key={"PK": pk, "SK": sk}, ConsistentRead=True)["Item"])

    def put_object(self, key: str, body: bytes) -> None:
        self._outside_objects().put_object(Bucket=self._bucket, Key=key, Body=body)

    def object_keys(self, prefix: str) -> list[str]:
        listed = self._outside_objects().list_objects_v2(Bucket=self._bucket, Prefix=prefix)
        return [each["Key"] for each in listed.get("Contents", [])]

    def _outside_objects(self) -> Any:
        config = Config(signature_version="s3v4", s3={"addressing_style": "path"})
        return boto3.client("s3", endpoint_url=commands.seaweedfs(), config=config, **_KEYS)


_KEYS: Final[dict[str, Any]] = {
    "region_name": commands.REGION,
    "aws_access_key_id": commands.ACCESS_KEY,
    "aws_secret_access_key": commands.SECRET_KEY,
}


def image_row(email: str, **more: Any) -> Row:
    """An Image as 000 has it in its example."""
    image_id = more.pop("imageId", None) or str(uuid.uuid4())
    return {
        "PK": image_id,
        "SK": f"UPLOADED_BY#{email}",
        "assetType": "IMAGE",
        "entityType": "IMAGE",
        "imageId": image_id,
        "s3Key": f"originals/{image_id}.jpg",
        "uploadedBy": email,
        "uploaded_datetime": "2025-08-01T09:24:22.159Z",
        "lastModified": "2025-08-01T09:24:28.957Z",
        "persons": [],
        "tags": [],
        **more,
    }


def a_jpeg(color: str = "teal", size: tuple[int, int] = (640, 480)) -> bytes:
    file = BytesIO()
    Image.new("RGB", size, color).save(file, "JPEG")
    return file.getvalue()
