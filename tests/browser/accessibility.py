"""Accessibility of a page: what axe finds in either theme."""

from typing import Final

from tests.browser.visitor import Visitor

THEMES: Final = ("light", "dark")


def barriers_in(visitor: Visitor, *themes: str) -> list[str]:
    """On the page as it is, in each of these themes, both by default."""
    found: list[str] = []
    for theme in themes or THEMES:
        visitor.page.emulate_media(color_scheme="dark" if theme == "dark" else "light", reduced_motion="reduce")
        visitor.page.locator(f":root[data-theme={theme}]").wait_for()
        found += [f"{theme}: {barrier}" for barrier in visitor.barriers()]
    return found
