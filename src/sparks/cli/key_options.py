"""What is typed about API keys: scopes, an expiry, an id. Callbacks for click."""

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

import click

from sparks.model import times
from sparks.model.credential import KeyScope

SCOPES: Final = ", ".join(KeyScope)
MOST_DAYS: Final = 36500

_DAYS: Final = re.compile(r"(\d{1,5})d", re.ASCII)
_KEY: Final = re.compile(r"(?:sk_)?([A-Za-z0-9_-]{1,64})(?:\..*)?", re.ASCII)


def scopes_of(
    _context: click.Context, _parameter: click.Parameter, texts: tuple[str, ...]
) -> frozenset[KeyScope] | None:
    names = [name.strip() for text in texts for name in text.split(",")]
    for name in names:
        if name not in [*KeyScope]:
            raise click.BadParameter(f"{name!r} is not a scope: there are {SCOPES}")
    return frozenset(map(KeyScope, names)) if names else None


def expiry_of(_context: click.Context, _parameter: click.Parameter, text: str | None) -> datetime | None:
    if text is None:
        return None
    days = _DAYS.fullmatch(text)
    if days and 1 <= int(days[1]) <= MOST_DAYS:
        return times.now() + timedelta(days=int(days[1]))
    try:
        return datetime.combine(date.fromisoformat(text), time(), UTC)
    except ValueError:
        return _moment(text)


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is neither like 90d, nor 2030-01-31, nor 2030-01-31T12:00:00Z") from None
    if moment.tzinfo is None:
        raise click.BadParameter(f"{text!r} tells no time zone: for UTC, write {text}Z")
    return times.utc(moment)


def key_id_of(_context: click.Context, _parameter: click.Parameter, text: str) -> str:
    """Whoever finds a key in the wrong place may have no more than the key itself."""
    match = _KEY.fullmatch(text)
    if match is None:
        raise click.BadParameter("that is not the id of a key: `sparks key list` shows them")
    return match[1]
