"""The command line as a whole: help, version, and how it ends."""

import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from sparks import __version__
from sparks.cli.main import cli
from tests.cli.conftest import Run


def commands(group: click.Group, *path: str) -> Iterator[tuple[str, ...]]:
    for name, command in group.commands.items():
        yield (*path, name)
        if isinstance(command, click.Group):
            yield from commands(command, *path, name)


def leaves() -> list[tuple[str, ...]]:
    every = list(commands(cli))
    return [path for path in every if not any(other[: len(path)] == path and other != path for other in every)]


def test_the_version_is_told(run: Run) -> None:
    assert run("--version").out == f"sparks {__version__}\n"


def test_help_names_every_command(run: Run) -> None:
    said = run("--help").out
    assert all(f"  {path[0]}" in said for path in commands(cli))


@pytest.mark.parametrize("path", leaves(), ids=" ".join)
def test_every_command_has_help_with_an_example_that_names_it(run: Run, path: tuple[str, ...]) -> None:
    ended = run(*path, "--help")
    assert ended.code == 0
    assert "Example" in ended.out
    assert f"sparks {' '.join(path)}" in ended.out.split("Example")[1].split("Options:")[0]


def test_an_unknown_command_is_a_usage_error(run: Run) -> None:
    assert run("fly").code == 2


def test_a_wrong_setting_ends_with_one_line_and_code_2(run: Run) -> None:
    ended = run("settings", SPARKS_PORT="http")
    assert ended == (2, "", "sparks: SPARKS_PORT: 'http' is not a whole number from 0 to 65535\n")


def test_a_wrong_option_is_told_in_the_same_words(run: Run) -> None:
    ended = run("serve", "--port", "http")
    assert ended == (2, "", "sparks: --port: 'http' is not a whole number from 0 to 65535\n")


def test_any_other_failure_ends_with_one_line_and_code_1(run: Run, data: Path) -> None:
    data.mkdir()
    (data / "secrets.json").touch(mode=0o600)
    ended = run("secrets", "list")
    assert ended == (1, "", f"sparks: {data}/secrets.json is not a secrets file: restore it from a backup\n")


def test_the_data_folder_may_be_named_before_or_behind_the_command(run: Run, tmp_path: Path) -> None:
    here = str(tmp_path / "here")
    rows = json.loads(run("settings", "--json", "--data", here).out)
    assert {"value": here, "source": "--data"}.items() <= rows[0].items()


def test_an_unknown_variable_is_warned_of(run: Run) -> None:
    ended = run("settings", SPARKS_PROT="1")
    assert ended.code == 0
    assert ended.err == "sparks: warning: SPARKS_PROT is not a setting: did you mean SPARKS_PORT?\n"
