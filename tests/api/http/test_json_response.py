"""JSON responses from plain values, with ETag and compression."""

from decimal import Decimal

from fastapi import FastAPI, Request, Response

from sparks.api.http.base_models import ResponseModel
from sparks.api.http.json_response import json_response, model_response
from tests.api.client import Client

VALUE = {"bytes": b"hash", "number": Decimal("1.3333"), "list": ("a",), "none": None}
TEXT = '{"bytes":"aGFzaA==","number":1.3333,"list":["a"],"none":null}'


def client() -> Client:
    app = FastAPI()

    def answer(request: Request, status: int = 200, times: int = 1) -> Response:
        return json_response(request, VALUE if times == 1 else [VALUE] * times, status=status)

    app.add_api_route("/", answer, methods=["GET", "POST"])
    return Client(app)


def test_values_of_rows_are_encoded_as_json() -> None:
    with client() as asked:
        answer = asked.get("/")
    assert (answer.text, answer.headers["content-type"]) == (TEXT, "application/json")


def test_a_response_that_the_client_has_is_304() -> None:
    with client() as asked:
        first = asked.get("/")
        etag = first.headers["etag"]
        for known in (etag, f'"other", {etag}', etag.removeprefix("W/"), "*"):
            again = asked.get("/", headers={"If-None-Match": known})
            assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", etag)
        assert asked.get("/", headers={"If-None-Match": '"other"'}).status_code == 200
    assert first.headers["cache-control"] == "private, no-cache"


def test_the_response_to_a_change_has_no_etag() -> None:
    with client() as asked:
        answer = asked.post("/?status=201", headers={"If-None-Match": "*"})
    assert (answer.status_code, answer.text) == (201, TEXT)
    assert not {"etag", "cache-control"} & set(answer.headers)


def test_a_long_body_is_compressed_where_the_client_accepts_it() -> None:
    with client() as asked:
        short = asked.get("/")
        result = {each: {"Accept-Encoding": each} for each in ("gzip", "gzip;q=0", "")}
        answers = {each: asked.get("/?times=99", headers=headers) for each, headers in result.items()}
    assert "content-encoding" not in short.headers
    assert [answer.headers.get("content-encoding") for answer in answers.values()] == ["gzip", None, None]
    assert {answer.headers["vary"] for answer in answers.values()} == {"Accept-Encoding"}
    assert len({(answer.text, answer.headers["etag"]) for answer in answers.values()}) == 1
    assert int(answers["gzip"].headers["content-length"]) < len(answers[""].content) / 10


def test_a_model_is_encoded_by_its_aliases_and_without_missing_values() -> None:
    class Told(ResponseModel):
        last_key: str | None = None
        all_names: list[str]

    def answer_with_names(request: Request) -> Response:
        return model_response(request, Told(all_names=["Ann"]))

    app = FastAPI()
    app.add_api_route("/", answer_with_names)
    with Client(app) as asked:
        answer = asked.get("/")
    assert (answer.text, answer.headers["content-type"]) == ('{"allNames":["Ann"]}', "application/json")
    assert answer.headers["etag"].startswith('W/"')
