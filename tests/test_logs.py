"""Log lines: their fields, and values that never appear in them."""

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from sparks import logs
from sparks.logs import JsonLines, TextLines, configure_logs, redacted
from sparks.model.secret import new_secret

SIGNED = "http://127.0.0.1/blobs/originals/a.jpg?expires=1&key=k1&signature=swordfish"
PRESIGNED = "https://bucket.example.org/a%20b.jpg?X-Amz-Credential=swordfish%2Feu&X-Amz-Signature=swordfish"


def record(message: str, *arguments: object, level: int = logging.INFO, **extra: Any) -> logging.LogRecord:
    return logging.getLogger("sparks.test").makeRecord(
        "sparks.test", level, __file__, 1, message, arguments, None, extra=extra
    )


def test_a_json_line_holds_the_message_the_ids_and_the_extras() -> None:
    with logs.log_context(request_id="r1", job_id="j1"):
        line = json.loads(JsonLines().format(record("%d of %d", 1, 2, kind="walk", checks={"table": "ok"})))
    assert line.pop("time").endswith("Z")
    assert line == {
        "level": "info",
        "logger": "sparks.test",
        "message": "1 of 2",
        "requestId": "r1",
        "jobId": "j1",
        "kind": "walk",
        "checks": {"table": "ok"},
    }


def test_a_log_line_outside_of_any_request_has_no_ids() -> None:
    assert not {"requestId", "jobId"} & json.loads(JsonLines().format(record("alone"))).keys()


def failed(message: str) -> logging.LogRecord:
    error = ValueError(message)
    line = record("it failed", level=logging.ERROR)
    line.exc_info = (type(error), error, None)
    return line


def test_a_json_line_holds_the_traceback_in_the_same_line() -> None:
    line = JsonLines().format(failed("the bridge is down"))
    assert "\n" not in line
    assert "ValueError: the bridge is down" in json.loads(line)["exception"]


def test_a_text_line_does_not_repeat_fields_that_are_in_its_message() -> None:
    line = TextLines(colors=False).format(record("GET /photos 200", method="GET", status=200, seconds=0.5))
    assert line.endswith(" GET /photos 200 seconds=0.5")


def test_a_text_line_names_its_level_unless_it_is_info() -> None:
    assert "error: it failed" in TextLines(colors=False).format(failed("no"))


def test_a_text_line_is_colored_on_a_terminal_only() -> None:
    assert "\x1b[33m" in TextLines(colors=True).format(record("careful", level=logging.WARNING))
    assert "\x1b" not in TextLines(colors=False).format(record("careful", level=logging.WARNING))


def test_line_breaks_in_a_message_cannot_forge_a_line_of_a_text_log() -> None:
    line = TextLines(colors=False).format(record("GET %s", "/a\n12:00:00 GET /b\x1b[2J", path="/a\r\nb"))
    assert len(line.splitlines()) == 1
    assert "\x1b" not in line


@pytest.mark.parametrize("form", [JsonLines(), TextLines(colors=False)])
def test_no_log_line_contains_a_signature_or_an_email_address(form: logging.Formatter) -> None:
    secret = f"{SIGNED} {PRESIGNED} ada.lovelace+photos@mail.example.org ada%40example.org"
    extras: dict[str, Any] = {"url": SIGNED, "checks": {"s3": PRESIGNED, "who": "ada@example.org"}}
    for line in (form.format(record(secret, **extras)), form.format(failed(secret))):
        assert "swordfish" not in line
        assert "ada" not in line
        assert "/blobs/originals/a.jpg?(query)" in line


def test_no_log_line_contains_a_secret_wherever_it_was() -> None:
    key, token = f"sk_{new_secret().text}", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl"
    assert redacted(f"GET /api/me/keys/{key} 404 with {token}") == "GET /api/me/keys/(secret) 404 with (secret)"
    assert redacted("ann@nas and o'brien@localhost") == "(e-mail) and (e-mail)"


@pytest.mark.parametrize("text", ["is it? a=b", "what?", "100%", "@decorated", "50 % of 3 @ 2"])
def test_ordinary_text_is_left_as_it_is(text: str) -> None:
    assert redacted(text) == text


def test_a_file_name_that_is_not_unicode_can_be_logged() -> None:
    assert "caf\\udce9" in json.loads(JsonLines().format(record("caf\udce9")))["message"]


def test_a_field_that_json_cannot_represent_is_written_as_text() -> None:
    assert json.loads(JsonLines().format(record("x", thing=object)))["thing"] == "<class 'object'>"


@pytest.fixture
def root() -> Iterator[logging.Logger]:
    kept = logging.root.handlers[:], logging.root.level
    yield logging.root
    logging.captureWarnings(capture=False)
    logging.root.handlers[:], logging.root.level = kept


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("form", "stream", "json_expected"),
    [
        ("auto", io.StringIO(), True),
        ("auto", Terminal(), False),
        ("json", Terminal(), True),
        ("text", io.StringIO(), False),
    ],
)
def test_the_form_follows_the_setting_and_the_terminal(
    root: logging.Logger, form: str, stream: io.StringIO, *, json_expected: bool
) -> None:
    configure_logs(form=form, level="warning", stream=stream)
    root.info("not important")
    logging.getLogger("uvicorn.error").warning("important")
    lines = stream.getvalue().splitlines()
    assert len(lines) == 1
    assert "important" in lines[0]
    assert lines[0].startswith("{") == json_expected


@pytest.mark.parametrize(
    ("environment", "allowed"),
    [({}, True), ({"NO_COLOR": ""}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)],
)
def test_colors_are_left_out_where_the_environment_forbids_them(environment: dict[str, str], *, allowed: bool) -> None:
    assert logs.allows_colors(environment) == allowed
