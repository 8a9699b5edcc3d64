"""Whatever another writer puts into the table, walks over its rows end well and still return the good rows."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from sparks.accounts.remove_account import close_account, remove_account, resume_removals
from sparks.actions.archive_sources import photos_in_pages, photos_with_ids
from sparks.blobs.memory import MemoryBlobs
from sparks.faces.index_library import unindexed
from sparks.feed.photo_items import READ_ATTRIBUTES, photo_values
from sparks.feed.photo_pages import PhotoPages
from sparks.feed.search import SearchCriteria, photo_search_for
from sparks.jobs.memory import MemoryJobs
from sparks.library.accounts.lifecycle import create_user
from sparks.library.accounts.users import all_users, users_by_email
from sparks.library.face_index import FaceIndex
from sparks.library.people.people_statistics import count_people, people_statistics
from sparks.library.people.person_list import persons_named
from sparks.library.photos.reconcile_links import reconcile_links
from sparks.library.search.search_index import SearchIndex
from sparks.library.upload_limits.account_limit import all_limits
from sparks.model import times
from sparks.model.caller import Credential, Member
from sparks.model.events import PatrolDue, UpkeepDue
from sparks.model.face import Box
from sparks.model.ids import face_id
from sparks.model.pipeline_settings import PipelineSettings
from sparks.renditions.missing_renditions import batches, resume_point
from sparks.search.memory import MemorySearch
from sparks.table.memory import MemoryTable
from sparks.table.port import Item, Put, Table
from sparks.takeout.archive.file_choice import ArchiveChoice, ArchiveSize, plan_entries
from sparks.takeout.export.photo_details import PhotoDetailsReader, all_photos, photos_of
from sparks.upkeep.resend_lost import resend_lost
from sparks.upkeep.sweep import preview_sweep, sweep
from sparks.vectors.memory import MemoryVectors
from tests.api.community import KEYRING
from tests.documents.site import image_row
from tests.factories import ANN, BOB, a_user
from tests.strategies import table_values

GOOD_ID: Final = "02df423f-0d45-4d59-b987-2ade841d0fbf"
PIPELINE: Final = PipelineSettings()
WRITTEN: Final = times.iso(times.now())

# -- Rows

odd_values = table_values | st.sampled_from(
    ["", "IMAGE", "private", "2025-08-01T09:24:22Z", "2025-13-41T99:00:00.000Z", -1, 10**30, Decimal("1E+100"), [], {}]
)
image_ids = st.uuids(version=4).map(str) | st.sampled_from(["IMG_1", GOOD_ID.upper(), f"PHOTO#{GOOD_ID}", "x" * 36])
owners = st.sampled_from([ANN, BOB, "Ann@Example.com", "nobody", "a@b#c", f"{ANN}#"])
photo_types = st.sampled_from(
    [
        "IMAGE",
        "IMAGE_PRIVATE",
        "IMAGE_PENDING",
        "IMAGE_FAILED",
        "IMAGE_DELETING",
        "IMAGE_RESERVED",
        "IMAGE_NEW",
        "photo",
    ]
) | st.sampled_from([f"IMAGE_TRASHED#{ANN}", "IMAGE_TRASHED"])
IMAGE_ATTRIBUTES: Final = sorted(
    {*READ_ATTRIBUTES, "albums", "exif", "location", "fileSize", "sizes", "createdAt", "updatedAt", "ttl", "sha256",
     "faceEngine", "facesVersion", "forgottenBoxes", "uploadId", "albumsVersion", "error", "uploadedBy"}
    - {"PK", "SK"}
)  # fmt: skip


@st.composite
def images(draw: st.DrawFn) -> Item:
    """An Image of 000 without some of its attributes, and with odd values in others."""
    image_id, owner = draw(image_ids), draw(owners)
    row = image_row(owner, imageId=image_id, entityType=draw(photo_types))
    for name in draw(st.sets(st.sampled_from(sorted(row.keys() - {"PK", "SK"})))):
        del row[name]
    row |= draw(st.dictionaries(st.sampled_from(IMAGE_ATTRIBUTES), odd_values, max_size=6))
    return _storable(row)


@st.composite
def other_rows(draw: st.DrawFn) -> Item:
    """A user, person, tagging or limit of 000, or a row of another document, with odd values."""
    person, email = draw(st.sampled_from(["person1", "person2", "a#b", "Anna Maria"])), draw(owners)
    image_id = draw(st.sampled_from([GOOD_ID, "IMG_1"]))
    pk, sk, kind = draw(
        st.sampled_from(
            [
                (email, email, "USER"),
                (email, ANN, "USER"),
                (f"LIMIT#{email}", email, "DEFAULT_LIMIT"),
                (f"PERSON#{person}", person, "PERSON"),
                (f"PERSON#{person}", "someone", "PERSON"),
                (image_id, f"PERSON#{person}", f"TAGGING#{person}"),
                (f"USER#{email}", f"USER#{email}", "user"),
                (f"IMAGE#{image_id}", "METADATA", "IMAGE"),
                (image_id, image_id, "photo"),
            ]
        )
    )
    names = ["displayName", "s3Key", "createdAt", "images", "username", "uploadedBy", "personId", "profilePicture",
             "memberCount", "photoCount", "canonicalPersonId", "limit", "owner", "role", "removedAt"]  # fmt: skip
    row = {"PK": pk, "SK": sk, "entityType": kind, **draw(st.dictionaries(st.sampled_from(names), odd_values))}
    return _storable(row)


def _storable(row: Item) -> Item:
    """Without values that no table takes in an attribute of an index."""
    for name in ("entityType", "uploadedBy"):
        if name in row and not (isinstance(row[name], str) and row[name]):
            del row[name]
    if "limit" in row and (isinstance(row["limit"], bool) or not isinstance(row["limit"], int | Decimal)):
        del row["limit"]
    return row


def library_with(*rows: Item) -> MemoryTable:
    """A library with a good photo of Ann's, as 000 has it, and these rows of another writer."""
    table = MemoryTable()
    for email in (ANN, BOB):
        create_user(a_user(email), photos=5, bytes=10**6, password_hash=None, table=table)
    there = {(ANN, ANN), (BOB, BOB), (f"LIMIT#{ANN}", ANN), (f"LIMIT#{BOB}", BOB)}
    for row in (*rows, image_row(ANN, imageId=GOOD_ID, tags=["sea"])):
        if (row["PK"], row["SK"]) not in there:
            table.write(Put(row))
    return table


# -- Walks, each of which returns the ids of photos


def pages(table: Table) -> list[str]:
    found: list[str] = []
    reader = PhotoPages(limit=500, after=None, only=READ_ATTRIBUTES, at=times.now(), table=table)
    for page, _ in (reader.of_community(), reader.of_user(ANN, caller=ANNS), reader.of_trash(ANNS)):
        shown = photo_values(page, ANNS, favorites=(), sizes=("large",), media_query=lambda _: "signed", table=table)
        assert all({"imageId", "uploadedBy", "images", "tags", "visibility"} <= each.keys() for each in shown)
        found += [each["imageId"] for each in shown]
    return found


def archive(table: Table) -> list[str]:
    reader = PhotoPages(limit=500, after=None, only=READ_ATTRIBUTES, at=times.now(), table=table)
    photos = list(photos_in_pages(lambda **_: reader.of_community(), sees=lambda _: True))
    list(plan_entries(photos, ArchiveChoice(ArchiveSize.ORIGINAL), blobs=MemoryBlobs()))
    return [photo.image_id for photo in (*photos, *photos_with_ids([GOOD_ID], sees=lambda _: True, table=table))]


def export(table: Table) -> list[str]:
    photos, reader = [*all_photos(table=table), *photos_of(ANN, table=table)], PhotoDetailsReader(table)
    return [reader.read(photo).photo.image_id for photo in photos]


def search(table: Table) -> list[str]:
    index = SearchIndex(MemorySearch(), table=table, keyring=KEYRING)
    index.build(at=times.now())
    search_of_ann = photo_search_for(ANNS, index=index, at=times.now(), table=table)
    items, _ = search_of_ann.page(SearchCriteria(tags=("sea",)), limit=100, after=None)
    return [item["PK"] for item in items]


def counts(table: Table) -> list[str]:
    people_statistics(table=table)
    count_people(table=table)
    list(persons_named("Anna", table=table))
    FaceIndex(MemoryVectors(4), engine="test-1", table=table).build(at=times.now())
    assert {ANN, BOB} <= {user.email for user in all_users(table=table)}
    assert users_by_email([ANN, BOB], table=table).keys() == {ANN, BOB}
    assert {ANN, BOB} <= {limit.email for limit in all_limits(table=table)}
    return [GOOD_ID]


def rebuilds(table: Table) -> list[str]:
    lacking = [
        event.image_id
        for batch in batches(("large",), resume_point(("large",), table=table), table=table)
        for event in batch.events
    ]
    list(unindexed("test-1", table=table))
    return lacking


def upkeep(table: Table) -> list[str]:
    blobs, jobs = MemoryBlobs(), MemoryJobs()
    blobs.put(f"originals/{GOOD_ID}.jpg", [b"bytes"])
    at = times.now()
    preview_sweep(at, table=table, blobs=blobs, keyring=KEYRING, pipeline=PIPELINE)
    list(sweep(UpkeepDue(at), table=table, blobs=blobs, jobs=jobs, keyring=KEYRING, pipeline=PIPELINE))
    list(resend_lost(PatrolDue(at), table=table, jobs=jobs))
    resume_removals(UpkeepDue(at), table=table, blobs=blobs, jobs=jobs, keyring=KEYRING)
    assert blobs.head(f"originals/{GOOD_ID}.jpg").size == 5
    return [GOOD_ID]


def timeline(table: Table) -> list[str]:
    for photo in all_photos(table=table):
        reconcile_links(photo.image_id, photo.owner, table=table)
        face_id(photo.image_id, "test-1", Box(0, 0, 1, 1), uploaded_at=photo.uploaded_at)
    return [GOOD_ID]


def removal(table: Table) -> list[str]:
    event = close_account(BOB, by=ANN, at=times.now(), table=table)
    remove_account(event, table=table, blobs=MemoryBlobs(), jobs=MemoryJobs(), keyring=KEYRING)
    return [GOOD_ID]


ANNS: Final = Member(a_user(ANN), Credential("session", "s1"))
WALKS: Final[tuple[Callable[[Table], list[str]], ...]] = (
    pages, archive, export, search, counts, rebuilds, upkeep, timeline, removal,
)  # fmt: skip


@settings(max_examples=150)
@given(rows=st.lists(images() | other_rows(), max_size=4))
def test_no_row_of_another_writer_ends_a_walk(rows: list[Any]) -> None:
    table = library_with(*rows)
    for walk in WALKS:
        assert GOOD_ID in walk(table), walk.__name__
