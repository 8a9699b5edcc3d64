"""`sparks settings`: what is in force, and where it came from."""

import click

from sparks.cli.options import json_option, print_json, say, with_settings
from sparks.settings import Settings


@click.command()
@json_option
@with_settings
def settings(found: Settings, *, as_json: bool) -> None:
    """Show every setting: its value, where that came from, and what it means.

    Secrets are never shown. A setting is given in the file (port = 8080), in the environment (SPARKS_PORT=8080) or, for
    some of them, as an option (--port 8080); the later of these beats the earlier.

    \b
    Examples:
      sparks settings
      SPARKS_PORT=8080 sparks settings --json
    """
    rows = [
        {"name": name, "value": found.shown(name), "source": found.source(name), "meaning": field.description}
        for name, field in Settings.model_fields.items()
    ]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        value = "(not set)" if row["value"] is None else _told(row["value"])
        say(f"{click.style(row['name'], bold=True)} = {value}  [{row['source']}]\n    {row['meaning']}")


def _told(value: str | int) -> str:
    """As one would write it in the file."""
    return str(value).lower() if isinstance(value, bool) else str(value)
