"""The command line as a whole: help, version and exit codes."""

import errno
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from sparks import __version__
from sparks.cli.main import cli
from tests.cli.conftest import Run
from tests.cli.processes import environment


def commands(group: click.Group, *path: str) -> Iterator[tuple[str, ...]]:
    for name, command in group.commands.items():
        yield (*path, name)
        if isinstance(command, click.Group):
            yield from commands(command, *path, name)


def test_the_version_is_printed(run: Run) -> None:
    assert run("--version").out == f"sparks {__version__}\n"


def test_help_names_every_command(run: Run) -> None:
    help_text = run("--help").out
    assert all(f"  {path[0]}" in help_text for path in commands(cli))


@pytest.mark.parametrize("path", list(commands(cli)), ids=" ".join)
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


def test_a_wrong_option_has_the_same_message_as_a_wrong_setting(run: Run) -> None:
    ended = run("serve", "--port", "http")
    assert ended == (2, "", "sparks: --port: 'http' is not a whole number from 0 to 65535\n")


def test_any_other_failure_ends_with_one_line_and_code_1(run: Run, data: Path) -> None:
    data.mkdir()
    (data / "secrets.json").touch(mode=0o600)
    ended = run("secrets", "list")
    assert ended == (1, "", f"sparks: {data}/secrets.json is not a secrets file: restore it from a backup\n")


def test_the_data_folder_may_be_named_before_or_after_the_command(run: Run, tmp_path: Path) -> None:
    here = str(tmp_path / "here")
    rows = json.loads(run("settings", "--json", "--data", here).out)
    assert {"value": here, "source": "--data"}.items() <= rows[0].items()


def test_an_unknown_variable_is_warned_of(run: Run) -> None:
    ended = run("settings", SPARKS_PROT="1")
    assert ended.code == 0
    assert ended.err == "sparks: warning: SPARKS_PROT is not a setting: did you mean SPARKS_PORT?\n"


@pytest.mark.parametrize("command", [("jobs", "list"), ("jobs", "drop", "--all"), ("secrets", "list")], ids=" ".join)
def test_a_command_on_existing_data_creates_no_data_folder(run: Run, data: Path, command: tuple[str, ...]) -> None:
    ended = run(*command)
    words = f"there is no Sparks data in {data}: name its folder with --data, or begin with `sparks serve`"
    assert ended == (2, "", f"sparks: {words}\n")
    assert not data.exists()


def test_ctrl_c_ends_a_command_quietly(run: Run, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sparks.cli.options.load_settings", interrupt)
    ended = run("settings")
    assert (ended.code, ended.out, ended.err.strip()) == (130, "", "")


def run_with_stdout(redirection: str) -> subprocess.CompletedProcess[str]:
    command = f"exec {sys.executable} -m sparks settings {redirection}"
    return subprocess.run(["sh", "-c", command], env=environment(), capture_output=True, text=True, check=False)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_to_a_full_disk_makes_the_command_fail() -> None:
    ended = run_with_stdout("> /dev/full")
    assert (ended.returncode, ended.stderr) == (
        1,
        f"sparks: the output cannot be written: {os.strerror(errno.ENOSPC)}\n",
    )


def test_a_closed_stdout_makes_the_command_fail() -> None:
    ended = run_with_stdout(">&-")
    assert (ended.returncode, ended.stderr) == (1, "sparks: the output cannot be written: stdout is closed\n")


def test_a_closed_pipe_ends_the_command_without_a_message() -> None:
    ended = run_with_stdout("| true")
    assert ended.stderr == ""
