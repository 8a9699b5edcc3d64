"""`site`: one Sparks and one outsider for all tests of this folder, because its servers take a while to start."""

from collections.abc import Iterator

import pytest

from sparks.media.sandboxed_renderer import SandboxedRenderer
from tests.documents.site import Site


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, renderer: SandboxedRenderer) -> Iterator[Site]:
    made = Site(tmp_path_factory.mktemp("documents"), renderer)
    with made.browser:
        yield made
