"""Likes and comments of members and guests on the photos of an album.

They are written while the photo is in the album (`_while_placed`), and deleted when it leaves.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.albums.album_photos import NOT_THERE
from sparks.library.pagination import first_page, growing_batches
from sparks.library.records import from_item, key_of, to_item
from sparks.model.album import Comment, Like
from sparks.model.errors import BadInput, ConditionFailed, Conflict, NotFound
from sparks.model.ids import new_event_id, time_of
from sparks.model.photo import Photo
from sparks.model.text_validation import checked_text
from sparks.table.port import Absent, Change, Check, Delete, Equals, Key, Present, Put, Table, every

MAX_LENGTH: Final = 2000
MAX_COMMENTS: Final = 1000  # on one photo of an album
FULL: Final = f"a photo has at most {MAX_COMMENTS:,} comments in an album: remove some first"
NOTHING_SAID: Final = "a comment cannot be empty: write something"


Sees = Callable[[Sequence[Comment]], Iterable[Comment]]


@dataclass(frozen=True, slots=True)
class CommentAuthor:
    """The author: an e-mail or `guest:{id}`, and the name of a guest. `also` is part of every transaction, such as a
    check that the account exists.
    """

    who: str
    name: str | None = None
    also: tuple[Change, ...] = ()


def like_photo(photo: Photo, album_id: str, speaker: CommentAuthor, *, at: datetime, table: Table) -> bool:
    """Whether it is new; a repeat is harmless. NotFound where the photo is not in the album."""
    like = Like(
        image_id=photo.image_id,
        owner=photo.owner,
        album_id=album_id,
        who=speaker.who,
        created_at=at,
        name=speaker.name,
    )
    try:
        _say(photo, album_id, speaker, Put(to_item(like), (Absent(),)), table)
    except ConditionFailed:
        return False
    return True


def unlike_photo(image_id: str, album_id: str, who: str, *, table: Table) -> bool:
    """Whether there was a like."""
    try:
        table.write(Delete(keys.like(image_id, album_id, who), (Present(),)))
    except ConditionFailed:
        return False
    return True


def likes_of(image_id: str, album_id: str, *, table: Table) -> list[Like]:
    """The oldest first."""
    likes = [from_item(Like, row) for row in every(table, keys.photo_rows(image_id), keys.likes(album_id))]
    return sorted(likes, key=lambda like: (like.created_at, like.who))


def comment_on(photo: Photo, album_id: str, text: str, speaker: CommentAuthor, *, table: Table) -> Comment:
    """BadInput for an empty or too long text; Conflict where there are too many comments; NotFound where the photo is
    not in the album.
    """
    words = checked_text(text, "a comment", MAX_LENGTH)
    if words is None:
        raise BadInput(NOTHING_SAID)
    said = table.query(keys.photo_rows(photo.image_id), keys.comments(album_id), limit=MAX_COMMENTS, only=frozenset())
    if len(said.items) >= MAX_COMMENTS:
        raise Conflict(FULL)
    comment_id = new_event_id()
    comment = Comment(
        image_id=photo.image_id,
        owner=photo.owner,
        album_id=album_id,
        created_at=time_of(comment_id),
        comment_id=comment_id,
        who=speaker.who,
        text=words,
        name=speaker.name,
    )
    _say(photo, album_id, speaker, Put(to_item(comment), (Absent(),)), table)
    return comment


def find_comment(image_id: str, album_id: str, comment_id: str, *, table: Table) -> Comment | None:
    """None where there is none, or these are no ids."""
    try:
        item = table.get(keys.comment(image_id, album_id, time_of(comment_id), comment_id))
    except BadInput:
        return None
    return None if item is None else from_item(Comment, item)


def remove_comment(comment: Comment, *, table: Table) -> None:
    table.write(Delete(key_of(comment)))


def comments_on(
    image_id: str, album_id: str, *, limit: int, after: Key | None, table: Table
) -> tuple[list[Comment], Key | None]:
    """The oldest first, and where to continue; None at the end."""
    page = table.query(keys.photo_rows(image_id), keys.comments(album_id), limit=limit, after=after)
    return [from_item(Comment, row) for row in page.items], page.after


def comments_in(
    album_id: str, *, sees: Sees, limit: int, after: Key | None, table: Table
) -> tuple[list[Comment], Key | None]:
    """The next comments on any photo of the album that the caller `sees`, the newest first, and where to continue; None
    at the end.

    The index sorts them by photo. Their keys hold the time, so all keys are read and sorted, and the texts only of some
    at a time.
    """
    listed = (Key(row["PK"], row["SK"]) for row in every(table, entity_types.comment(album_id), only=frozenset()))
    newest = sorted({Key(key.sk, key.pk) for key in listed}, reverse=True)
    behind = (Key(key.sk, key.pk) for key in newest if after is None or key < Key(after.sk, after.pk))
    found = (comment for some in growing_batches(behind, limit + 1) for comment in sees(_read(some, table)))
    return first_page(found, key_of, limit=limit)


def _read(comments: Sequence[Key], table: Table) -> list[Comment]:
    rows = table.get_many(comments)
    return [from_item(Comment, rows[key]) for key in comments if key in rows]


def _say(photo: Photo, album_id: str, speaker: CommentAuthor, said: Put, table: Table) -> None:
    """ConditionFailed where it exists already; NotFound where a change of the author fails."""
    placed = Check(keys.album_photo(photo.image_id, album_id), _placed(album_id))
    try:
        table.write(placed, said, *speaker.also)
    except ConditionFailed as failed:
        if failed.position != 1:
            raise NotFound(NOT_THERE) from failed
        raise


def _placed(album_id: str) -> tuple[Equals]:
    return (Equals("entityType", entity_types.album_photo(album_id).value),)
