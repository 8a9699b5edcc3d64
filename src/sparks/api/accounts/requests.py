"""Request bodies by which administrators create and change accounts."""

from sparks.api.http.base_models import ByteCount, Email, NewPassword, PhotoCount, RequestModel, UserName
from sparks.model.account import Role


class NewUserRequest(RequestModel):
    """Without a password, the user signs in with the provider, or gets a password later."""

    email: Email
    username: UserName | None = None
    password: NewPassword | None = None
    role: Role = Role.MEMBER
    limit: PhotoCount | None = None
    bytes_left: ByteCount | None = None


class UserChangeRequest(RequestModel):
    """`limit` and `bytesLeft` are the photos and bytes that may still be uploaded. A new password ends all sessions."""

    role: Role | None = None
    limit: PhotoCount | None = None
    bytes_left: ByteCount | None = None
    password: NewPassword | None = None
