"""The whole API against its document: no 5xx, no undocumented response, no undocumented request accepted.

Every check of schemathesis is on. Two of them allow more statuses than their defaults: a request that matches the
document may still have a wrong value (400, such as a bad address or a weak password), and a URL, header or body may be
too large before its content is checked.
"""

from collections.abc import Mapping
from hashlib import sha256
from itertools import count, cycle
from pathlib import Path
from typing import Any, Final, NamedTuple

import hypothesis
import pytest
import schemathesis
from schemathesis.python.asgi import HOST
from schemathesis.specs.openapi.checks import negative_data_rejection, unsupported_method
from starlette.types import Receive, Scope, Send

from sparks.library.accounts.identities import link_identity
from sparks.model.account import Role
from tests.api.access_samples import ISSUER, samples_in
from tests.api.callers import callers_of
from tests.api.community import PASSWORD, Community, Headers
from tests.factories import ANN, a_user

Case = schemathesis.Case[Any]

EXAMPLES: Final = 15
MANY_EXAMPLES: Final = 400
REAL: Final = {
    "password": PASSWORD,
    "oldPassword": PASSWORD,
    "newPassword": f"{PASSWORD} staple",
    "username": "Somebody",
}
TOO_LARGE: Final = frozenset({413, 414, 431})
REFUSALS: Final = ["400", "401", "403", "404", "405", "409", "413", "414", "415", "422", "429", "431"]
CONFIG: Final = {
    "generation": {"with-security-parameters": False},
    "checks": {
        "positive_data_acceptance": {
            "expected-statuses": ["2xx", "3xx", *(status for status in REFUSALS if status != "422")]
        },
        "negative_data_rejection": {"expected-statuses": REFUSALS},
    },
}


class Administrator(NamedTuple):
    """`ids` are those of the administrator's own things."""

    headers: Headers
    ids: dict[str, str]


class Stage:
    """ASGI application: Sparks in its first state at each request, each from a new IP address."""

    def __init__(self) -> None:
        self.community = Community(Path("data"), password=PASSWORD, allow_http=True, allowed_hosts=(HOST,))
        self.samples = samples_in(self.community, callers_of(self.community))
        self.invitation = self.community.invite(uses=0)
        # Many addresses, so that none exceeds the rate limit of wrong passwords.
        self.administrators = cycle([self._administrator(number) for number in range(50)])
        self.community.remember()
        self.community.stopping.set()  # so that no stream goes on for good
        self._addresses = (f"10.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}" for n in count(1))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            self.community.rewind()
            scope["client"] = (next(self._addresses), 50_000)
        await self.community.app(scope, receive, send)

    def _administrator(self, number: int) -> Administrator:
        user = self.community.join(a_user(f"admin{number}@example.com", role=Role.ADMIN), password=PASSWORD)
        link_identity(user.email, ISSUER, user.username, table=self.community.table)
        ids = {
            "sessionId": self.community.session_of(user)["Cookie"].partition("=")[2].partition(".")[0],
            "keyId": self.community.key_of(user)["Authorization"].partition("_")[2].partition(".")[0],
            "identityId": sha256(f"{ISSUER}#{user.username}".encode()).hexdigest()[:32],
        }
        return Administrator(self.community.session_of(user), ids)


def read_document(**more: Any) -> schemathesis.BaseSchema:
    config = schemathesis.Config.from_dict({**CONFIG, **more})
    return schemathesis.openapi.from_asgi("/openapi.json", stage, config=config)


stage = Stage()
schema = read_document()
# Anonymous callers are refused before anything else is checked: not every edge case has to be tried.
schema_in_short = read_document(phases={"coverage": {"enabled": False}})


def make_real(case: Case, ids: Mapping[str, str]) -> None:
    """Uses existing ids in every other valid case: random ones would never match."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    for name, value in case.path_parameters.items():
        if len(value) % 2 == 0:
            there = stage.samples[name][:-1]
            case.path_parameters[name] = ids.get(name) or there[len(value) // 2 % len(there)].id
    if isinstance(case.body, dict) and len(str(case.body)) % 2 == 0:
        email = ANN if case.path == "/api/session" else "new@example.com"
        real = {**REAL, "email": email, "invitation": stage.invitation}
        case.body = {name: real.get(name, value) for name, value in case.body.items()}


def ask(case: Case, caller: Administrator | None = None) -> None:
    """A request that is too large is refused before its method is checked.

    In a URL, tags are text whatever they were before, so a number among them is no mistake there.
    """
    make_real(case, {} if caller is None else caller.ids)
    headers = {} if caller is None else caller.headers
    answer = case.call(headers=headers)
    unlooked = [unsupported_method] if answer.status_code in TOO_LARGE else []
    if "tags" in (case.query or {}):
        unlooked.append(negative_data_rejection)
    case.validate_response(answer, headers=headers, excluded_checks=unlooked, transport_kwargs={"headers": headers})


@schema.parametrize()
@hypothesis.settings(max_examples=EXAMPLES, derandomize=True)
def test_responses_to_an_administrator_match_the_document(case: Case) -> None:
    ask(case, next(stage.administrators))


@schema_in_short.parametrize()
@hypothesis.settings(max_examples=EXAMPLES, derandomize=True)
def test_responses_to_anonymous_callers_match_the_document(case: Case) -> None:
    ask(case)


@pytest.mark.long
@schema.parametrize()
@hypothesis.settings(max_examples=MANY_EXAMPLES)
def test_repeated_responses_to_an_administrator_match_the_document(case: Case) -> None:
    ask(case, next(stage.administrators))
