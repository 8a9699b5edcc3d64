"""Routes that only look: let in, asked and answered on one thread."""

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Annotated, Any

import pytest
from fastapi import Body, Depends, FastAPI, Header, Path, Query, Request, Response

from sparks.api import errors
from sparks.api.cookies import Cookies
from sparks.api.gate import Caller, Gate, MemberCaller, Routes, action_of
from sparks.auth.callers import Callers
from sparks.auth.rates import Rates
from sparks.model.access import Action
from sparks.model.caller import GuestCaller, Who
from sparks.model.share import LinkPermission
from tests.api.client import SITE, Client, refusal
from tests.api.community import Community
from tests.factories import BOB

Few = Annotated[int, Query(le=9)]
Renamed = Annotated[str, Path(alias="imageId")]


class Watched(Gate):
    """Remembers on which thread it was asked."""

    thread: int | None = None

    def caller(self, request: Request, action: Action) -> Who:
        self.thread = threading.get_ident()
        return super().caller(request, action)


def gate_of(community: Community) -> Watched:
    return Watched(
        callers=Callers(table=community.table, idle=timedelta(days=30)),
        rates=Rates(),
        cookies=Cookies(public_url=SITE, allow_http=True, days=30),
        public_url=SITE,
        clock=lambda: community.at,
    )


def app_of(gate: Gate, path: str, action: Action, endpoint: Callable[..., Response]) -> FastAPI:
    app = FastAPI()
    errors.install(app)
    routes = Routes(gate, tag="photos")
    routes.look(path, action, endpoint)
    app.router.routes.extend(routes.router.routes)
    return app


def test_the_caller_and_what_stands_in_the_address_are_given_to_the_endpoint(community: Community) -> None:
    def look(request: Request, who: MemberCaller, image_id: Renamed, many: Few = 5, word: str = "") -> Response:
        return Response(f"{request.method} {who.email} {image_id} {many} {word}")

    with Client(app_of(gate_of(community), "/see/{imageId}", Action.LIST_PHOTOS, look)) as client:
        headers = community.session_of(community.bob)
        assert client.get("/see/a%20b", headers=headers).text == f"GET {BOB} a b 5 "
        assert client.get("/see/a?many=3&word=x", headers=headers).text == f"GET {BOB} a 3 x"


def test_it_is_let_in_and_answered_on_one_thread_that_is_not_the_servers(community: Community) -> None:
    gate = gate_of(community)
    app = app_of(gate, "/see", Action.LIST_PHOTOS, lambda: Response(str(threading.get_ident())))
    with Client(app) as client:
        answer = client.get("/see", headers=community.session_of(community.bob))
    assert answer.text == str(gate.thread)
    assert gate.thread != threading.get_ident()


def test_the_gate_comes_before_the_words_of_the_request(community: Community) -> None:
    def look(who: MemberCaller, many: Few) -> Response:
        raise AssertionError((who, many))

    with Client(app_of(gate_of(community), "/see", Action.LIST_PHOTOS, look)) as client:
        assert client.get("/see?many=10").status_code == 401
        answer = client.get("/see?many=10", headers=community.session_of(community.bob))
        assert refusal(answer) == (422, "INVALID_REQUEST", "query.many: Input should be less than or equal to 9")
        assert client.get("/see", headers=community.session_of(community.bob)).status_code == 422


def test_who_must_be_a_member_is_one(community: Community) -> None:
    link, _ = community.link_to("album", LinkPermission.VIEW)

    def member(who: MemberCaller) -> Response:
        return Response(who.email)

    def anyone(who: Caller) -> Response:
        return Response(str(isinstance(who, GuestCaller)))

    with Client(app_of(gate_of(community), "/see", Action.SEE_PHOTO, member)) as client:
        assert client.get("/see", headers=community.guest_of(link)).status_code == 401
    with Client(app_of(gate_of(community), "/see", Action.SEE_PHOTO, anyone)) as client:
        assert client.get("/see", headers=community.guest_of(link)).text == "True"


def test_it_declares_its_action_as_any_other_route(community: Community) -> None:
    app = app_of(gate_of(community), "/see", Action.SEE_PHOTO, lambda: Response())
    (route,) = [route for route in app.router.routes if getattr(route, "path", "") == "/see"]
    assert action_of(route) is Action.SEE_PHOTO


async def _awaited() -> Response:
    raise AssertionError


def _with_a_body(wish: Annotated[dict[str, Any], Body()]) -> Response:
    raise AssertionError(wish)


def _with_a_header(word: Annotated[str, Header()]) -> Response:
    raise AssertionError(word)


def _with_a_dependency(word: Annotated[str, Depends(lambda: "word")]) -> Response:
    raise AssertionError(word)


@pytest.mark.parametrize("endpoint", [_awaited, _with_a_body, _with_a_header, _with_a_dependency])
def test_an_endpoint_that_takes_more_is_not_let_be_one(community: Community, endpoint: Callable[..., Response]) -> None:
    with pytest.raises(TypeError, match="does more than look"):
        app_of(gate_of(community), "/see", Action.LIST_PHOTOS, endpoint)
