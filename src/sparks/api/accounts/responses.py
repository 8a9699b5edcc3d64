"""Response bodies of users, their upload limits, and the removal of an account."""

from hashlib import sha256
from urllib.parse import quote

from sparks.api.http.base_models import PageResponse, ResponseModel, Time
from sparks.model.account import Role, UploadLimit, User


class UserResponse(ResponseModel):
    email: str
    username: str
    role: Role
    created_at: Time | None = None
    profile_picture: str | None = None
    picture_url: str | None = None
    person_id: str | None = None


class LimitResponse(ResponseModel):
    """`limit` is the number of photos that may still be uploaded, `used` the number that were; the same for bytes."""

    limit: int
    used: int | None = None
    bytes_left: int | None = None
    bytes_used: int | None = None


class ManagedUserResponse(UserResponse):
    upload_limit: LimitResponse


class UserDetailsResponse(UserResponse):
    upload_limit: LimitResponse | None = None


class UserList(PageResponse):
    users: list[UserResponse]


class RemovalResponse(ResponseModel):
    """Progress of the removal of an account. Once nothing of the account is left, the removal is gone, too."""

    started_at: Time
    photos_removed: int


def user_response(user: User) -> UserResponse:
    return UserResponse(
        email=user.email,
        username=user.username,
        role=user.role,
        created_at=user.created_at,
        profile_picture=user.profile_picture,
        picture_url=None if user.profile_picture is None else picture_url(user.email, user.profile_picture),
        person_id=user.person_id,
    )


def picture_url(email: str, key: str) -> str:
    """The URL changes with the picture, so that an open page loads a new picture, and no picture twice."""
    return f"/api/users/{quote(email, safe='@')}/picture?v={sha256(key.encode()).hexdigest()[:12]}"


def limit_response(limit: UploadLimit) -> LimitResponse:
    return LimitResponse(
        limit=limit.photos_left, used=limit.used, bytes_left=limit.bytes_left, bytes_used=limit.bytes_used
    )
