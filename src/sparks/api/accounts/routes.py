"""Routes that list users, and by which administrators manage accounts."""

from fastapi import APIRouter

from sparks.accounts.remove_account import close_account, removal_progress
from sparks.actions.outbox import Outbox
from sparks.api.accounts.requests import NewUserRequest, UserChangeRequest
from sparks.api.accounts.responses import (
    ManagedUserResponse,
    RemovalResponse,
    UserDetailsResponse,
    UserList,
    limit_response,
    user_response,
)
from sparks.api.http.authentication import ActionRouter, CurrentCaller, CurrentMember, RequestAuthenticator
from sparks.api.http.base_models import NewPassword
from sparks.api.http.cursors import Cursor, Limit, read_page
from sparks.api.http.parameters import EmailPath
from sparks.auth.account_creation import NewAccount, UploadAllowance, add_user
from sparks.auth.passwords import checked_password, hash_password
from sparks.library.accounts.users import NO_USER, change_role, get_user, page_of_users, set_password
from sparks.library.audit import AuditAction, audit_row
from sparks.library.authorized_reads import user_for
from sparks.library.upload_limits.account_limit import read_limit, set_left
from sparks.model.access import Action, allows_action, authorize_account_change
from sparks.model.account import Role, User, account_email
from sparks.model.caller import Member
from sparks.model.errors import BadInput, NotFound
from sparks.model.keyring import Keyring
from sparks.table.port import Change, Table


class UserRoutes:
    def __init__(
        self,
        *,
        authenticator: RequestAuthenticator,
        outbox: Outbox,
        allowance: UploadAllowance,
        table: Table,
        keyring: Keyring,
    ) -> None:
        self._authenticator = authenticator
        self._outbox = outbox
        self._allowance = allowance
        self._table = table
        self._keyring = keyring

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="users")
        user, manage = "/api/users/{email}", Action.MANAGE_USERS
        routes.add("GET", "/api/users", Action.SEE_USERS, self.read_users)
        routes.add("POST", "/api/users", manage, self.create_user, status=201, errors=(409,))
        routes.add("GET", user, Action.SEE_USERS, self.read_user, errors=(404,))
        routes.add("PATCH", user, manage, self.change_user, errors=(404, 409))
        routes.add("DELETE", user, manage, self.remove_user, status=202, errors=(404, 409))
        routes.add("GET", f"{user}/removal", manage, self.read_removal, errors=(404,))
        return routes.router

    def read_users(self, caller: CurrentCaller, limit: Limit = 100, cursor: Cursor = None) -> UserList:
        """List all users."""
        users, after = read_page(
            lambda most, behind: page_of_users(limit=most, after=behind, table=self._table),
            query="users",
            caller=caller,
            limit=limit,
            cursor=cursor,
            keyring=self._keyring,
        )
        return UserList(users=[user_response(user) for user in users], last_evaluated_key=after)

    def read_user(self, caller: CurrentCaller, email: EmailPath) -> UserDetailsResponse:
        """Read a user; for administrators, with their upload limit."""
        user = user_for(caller, Action.SEE_USERS, email, at=self._authenticator.now(), table=self._table)
        limit = read_limit(user.email, table=self._table) if allows_action(caller, Action.MANAGE_USERS) else None
        return UserDetailsResponse(
            **user_response(user).model_dump(), upload_limit=None if limit is None else limit_response(limit)
        )

    def create_user(self, caller: CurrentMember, body: NewUserRequest) -> ManagedUserResponse:
        """Create an account."""
        authorize_account_change(caller, makes_administrator=body.role is Role.ADMIN)
        password = None if body.password is None else body.password.get_secret_value()
        allowance = UploadAllowance(
            photos=self._allowance.photos if body.limit is None else body.limit,
            bytes=self._allowance.bytes if body.bytes_left is None else body.bytes_left,
        )
        user = add_user(
            NewAccount.called(body.email, password, body.username),
            role=body.role,
            allowance=allowance,
            by=caller.email,
            at=self._authenticator.now(),
            table=self._table,
        )
        return self._managed(user)

    def change_user(self, caller: CurrentMember, email: EmailPath, body: UserChangeRequest) -> ManagedUserResponse:
        """Change the role, the upload limit or the password of a user."""
        authorize_account_change(
            caller, makes_administrator=body.role is Role.ADMIN, sets_password=body.password is not None
        )
        user = user_for(caller, Action.MANAGE_USERS, email, at=self._authenticator.now(), table=self._table)
        read_limit(user.email, table=self._table)
        hashed = None if body.password is None else _hashed(body.password, user)
        if body.role is not None and body.role is not user.role:
            note = self._note(caller, user, AuditAction.ROLE_CHANGED, role=body.role.value, before=user.role.value)
            change_role(user.email, body.role, also=(note,), table=self._table)
        if body.limit is not None or body.bytes_left is not None:
            note = self._note(caller, user, AuditAction.LIMIT_CHANGED, limit=body.limit, bytesLeft=body.bytes_left)
            set_left(user.email, photos=body.limit, bytes=body.bytes_left, also=(note,), table=self._table)
        if hashed is not None:
            note = self._note(caller, user, AuditAction.PASSWORD_RESET)
            set_password(user.email, hashed, also=(note,), table=self._table)
        return self._managed(get_user(user.email, table=self._table))

    def remove_user(self, caller: CurrentMember, email: EmailPath) -> RemovalResponse:
        """Remove an account and all that it owns. It is closed at once; the rest is deleted in the background."""
        address = _address(email)
        begun = close_account(address, by=caller.email, at=self._authenticator.now(), table=self._table)
        response = self.read_removal(address)
        self._outbox.send(begun)
        return response

    def read_removal(self, email: EmailPath) -> RemovalResponse:
        """Read the progress of a removal; 404 once it is complete."""
        removal = removal_progress(_address(email), table=self._table)
        return RemovalResponse(started_at=removal.started_at, photos_removed=removal.photos_removed)

    def _managed(self, user: User) -> ManagedUserResponse:
        limit = limit_response(read_limit(user.email, table=self._table))
        return ManagedUserResponse(**user_response(user).model_dump(), upload_limit=limit)

    def _note(self, caller: Member, user: User, action: AuditAction, **details: object) -> Change:
        via = None if caller.via.kind == "session" else caller.via.kind
        return audit_row(action, who=caller.email, target=user.email, via=via, at=self._authenticator.now(), **details)


def _address(email: str) -> str:
    """NotFound for a text that is no e-mail address, as for a user who does not exist."""
    try:
        return account_email(email)
    except BadInput as error:
        raise NotFound(NO_USER) from error


def _hashed(password: NewPassword, user: User) -> str:
    return hash_password(checked_password(password.get_secret_value(), email=user.email))
