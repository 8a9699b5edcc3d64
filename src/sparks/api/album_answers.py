"""Albums as answers: what a member or a guest is told of each, with an address of its cover that is made for them."""

from base64 import b64encode
from collections.abc import Sequence
from datetime import datetime

from pydantic import Field

from sparks.api.hands import at_once
from sparks.api.images import known
from sparks.api.shapes import Answer, Time
from sparks.api.users import picture_url
from sparks.auth.signing import media_urls, viewer_of
from sparks.feed.album_pages import is_in
from sparks.library import keys
from sparks.library.access import may_see
from sparks.library.albums import JoinedAlbum
from sparks.library.records import from_item
from sparks.model.account import User
from sparks.model.album import Album, AlbumMember, AlbumOrder, AlbumRole
from sparks.model.caller import GuestCaller, Who
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo
from sparks.model.scope import scope_of_album
from sparks.model.share import Reach, reach_of
from sparks.model.times import has_passed
from sparks.table.port import Table


class CoverAnswer(Answer):
    """The photo that shows an album; `chosen` where somebody has said so."""

    image_id: str
    urls: dict[str, str] = Field(description="Addresses of large, medium and thumb, for a while.")
    thumbhash: str | None = Field(None, description="In base64.")
    aspect_ratio: float | None = None
    chosen: bool


class AlbumAnswer(Answer):
    """An album as far as you see it. `firstMonth` and `lastMonth` are those of its photos."""

    album_id: str
    title: str
    description: str | None = None
    owner: str | None = Field(None, description="Not told to guests.")
    owner_name: str | None = None
    role: AlbumRole | None = Field(None, description="What you are in it; guests are nothing.")
    order: AlbumOrder
    finds_faces: bool = Field(description="Whether faces are looked for in photos that are put straight into it.")
    photo_count: int | None = Field(None, description="Left out where a link shows only some of them, or none yet.")
    cover: CoverAnswer | None = None
    first_month: str | None = None
    last_month: str | None = None
    created_at: Time | None = None
    updated_at: Time | None = Field(
        None,
        description="When the album, or what is in it, was last changed; left out where a link shows none of it yet.",
    )


class AlbumList(Answer):
    albums: list[AlbumAnswer]
    last_evaluated_key: str | None = None


class MemberAnswer(Answer):
    email: str
    username: str
    picture_url: str | None = None
    role: AlbumRole
    added_at: Time | None = None


class MemberList(Answer):
    """The owner first, then by name."""

    members: list[MemberAnswer]


class AlbumAnswers:
    """Answers to one caller, now, about albums that they may see."""

    def __init__(self, who: Who, *, at: datetime, table: Table, keyring: Keyring) -> None:
        self._who = who
        self._at = at
        self._table = table
        self._keyring = keyring

    def one(self, joined: JoinedAlbum) -> AlbumAnswer:
        return self.page([joined])[0]

    def page(self, albums: Sequence[JoinedAlbum]) -> list[AlbumAnswer]:
        users = _users({each.album.owner for each in albums}, self._table)
        covers = self._covers([each.album for each in albums])
        spans = at_once(lambda each: self._span(each.album.album_id), albums) if len(albums) > 1 else None
        months = list(spans) if spans is not None else [self._span(each.album.album_id) for each in albums]
        return [
            self._told(each, users.get(each.album.owner), covers.get(each.album.album_id), span)
            for each, span in zip(albums, months, strict=True)
        ]

    def members(self, members: Sequence[AlbumMember]) -> MemberList:
        users = _users({member.email for member in members}, self._table)
        told = [_member(member, users[member.email]) for member in members if member.email in users]
        return MemberList(members=sorted(told, key=lambda each: (each.role is not AlbumRole.OWNER, each.username)))

    def _told(
        self, joined: JoinedAlbum, owner: User | None, cover: CoverAnswer | None, months: tuple[str | None, str | None]
    ) -> AlbumAnswer:
        album, guest = joined.album, self._who if isinstance(self._who, GuestCaller) else None
        reach = Reach.ALL if guest is None else reach_of(guest.link, guest.guest, self._at)
        whole = reach is Reach.ALL
        return AlbumAnswer(
            album_id=album.album_id,
            title=album.title,
            description=album.description,
            owner=album.owner if guest is None else None,
            owner_name=None if owner is None else owner.username,
            role=joined.role,
            order=album.order,
            finds_faces=album.finds_faces,
            photo_count=album.photo_count if whole else None,
            cover=cover,
            first_month=months[0] if whole else None,
            last_month=months[1] if whole else None,
            created_at=album.created_at,
            updated_at=None if reach is Reach.NOTHING else album.updated_at,
        )

    def _covers(self, albums: Sequence[Album]) -> dict[str, CoverAnswer]:
        named = {
            album.album_id: keys.photo(album.cover_image_id, album.cover_owner)
            for album in albums
            if album.cover_image_id is not None and album.cover_owner is not None
        }
        rows = self._table.get_many(list(named.values()))
        photos = {album_id: from_item(Photo, rows[key]) for album_id, key in named.items() if key in rows}
        return {
            album.album_id: self._cover(photos[album.album_id], album)
            for album in albums
            if album.album_id in photos and self._sees(photos[album.album_id], album)
        }

    def _sees(self, photo: Photo, album: Album) -> bool:
        """A member sees what the album shows; a guest, what the link leads to."""
        if not is_in(album, photo) or has_passed(photo.expires_at, at=self._at):
            return False
        return not isinstance(self._who, GuestCaller) or may_see(self._who, photo, at=self._at, table=self._table)

    def _cover(self, photo: Photo, album: Album) -> CoverAnswer:
        urls = media_urls(photo.image_id, viewer_of(known(self._who)), now=self._at, keyring=self._keyring)
        return CoverAnswer(
            image_id=photo.image_id,
            urls=urls,
            thumbhash=None if photo.thumbhash is None else b64encode(photo.thumbhash).decode(),
            aspect_ratio=photo.aspect_ratio,
            chosen=album.cover_chosen,
        )

    def _span(self, album_id: str) -> tuple[str | None, str | None]:
        """The first and the last month."""
        months = keys.months(scope_of_album(album_id))
        first = self._table.query(months, limit=1, only=frozenset()).items
        last = self._table.query(months, limit=1, newest_first=True, only=frozenset()).items
        return (first[0]["SK"], last[0]["SK"]) if first and last else (None, None)


def _users(emails: set[str], table: Table) -> dict[str, User]:
    rows = table.get_many([keys.user(email) for email in sorted(emails)])
    return {key.pk: from_item(User, row) for key, row in rows.items()}


def _member(member: AlbumMember, user: User) -> MemberAnswer:
    return MemberAnswer(
        email=user.email,
        username=user.username,
        picture_url=None if user.profile_picture is None else picture_url(user.email, user.profile_picture),
        role=member.role,
        added_at=member.added_at,
    )
