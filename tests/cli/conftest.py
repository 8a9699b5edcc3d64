"""Fixtures: the command line in this process, and `sparks serve` in another one."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from sparks.cli.main import main
from tests.cli.processes import Running, environment, start_serve


class Ended(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Ended]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def run(data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command on the data folder: `run("settings", "--json", SPARKS_PORT="1")`."""

    def call(*arguments: str, **more: str) -> Ended:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "argv", ["sparks", "--data", str(data), *arguments])
            patch.setattr(os, "environ", environment(**more))
            with pytest.raises(SystemExit) as ended:
                main()
        captured = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return Ended(ended.value.code, captured.out, captured.err)

    return call


@pytest.fixture(scope="module")
def sparks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server that the tests of a module share; they leave it running."""
    with start_serve(tmp_path_factory.mktemp("shared") / "data") as running:
        yield running
