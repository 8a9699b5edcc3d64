"""Response bodies of albums, members, photos and comments, with cover URLs signed for the caller."""

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final

from pydantic import Field

from sparks.actions.parallel import parallel_map
from sparks.api.accounts.responses import picture_url
from sparks.api.http.base_models import PageResponse, ResponseModel, Time
from sparks.api.photos.responses import ImageResponse, failure
from sparks.auth.callers import signed_in
from sparks.auth.signed_media_urls import media_urls, viewer_of
from sparks.feed.album_view import covers_of, month_span
from sparks.library.accounts.users import users_by_email
from sparks.library.albums.album_lookup import AlbumWithRole
from sparks.library.authorized_reads import may_see
from sparks.model.access import may_remove_comment
from sparks.model.account import User
from sparks.model.album import Album, AlbumMember, AlbumOrder, AlbumRole, Comment, Like
from sparks.model.audience import GuestReach, caller_reach
from sparks.model.caller import Caller, GuestCaller, Member, caller_name
from sparks.model.errors import SparksError
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo
from sparks.model.share import guest_of
from sparks.table.port import Table

MAX_NAMES: Final = 20  # of users who like a photo
FORMER_MEMBER: Final = "A former member"
GUEST: Final = "Guest"

# -- Albums and members


class CoverResponse(ResponseModel):
    """The photo that stands for an album; `chosen` if a member chose it."""

    image_id: str
    urls: dict[str, str] = Field(description="URLs of large, medium and thumb; they expire.")
    thumbhash: str | None = Field(None, description="In base64.")
    aspect_ratio: float | None = None
    chosen: bool


class AlbumResponse(ResponseModel):
    """An album as you see it. `firstMonth` and `lastMonth` are those of its photos."""

    album_id: str
    title: str
    description: str | None = None
    owner: str | None = Field(None, description="E-mail of the owner; not for guests.")
    owner_name: str | None = None
    role: AlbumRole | None = Field(None, description="Your role in it; guests have none.")
    order: AlbumOrder
    finds_faces: bool = Field(description="Whether faces are found in photos that are uploaded to it.")
    photo_count: int | None = Field(None, description="Left out if your link shows only a part of them, or none yet.")
    cover: CoverResponse | None = None
    first_month: str | None = None
    last_month: str | None = None
    created_at: Time | None = None
    updated_at: Time | None = Field(
        None, description="When the album or its photos were last changed; left out if your link shows none of it yet."
    )


class AlbumList(PageResponse):
    albums: list[AlbumResponse]


class MemberResponse(ResponseModel):
    email: str
    username: str
    picture_url: str | None = None
    role: AlbumRole
    added_at: Time | None = None


class MemberList(ResponseModel):
    """The owner first, then by name."""

    members: list[MemberResponse]


class AlbumResponses:
    """Responses to one caller about albums that they may see."""

    def __init__(self, caller: Caller, *, at: datetime, table: Table, keyring: Keyring) -> None:
        self._caller = caller
        self._at = at
        self._table = table
        self._keyring = keyring

    def one(self, joined: AlbumWithRole) -> AlbumResponse:
        return self.page([joined])[0]

    def page(self, albums: Sequence[AlbumWithRole]) -> list[AlbumResponse]:
        users = users_by_email((each.album.owner for each in albums), table=self._table)
        covers = self._covers([each.album for each in albums])
        spans = parallel_map(self._span, albums) if len(albums) > 1 else map(self._span, albums)
        return [
            self._album(each, users.get(each.album.owner), covers.get(each.album.album_id), span)
            for each, span in zip(albums, spans, strict=True)
        ]

    def members(self, members: Sequence[AlbumMember]) -> MemberList:
        users = users_by_email((member.email for member in members), table=self._table)
        responses = [_member(member, users[member.email]) for member in members if member.email in users]
        return MemberList(members=sorted(responses, key=lambda each: (each.role is not AlbumRole.OWNER, each.username)))

    def _album(
        self,
        joined: AlbumWithRole,
        owner: User | None,
        cover: CoverResponse | None,
        months: tuple[str | None, str | None],
    ) -> AlbumResponse:
        album, reach = joined.album, caller_reach(self._caller, self._at)
        whole = reach is GuestReach.ALL
        return AlbumResponse(
            album_id=album.album_id,
            title=album.title,
            description=album.description,
            owner=None if isinstance(self._caller, GuestCaller) else album.owner,
            owner_name=None if owner is None else owner.username,
            role=joined.role,
            order=album.order,
            finds_faces=album.finds_faces,
            photo_count=album.photo_count if whole else None,
            cover=cover,
            first_month=months[0] if whole else None,
            last_month=months[1] if whole else None,
            created_at=album.created_at,
            updated_at=None if reach is GuestReach.NOTHING else album.updated_at,
        )

    def _covers(self, albums: Sequence[Album]) -> dict[str, CoverResponse]:
        photos = covers_of(albums, at=self._at, table=self._table)
        return {
            album.album_id: self._cover(photos[album.album_id], album)
            for album in albums
            if album.album_id in photos and self._sees(photos[album.album_id])
        }

    def _sees(self, cover: Photo) -> bool:
        """A member sees every cover, a guest one that the link reaches."""
        return not isinstance(self._caller, GuestCaller) or may_see(self._caller, cover, at=self._at, table=self._table)

    def _cover(self, photo: Photo, album: Album) -> CoverResponse:
        urls = media_urls(photo.image_id, viewer_of(signed_in(self._caller)), now=self._at, keyring=self._keyring)
        return CoverResponse(
            image_id=photo.image_id,
            urls=urls,
            thumbhash=None if photo.thumbhash is None else b64encode(photo.thumbhash).decode(),
            aspect_ratio=photo.aspect_ratio,
            chosen=album.cover_chosen,
        )

    def _span(self, joined: AlbumWithRole) -> tuple[str | None, str | None]:
        return month_span(joined.album.album_id, table=self._table)


def _member(member: AlbumMember, user: User) -> MemberResponse:
    return MemberResponse(
        email=user.email,
        username=user.username,
        picture_url=None if user.profile_picture is None else picture_url(user.email, user.profile_picture),
        role=member.role,
        added_at=member.added_at,
    )


# -- Photos


class AlbumPhotoStatus(StrEnum):
    ADDED = "added"
    QUEUED = "queued"
    THERE = "there"
    REMOVED = "removed"


class AlbumPhotoResult(ResponseModel):
    """The result for one photo: a `status`, or an `error` with its `message`."""

    image_id: str
    status: AlbumPhotoStatus | None = None
    error: str | None = None
    message: str | None = None


class AlbumPhotoResults(ResponseModel):
    results: list[AlbumPhotoResult]


def album_photo_results(results: Iterable[tuple[str, str | SparksError]]) -> AlbumPhotoResults:
    return AlbumPhotoResults(results=[_album_photo_result(image_id, result) for image_id, result in results])


def _album_photo_result(image_id: str, result: str | SparksError) -> AlbumPhotoResult:
    if isinstance(result, SparksError):
        return AlbumPhotoResult(**failure(image_id, result))
    return AlbumPhotoResult(image_id=image_id, status=AlbumPhotoStatus(result))


class WallResponse(ResponseModel):
    """`lastEventId` is for `GET /api/albums/{albumId}/events`, as `Last-Event-ID` or `since`."""

    album_id: str
    title: str
    images: list[ImageResponse] = Field(description="The newest uploads first.")
    last_event_id: str


# -- Comments and likes


class CommentResponse(ResponseModel):
    """`mine`: you wrote it. `removable`: you may remove it."""

    comment_id: str
    image_id: str
    album_id: str
    text: str
    name: str = Field(description="Name of the author.")
    email: str | None = Field(None, description="E-mail of the author, unless it is a guest; not for guests.")
    created_at: Time
    mine: bool
    removable: bool


class CommentList(PageResponse):
    comments: list[CommentResponse]


class PhotoCommentsResponse(CommentList):
    """Comments and likes of a photo, the oldest comments first. `likedBy` are the names of the first who liked it."""

    likes: int
    liked: bool = Field(description="Whether you like it.")
    liked_by: list[str]


class CommentResponses:
    """Responses to one caller about the comments of an album that they may see."""

    def __init__(self, caller: Caller, joined: AlbumWithRole, *, table: Table) -> None:
        self._caller = caller
        self._joined = joined
        self._table = table

    def one(self, comment: Comment) -> CommentResponse:
        return self.page([comment], after=None).comments[0]

    def page(self, comments: Sequence[Comment], *, after: str | None) -> CommentList:
        users = self._users(comments)
        return CommentList(comments=[self._comment(each, users) for each in comments], last_evaluated_key=after)

    def of_photo(
        self, comments: Sequence[Comment], likes: Sequence[Like], *, after: str | None
    ) -> PhotoCommentsResponse:
        users = self._users([*comments, *likes[:MAX_NAMES]])
        return PhotoCommentsResponse(
            comments=[self._comment(each, users) for each in comments],
            last_evaluated_key=after,
            likes=len(likes),
            liked=any(like.who == caller_name(self._caller) for like in likes),
            liked_by=[_author_name(like, users) for like in likes[:MAX_NAMES]],
        )

    def _comment(self, comment: Comment, users: Mapping[str, User]) -> CommentResponse:
        names_author = isinstance(self._caller, Member) and guest_of(comment.who) is None
        return CommentResponse(
            comment_id=f"{comment.comment_id}.{comment.image_id}.{comment.album_id}",
            image_id=comment.image_id,
            album_id=comment.album_id,
            text=comment.text,
            name=_author_name(comment, users),
            email=comment.who if names_author else None,
            created_at=comment.created_at,
            mine=comment.who == caller_name(self._caller),
            removable=may_remove_comment(self._caller, self._joined.role, comment),
        )

    def _users(self, written: Sequence[Comment | Like]) -> dict[str, User]:
        return users_by_email((each.who for each in written if guest_of(each.who) is None), table=self._table)


def _author_name(written: Comment | Like, users: Mapping[str, User]) -> str:
    if guest_of(written.who) is not None:
        return written.name or GUEST
    return users[written.who].username if written.who in users else FORMER_MEMBER
