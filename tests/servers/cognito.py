"""Cognito on this machine: pools, clients, users, and the tokens that they sign in for."""

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import boto3

from tests.servers.process import shared

HERE: Final = Path(__file__).parent
PASSWORD: Final = "Correct-horse-battery-1"


@dataclass(frozen=True)
class CognitoTokens:
    access: str
    id: str
    refresh: str


@dataclass(frozen=True)
class Pool:
    """A user pool with one client. It is an issuer of its own."""

    server: str
    pool_id: str
    client_id: str

    @property
    def issuer(self) -> str:
        return f"{self.server}/{self.pool_id}"

    def add_client(self) -> "Pool":
        """The same pool, for another application."""
        return Pool(self.server, self.pool_id, _new_client(_api(self.server), self.pool_id))

    def add_user(self, email: str) -> None:
        api = _api(self.server)
        told = [{"Name": "email", "Value": email}, {"Name": "email_verified", "Value": "true"}]
        api.admin_create_user(UserPoolId=self.pool_id, Username=email, UserAttributes=told, MessageAction="SUPPRESS")
        api.admin_set_user_password(UserPoolId=self.pool_id, Username=email, Password=PASSWORD, Permanent=True)

    def sign_in(self, email: str) -> CognitoTokens:
        answer = _api(self.server).initiate_auth(
            ClientId=self.client_id,
            AuthFlow="USER_PASSWORD_AUTH",
            AuthParameters={"USERNAME": email, "PASSWORD": PASSWORD},
        )["AuthenticationResult"]
        return CognitoTokens(answer["AccessToken"], answer["IdToken"], answer["RefreshToken"])


@functools.cache
def cognito() -> str:
    def command(port: int, _home: Path) -> list[str]:
        return ["node", str(HERE / "cognito.cjs"), str(port)]

    return shared("cognito", command, path="/health")


def new_pool() -> Pool:
    api = _api(cognito())
    pool_id = api.create_user_pool(PoolName="tests")["UserPool"]["Id"]
    return Pool(cognito(), pool_id, _new_client(api, pool_id))


def _new_client(api: Any, pool_id: str) -> str:
    client_id: str = api.create_user_pool_client(UserPoolId=pool_id, ClientName="sparks")["UserPoolClient"]["ClientId"]
    return client_id


@functools.cache
def _api(server: str) -> Any:
    """Untyped, because its stubs are a package of their own for these few calls."""
    session: Any = boto3.Session()
    return session.client(
        "cognito-idp",
        endpoint_url=server,
        region_name="eu-central-1",
        aws_access_key_id="tests",
        aws_secret_access_key="tests",
    )
