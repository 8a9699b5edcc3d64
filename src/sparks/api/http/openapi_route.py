"""Route of the OpenAPI document, which is built at the first request for it."""

from functools import cache

import msgspec
from fastapi import FastAPI, Request, Response
from starlette.routing import BaseRoute

from sparks.api.http.authentication import PublicRoute
from sparks.api.http.cookies import Cookies
from sparks.api.http.openapi import openapi_document


def openapi_route(cookies: Cookies) -> BaseRoute:
    @cache
    def encoded(app: FastAPI) -> bytes:
        return msgspec.json.encode(openapi_document(app, cookie=cookies.name, guest_cookie=cookies.guest_name))

    async def read_document(request: Request) -> Response:
        return Response(encoded(request.app), media_type="application/json")

    return PublicRoute("/openapi.json", read_document)
