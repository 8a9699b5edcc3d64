"""The photo that media tests show."""

import pytest

from tests.api.shown_photo import Gallery, local_gallery


@pytest.fixture
def gallery() -> Gallery:
    return local_gallery()
