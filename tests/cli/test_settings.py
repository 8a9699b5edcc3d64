"""`sparks settings`."""

import json

from sparks.settings import Settings
from tests.cli.conftest import Run

KEY = {"SPARKS_AWS_ACCESS_KEY_ID": "AKIDTHATISSECRET", "SPARKS_AWS_SECRET_ACCESS_KEY": "hush-hush"}


def test_every_setting_is_shown_with_its_source_and_meaning(run: Run) -> None:
    rows = {row["name"]: row for row in json.loads(run("settings", "--json", SPARKS_PORT="8080").out)}
    assert list(rows) == list(Settings.model_fields)
    assert (rows["port"]["value"], rows["port"]["source"]) == (8080, "SPARKS_PORT")
    assert (rows["host"]["value"], rows["host"]["source"]) == ("127.0.0.1", "default")
    assert all(row["meaning"] for row in rows.values())


def test_the_settings_without_json_are_readable_text(run: Run) -> None:
    lines = run("settings", SPARKS_PORT="8080").out.splitlines()
    assert "port = 8080  [SPARKS_PORT]" in lines
    assert "region = (not set)  [default]" in lines


def test_no_secret_is_shown(run: Run) -> None:
    for form in ([], ["--json"]):
        shown = run("settings", *form, **KEY).out
        assert "********" in shown
        assert not [secret for secret in KEY.values() if secret in shown]
