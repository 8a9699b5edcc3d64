"""Keys: no two things share one, and they are spelled as the data model spells them."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparks.library import entity_types, keys
from sparks.model.errors import BadInput
from sparks.model.photo import PhotoState, Visibility
from sparks.model.scope import COMMUNITY, Scope, scope_of_album, scope_of_owner
from sparks.table.memory import MemoryTable
from sparks.table.port import Between, EntityType, Key, Partition, Put, UploadedBy
from tests.strategies import nasty_texts

IMAGE = "0198653a-6ebd-7f4e-8000-1f2e3d4c5b6a"
OTHER_IMAGE = "02df423f-0d45-4d59-b987-2ade841d0fbf"
ANN = "ann@example.com"
AT = datetime(2025, 8, 1, 9, 24, 22, 159_000, tzinfo=UTC)
ISO = "2025-08-01T09:24:22.159Z"
ALBUM = scope_of_album("a1")
MINE = scope_of_owner(ANN)

# A small world, tried out whole: every text of up to three of these words, as each piece of every key.
WORDS = ["a", "PERSON", "ALL"]
TEXTS = ["#".join(words) for length in (1, 2, 3) for words in product(WORDS, repeat=length)]
TEXTS += [
    "b@c",
    "a#b@c",
    "b@c#a",
    "b@c#a#a",
    "ALL#b@c",
    "ALL#b@c#a",
    "PASSWORD",
    "METADATA",
    "IN#ALL",
    ISO,
    f"a#{ISO}#a",
]
IMAGES = [IMAGE, "a", "b@c", "LIMIT#b@c"]
TIMES = [AT, AT + timedelta(days=40)]
SHARDS = [0, 7]
NOBODY = [None, *TEXTS]


def community_tag_link(image_id: str, tag: str) -> Key:
    return keys.tag_link(image_id, tag, community=True)


def person_few(scope: Scope) -> EntityType:
    return entity_types.person_in_scope(scope, listed=False)


Makers = dict[Callable[..., Any], list[Sequence[Any]]]

ALL_KEYS: Makers = {
    keys.user: [TEXTS],
    keys.password: [TEXTS],
    keys.identity: [TEXTS, TEXTS],
    keys.upload_limit: [TEXTS],
    keys.session: [TEXTS],
    keys.api_key: [TEXTS],
    keys.invitation: [TEXTS],
    keys.request_token: [TEXTS],
    keys.photo: [IMAGES, TEXTS],
    keys.person_in_photo: [IMAGES, TEXTS],
    keys.face: [IMAGES, TEXTS],
    keys.album_photo: [IMAGES, TEXTS],
    keys.album_person: [IMAGES, TEXTS, TEXTS],
    keys.tag_link: [IMAGES, TEXTS],
    community_tag_link: [IMAGES, TEXTS],
    keys.month_link: [IMAGES, TEXTS],
    keys.favorite: [IMAGES, TEXTS],
    keys.like: [IMAGES, TEXTS, TEXTS],
    keys.comment: [IMAGES, TEXTS, TIMES, TEXTS],
    keys.face_decision: [IMAGES, TIMES, TEXTS],
    keys.guest_photo: [IMAGES, TEXTS],
    keys.content_digest: [TEXTS, TEXTS],
    keys.external_id: [TEXTS, TEXTS],
    keys.month_counter: [TEXTS, TEXTS],
    keys.tag_counter: [TEXTS, TEXTS],
    keys.face_by_id: [TEXTS],
    keys.face_log_entry: [TIMES, TEXTS],
    keys.person: [TEXTS],
    keys.person_in_scope: [TEXTS, TEXTS],
    keys.decision: [TEXTS, TIMES, TEXTS],
    keys.suggestion: [TEXTS, TEXTS],
    keys.album: [TEXTS],
    keys.album_member: [TEXTS, TEXTS],
    keys.share_link: [TEXTS],
    keys.guest: [TEXTS, TEXTS],
    keys.job_state: [TEXTS],
    keys.live_event: [TEXTS, TEXTS],
    keys.consent: [TEXTS, TIMES, TEXTS],
    keys.erasure: [TEXTS],
    keys.recognition_opt_out: [TEXTS],
    keys.audit_entry: [TIMES, TEXTS],
    keys.migration_epoch: [SHARDS],
    keys.mirror_outbox_entry: [SHARDS, TEXTS],
}
ALL_LISTS: Makers = {
    entity_types.trashed: [TEXTS],
    entity_types.tag: [TEXTS, TEXTS],
    entity_types.community_tag: [TEXTS],
    entity_types.month: [TEXTS, TEXTS],
    entity_types.favorite: [TEXTS],
    entity_types.guest_photo: [TEXTS],
    entity_types.person_in_photo: [TEXTS, NOBODY],
    entity_types.face: [NOBODY],
    entity_types.person_in_scope: [TEXTS],
    person_few: [TEXTS],
    entity_types.album_photo: [TEXTS],
    entity_types.album_queue: [TEXTS],
    entity_types.album_person: [TEXTS, TEXTS],
    entity_types.album_member: [TEXTS],
    entity_types.like: [TEXTS],
    entity_types.comment: [TEXTS],
    entity_types.share_link: [TEXTS],
    entity_types.session: [TEXTS],
    entity_types.api_key: [TEXTS],
    entity_types.external_id: [TEXTS, TEXTS],
    entity_types.migration_issue: [TEXTS],
}
OF_TWO_TEXTS = [make for makers in (ALL_KEYS, ALL_LISTS) for make, pieces in makers.items() if pieces == [TEXTS, TEXTS]]


def name_of(make: Callable[..., Any], *pieces: Any) -> Any:
    """The key of the value, or None where it is refused."""
    try:
        return make(*pieces)
    except BadInput:
        return None


@pytest.mark.parametrize("makers", [ALL_KEYS, ALL_LISTS], ids=["key", "list"])
def test_no_two_things_share_a_name(makers: Makers) -> None:
    named: dict[Any, Any] = {}
    for make, choices in makers.items():
        for pieces in product(*choices):
            name = name_of(make, *pieces)
            if name is not None:
                assert named.setdefault(name, (make, pieces)) == (make, pieces)
    assert {make for make, _ in named.values()} == makers.keys()


@pytest.mark.parametrize("make", OF_TWO_TEXTS)
@settings(max_examples=50)
@given(data=st.data())
def test_a_text_cut_in_two_ways_gives_two_names(make: Callable[..., Any], data: st.DataObject) -> None:
    words = data.draw(st.lists(nasty_texts | st.sampled_from([*WORDS, "b@c"]), min_size=3, max_size=6))
    one, other = data.draw(st.lists(st.integers(1, len(words) - 1), min_size=2, max_size=2, unique=True))
    names = [name_of(make, "#".join(words[:cut]), "#".join(words[cut:])) for cut in (one, other)]
    assert names[0] is None or names[0] != names[1]


@pytest.mark.parametrize(
    ("key", "pk", "sk"),
    [
        (keys.user(ANN), ANN, ANN),
        (keys.password(ANN), ANN, "PASSWORD"),
        (keys.identity("https://id.example.com", "7#8"), "IDENTITY#https://id.example.com#7#8", "IDENTITY"),
        (keys.upload_limit(ANN), "LIMIT#ann@example.com", ANN),
        (keys.photo(IMAGE, ANN), IMAGE, "UPLOADED_BY#ann@example.com"),
        (keys.person_in_photo(IMAGE, "person1"), IMAGE, "PERSON#person1"),
        (keys.face(IMAGE, "f1"), IMAGE, "FACE#f1"),
        (keys.face_by_id("f1"), "FACE#f1", "FACE"),
        (keys.album_photo(IMAGE, "a1"), IMAGE, "ALBUM#a1"),
        (keys.album_person(IMAGE, "a1", "person1"), IMAGE, "ALBUM#a1#PERSON#person1"),
        (keys.tag_link(IMAGE, "sea"), IMAGE, "TAG#sea"),
        (keys.tag_link(IMAGE, "sea", community=True), IMAGE, "TAGALL#sea"),
        (keys.month_link(IMAGE, COMMUNITY), IMAGE, "MONTH#ALL"),
        (keys.month_link(IMAGE, MINE), IMAGE, "MONTH#ann@example.com"),
        (keys.month_link(IMAGE, ALBUM), IMAGE, "MONTH#ALBUM#a1"),
        (keys.favorite(IMAGE, "guest:g1"), IMAGE, "FAVORITE#guest:g1"),
        (keys.like(IMAGE, "a1", ANN), IMAGE, "LIKE#a1#ann@example.com"),
        (keys.comment(IMAGE, "a1", AT, "c1"), IMAGE, f"COMMENT#a1#{ISO}#c1"),
        (keys.face_decision(IMAGE, AT, "r1"), IMAGE, f"DECISION#{ISO}#r1"),
        (keys.guest_photo(IMAGE, "g1"), IMAGE, "GUEST#g1"),
        (keys.person("person1"), "PERSON#person1", "person1"),
        (keys.person_in_scope("person1", ALBUM), "PERSON#person1", "IN#ALBUM#a1"),
        (keys.decision("person1", AT, "r1"), "PERSON#person1", f"DECISION#{ISO}#r1"),
        (keys.suggestion("person1", "person2"), "SUGGESTION#person1", "WITH#person2"),
        (keys.album("a1"), "ALBUM#a1", "METADATA"),
        (keys.album_member("a1", ANN), "ALBUM#a1", "MEMBER#ann@example.com"),
        (keys.share_link("l1"), "LINK#l1", "METADATA"),
        (keys.guest("l1", "g1"), "LINK#l1", "GUEST#g1"),
        (keys.month_counter(COMMUNITY, "2025-08"), "TIMELINE#ALL", "2025-08"),
        (keys.tag_counter(MINE, "sea"), "TAGS#ann@example.com", "sea"),
        (keys.PERSON_COUNTER, "UNKNOWN_PERSONS", "UNKNOWN_PERSONS"),
        (keys.job_state("incremental-rebuild"), "JOB#incremental-rebuild", "STATE"),
        (keys.face_log_entry(AT, "f1"), "FACE_INGEST#2025-08-01", f"{ISO}#f1"),
        (keys.live_event(COMMUNITY, IMAGE), "EVENT#ALL", IMAGE),
        (keys.content_digest(ANN, "ab12"), "HASH#ann@example.com#ab12", "HASH"),
        (keys.session("s1"), "SESSION#s1", "METADATA"),
        (keys.api_key("k1"), "KEY#k1", "METADATA"),
        (keys.invitation("i1"), "INVITE#i1", "METADATA"),
        (keys.request_token("t1"), "TOKEN#t1", "METADATA"),
        (keys.consent(ANN, AT, "e1"), "CONSENT#ann@example.com", f"{ISO}#e1"),
        (keys.erasure("e1"), "ERASURE#e1", "METADATA"),
        (keys.recognition_opt_out("e1"), "UNRECOGNISED", "VECTOR#e1"),
        (keys.audit_entry(AT, "e1"), "AUDIT#2025-08", f"{ISO}#e1"),
        (keys.external_id("photos", "old#1"), "ALIAS#photos#old#1", "ALIAS"),
        (keys.MIGRATION_STATE, "MIGRATION", "STATE"),
        (keys.MIGRATION_LEASE, "MIGRATION", "LEASE"),
        (keys.migration_epoch(7), "MIGRATION#EPOCH#7", "EPOCH"),
        (keys.mirror_outbox_entry(7, "e1"), "MIGRATION_OUTBOX#7", "e1"),
    ],
)
def test_a_key_is_spelled_as_in_the_data_model(key: Key, pk: str, sk: str) -> None:
    assert key == (pk, sk)


@pytest.mark.parametrize(
    ("listed", "name"),
    [
        (entity_types.USERS, "USER"),
        (entity_types.UPLOAD_LIMITS, "DEFAULT_LIMIT"),
        (entity_types.FEED, "IMAGE"),
        (entity_types.PRIVATE, "IMAGE_PRIVATE"),
        (entity_types.RESERVED, "IMAGE_RESERVED"),
        (entity_types.PENDING, "IMAGE_PENDING"),
        (entity_types.FAILED, "IMAGE_FAILED"),
        (entity_types.DELETING, "IMAGE_DELETING"),
        (entity_types.trashed(ANN), "IMAGE_TRASHED#ann@example.com"),
        (entity_types.person_in_photo("person1"), "TAGGING#person1"),
        (entity_types.person_in_photo("person1", ANN), "TAGGING#person1#ann@example.com"),
        (entity_types.face("person1"), "FACE#person1"),
        (entity_types.face(None), "FACE_UNASSIGNED"),
        (entity_types.album_photo("a1"), "ALBUM_PHOTO#a1"),
        (entity_types.album_queue("a1"), "ALBUM_QUEUE#a1"),
        (entity_types.like("a1"), "LIKE_OF#a1"),
        (entity_types.ALBUMS_DELETING, "ALBUM_DELETING"),
        (entity_types.album_person("a1", "person1"), "ALBUM_PERSON#a1#person1"),
        (entity_types.tag(ANN, "sea"), "TAG#ann@example.com#sea"),
        (entity_types.community_tag("sea"), "TAG#ALL#sea"),
        (entity_types.month(ALBUM, "2025-08"), "MONTH#ALBUM#a1#2025-08"),
        (entity_types.favorite("guest:g1"), "FAVORITE#guest:g1"),
        (entity_types.comment("a1"), "COMMENT_OF#a1"),
        (entity_types.guest_photo("g1"), "GUEST_PHOTO#g1"),
        (entity_types.PERSONS, "PERSON"),
        (entity_types.person_in_scope(COMMUNITY), "PERSON_IN#ALL"),
        (entity_types.person_in_scope(MINE, listed=False), "PERSON_FEW#ann@example.com"),
        (entity_types.DECISIONS, "DECISION"),
        (entity_types.ALBUMS, "ALBUM"),
        (entity_types.album_member(ANN), "MEMBER_OF#ann@example.com"),
        (entity_types.share_link("a1"), "LINK_OF#a1"),
        (entity_types.PERSON_COUNTER, "UNKNOWN_PERSONS"),
        (entity_types.session(ANN), "SESSION_OF#ann@example.com"),
        (entity_types.api_key(ANN), "KEY_OF#ann@example.com"),
        (entity_types.INVITATIONS, "INVITE"),
        (entity_types.external_id("users", "f"), "EXTERNAL_ID#users#f"),
        (entity_types.migration_issue("tags"), "MIGRATION_ISSUE#tags"),
    ],
)
def test_a_list_is_named_as_in_the_data_model(listed: Any, name: str) -> None:
    assert listed.value == name


@pytest.mark.parametrize("state", PhotoState)
@pytest.mark.parametrize("visibility", Visibility)
def test_the_state_of_a_photo_is_read_back_from_its_list(state: PhotoState, visibility: Visibility) -> None:
    assert entity_types.photo_state(entity_types.photo(state, visibility, ANN).value) is state


@pytest.mark.parametrize("image_id", ["", "UNKNOWN_PERSONS", ANN, f"LIMIT#{ANN}", "a@b" * 12, "a#b" * 12])
def test_an_invalid_photo_id_makes_no_partition(image_id: str) -> None:
    for ask in (keys.photo_rows, lambda image_id: keys.photo(image_id, ANN)):
        with pytest.raises(BadInput):
            ask(image_id)


@pytest.mark.parametrize("email", ["", "UNKNOWN_PERSONS", IMAGE, "Ann@example.com", "LIMIT#ann@example.com", "a@b@c"])
def test_an_invalid_address_makes_no_account_key(email: str) -> None:
    for ask in (keys.user, keys.password):
        with pytest.raises(BadInput):
            ask(email)


@pytest.mark.parametrize("album_id", ["", "a1#PERSON#person1", "#"])
def test_an_id_from_outside_cannot_reach_into_another_row(album_id: str) -> None:
    with pytest.raises(BadInput):
        keys.album_photo(IMAGE, album_id)


def test_the_rows_of_a_photo_are_one_partition() -> None:
    assert keys.photo_rows(IMAGE) == Partition(IMAGE)
    assert keys.uploads_of(ANN) == UploadedBy(ANN)


def test_prefixes_find_their_rows_and_no_others() -> None:
    table = MemoryTable()
    rows = {
        keys.PHOTOS: keys.photo(IMAGE, ANN),
        keys.PERSONS: keys.person_in_photo(IMAGE, "person1"),
        keys.FACES: keys.face(IMAGE, "f1"),
        keys.ALBUMS: keys.album_photo(IMAGE, "a1"),
        keys.MONTHS: keys.month_link(IMAGE, COMMUNITY),
        keys.GUESTS: keys.guest_photo(IMAGE, "g1"),
        keys.likes("a1"): keys.like(IMAGE, "a1", ANN),
        keys.comments("a1"): keys.comment(IMAGE, "a1", AT, "c1"),
    }
    others = [keys.like(IMAGE, "a10", ANN), keys.tag_link(IMAGE, "sea", community=True), keys.favorite(IMAGE, ANN)]
    table.write(*(Put({"PK": key.pk, "SK": key.sk}) for key in [*rows.values(), *others]))
    for prefix, key in rows.items():
        assert table.query(keys.photo_rows(IMAGE), prefix).items == [{"PK": key.pk, "SK": key.sk}]


def test_a_log_is_read_from_a_time_on() -> None:
    table = MemoryTable()
    entries = [keys.face_log_entry(AT + timedelta(seconds=seconds), "f1") for seconds in range(3)]
    table.write(*(Put({"PK": key.pk, "SK": key.sk}) for key in entries))
    found = table.query(keys.face_log("2025-08-01"), keys.since(AT + timedelta(seconds=1))).items
    assert [item["SK"] for item in found] == [key.sk for key in entries[1:]]
    assert keys.since(AT) == Between(low=ISO)
