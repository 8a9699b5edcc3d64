"""Runs the shell blocks of a guide page against a real `sparks serve`, and checks what the page says of the answers.

A page marks a block that is run with ` ```bash run`. All such blocks of a page are one script, run in order. A comment
behind a call is checked where it begins with a status, with fields, or with both: `# 201 {imageId, urls}: stored`.
Every other call must be answered with a status below 400. An HTML comment `<!-- test: wait_for_people -->`, which
readers do not see, calls that function of `prelude.sh`.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx

from tests.cli.processes import Running, environment, start_serve

ROOT: Final = Path(__file__).parents[2]
PRELUDE: Final = Path(__file__).with_name("prelude.sh")
README: Final = "README.md"
ADDRESS: Final = "127.0.0.1:8000"
ANN: Final = "ann@example.com"
BOB: Final = "bob@example.com"
PASSWORD: Final = "correct horse battery"
SECONDS: Final = 120

_OPEN: Final = "```bash run"
_FENCE: Final = "```"
_WAIT: Final = re.compile(r"<!-- test: (\w+) -->")
_SAID: Final = re.compile(r"\s# (?P<status>\d{3}\b)? ?(?:\{(?P<fields>[^}]*)\})?")
_CALL: Final = re.compile(r"^CALL (\d+) (\S+) (\d{3}) (\S+)$", re.MULTILINE)


@dataclass(frozen=True)
class Call:
    """One call of a page, and how it was answered."""

    command: str
    status: int
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Outcome:
    """A page that was run: its folder, all that it printed, and its calls."""

    folder: Path
    printed: str
    calls: list[Call]

    def call(self, part: str) -> Call:
        """The last call whose command holds this text, however it is spaced."""
        found = [call for call in self.calls if part in " ".join(call.command.split())]
        assert found, f"no call with {part!r}"
        return found[-1]


class Page:
    """The marked blocks of a Markdown file; all other lines are empty, so that bash tells the line of the file."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._lines = list(_marked((ROOT / name).read_text().splitlines()))

    def script(self, address: str) -> str:
        """The commands as they stand, at the address where the server really listens."""
        return "\n".join(self._lines).replace(ADDRESS, address) + "\n"

    def check(self, number: int, status: int, body: bytes) -> Call:
        """The call in this line; an AssertionError where the page says otherwise."""
        command = self._command_at(number)
        said = _SAID.search(command)
        expected, fields = (said["status"], said["fields"]) if said else (None, None)
        told = f"{self.name}:{number} was answered {status}:\n{command}\n{body[:2000]!r}"
        assert status == int(expected) if expected else status < 400, told
        if fields:
            missing = {field.strip() for field in fields.split(",")} - set(json.loads(body))
            assert not missing, f"{sorted(missing)} missing: {told}"
        return Call(command, status, body)

    def _command_at(self, number: int) -> str:
        """From this line to the first one that is not continued."""
        end = number
        while self._lines[end - 1].endswith("\\"):
            end += 1
        return "\n".join(self._lines[number - 1 : end])


def _marked(lines: list[str]) -> Iterator[str]:
    is_open = False
    for line in lines:
        wait = _WAIT.fullmatch(line)
        if line.startswith(_FENCE):
            is_open = line == _OPEN
        yield line if is_open and line != _OPEN else wait[1] if wait else ""


class Cookbook:
    """A server with an administrator and a member, and a home folder in which pages are run."""

    def __init__(self, running: Running, client: httpx.Client, folder: Path) -> None:
        """`client` calls the API with a key of the administrator's."""
        self.client = client
        self.home = folder / "home"
        self._folder = folder
        self._address = running.url.removeprefix("http://")
        programs, bodies = folder / "bin", folder / "bodies"
        for made in (self.home, programs, bodies):
            made.mkdir()
        program = programs / "sparks"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sparks "$@"\n')
        program.chmod(0o755)
        self._environment = environment(
            SPARKS_DATA=str(running.data),
            HOME=str(self.home),
            PATH=f"{programs}:{os.environ['PATH']}",
            ADDRESS=self._address,
            BODIES=str(bodies),
            TEST_KEY=client.headers["Authorization"].removeprefix("Bearer "),
        )

    def run(self, name: str) -> Outcome:
        """Runs the blocks of the README, which the other pages build on, and those of the page."""
        pages = {f"{number}.sh": Page(each) for number, each in enumerate(dict.fromkeys((README, name)))}
        for file, page in pages.items():
            (self._folder / file).write_text(page.script(self._address))
        ended = self.bash("\n".join(f". '{path}'" for path in (PRELUDE, *(self._folder / file for file in pages))))
        calls = [
            pages[Path(source).name].check(int(line), int(status), Path(body).read_bytes())
            for line, source, status, body in _CALL.findall(ended.stderr)
        ]
        return Outcome(self.home, ended.stdout, calls)

    def bash(self, script: str) -> subprocess.CompletedProcess[str]:
        ended = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            env=self._environment,
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
        )
        assert ended.returncode == 0, f"exit code {ended.returncode}\n{ended.stdout[-3000:]}\n{ended.stderr[-3000:]}"
        return ended


@contextmanager
def opened_cookbook(folder: Path) -> Iterator[Cookbook]:
    secret = folder / "password"
    secret.write_text(PASSWORD)
    with (
        start_serve(folder / "data", SPARKS_ADMIN_EMAIL=ANN, SPARKS_ADMIN_PASSWORD_FILE=str(secret)) as running,
        httpx.Client(base_url=f"{running.url}/api", timeout=60) as client,
    ):
        client.headers["Authorization"] = f"Bearer {_new_key(client)}"
        client.post("/users", json={"email": BOB}).raise_for_status()
        yield Cookbook(running, client, folder)


def _new_key(client: httpx.Client) -> str:
    """A key of the administrator's, which only a browser can make: the client keeps no cookie."""
    headers = {"X-Sparks-CSRF": "1"}
    client.post("/session", headers=headers, json={"email": ANN, "password": PASSWORD}).raise_for_status()
    made = client.post("/me/keys", headers=headers, json={"name": "test"}).raise_for_status()
    client.cookies.clear()
    return str(made.json()["key"])
