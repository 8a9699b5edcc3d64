"""Things with an id, of all kinds and in all states, and which of the callers should find each.

Who finds what is written down here by hand: it is what the application is compared with.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any, Final

from sparks.auth.invitations import revoke_invitation
from sparks.library.accounts.identities import link_identity
from sparks.library.accounts.lifecycle import begin_removal
from sparks.library.accounts.person_claims import claim_person
from sparks.library.accounts.profile_picture import store_picture
from sparks.library.photos.photo_rows import find_photo
from sparks.library.photos.reconcile_links import reconcile_links
from sparks.library.records import key_of
from sparks.model.account import Role, User
from sparks.model.album import AlbumMember, AlbumPhoto, AlbumRole, Comment
from sparks.model.biometric_erasure import Erasure
from sparks.model.ids import new_event_id, random_id, time_of
from sparks.model.photo import Photo, PhotoState, Renditions, Visibility
from sparks.model.share import LinkPermission
from sparks.model.system_records import TagRename
from sparks.table.port import Delete
from sparks.takeout.archive.file_choice import ArchiveChoice, plan_entries
from sparks.takeout.archive.plan_archive import ArchivePurpose, plan_archive
from tests.api.access_person_samples import people_in
from tests.api.access_sample import EVERYONE, NOBODY, RANDOM, Sample
from tests.api.callers import ALBUM, OTHER_ALBUM, WHO_BRINGS, Caller
from tests.api.community import CAROL, KEYRING, Community
from tests.factories import ANN, BOB, NOON, a_photo, a_user, an_album

DAVE: Final = "dave@example.com"
ISSUER: Final = "https://issuer.example.org"
UPLOADING: Final = "being uploaded"
WAITING: Final = "a guest's, not approved"
BRINGING: Final = "a guest's, being uploaded"
IN_ALBUM: Final = frozenset({"in the community and the album", "private in the album"})  # what it shows


def samples_in(community: Community, callers: Iterable[Caller]) -> Mapping[str, list[Sample]]:
    """By the names of their ids in paths. The last one of each is a random id."""
    guest = next(caller for caller in callers if caller.name == WHO_BRINGS)
    photos, identities = _photos(community, guest), _identities(community)
    return {
        "imageId": photos,
        "image_id": photos,
        "email": _users(community),
        "sessionId": _sessions(community),
        "keyId": _keys(community),
        "invitationId": _invitations(community),
        "identityId": identities,
        **people_in(community, photos),
        "erasureId": _erasures(community),
        "archiveId": _archives(community, photos),
        "archive_id": _archives(community, photos),
        "tag": _tags(community),
        "changeId": _tag_changes(community),
        "albumId": _albums(community),
        "linkId": _links(community),
        "commentId": _comments(community, photos),
        "month": [Sample("month", "2025-08", EVERYONE), Sample(RANDOM, "1999-12", EVERYONE)],
        "size": [Sample("size", "thumb", EVERYONE, anywhere=True)],
        "key": [Sample("key", "originals/unsigned.jpg", EVERYONE, anywhere=True)],
        "name": [Sample("file", "index.js", EVERYONE, anywhere=True)],
        "rest": [Sample("page", "person7", EVERYONE, anywhere=True)],
    }


def _erasures(community: Community) -> list[Sample]:
    """The requester and administrators find the receipt."""
    asked = Erasure(erasure_id=new_event_id(), subject="person:person9", who=ANN, asked_at=NOON)
    other = Erasure(erasure_id=new_event_id(), subject=BOB, who=CAROL, asked_at=NOON)
    return [
        Sample("Ann's", community.keep(asked).erasure_id, frozenset({ANN, CAROL})),
        Sample("about Bob", community.keep(other).erasure_id, frozenset({BOB, CAROL})),
        Sample(RANDOM, new_event_id()),
    ]


# -- Albums


def _albums(community: Community) -> list[Sample]:
    """The first one is Ann's, with Bob as a viewer and guests by links. The second one is Bob's alone."""
    roles = {(ALBUM, ANN): AlbumRole.OWNER, (ALBUM, BOB): AlbumRole.VIEWER, (OTHER_ALBUM, BOB): AlbumRole.OWNER}
    for (album_id, email), role in roles.items():
        community.keep(AlbumMember(album_id=album_id, email=email, role=role))
    community.keep(an_album(album_id=ALBUM))
    community.keep(an_album(album_id=OTHER_ALBUM, owner=BOB))
    community.keep(an_album(album_id="leaving", deleting_at=NOON))
    return [
        Sample("the album", ALBUM, frozenset({ANN, BOB}), owner=ANN, is_album=True),
        Sample("Bob's album", OTHER_ALBUM, frozenset({BOB}), owner=BOB, is_album=True),
        Sample("album on its way out", "leaving"),
        Sample("no id at all", "#", is_malformed=True),
        Sample(RANDOM, random_id()),
    ]


def _links(community: Community) -> list[Sample]:
    """One link of each album, which its owner may change."""
    here, there = (community.link_to(album, LinkPermission.VIEW)[0] for album in (ALBUM, OTHER_ALBUM))
    return [
        Sample("link to the album", here.link_id, frozenset({ANN})),
        Sample("link to Bob's album", there.link_id, frozenset({BOB})),
        Sample("no id at all", "#", is_malformed=True),
        Sample(RANDOM, random_id()),
    ]


def _comments(community: Community, photos: Iterable[Sample]) -> list[Sample]:
    """Comments of Ann on each of the photos."""

    def sample(photo: Sample) -> Sample:
        said = new_event_id()
        comment = Comment(
            image_id=photo.id,
            owner=ANN,
            album_id=ALBUM,
            created_at=time_of(said),
            comment_id=said,
            who=ANN,
            text="Lovely",
        )
        is_shown = photo.what in IN_ALBUM
        seen_by, guests_of = (frozenset({ANN, BOB}), ALBUM) if is_shown else (NOBODY, None)
        community.keep(comment)
        return Sample(f"on one {photo.what}", f"{said}.{photo.id}.{ALBUM}", seen_by, guests_of, ANN)

    theirs = [sample(photo) for photo in photos if photo.owner == ANN]
    nothing = f"{new_event_id()}.{a_photo().image_id}.{ALBUM}"
    return [*theirs, Sample("no id at all", "not-an-id", is_malformed=True), Sample(RANDOM, nothing)]


# -- Archives and tags


def _archives(community: Community, photos: list[Sample]) -> list[Sample]:
    """Archives of a photo that all see, each for its requester only."""
    photo = find_photo(photos[0].id, table=community.table)
    assert photo is not None

    def archive_for(email: str) -> Sample:
        purpose = ArchivePurpose(email, "a photo", ArchiveChoice(), "Photos")
        entries = plan_entries([photo], purpose.wanted, blobs=community.blobs)
        made = plan_archive(entries, purpose, at=community.at, table=community.table, keyring=KEYRING)
        return Sample(f"for {email}", made.archive_id, frozenset({email}), owner=email)

    return [archive_for(ANN), archive_for(BOB), Sample(RANDOM, "0" * 20)]


def _tags(community: Community) -> list[Sample]:
    """A tag, which members with photos of it may rename, and all may list."""
    photo = community.keep(a_photo(tags=("Sea",), visibility=Visibility.PRIVATE))
    reconcile_links(photo.image_id, photo.owner, table=community.table)
    return [Sample("Ann's", "sea", frozenset({ANN}), owner=ANN), Sample(RANDOM, "no such tag")]


def _tag_changes(community: Community) -> list[Sample]:
    made = TagRename(change_id="change1", owner=ANN, tag="sea", name="ocean", photos=3, begun_at=NOON)
    return [Sample("Ann's", community.keep(made).change_id, frozenset({ANN})), Sample(RANDOM, "0" * 20)]


# -- Photos


def _photos(community: Community, guest: Caller) -> list[Sample]:
    private, albums, his = Visibility.PRIVATE, (ALBUM,), (OTHER_ALBUM,)
    ann, bob, both = frozenset({ANN}), frozenset({BOB}), frozenset({ANN, BOB})
    deleted = _hang(community)
    community.table.write(Delete(key_of(deleted)))

    def sample(what: str, seen_by: frozenset[str], *, guests_of: str | None = None, **more: Any) -> Sample:
        photo = _hang(community, **more)
        return Sample(what, photo.image_id, seen_by, guests_of, photo.owner)

    assert guest.viewer is not None
    guest_id = guest.viewer.id.partition("_")[2]

    def brought(what: str, **more: Any) -> Sample:
        """In the moderation queue of the album, until Ann approves it."""
        made = _hang(community, guest_id=guest_id, visibility=private, **more)
        community.keep(
            AlbumPhoto(
                image_id=made.image_id,
                owner=ANN,
                album_id=ALBUM,
                added_by=f"guest:{guest_id}",
                added_at=NOON,
                approved=False,
            )
        )
        return Sample(what, made.image_id, ann, owner=ANN, brought_by=guest.name)

    return [
        sample("in the community", EVERYONE),
        sample("in the community and the album", EVERYONE, guests_of=ALBUM, albums=albums),
        sample("private", ann, visibility=private),
        sample("private in the album", both, guests_of=ALBUM, visibility=private, albums=albums),
        sample("private in another album", ann, visibility=private, albums=("another",)),
        sample(UPLOADING, ann, state=PhotoState.RESERVED, file_size=20 * 2**20, upload_id="x", albums=albums),
        sample("on its way", ann, state=PhotoState.PENDING, albums=albums),
        sample("failed", ann, state=PhotoState.FAILED, albums=albums),
        sample("in the trash", ann, state=PhotoState.TRASHED, albums=albums),
        sample("private in the trash", ann, state=PhotoState.TRASHED, visibility=private),
        sample("being deleted", NOBODY, state=PhotoState.DELETING, albums=albums),
        sample("expired", NOBODY, expires_at=NOON, albums=albums),
        sample("Bob's in the community", EVERYONE, owner=BOB),
        sample("Bob's private", bob, owner=BOB, visibility=private),
        sample("Bob's in his album", bob, guests_of=OTHER_ALBUM, owner=BOB, visibility=private, albums=his),
        sample("Bob's in the trash", bob, owner=BOB, state=PhotoState.TRASHED),
        brought(WAITING),
        brought(BRINGING, state=PhotoState.RESERVED, file_size=20 * 2**20, upload_id="x"),
        Sample("deleted", deleted.image_id),
        Sample("no id at all", "not-an-id", is_malformed=True),
        Sample(RANDOM, a_photo().image_id),
    ]


def _hang(community: Community, **more: Any) -> Photo:
    photo = a_photo(**more)
    keys = {size: f"processed/{photo.image_id}_{size}.webp" for size in ("large", "medium", "thumb")}
    for key in (*keys.values(), photo.original_key or ""):
        community.blobs.put(key, [b"a picture"])
    for album_id in photo.albums:
        place = AlbumPhoto(
            image_id=photo.image_id, owner=photo.owner, album_id=album_id, added_by=photo.owner, added_at=NOON
        )
        community.keep(place)
    return community.keep(replace(photo, renditions=Renditions(keys)))


# -- Accounts and credentials


def _users(community: Community) -> list[Sample]:
    for email in ("leaving@example.com", "gone@example.com"):
        community.join(a_user(email))
        begin_removal(email, at=community.at, table=community.table)
    community.table.write(Delete(key_of(a_user("gone@example.com"))))
    community.join(a_user(DAVE, role=Role.ADMIN))  # so that Carol is not the last one
    store_picture(DAVE, b"\xff\xd8\xff\xe0 a face", table=community.table, blobs=community.blobs)
    claim_person(DAVE, "person1", table=community.table)
    return [
        Sample("Ann", ANN, EVERYONE, owner=ANN),
        Sample("Bob", BOB, EVERYONE, owner=BOB),
        Sample("administrator", CAROL, EVERYONE, owner=CAROL),
        Sample("with a picture and a claim", DAVE, EVERYONE, owner=DAVE),
        Sample("being removed", "leaving@example.com"),
        Sample("removed", "gone@example.com"),
        Sample("no address at all", "nobody", is_malformed=True),
        Sample(RANDOM, "random@example.com"),
    ]


def _sessions(community: Community) -> list[Sample]:
    def spare(user: User) -> str:
        return community.session_of(user)["Cookie"].partition("=")[2].partition(".")[0]

    return _doors({user.email: spare(user) for user in (community.ann, community.bob, community.carol)})


def _keys(community: Community) -> list[Sample]:
    def spare(user: User) -> str:
        return community.key_of(user)["Authorization"].removeprefix("Bearer sk_").partition(".")[0]

    return _doors({user.email: spare(user) for user in (community.ann, community.bob, community.carol)})


def _identities(community: Community) -> list[Sample]:
    for user in (community.ann, community.bob, community.carol):
        link_identity(user.email, ISSUER, user.username, table=community.table)
    names = {user.email: f"{ISSUER}#{user.username}" for user in (community.ann, community.bob, community.carol)}
    return _doors({email: sha256(name.encode()).hexdigest()[:32] for email, name in names.items()})


def _doors(ids: Mapping[str, str]) -> list[Sample]:
    """Things that only one account may see, not even administrators."""
    theirs = [Sample(f"of {email}", each, frozenset({email}), owner=email) for email, each in ids.items()]
    return [*theirs, Sample("no id at all", "#", is_malformed=True), Sample(RANDOM, "0" * 20)]


def _invitations(community: Community) -> list[Sample]:
    good, revoked = (community.invite().partition(".")[0] for _ in range(2))
    revoke_invitation(revoked, table=community.table)
    return [
        Sample("good", good, EVERYONE),
        Sample("revoked", revoked),
        Sample(RANDOM, "0" * 20),
    ]
