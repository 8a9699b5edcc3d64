"""JSON straight from plain values, with an ETag for those who look."""

from decimal import Decimal

from fastapi import FastAPI, Request, Response

from sparks.api.encoded import encoded
from tests.api.client import Client

VALUE = {"bytes": b"hash", "number": Decimal("1.3333"), "list": ("a",), "none": None}
TEXT = '{"bytes":"aGFzaA==","number":1.3333,"list":["a"],"none":null}'


def client() -> Client:
    app = FastAPI()

    def answer(request: Request, status: int = 200) -> Response:
        return encoded(request, VALUE, status=status)

    app.add_api_route("/", answer, methods=["GET", "POST"])
    return Client(app)


def test_values_are_told_as_rows_have_them() -> None:
    with client() as asked:
        answer = asked.get("/")
    assert (answer.text, answer.headers["content-type"]) == (TEXT, "application/json")


def test_whoever_has_it_is_told_no_more_than_that() -> None:
    with client() as asked:
        first = asked.get("/")
        etag = first.headers["etag"]
        for known in (etag, f'"other", {etag}', f"W/{etag}", "*"):
            again = asked.get("/", headers={"If-None-Match": known})
            assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", etag)
        assert asked.get("/", headers={"If-None-Match": '"other"'}).status_code == 200
    assert first.headers["cache-control"] == "private, no-cache"


def test_what_was_done_is_told_without_an_etag() -> None:
    with client() as asked:
        answer = asked.post("/?status=201", headers={"If-None-Match": "*"})
    assert (answer.status_code, answer.text) == (201, TEXT)
    assert not {"etag", "cache-control"} & set(answer.headers)
